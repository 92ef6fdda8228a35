// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dropout. The random numbers depend on the logical position of an element, (sample, c * spatial +
// s): one Philox block serves four spatial neighbours of one channel, or four channels if spatial
// is 1.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/core/rng.h"

#include <bit>
#include <cmath>

namespace dlbench::backend::cuda {

/// The smallest random bits whose element is kept: bits are below it exactly if
/// uniform_from_bits(bits) < rate. The upper 24 bits count multiples of 2^-24, of which ceil(rate *
/// 2^24), exact in double, are below the rate.
[[nodiscard]] inline std::uint32_t dropout_threshold(float rate) {
  DLBENCH_CHECK(rate >= 0.0F && rate < 1.0F) << "dropout at a rate of " << rate;
  return static_cast<std::uint32_t>(std::ceil(static_cast<double>(rate) * 0x1p24)) << 8U;
}

/// An item is R neighbouring positions of one sample by N channels. R = 4 needs spatial % 4 == 0:
/// each block of random numbers is then drawn once. All rows are loaded before the first is
/// written, and arrive while numbers are drawn.
template <typename T, int N, int R>
struct DropoutTile {
  static constexpr int kBlocks = 4;  ///< with fewer registers ptxas reads late
  const T* x;
  T* y;
  const std::int64_t* seed;
  const std::int64_t* step;
  const std::int64_t* first_sample;
  std::int32_t node;
  std::uint32_t first_kept;  ///< dropout_threshold
  float keep_factor;
  ShortIndex stride;
  Divisor packs;  ///< per position
  Divisor runs;   ///< runs of R positions per sample
  Index spatial;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    PackIndex<N> pack = 0;
    PackIndex<N> run = 0;
    const PackIndex<N> sample = runs.split(packs.split(item, pack), run);
    const Index start = (Index{sample} * spatial + Index{run} * R) * stride + Index{pack} * N;
    Pack<T, N> rows[R];
    for (int row = 0; row < R; ++row) {
      rows[row] = read_pack<N>(x + start + Index{row} * stride);
    }
    float values[R][N];
    for (int row = 0; row < R; ++row) {
      widen(rows[row], values[row]);
    }
    drop(Index{sample}, Index{pack} * N, Index{run}, values);
    for (int row = 0; row < R; ++row) {
      store_pack(y + start + Index{row} * stride, values[row]);
    }
  }

 private:
  /// Padding lanes draw numbers too, which have no effect, since the lanes are zero.
  DLBENCH_HOST_DEVICE void drop(Index sample,
                                Index first_channel,
                                Index run,
                                float (&values)[R][N]) const {
    const core::PhiloxKeys keys(core::seed_key(static_cast<std::uint64_t>(*seed)));
    const std::int64_t now = *step;
    const Index global_sample = *first_sample + sample;
    core::PhiloxCounter words{};
    if constexpr (R == 4) {
      // Only the low 32 bits of a block's number are used.
      const auto blocks = static_cast<std::uint32_t>(runs.value());
      std::uint32_t block =
          static_cast<std::uint32_t>(first_channel) * blocks + static_cast<std::uint32_t>(run);
      for (int lane = 0; lane < N; ++lane) {
        words = core::sample_random_block(keys, now, node, global_sample, Index{block});
        for (int row = 0; row < R; ++row) {
          values[row][lane] = kept(values[row][lane], words[static_cast<std::size_t>(row)]);
        }
        block += blocks;
      }
    } else {
      Index drawn = -1;
      for (int lane = 0; lane < N; ++lane) {
        const Index element = (first_channel + lane) * spatial + run;
        if (element / 4 != drawn) {
          drawn = element / 4;
          words = core::sample_random_block(keys, now, node, global_sample, drawn);
        }
        values[0][lane] = kept(values[0][lane], word_of(words, element % 4));
      }
    }
  }
  /// Selects the bits of 0 instead of multiplying by 0, which would turn an infinity into NaN.
  [[nodiscard]] DLBENCH_HOST_DEVICE float kept(float value, std::uint32_t random) const {
    const auto bits = std::bit_cast<std::uint32_t>(value * keep_factor);
    return std::bit_cast<float>(random < first_kept ? 0U : bits);
  }
  /// Uses comparisons instead of an index: an indexed array would be in local memory.
  static DLBENCH_HOST_DEVICE std::uint32_t word_of(const core::PhiloxCounter& words, Index word) {
    const std::uint32_t low = word == 0 ? words[0] : words[1];
    const std::uint32_t high = word == 2 ? words[2] : words[3];
    return word < 2 ? low : high;
  }
};

template <typename T, int N, int R, typename Launcher>
void run_dropout_tiles(Launcher& launcher, const DropoutArgs& args) {
  const ChannelsLast& layout = args.layout;
  const Index packs = layout.stride / N;
  const Index runs = layout.spatial / R;
  for_each<PackIndex<N>>(launcher,
                         layout.batch * runs * packs,
                         DropoutTile<T, N, R>{static_cast<const T*>(args.x),
                                              static_cast<T*>(args.y),
                                              args.seed,
                                              args.step,
                                              args.first_sample,
                                              args.attributes.key,
                                              dropout_threshold(args.attributes.rate),
                                              1.0F / (1.0F - args.attributes.rate),
                                              to_short(layout.stride),
                                              Divisor(packs),
                                              Divisor(runs),
                                              layout.spatial});
}

template <typename Launcher>
void run_dropout(Launcher& launcher, const DropoutArgs& args) {
  if (args.layout.elements() == 0) {
    return;
  }
  visit_activation(args.dtype, [&](auto type) {
    using T = decltype(type);
    constexpr int kN = kWide<T>;
    if (args.layout.stride % kN != 0 || !fits_short(args.layout.elements() / kN) ||
        !aligned(args.x, args.y)) {
      run_dropout_tiles<T, 1, 1>(launcher, args);
    } else if (args.layout.spatial % 4 == 0) {
      run_dropout_tiles<T, kN, 4>(launcher, args);
    } else {
      run_dropout_tiles<T, kN, 1>(launcher, args);
    }
  });
}

}  // namespace dlbench::backend::cuda
