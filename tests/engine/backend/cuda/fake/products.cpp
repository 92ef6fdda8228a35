// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/products.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace dlbench::fake {
namespace {

/// One vector register with AVX, two without.
using Lanes [[gnu::vector_size(32)]] = float;
constexpr std::int64_t kLanes = 8;
static_assert(Panels::kColumns == kLanes);

constexpr std::size_t kTileRows = 4;
constexpr std::int64_t kChunk = 32;

using TileRows = std::array<const float*, kTileRows>;
using TileSums = std::array<double*, kTileRows>;

void add_lanes(const Lanes& lanes, double* sums) {
  for (int lane = 0; lane < kLanes; ++lane) {
    sums[lane] += static_cast<double>(lanes[lane]);
  }
}

/// Four rows times eight columns in registers. The same bits whatever the processor has: no
/// multiply-add in one.
[[gnu::always_inline]] inline void add_chunk_inline(const float* b,
                                                    std::int64_t terms,
                                                    const TileRows& rows,
                                                    const TileSums& sums) {
  Lanes row0{};
  Lanes row1{};
  Lanes row2{};
  Lanes row3{};
  for (std::int64_t t = 0; t < terms; ++t) {
    Lanes column;
    std::memcpy(&column, b + t * kLanes, sizeof column);
    row0 += rows[0][t] * column;
    row1 += rows[1][t] * column;
    row2 += rows[2][t] * column;
    row3 += rows[3][t] * column;
  }
  add_lanes(row0, sums[0]);
  add_lanes(row1, sums[1]);
  add_lanes(row2, sums[2]);
  add_lanes(row3, sums[3]);
}

using AddChunk = void (*)(const float*, std::int64_t, const TileRows&, const TileSums&);

void add_chunk(const float* b, std::int64_t terms, const TileRows& rows, const TileSums& sums) {
  add_chunk_inline(b, terms, rows, sums);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void add_chunk_avx2(const float* b,
                                            std::int64_t terms,
                                            const TileRows& rows,
                                            const TileSums& sums) {
  add_chunk_inline(b, terms, rows, sums);
}

AddChunk fastest_add_chunk() {
  return __builtin_cpu_supports("avx2") != 0 ? add_chunk_avx2 : add_chunk;
}
#else
AddChunk fastest_add_chunk() { return add_chunk; }
#endif

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
  static const AddChunk add_chunk_here = fastest_add_chunk();
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
        add_chunk_here(panel + term * Panels::kColumns,
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

}  // namespace dlbench::fake
