// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions in an order that depends only on shapes, without atomics: threads gather, a tree
// merges the threads of a block, each block writes one partial result, and a second launch adds
// those in double.
#pragma once

#include "engine/backend/cuda/kernels/geometry.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dlbench::backend::cuda {

// A reducing body has
//   using Partial;                           trivially copyable
//   std::uint32_t lanes;                     threads t, t + lanes, t + 2 lanes, ... are merged
//   Partial gather(Position) const;
//   static void merge(Partial& into, const Partial& from);
//   void finish(Position, const Partial& of_its_lane) const;    called by every thread
// and its launcher runs gather, then tree_step for decreasing `rows`, then finish, with barriers in
// between.

/// The partial results of a block, word by word: word w of all threads is contiguous, so that
/// neighbouring threads have no bank conflicts in shared memory.
template <typename Partial>
struct PartialTable {
  static_assert(std::is_trivially_copyable_v<Partial> && sizeof(Partial) % 4 == 0);
  static constexpr std::uint32_t kWords = sizeof(Partial) / 4;
  std::uint32_t word[kWords][kThreads];

  DLBENCH_HOST_DEVICE void write(std::uint32_t thread, const Partial& partial) {
    std::uint32_t words[kWords];
    std::memcpy(words, &partial, sizeof(Partial));
    for (std::uint32_t w = 0; w < kWords; ++w) {
      word[w][thread] = words[w];
    }
  }
  [[nodiscard]] DLBENCH_HOST_DEVICE Partial read(std::uint32_t thread) const {
    std::uint32_t words[kWords];
    for (std::uint32_t w = 0; w < kWords; ++w) {
      words[w] = word[w][thread];
    }
    Partial partial;
    std::memcpy(&partial, words, sizeof(Partial));
    return partial;
  }
};

/// One level of the tree merges the upper half of `rows` rows of threads into the lower half, which
/// leaves rows_after(rows) rows. With an odd number, the middle row waits for the next level.
[[nodiscard]] DLBENCH_HOST_DEVICE std::uint32_t rows_after(std::uint32_t rows) {
  return (rows + 1) / 2;
}
template <typename Body>
DLBENCH_HOST_DEVICE void tree_step(const Body& body,
                                   PartialTable<typename Body::Partial>& table,
                                   std::uint32_t thread,
                                   std::uint32_t rows) {
  const std::uint32_t half = rows_after(rows);
  if (thread / body.lanes + half < rows) {
    typename Body::Partial merged = table.read(thread);
    Body::merge(merged, table.read(thread + half * body.lanes));
    table.write(thread, merged);
  }
}

/// Q sums per element of N neighbouring elements.
template <typename Number, int Q, int N>
struct Sums {
  Number sum[Q][N];
};
template <typename Number, int Q, int N>
DLBENCH_HOST_DEVICE void clear(Sums<Number, Q, N>& sums) {
  for (int q = 0; q < Q; ++q) {
    for (int n = 0; n < N; ++n) {
      sums.sum[q][n] = 0;
    }
  }
}
template <typename Number, int Q, int N>
DLBENCH_HOST_DEVICE void add_to(Sums<Number, Q, N>& into, const Sums<Number, Q, N>& from) {
  for (int q = 0; q < Q; ++q) {
    for (int n = 0; n < N; ++n) {
      into.sum[q][n] += from.sum[q][n];
    }
  }
}

/// A loaded struct as whole words: nvcc would keep a struct of 16-bit lanes in one register per
/// lane across loop iterations.
template <typename Loaded>
struct Carried {
  using Word = std::conditional_t<sizeof(Loaded) % 4 == 0, std::uint32_t, std::uint16_t>;
  static_assert(std::is_trivially_copyable_v<Loaded> && sizeof(Loaded) % sizeof(Word) == 0);
  Word words[sizeof(Loaded) / sizeof(Word)];

