// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of products, which all that the libraries compute here is made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dlbench::fake {

/// A right operand (terms, columns), cut into panels of columns that lie term by term, zeros behind
/// the last column.
class Panels {
 public:
  static constexpr std::int64_t kColumns = 8;

  Panels(std::int64_t terms, std::int64_t columns);

  /// Element (t, c) is values[t * term_stride + c * column_stride].
  void pack(const float* values, std::int64_t term_stride, std::int64_t column_stride);
  /// Element (t, c) is rows[t][c].
  void pack(std::span<const float* const> rows);

  [[nodiscard]] std::int64_t terms() const { return terms_; }
  /// What a row of sums has room for.
  [[nodiscard]] std::int64_t padded_columns() const;
  [[nodiscard]] const float* panel(std::int64_t number) const {
    return values_.data() + number * terms_ * kColumns;
  }

 private:
  std::int64_t terms_;
  std::int64_t columns_;
  std::vector<float> values_;
};

/// `columns`, rounded up to whole panels.
[[nodiscard]] std::int64_t padded(std::int64_t columns);

/// sums[r][c] += sum over t of rows[r][t] b(t, c). The order of the additions is fixed: up to 32
/// terms in f32, those partial sums in f64.
void add_products(const Panels& b,
                  std::span<const float* const> rows,
                  std::span<double* const> sums);

}  // namespace dlbench::fake
