// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Reshapes between layouts, transposed in tiles or element by element, against plain loops: whole
// tiles and parts of them, padding, single accesses, both widths of an index.
#include "engine/backend/cuda/kernels/shape_ops.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

constexpr ChannelsLast row_major_of(Index elements) {
  return {.batch = 1, .spatial = elements, .channels = 1, .stride = 1};
}

Index place_of_logical(const ChannelsLast& layout, Index logical) {
  const Index sample = logical / (layout.channels * layout.spatial);
  const Index in_sample = logical % (layout.channels * layout.spatial);
  return (sample * layout.spatial + in_sample % layout.spatial) * layout.stride +
         in_sample / layout.spatial;
}

constexpr std::size_t kGuardBehind = 64;

/// At an address that is a multiple of 16, or one element behind it; with bytes behind that show a
/// write.
template <typename T>
class GuardedArray {
 public:
  GuardedArray(Index count, bool misaligned)
      : memory_((static_cast<std::size_t>(count) * sizeof(T) + 2 * kGuardBehind) / 16 + 2),
        first_(reinterpret_cast<T*>(memory_.data()) + (misaligned ? 1 : 0)) {
    std::memset(memory_.data(), 0xA5, memory_.size() * sizeof(memory_[0]));
  }
  [[nodiscard]] T* data() { return first_; }
  [[nodiscard]] T& operator[](Index i) { return first_[i]; }
  [[nodiscard]] bool untouched_behind(Index count) const {
    const auto* behind = reinterpret_cast<const std::byte*>(first_ + count);
    for (std::size_t i = 0; i < kGuardBehind; ++i) {
      if (behind[i] != std::byte{0xA5}) {
        return false;
      }
    }
    return true;
  }

 private:
  std::vector<Pack<std::uint32_t, 4>> memory_;
  T* first_;
};

/// Logical elements that differ between neighbours, tiles and samples; none of them 0.
template <typename T>
T element_of(Index logical) {
  return static_cast<T>(static_cast<std::uint64_t>(logical) * 2654435761U % 65521U + 1U);
}

/// Channels and padding of x hold what no y may have.
template <typename T>
void fill(GuardedArray<T>& x, const ChannelsLast& layout) {
  for (Index i = 0; i < layout.elements(); ++i) {
    x[i] = 0;
  }
  for (Index logical = 0; logical < layout.positions() * layout.channels; ++logical) {
    x[place_of_logical(layout, logical)] = element_of<T>(logical);
  }
}

template <typename T>
void expect_reshaped(GuardedArray<T>& y, const ChannelsLast& layout) {
  for (Index logical = 0; logical < layout.positions() * layout.channels; ++logical) {
    ASSERT_EQ(y[place_of_logical(layout, logical)], element_of<T>(logical))
        << "element " << logical;
  }
  for (Index position = 0; position < layout.positions(); ++position) {
    for (Index lane = layout.channels; lane < layout.stride; ++lane) {
      ASSERT_EQ(y[position * layout.stride + lane], T{0}) << "padding of position " << position;
    }
  }
  EXPECT_TRUE(y.untouched_behind(layout.elements()));
}

template <typename T>
void expect_reshape(const ChannelsLast& from, const ChannelsLast& to, DType dtype) {
  for (const int misaligned : {0, 1, 2}) {  // none, x, y
    SCOPED_TRACE(std::string(core::name(dtype)) + ", misaligned " + std::to_string(misaligned));
    GuardedArray<T> x(from.elements(), misaligned == 1);
    GuardedArray<T> y(to.elements(), misaligned == 2);
    fill(x, from);
    HostLauncher launcher;
    run_reshape(launcher,
                {.x = x.data(), .x_layout = from, .y = y.data(), .y_layout = to, .dtype = dtype});
    EXPECT_EQ(launcher.launches(), 1);
    expect_reshaped(y, to);
  }
}

void expect_reshape_of_all(const ChannelsLast& from, const ChannelsLast& to) {
  expect_reshape<std::uint8_t>(from, to, DType::kU8);
  expect_reshape<std::uint16_t>(from, to, DType::kBF16);
  expect_reshape<std::uint32_t>(from, to, DType::kF32);
  expect_reshape<std::uint64_t>(from, to, DType::kF64);
}

/// Whole tiles, less than one, several in both directions, and sides that are no whole packs.
constexpr ChannelsLast kLast[] = {
    {.batch = 3, .spatial = 144, .channels = 64, .stride = 64},  // mnist_cnn's
    {.batch = 2, .spatial = 64, .channels = 128, .stride = 128},
    {.batch = 1, .spatial = 1000, .channels = 16, .stride = 16},
    {.batch = 5, .spatial = 49, .channels = 72, .stride = 72},
    {.batch = 2, .spatial = 49, .channels = 33, .stride = 40},
    {.batch = 2, .spatial = 136, .channels = 60, .stride = 64},  // padding in a pack
    {.batch = 2, .spatial = 48, .channels = 62, .stride = 72},   // and behind the last
    {.batch = 3, .spatial = 31, .channels = 130, .stride = 131},
};