  DLBENCH_HOST_DEVICE void keep(const Loaded& loaded) {
    std::memcpy(words, &loaded, sizeof(Loaded));
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(Word) == 4) {
      for (Word& word : words) {
        asm("" : "+r"(word));
      }
    }
#endif
  }
  [[nodiscard]] DLBENCH_HOST_DEVICE Loaded loaded() const {
    Loaded loaded;
    std::memcpy(&loaded, words, sizeof(Loaded));
    return loaded;
  }
};

/// Calls add(load(i)) for i = first, first + step, ... below end, in that order, with kAhead loads
/// in flight: the next loads are issued before the previous ones are added, across iterations of
/// the loop. Within one iteration, ptxas would move each load down to the addition that needs it.
/// I: Index or ShortIndex; end + kAhead * step must fit.
template <int kAhead, typename I, typename Load, typename Add>
DLBENCH_HOST_DEVICE void add_in_order(I first, I end, I step, const Load& load, const Add& add) {
  I i = first;
  Carried<decltype(load(i))> carried[kAhead];
  if (i + (kAhead - 1) * step < end) {
    DLBENCH_UNROLL(kAhead)
    for (int a = 0; a < kAhead; ++a) {
      carried[a].keep(load(i));
      i += step;
    }
    while (i + (kAhead - 1) * step < end) {
      DLBENCH_UNROLL(kAhead)
      for (int a = 0; a < kAhead; ++a) {
        const auto came = carried[a].loaded();
        carried[a].keep(load(i));
        i += step;
        add(came);
      }
    }
    DLBENCH_UNROLL(kAhead)
    for (int a = 0; a < kAhead; ++a) {
      add(carried[a].loaded());
    }
  }
  // The rest is less than kAhead, and for small tensors it is everything.
  DLBENCH_UNROLL(kAhead)
  for (int a = 0; a < kAhead - 1; ++a) {
    if (i + a * step < end) {
      carried[a].keep(load(i + a * step));
    }
  }
  DLBENCH_UNROLL(kAhead)
  for (int a = 0; a < kAhead - 1; ++a) {
    if (i + a * step < end) {
      add(carried[a].loaded());
    }
  }
}

/// First stage: f32 sums down the rows of a chunk. Source: Constants prepare(group, column);
/// Loaded load(offset) reads the pack at `offset`; add(constants, loaded, sum) adds it; kAhead rows
/// of a thread are in flight.
/// partials: (groups, chunks, Q, stride) f32.
template <int Q, int N, typename Source>
struct SumColumns {
  static constexpr int kBlocks = blocks_of<Source>();
  using Partial = Sums<float, Q, N>;
  Columns columns;
  std::uint32_t lanes;
  Source source;
  float* partials;

  DLBENCH_HOST_DEVICE Partial gather(const Position& p) const {
    Partial partial;
    clear(partial);
    const Columns::Share share = columns.share(p);
    if (share.column < columns.stride) {
      const auto constants = source.prepare(share.group, share.column);
      add_in_order<Source::kAhead>(
          share.first * columns.stride + share.column,
          share.end * columns.stride,
          columns.height * columns.stride,
          [&](Index offset) { return source.load(offset); },
          [&](const auto& loaded) { source.add(constants, loaded, partial.sum); });
    }
    return partial;
  }
  static DLBENCH_HOST_DEVICE void merge(Partial& into, const Partial& from) { add_to(into, from); }
  DLBENCH_HOST_DEVICE void finish(const Position& p, const Partial& total) const {
    const Columns::Share share = columns.share(p);
    if (p.thread >= lanes || share.column >= columns.stride) {
      return;
    }
    float* to = partials + (share.group * columns.chunks + share.chunk) * Q * columns.stride;
    for (int q = 0; q < Q; ++q) {
      for (int n = 0; n < N; ++n) {
        to[q * columns.stride + share.column + n] = total.sum[q][n];
      }
    }
  }
};

