// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_table.h"

#include "engine/core/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace dlbench::reports {
namespace {

/// Returns the columns that a UTF-8 text takes: its bytes without continuation bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

/// The size of `value` as three significant digits show it: 1.00 of 0.9997.
double shown_size(double value) {
  return std::strtod(fmt::format("{:.2e}", std::abs(value)).c_str(), nullptr);
}

/// Three significant digits as a plain decimal number: 0.0123, 1.23, 12.3, 123, 1234.
std::string three_digits(double value) {
  const double size = shown_size(value);
  if (size >= 100.0 || size == 0.0) {
    return fmt::format("{:.0f}", value);
  }
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 6);
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header, const std::vector<std::size_t>& left)
    : left_(header.size(), false) {
  DLBENCH_CHECK(!header.empty());
  left_[0] = true;
  for (const std::size_t column : left) {
    left_.at(column) = true;
  }
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> cells) {
  DLBENCH_CHECK(cells.size() == left_.size()) << cells.size() << " cells";
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::size_t> widths(left_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(row[column]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string blanks(widths[column] - width_of(row[column]), ' ');
      line += column == 0 ? "" : "  ";
      line += left_[column] ? row[column] + blanks : blanks + row[column];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string seconds_text(double seconds) {
  const double size = shown_size(seconds);
  if (std::abs(seconds) >= 3.0 * 3600.0) {
    return three_digits(seconds / 3600.0) + " h";
  }
  if (size >= 1.0 || size == 0.0) {
    return three_digits(seconds) + " s";
  }
  if (size >= 1e-3) {
    return three_digits(seconds * 1e3) + " ms";
  }
  return size >= 1e-6 ? three_digits(seconds * 1e6) + " us" : three_digits(seconds * 1e9) + " ns";
}

std::string decimal_text(double value) {
  constexpr std::array<const char*, 6> kPrefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (shown_size(value) >= 1000.0 && prefix + 1 < kPrefixes.size()) {
    value /= 1000.0;
    ++prefix;
  }
  return fmt::format("{} {}", three_digits(value), kPrefixes.at(prefix));
}

std::string bytes_text(double bytes) {
  // From 1000 to 1023 they are whole numbers of a unit: 1023.5 would be 1024 of it.
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1023.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024.0;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(bytes), kUnits.at(unit));
}

std::string bytes_text(std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

std::string number_text(double value) {
  return std::abs(value) < 1e7 ? three_digits(value) : fmt::format("{:.3g}", value);
}

std::string loss_text(double value) {
  return std::abs(value) >= 1e6 ? fmt::format("{:.4e}", value) : fmt::format("{:.4f}", value);
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

}  // namespace dlbench::reports
