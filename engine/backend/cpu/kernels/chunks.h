// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How rows are divided into chunks for threads, and how per-channel numbers map to the 16 lanes.
// Included only by the kernel sources.
#pragma once

#include "engine/backend/cpu/kernels/element.h"
#include "engine/backend/cpu/kernels/lanes.h"
#include "engine/backend/cpu/kernels/parallel.h"

#include <algorithm>
#include <cstdint>

namespace dlbench::backend::cpu {

/// 64 KiB of f32: a chunk stays in the L2 cache between two uses, and partial sums of f32 over one
/// chunk (1024 additions per lane) lose at most about 1e-5 relative.
inline constexpr std::int64_t kChunkElements = 16384;

/// One piece of one row.
struct Chunk {
  std::int64_t sample;
  std::int64_t block;  ///< of channels
  std::int64_t begin;  ///< element within the row
  std::int64_t count;
  std::int64_t index;  ///< among all chunks of the tensor
};

inline std::int64_t chunks_per_row(const Geometry& g) {
  return (g.row() + kChunkElements - 1) / kChunkElements;
}
inline std::int64_t chunk_count(const Geometry& g) {
  return g.batch * g.blocks() * chunks_per_row(g);
}
inline Chunk chunk_at(const Geometry& g, std::int64_t index) {
  const std::int64_t per_row = chunks_per_row(g);
  const std::int64_t row = index / per_row;
  const std::int64_t begin = index % per_row * kChunkElements;
  return {
      row / g.blocks(), row % g.blocks(), begin, std::min(kChunkElements, g.row() - begin), index};
}
template <typename T>
inline T* at(const Rows<T>& rows, const Geometry& g, const Chunk& chunk) {
  return rows.data + chunk.sample * rows.sample_stride + chunk.block * g.row() + chunk.begin;
}

/// Whether a pass over the tensor takes longer than waking up the other threads.
inline bool worth_all_threads(const Geometry& g) { return g.elements() > kChunkElements / 2; }

/// Runs body(chunk) for all chunks on all threads; small tensors stay on the calling thread.
template <typename Body>
inline void for_each_chunk(const Geometry& g, Body body) {
  parallel_for(
      worth_all_threads(g), chunk_count(g), [&](std::int64_t index) { body(chunk_at(g, index)); });
}

/// Whether a result of this size is written bypassing the caches: larger than the L2 cache of
/// relevant processors, so that its beginning would be evicted before it is read.
template <typename T>
inline bool is_large(const Geometry& g) {
  constexpr std::int64_t kStreamBytes = std::int64_t{3} << 20;
  return g.elements() * static_cast<std::int64_t>(sizeof(T)) >= kStreamBytes;
}

/// Expands the per-channel numbers of one block to the 16 lanes of a row; 0 for channels that do
/// not exist.
inline Lanes expand(const float* per_channel, const Geometry& g, std::int64_t block) {
  alignas(64) float lanes[kLanes];
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t channel = block * g.block + lane % g.block;
    lanes[lane] = channel < g.channels ? per_channel[channel] : 0.0F;
  }
  return load(lanes, FullGroup{});
}

/// Adds the 16 lanes of a sum over a row to the channels of its block.
inline void fold(Lanes sum, const Geometry& g, double* of_block) {
  alignas(64) float lanes[kLanes];
  store(lanes, sum, FullGroup{});
  for (std::int64_t first = 0; first < kLanes; first += g.block) {
    for (std::int64_t lane = 0; lane < g.block; ++lane) {
      of_block[lane] += static_cast<double>(lanes[first + lane]);
    }
  }
}

}  // namespace dlbench::backend::cpu
