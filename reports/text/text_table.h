// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Columns of text, aligned, and numbers with a fitting unit, for everything that people read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::reports {

/// Rows of cells, printed in columns two blanks apart. The first column and those named so are
/// aligned left, the others right. No blanks at line ends.
class TextTable {
 public:
  /// `left`: indices of further columns that are aligned left.
  explicit TextTable(std::vector<std::string> header, const std::vector<std::size_t>& left = {});

  /// A row with as many cells as the header (checked).
  void add(std::vector<std::string> cells);

  /// Header and rows, each line after `indent` blanks and ended with a newline.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> left_;
};

/// What stands in a cell without a value.
inline constexpr const char* kNone = "-";

/// `format(*value)`, or kNone.
template <typename Format>
[[nodiscard]] std::string cell(const std::optional<double>& value, const Format& format) {
  return value.has_value() ? format(*value) : kNone;
}

/// Three significant digits with the unit that fits: 9.27 ms, 41.0 s, 12.3 us; hours from 3 h on.
[[nodiscard]] std::string seconds_text(double seconds);

/// Three significant digits and a decimal prefix: "12.3 G" for 12.3e9; append the unit.
[[nodiscard]] std::string decimal_text(double value);

/// Bytes in binary units: 1.31 GiB.
[[nodiscard]] std::string bytes_text(double bytes);
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

/// Three significant digits, no exponent below 10^7: 4.75, 102, 12300.
[[nodiscard]] std::string number_text(double value);

/// A loss or metric: four decimals, 0.6931; with an exponent from 10^6 on, 2.2724e+32.
[[nodiscard]] std::string loss_text(double value);

/// One decimal: 12.0 %.
[[nodiscard]] std::string percent_text(double share);

}  // namespace dlbench::reports
