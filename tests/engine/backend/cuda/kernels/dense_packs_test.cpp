// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Casts, images and pixels without padding, several at a time: where they are, and that they give
// the bits of single ones.
#include "engine/backend/cuda/kernels/convert.h"
#include "engine/backend/cuda/kernels/losses.h"
#include "engine/backend/cuda/kernels/shape_ops.h"
#include "engine/core/check.h"
#include "engine/core/rng.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

/// Threads of a launch: how many items there are, in whole blocks; an item of several packs counts
/// as so many.
struct CountingLauncher {
  template <typename Body>
  void map(const Body& body, std::uint32_t blocks, std::uint32_t launch_threads) {
    Index packs = 1;
    if constexpr (requires { body.item.kPacks; }) {
      packs = body.item.kPacks;
    }
    threads += Index{blocks} * launch_threads * packs;
  }
  template <typename Body>
  void exchange(const Body& /*body*/, std::uint32_t /*blocks*/, std::uint32_t /*threads*/) {}
  template <typename Body>
  void reduce(const Body& body, std::uint32_t /*blocks*/, std::uint32_t /*threads*/) {
    if constexpr (requires { body.columns; }) {
      items += body.columns.rows;
    }
  }
  Index threads = 0;
  Index items = 0;
};

/// An array that begins at an address of 16, or one element behind it.
template <typename T>
class Array {
 public:
  Array(Index elements, bool off) : memory_(static_cast<std::size_t>(elements) + 32, T{}) {
    while (!aligned(memory_.data() + begin_)) {
      ++begin_;
    }
    begin_ += off ? 1 : 0;
  }
  [[nodiscard]] T* data() { return memory_.data() + begin_; }
  [[nodiscard]] std::vector<T> values(Index elements) const {
    const auto first = memory_.begin() + static_cast<std::ptrdiff_t>(begin_);
    return {first, first + elements};
  }

 private:
  std::vector<T> memory_;
  std::size_t begin_ = 0;
};

/// Packs of a cast of 4096 elements, by itself and as one of many.
template <typename From, typename To>
std::array<Index, 2> cast_packs(DType from, DType to, bool off) {
  constexpr Index kElements = 4096;
  Array<From> x(kElements, off);
  Array<To> y(kElements, off);
  const ChannelsLast layout{.channels = kElements, .stride = kElements};
  const CastArgs one{x.data(), from, layout, y.data(), to, layout};
  const CastManyArgs many{from, to, {{x.data(), y.data(), kElements}}};
  CountingLauncher counting;
  run_cast(counting, one);
  const Index threads = counting.threads;
  run_cast_many(counting, many);
  return {threads, counting.threads - threads};
}

TEST(DenseCasts, WriteSixteenBytesAtATime) {
  using Packs = std::array<Index, 2>;
  EXPECT_EQ((cast_packs<float, std::uint16_t>(DType::kF32, DType::kBF16, false)),
            (Packs{512, 512}));
  EXPECT_EQ((cast_packs<std::uint16_t, float>(DType::kF16, DType::kF32, false)),
            (Packs{1024, 1024}));
  EXPECT_EQ((cast_packs<float, std::uint16_t>(DType::kF32, DType::kBF16, true)),
            (Packs{4096, 4096}));
}

struct ImageCase {
  Index channels;
  Index pixels;
  bool off;
};

template <typename T>
std::vector<T> normalized(DType dtype, const ImageCase& image, Index* threads) {
  const Index elements = image.channels * image.pixels;
  Array<std::uint8_t> x(elements, image.off);
  Array<T> y(elements + 1, false);
  for (Index i = 0; i < elements; ++i) {
    x.data()[i] = static_cast<std::uint8_t>(i * 37 + i / 256);
  }
  NormalizeArgs args{.x = x.data(),
                     .y = y.data(),
                     .dtype = dtype,
                     .layout = {.batch = 1,
                                .spatial = image.pixels,
                                .channels = image.channels,
                                .stride = image.channels},
                     .attributes = {.scale = 1.0F / 255}};
  for (Index c = 0; c < image.channels; ++c) {
    args.attributes.mean.push_back(0.1F * static_cast<float>(c + 1));
    args.attributes.stddev.push_back(0.3F + 0.07F * static_cast<float>(c));
  }
  HostLauncher launcher;
  run_normalize(launcher, args);
  CountingLauncher counting;
  run_normalize(counting, args);
  *threads = counting.threads;
  return y.values(elements + 1);  // one behind the end, which stays 0
}

template <typename T>
void expect_normalized_in_packs(DType dtype) {
  for (const Index channels : {1, 2, 3, 4, 5, 13, 16}) {
    for (const Index pixels : {8, 64, 8 * 1237}) {
      Index threads = 0;
      Index single_threads = 0;
      const auto seen = normalized<T>(dtype, {channels, pixels, false}, &threads);
      const auto wanted = normalized<T>(dtype, {channels, pixels, true}, &single_threads);
      EXPECT_EQ(seen, wanted) << channels << " channels, " << pixels << " pixels";
      EXPECT_LT(threads, channels * pixels / kWide<T> + kThreads);
    }
  }
}

TEST(DenseImages, AreNormalizedInPacksWithTheSameBits) {
  expect_normalized_in_packs<float>(DType::kF32);
  expect_normalized_in_packs<std::uint16_t>(DType::kBF16);
  expect_normalized_in_packs<std::uint16_t>(DType::kF16);
}