/// Second stage: adds the chunks of each column in double, then calls finish(group, column, sums)
/// for columns < `used` of each group.
template <int Q, typename Finish>
struct FoldChunks {
  using Partial = Sums<double, Q, 1>;
  std::uint32_t lanes;
  std::uint32_t tiles;
  std::uint32_t height;
  ShortIndex chunks;  ///< 64 bits would cost a 64-bit division
  Index stride;
  Index used;
  const float* partials;
  Finish done;

  [[nodiscard]] DLBENCH_HOST_DEVICE Index group(const Position& p) const { return p.block / tiles; }
  [[nodiscard]] DLBENCH_HOST_DEVICE Index column(const Position& p) const {
    return Index{p.block % tiles} * lanes + p.thread % lanes;
  }
  DLBENCH_HOST_DEVICE Partial gather(const Position& p) const {
    Partial partial;
    clear(partial);
    if (column(p) < used) {
      const float* from = partials + group(p) * chunks * Q * stride + column(p);
      add_in_order<16>(
          static_cast<ShortIndex>(p.thread / lanes),
          chunks,
          static_cast<ShortIndex>(height),
          [&](Index chunk) {
            Sums<float, Q, 1> loaded;
            for (int q = 0; q < Q; ++q) {
              loaded.sum[q][0] = from[(chunk * Q + q) * stride];
            }
            return loaded;
          },
          [&](const Sums<float, Q, 1>& loaded) {
            for (int q = 0; q < Q; ++q) {
              partial.sum[q][0] += static_cast<double>(loaded.sum[q][0]);
            }
          });
    }
    return partial;
  }
  static DLBENCH_HOST_DEVICE void merge(Partial& into, const Partial& from) { add_to(into, from); }
  DLBENCH_HOST_DEVICE void finish(const Position& p, const Partial& total) const {
    if (p.thread < lanes && column(p) < used) {
      double sums[Q];
      for (int q = 0; q < Q; ++q) {
        sums[q] = total.sum[q][0];
      }
      done(group(p), column(p), sums);
    }
  }
};

/// The shape of the first stage: 4 to 16 rows per thread, more for large tensors, fewer if there
/// would be too few blocks to keep a large GPU busy; at most 1024 blocks, for the second stage.
[[nodiscard]] inline Columns reduction_columns(Index groups, Index rows, Index stride, int width) {
  constexpr Index kWantedBlocks = 512;
  const Columns one_row(groups, rows, stride, width, 1, Index{1} << 30);
  const Index rows_per_thread = std::clamp<Index>(one_row.blocks() / kWantedBlocks, 4, 16);
  return {groups, rows, stride, width, rows_per_thread, 1024};
}

/// The size in bytes of the partial sums of `quantities` quantities.
[[nodiscard]] inline std::size_t reduction_scratch_bytes(const Columns& columns, int quantities) {
  return static_cast<std::size_t>(columns.groups * columns.chunks * quantities * columns.stride) *
         sizeof(float);
}

/// Runs both stages.
template <int Q, int N, typename Launcher, typename Source, typename Finish>
void reduce_columns(Launcher& launcher,
                    const Columns& columns,
                    Index used,
                    const Source& source,
                    const Finish& done,
                    float* scratch) {
  if (columns.groups == 0) {
    return;
  }
  launcher.reduce(SumColumns<Q, N, Source>{columns, columns.lanes, source, scratch},
                  columns.blocks(),
                  columns.threads());
  // Few columns by many rows: only the latency of memory matters here, and a thread waits for at
  // most 32 chunks, sixteen at a time. Eight columns fill a sector of 32 bytes.
  constexpr std::uint32_t kLanes = 8;
  FoldChunks<Q, Finish> fold{kLanes,
                             static_cast<std::uint32_t>(ceil_divide<Index>(used, kLanes)),
                             kThreads / kLanes,
                             static_cast<ShortIndex>(columns.chunks),
                             columns.stride,
                             used,
                             scratch,
                             done};
  launcher.reduce(fold, static_cast<std::uint32_t>(columns.groups) * fold.tiles, kThreads);
}

}  // namespace dlbench::backend::cuda
