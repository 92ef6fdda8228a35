// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/pretended/products.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace dlbench::pretended {
namespace {

/// Of the host's vector registers: tests are compiled with hardly any optimisation.
using Lanes [[gnu::vector_size(16)]] = float;
constexpr std::int64_t kLanes = 4;
static_assert(Panels::kColumns == 2 * kLanes);

constexpr std::size_t kTileRows = 4;
constexpr std::int64_t kChunk = 32;

using TileRows = std::array<const float*, kTileRows>;
using TileSums = std::array<double*, kTileRows>;

Lanes load_lanes(const float* values) {
  Lanes lanes;
  std::memcpy(&lanes, values, sizeof lanes);
  return lanes;
}

void add_lanes(const Lanes& left, const Lanes& right, double* sums) {
  for (int lane = 0; lane < kLanes; ++lane) {
    sums[lane] += static_cast<double>(left[lane]);
    sums[kLanes + lane] += static_cast<double>(right[lane]);
  }
}

/// Four rows times eight columns in registers.
void add_chunk(const float* b, std::int64_t terms, const TileRows& rows, const TileSums& sums) {
  Lanes left0{};
  Lanes left1{};
  Lanes left2{};
  Lanes left3{};
  Lanes right0{};
  Lanes right1{};
  Lanes right2{};
  Lanes right3{};
  for (std::int64_t t = 0; t < terms; ++t) {
    const Lanes left = load_lanes(b + t * Panels::kColumns);
    const Lanes right = load_lanes(b + t * Panels::kColumns + kLanes);
    left0 += rows[0][t] * left;
    right0 += rows[0][t] * right;
    left1 += rows[1][t] * left;
    right1 += rows[1][t] * right;
    left2 += rows[2][t] * left;
    right2 += rows[2][t] * right;
    left3 += rows[3][t] * left;
    right3 += rows[3][t] * right;
  }
  add_lanes(left0, right0, sums[0]);
  add_lanes(left1, right1, sums[1]);
  add_lanes(left2, right2, sums[2]);
  add_lanes(left3, right3, sums[3]);
}

}  // namespace

std::int64_t padded(std::int64_t columns) {
  return (columns + Panels::kColumns - 1) / Panels::kColumns * Panels::kColumns;
}

Panels::Panels(std::int64_t terms, std::int64_t columns)
    : terms_(terms),
      columns_(columns),
      values_(static_cast<std::size_t>(terms * padded(columns)), 0.0F) {}

std::int64_t Panels::padded_columns() const { return padded(columns_); }

void Panels::pack(const float* values, std::int64_t term_stride, std::int64_t column_stride) {
  for (std::int64_t column = 0; column < columns_; ++column) {
    float* to = values_.data() + column / kColumns * terms_ * kColumns + column % kColumns;
    const float* from = values + column * column_stride;
    for (std::int64_t t = 0; t < terms_; ++t) {
      to[t * kColumns] = from[t * term_stride];
    }
  }
}

void Panels::pack(std::span<const float* const> rows) {
  for (std::int64_t first = 0; first < columns_; first += kColumns) {
    float* to = values_.data() + first * terms_;
    const auto bytes =
        static_cast<std::size_t>(std::min(kColumns, columns_ - first)) * sizeof(float);
    for (const float* row : rows) {
      std::memcpy(to, row + first, bytes);
      to += kColumns;
    }
  }
}

void add_products(const Panels& b,
                  std::span<const float* const> rows,
                  std::span<double* const> sums) {
  const std::int64_t panels = b.padded_columns() / Panels::kColumns;
  std::array<double, Panels::kColumns> nowhere{};
  for (std::int64_t number = 0; number < panels; ++number) {
    const float* panel = b.panel(number);
    for (std::size_t first = 0; first < rows.size(); first += kTileRows) {
      TileRows tile_rows{};
      TileSums tile_sums{};
      for (std::size_t r = 0; r < kTileRows; ++r) {
        const bool exists = first + r < rows.size();
        tile_rows[r] = rows[exists ? first + r : first];
        tile_sums[r] = exists ? sums[first + r] + number * Panels::kColumns : nowhere.data();
      }
      for (std::int64_t term = 0; term < b.terms(); term += kChunk) {
        add_chunk(panel + term * Panels::kColumns,
                  std::min(kChunk, b.terms() - term),
                  tile_rows,
                  tile_sums);
        for (const float*& row : tile_rows) {
          row += kChunk;
        }
      }
    }
  }
}

}  // namespace dlbench::pretended