TEST(Reshape, FromChannelsLastToRowMajor) {
  for (const ChannelsLast& last : kLast) {
    SCOPED_TRACE("case " + std::to_string(&last - kLast));
    const Index sample = last.spatial * last.channels;
    expect_reshape_of_all(last, row_major_of(last.batch * sample));
    expect_reshape_of_all(
        last, {.batch = last.batch, .spatial = 1, .channels = sample, .stride = sample});
  }
}

TEST(Reshape, FromRowMajorToChannelsLast) {
  for (const ChannelsLast& last : kLast) {
    SCOPED_TRACE("case " + std::to_string(&last - kLast));
    const Index sample = last.spatial * last.channels;
    expect_reshape_of_all(row_major_of(last.batch * sample), last);
    expect_reshape_of_all({.batch = last.batch, .spatial = 1, .channels = sample, .stride = sample},
                          last);
  }
}

TEST(Reshape, BetweenOtherLayouts) {
  // Few channels, few positions, padding behind a whole sample, other channels, one row to another.
  expect_reshape_of_all({.batch = 4, .spatial = 100, .channels = 3, .stride = 8},
                        row_major_of(1200));
  expect_reshape_of_all(row_major_of(1200),
                        {.batch = 4, .spatial = 2, .channels = 150, .stride = 152});
  expect_reshape_of_all({.batch = 2, .spatial = 35, .channels = 33, .stride = 33},
                        {.batch = 2, .spatial = 1, .channels = 1155, .stride = 1160});
  expect_reshape_of_all({.batch = 2, .spatial = 64, .channels = 64, .stride = 64},
                        {.batch = 1, .spatial = 128, .channels = 64, .stride = 64});
  expect_reshape_of_all(row_major_of(960),
                        {.batch = 10, .spatial = 1, .channels = 96, .stride = 96});
  expect_reshape_of_all(row_major_of(7), {.batch = 1, .spatial = 1, .channels = 7, .stride = 7});
}

TEST(Reshape, TransposesWhereLinesHaveASector) {
  const auto transposed = [](const ChannelsLast& last, DType dtype) {
    const ChannelsLast rows = row_major_of(last.positions() * last.channels);
    const bool flatten =
        transposition({.x_layout = last, .y_layout = rows, .dtype = dtype}).has_value();
    EXPECT_EQ(flatten,
              transposition({.x_layout = rows, .y_layout = last, .dtype = dtype}).has_value());
    return flatten;
  };
  EXPECT_TRUE(
      transposed({.batch = 64, .spatial = 144, .channels = 64, .stride = 64}, DType::kBF16));
  EXPECT_TRUE(transposed({.batch = 1, .spatial = 16, .channels = 16, .stride = 16}, DType::kF16));
  EXPECT_TRUE(transposed({.batch = 1, .spatial = 8, .channels = 8, .stride = 8}, DType::kF32));
  EXPECT_FALSE(transposed({.batch = 1, .spatial = 15, .channels = 16, .stride = 16}, DType::kF16));
  EXPECT_FALSE(transposed({.batch = 9, .spatial = 900, .channels = 7, .stride = 8}, DType::kF32));
  EXPECT_FALSE(transposed(row_major_of(4096), DType::kF32)) << "in order on both sides";
  EXPECT_FALSE(
      transposition({.x_layout = {.batch = 2, .spatial = 64, .channels = 64, .stride = 64},
                     .y_layout = {.batch = 2, .spatial = 1, .channels = 4096, .stride = 4104},
                     .dtype = DType::kF32})
          .has_value())
      << "padding behind a sample";
  EXPECT_FALSE(transposed(
      {.batch = Index{1} << 20, .spatial = Index{1} << 12, .channels = 1 << 12, .stride = 1 << 12},
      DType::kF32))
      << "too many tiles for 31 bits";
}

// What tensors of 2^31 elements and more take, here in small.
TEST(Reshape, InIndicesOf64BitsIsTheSame) {
  const ChannelsLast from{.batch = 3, .spatial = 35, .channels = 6, .stride = 8};
  const ChannelsLast to{.batch = 3, .spatial = 5, .channels = 42, .stride = 48};
  GuardedArray<std::uint16_t> x(from.elements(), false);
  GuardedArray<std::uint16_t> y(to.elements(), false);
  fill(x, from);
  HostLauncher launcher;
  run_reshape_elements<std::uint16_t, Index>(
      launcher,
      {.x = x.data(), .x_layout = from, .y = y.data(), .y_layout = to, .dtype = DType::kBF16});
  expect_reshaped(y, to);
}

}  // namespace
}  // namespace dlbench::backend::cuda
