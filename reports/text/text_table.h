// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Aligned columns of text, and numbers with a suitable unit, for everything that people read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::reports {

/// Rows of cells, printed in columns two blanks apart. The first column and those in `left` are
/// left-aligned, the others right-aligned. No trailing blanks.
class TextTable {
 public:
  /// `left`: indices of further left-aligned columns.
  explicit TextTable(std::vector<std::string> header, const std::vector<std::size_t>& left = {});

  /// Adds a row with as many cells as the header (checked).
  void add(std::vector<std::string> cells);

  /// Returns header and rows, each line after `indent` blanks and ending with a newline.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> left_;
};

/// The text of a cell without a value.
inline constexpr const char* kNone = "-";

/// Returns `format(*value)`, or kNone.
template <typename Format>
[[nodiscard]] std::string cell(const std::optional<double>& value, const Format& format) {
  return value.has_value() ? format(*value) : kNone;
}

/// Returns three significant digits with a unit: 9.27 ms, 41.0 s, 12.3 us; hours from 3 h on.
[[nodiscard]] std::string seconds_text(double seconds);

/// Returns three significant digits and a decimal prefix: "12.3 G" for 12.3e9; append the unit.
[[nodiscard]] std::string decimal_text(double value);

/// Returns bytes in binary units: 1.31 GiB.
[[nodiscard]] std::string bytes_text(double bytes);
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

/// Returns three significant digits, without exponent below 10^7: 4.75, 102, 12300.
[[nodiscard]] std::string number_text(double value);

/// Returns a loss or metric with four decimals, 0.6931; with an exponent from 10^6 on, 2.2724e+32.
[[nodiscard]] std::string loss_text(double value);

/// Returns a share as per cent with one decimal: 12.0 %.
[[nodiscard]] std::string percent_text(double share);

}  // namespace dlbench::reports
