// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dropout. The random numbers are keyed by the logical position of an element, (sample, c * spatial
// + s): one Philox block serves four neighbours in space of one channel, or, where spatial is 1,
// four channels.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/core/rng.h"

#include <array>
#include <bit>
#include <cmath>

namespace dlbench::backend::cuda {

/// The least random bits whose element stays: bits are below it exactly where
/// uniform_from_bits(bits) < rate. The upper 24 bits count multiples of 2^-24, and so many of those
/// are below the rate as the next whole number of rate * 2^24, which is exact in double.
[[nodiscard]] inline std::uint32_t dropout_threshold(float rate) {
  DLBENCH_CHECK(rate >= 0.0F && rate < 1.0F) << "dropout at a rate of " << rate;
  return static_cast<std::uint32_t>(std::ceil(static_cast<double>(rate) * 0x1p24)) << 8U;
}

/// R neighbouring positions of one sample by N channels. R = 4 needs spatial % 4 == 0: each block
/// of random numbers is then drawn once.
template <typename T, int N, int R>
struct DropoutTile {
  const T* x;
  T* y;
  const std::int64_t* seed;
  const std::int64_t* step;
  const std::int64_t* first_sample;
  std::int32_t node;
  std::uint32_t first_kept;  ///< dropout_threshold
  float keep_factor;
  Index stride;
  Divisor packs;  ///< of a position
  Divisor runs;   ///< of R positions in a sample
  Index spatial;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    Index pack = 0;
    Index run = 0;
    const Index sample = runs.split(packs.split(item, pack), run);
    const Index position = run * R;
    std::uint32_t kept[R][N];
    draw(sample, pack * N, position, kept);
    const Index start = (sample * spatial + position) * stride + pack * N;
    for (int row = 0; row < R; ++row) {
      float values[N];
      load_pack(x + start + row * stride, values);
      for (int lane = 0; lane < N; ++lane) {
        // Bits instead of a factor 0, which would turn an infinity into a NaN; and instead of a
        // choice, whose branches would break the wide store into single ones.
        const auto bits = std::bit_cast<std::uint32_t>(values[lane] * keep_factor);
        values[lane] = std::bit_cast<float>(bits & kept[row][lane]);
      }
      store_pack(y + start + row * stride, values);
    }
  }

 private:
  /// All bits of kept[row][lane] are set where the element stays. Padding lanes draw as well: what
  /// they draw is not used, since they hold zeros.
  DLBENCH_HOST_DEVICE void draw(Index sample,
                                Index first_channel,
                                Index position,
                                std::uint32_t (&kept)[R][N]) const {
    const auto key = static_cast<std::uint64_t>(*seed);
    const std::int64_t now = *step;
    const Index global_sample = *first_sample + sample;
    std::array<std::uint32_t, 4> words{};
    Index drawn = -1;
    for (int lane = 0; lane < N; ++lane) {
      const Index element = (first_channel + lane) * spatial + position;
      if (R == 4 || element / 4 != drawn) {
        drawn = element / 4;
        words = core::sample_random_block(key, now, node, global_sample, drawn);
      }
      for (int row = 0; row < R; ++row) {
        const std::uint32_t bits = word_of(words, R == 4 ? Index{row} : element % 4);
        kept[row][lane] = bits < first_kept ? 0U : ~0U;
      }
    }
  }
  /// Comparisons instead of an index: an indexed array would live in local memory.
  static DLBENCH_HOST_DEVICE std::uint32_t word_of(const std::array<std::uint32_t, 4>& words,
                                                   Index word) {
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
  for_each(launcher,
           layout.batch * runs * packs,
           DropoutTile<T, N, R>{static_cast<const T*>(args.x),
                                static_cast<T*>(args.y),
                                args.seed,
                                args.step,
                                args.first_sample,
                                args.attributes.key,
                                dropout_threshold(args.attributes.rate),
                                1.0F / (1.0F - args.attributes.rate),
                                layout.stride,
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
    if (args.layout.stride % kN != 0 || !aligned(args.x, args.y)) {
      run_dropout_tiles<T, 1, 1>(launcher, args);
    } else if (args.layout.spatial % 4 == 0) {
      run_dropout_tiles<T, kN, 4>(launcher, args);
    } else {
      run_dropout_tiles<T, kN, 1>(launcher, args);
    }
  });
}

}  // namespace dlbench::backend::cuda