TEST(DenseImages, OfOtherSizesOrAddressesAreNormalizedOneByOne) {
  Index threads = 0;
  for (const Index pixels : {Index{1}, Index{7}, Index{4097}}) {
    const auto seen = normalized<float>(DType::kF32, {3, pixels, false}, &threads);
    EXPECT_GE(threads, 3 * pixels);
    EXPECT_EQ(seen, normalized<float>(DType::kF32, {3, pixels, true}, &threads));
    EXPECT_EQ(seen.back(), 0.0F);
  }
  normalized<float>(DType::kF32, {3, 4096, true}, &threads);
  EXPECT_GE(threads, 3 * 4096);
}

/// Predictions are eighths: their sums are exact in any order.
struct Pixels {
  Pixels(Index positions, bool off) : p(positions, off), mask(positions, off) {
    core::RandomStream random(6, 5);
    for (Index i = 0; i < positions; ++i) {
      p.data()[i] = static_cast<float>(static_cast<int>(random.uniform(0.0F, 8.99F))) / 8.0F;
      mask.data()[i] = random.uniform(0.0F, 1.0F) > 0.6F ? 1 : 0;
    }
    scratch.assign(segmentation_scratch_bytes(positions) / sizeof(float), -1.0F);
    args = {.p = p.data(), .mask = mask.data(), .positions = positions, .scratch = scratch.data()};
  }
  Array<float> p;
  Array<std::uint8_t> mask;
  std::vector<float> scratch;
  SegmentationArgs args;
};

std::vector<float> sums_and_counts(Pixels& pixels, Index* items) {
  std::vector<float> results(7);
  HostLauncher launcher;
  run_dice_sums(launcher, pixels.args, results.data());
  run_segmentation_counts(launcher, pixels.args, 0.5F, results.data() + 3);
  CountingLauncher counting;
  run_dice_sums(counting, pixels.args, results.data());
  *items = counting.items;
  return results;
}

std::vector<float> gradient(Pixels& pixels, const float* sums, bool off, Index* threads) {
  const Index positions = pixels.args.positions;
  const float dloss = 0.7F;
  Array<float> dp(positions + 1, off);
  const DiceBackwardArgs args{.dloss = &dloss,
                              .mask = pixels.args.mask,
                              .sums = sums,
                              .dp = dp.data(),
                              .positions = positions};
  HostLauncher launcher;
  run_dice_backward(launcher, args);
  CountingLauncher counting;
  run_dice_backward(counting, args);
  *threads = counting.threads;
  return dp.values(positions + 1);
}

TEST(DensePixels, AreReadInPacksWithTheSameResults) {
  for (const Index positions : {4, 1024, 4 * 5003, 400000}) {
    Pixels packed(positions, false);
    Pixels single(positions, true);
    Index items = 0;
    const std::vector<float> seen = sums_and_counts(packed, &items);
    EXPECT_EQ(items, positions / 4);
    EXPECT_EQ(seen, sums_and_counts(single, &items)) << positions << " pixels";
    EXPECT_EQ(items, positions);
    Index threads = 0;
    const std::vector<float> slope = gradient(packed, seen.data(), false, &threads);
    EXPECT_LT(threads, positions / 4 + kThreads);
    EXPECT_EQ(slope, gradient(single, seen.data(), true, &threads)) << positions << " pixels";
    EXPECT_GE(threads, positions);
  }
}

TEST(DensePixels, ThatLeaveSomeOverAreReadOneByOne) {
  for (const Index positions : {1, 3, 1023, 20011}) {
    Pixels pixels(positions, false);
    Index items = 0;
    const std::vector<float> seen = sums_and_counts(pixels, &items);
    EXPECT_EQ(items, positions);
    EXPECT_EQ(seen[3] + seen[4] + seen[5] + seen[6], static_cast<float>(positions));
    Index threads = 0;
    const std::vector<float> slope = gradient(pixels, seen.data(), false, &threads);
    EXPECT_GE(threads, positions);
    EXPECT_EQ(slope.back(), 0.0F);
  }
}

TEST(LargeTensors, AReshapeOf2To31ElementsIsLaunched) {
  constexpr Index kElements = Index{1} << 31;
  const ChannelsLast line{.batch = 1, .spatial = kElements, .channels = 1, .stride = 1};
  // Images of three channels, which are too few to be transposed in tiles.
  constexpr Index kImages = 11000;
  constexpr Index kPixels = Index{256} * 256;
  const ChannelsLast images{.batch = kImages, .spatial = kPixels, .channels = 3, .stride = 3};
  const ChannelsLast pixels{
      .batch = 1, .spatial = kImages * 3 * kPixels, .channels = 1, .stride = 1};
  for (const auto& [from, to] : {std::pair{line, line}, std::pair{pixels, images}}) {
    CountingLauncher launcher;
    run_reshape(launcher, {.x_layout = from, .y_layout = to, .dtype = DType::kF32});
    EXPECT_GE(launcher.threads, to.elements());
  }
}

TEST(LargeTensors, OneOfManyCastsHasLessThan2To31Elements) {
  CountingLauncher launcher;
  CastManyArgs args{DType::kF32, DType::kBF16, {{nullptr, nullptr, kMaxCastElements}}};
  run_cast_many(launcher, args);
  EXPECT_GE(launcher.threads, kMaxCastElements / 16) << "16 elements each";
  args.tensors[0].elements += 1;
  EXPECT_THROW(run_cast_many(launcher, args), core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::backend::cuda
