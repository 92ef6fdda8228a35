// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Concatenations, with parts upsampled on the way or not: one launch of whole packs, or one for
// each part, with the same result.
#include "engine/backend/cuda/kernels/concat.h"

#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

struct Spec {
  std::vector<Index> channels;
  DType dtype = DType::kBF16;
  int launches = 1;
  Index behind = 0;     ///< lanes of y behind the parts
  Index apart = 0;      ///< lanes of a part behind its channels
  std::size_t off = 0;  ///< bytes by which y is off
};

/// Bytes at an address of 16, and `off` behind it.
class Memory {
 public:
  Memory(std::size_t bytes, std::size_t off)
      : bytes_(new (std::align_val_t{16}) std::byte[bytes + off]), off_(off) {
    std::memset(bytes_.get(), 0xA5, bytes + off);
  }
  [[nodiscard]] std::byte* data() { return bytes_.get() + off_; }

 private:
  struct Delete {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{16}); }
  };
  std::unique_ptr<std::byte, Delete> bytes_;
  std::size_t off_;
};

void expect_concat(const Spec& spec) {
  constexpr Index kPositions = 301;
  const std::size_t size = core::size_of(spec.dtype);
  ConcatArgs args{
      .y_stride = spec.behind, .batch = 1, .extents = {1, 1, kPositions}, .dtype = spec.dtype};
  std::vector<Memory> parts;
  for (const Index channels : spec.channels) {
    const Index stride = channels + spec.apart;
    parts.emplace_back(static_cast<std::size_t>(kPositions * stride) * size, 0);
    for (Index i = 0; i < kPositions * stride * static_cast<Index>(size); ++i) {
      parts.back().data()[i] =
          static_cast<std::byte>(i * 7 + static_cast<Index>(parts.size()) * 31);
    }
    args.parts.push_back({.x = parts.back().data(), .stride = stride, .channels = channels});
    args.y_stride += channels;
  }
  const std::size_t row_bytes = static_cast<std::size_t>(args.y_stride) * size;
  constexpr std::size_t kGuard = 64;
  Memory y(kPositions * row_bytes + kGuard, spec.off);
  args.y = y.data();
  HostLauncher launcher;
  run_concat(launcher, args);
  EXPECT_EQ(launcher.launches(), spec.launches);
  for (std::size_t position = 0; position < kPositions; ++position) {
    const std::byte* row = y.data() + position * row_bytes;
    for (std::size_t index = 0; index < parts.size(); ++index) {
      const std::size_t bytes = static_cast<std::size_t>(spec.channels[index]) * size;
      const std::size_t from = position * static_cast<std::size_t>(args.parts[index].stride) * size;
      ASSERT_EQ(std::memcmp(row, parts[index].data() + from, bytes), 0)
          << "part " << index << " at position " << position;
      row += bytes;
    }
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(spec.behind) * size; ++lane) {
      ASSERT_EQ(row[lane], std::byte{0}) << "behind position " << position;
    }
  }
  for (std::size_t i = 0; i < kGuard; ++i) {
    ASSERT_EQ(y.data()[kPositions * row_bytes + i], std::byte{0xA5}) << i << " behind y";
  }
}

TEST(Concat, OfWholePacksIsOneLaunch) {
  expect_concat({.channels = {32, 32}});
  expect_concat({.channels = {8, 24, 40}});
  expect_concat({.channels = {16, 8, 8, 64}});
  expect_concat({.channels = {64}});
  expect_concat({.channels = {4, 12}, .dtype = DType::kF32});
  expect_concat({.channels = {2, 6, 4}, .dtype = DType::kF64});
  expect_concat({.channels = {16, 48}, .dtype = DType::kU8});
}

TEST(Concat, ReadsPartsThatAreRangesOfWiderTensors) {
  expect_concat({.channels = {32, 16}, .apart = 8});
}

TEST(Concat, OfOtherPartsIsOneLaunchForEach) {
  expect_concat({.channels = {8, 8, 8, 8, 8}, .launches = 5});
  expect_concat({.channels = {8, 12}, .launches = 2, .behind = 4});
  expect_concat({.channels = {3, 5, 7}, .launches = 3});
  expect_concat({.channels = {3, 5}, .dtype = DType::kF32, .launches = 2});
  expect_concat({.channels = {8, 8}, .launches = 2, .behind = 8});
  expect_concat({.channels = {8, 8}, .launches = 2, .apart = 4});
  expect_concat({.channels = {8, 8}, .launches = 2, .off = 2});
}

struct UpsampledSpec {
  struct Part {
    Index channels = 8;
    std::array<Index, 3> factors{1, 1, 1};
    Index apart = 0;  ///< lanes behind the channels
  };
  std::vector<Part> parts;
  DType dtype = DType::kBF16;
  int launches = 1;
  Index behind = 0;
  std::size_t off = 0;
};

/// Extents that all factors divide, and that differ.
constexpr std::array<Index, 3> kLarge{4, 12, 20};
constexpr Index kSamples = 2;

void expect_upsampled(const UpsampledSpec& spec) {
  const std::size_t size = core::size_of(spec.dtype);
  ConcatArgs args{
      .y_stride = spec.behind, .batch = kSamples, .extents = kLarge, .dtype = spec.dtype};
  std::vector<Memory> memory;
  for (const UpsampledSpec::Part& part : spec.parts) {
    const auto [d, h, w] = part.factors;
    const Index positions = args.positions() / (d * h * w);
    const Index stride = part.channels + part.apart;
    const std::size_t bytes = static_cast<std::size_t>(positions * stride) * size;
    memory.emplace_back(bytes, 0);
    for (std::size_t i = 0; i < bytes; ++i) {
      memory.back().data()[i] = static_cast<std::byte>(i * 2654435761U >> 9U);
    }
    args.parts.push_back({memory.back().data(), stride, part.channels, part.factors});
    args.y_stride += part.channels;
  }
  const std::size_t row_bytes = static_cast<std::size_t>(args.y_stride) * size;
  const std::size_t y_bytes = static_cast<std::size_t>(args.positions()) * row_bytes;
  constexpr std::size_t kGuard = 64;
  Memory y(y_bytes + kGuard, spec.off);
  args.y = y.data();
  HostLauncher launcher;
  run_concat(launcher, args);
  EXPECT_EQ(launcher.launches(), spec.launches);
  const std::byte* row = y.data();
  for (Index n = 0; n < kSamples; ++n) {
    for (Index at = 0; at < kLarge[0] * kLarge[1] * kLarge[2]; ++at) {
      const Index d = at / (kLarge[1] * kLarge[2]);
      const Index h = at / kLarge[2] % kLarge[1];
      const Index w = at % kLarge[2];
      for (std::size_t index = 0; index < spec.parts.size(); ++index) {
        const auto& part = args.parts[index];
        const auto& f = part.factors;
        const Index position =
            ((n * (kLarge[0] / f[0]) + d / f[0]) * (kLarge[1] / f[1]) + h / f[1]) *
                (kLarge[2] / f[2]) +
            w / f[2];
        const std::size_t bytes = static_cast<std::size_t>(part.channels) * size;
        ASSERT_EQ(std::memcmp(row,
                              memory[index].data() +
                                  static_cast<std::size_t>(position * part.stride) * size,
                              bytes),
                  0)
            << "part " << index << " of sample " << n << " at " << d << ", " << h << ", " << w;
        row += bytes;
      }
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(spec.behind) * size; ++lane) {
        ASSERT_EQ(*row++, std::byte{0}) << "behind the parts at " << d << ", " << h << ", " << w;
      }
    }
  }
  for (std::size_t i = 0; i < kGuard; ++i) {
    ASSERT_EQ(y.data()[y_bytes + i], std::byte{0xA5}) << i << " behind y";
  }
}

TEST(UpsampledConcat, OfWholePacksIsOneLaunch) {
  expect_upsampled({.parts = {{32, {1, 2, 2}}, {32}}});
  expect_upsampled({.parts = {{8}, {24, {1, 2, 2}}}});
  expect_upsampled({.parts = {{16, {2, 2, 2}}, {8}}});
  expect_upsampled({.parts = {{8}, {16, {2, 2, 2}}, {8, {2, 2, 2}}, {8}}});
  expect_upsampled({.parts = {{4, {1, 2, 2}}, {12}}, .dtype = DType::kF32});
  expect_upsampled({.parts = {{8, {1, 2, 2}}}});
}

TEST(UpsampledConcat, ReadsPartsThatAreRangesOfWiderTensors) {
  expect_upsampled({.parts = {{8, {1, 2, 2}}, {16, {1, 1, 1}, 8}}});
  expect_upsampled({.parts = {{8, {1, 2, 2}, 16}, {16}}});
}

TEST(UpsampledConcat, OfOtherPartsIsOneLaunchForEach) {
  expect_upsampled({.parts = {{8, {1, 3, 2}}, {8}}, .launches = 2});
  expect_upsampled({.parts = {{8, {4, 2, 2}}, {8}}, .launches = 2});
  expect_upsampled({.parts = {{8, {1, 2, 2}}, {8, {2, 2, 2}}}, .launches = 2});
  expect_upsampled({.parts = {{8, {1, 2, 2}}, {3}}, .launches = 2, .behind = 5});
  expect_upsampled({.parts = {{3, {1, 2, 2}}, {5}}, .dtype = DType::kF32, .launches = 2});
  expect_upsampled({.parts = {{8, {1, 2, 2}}, {8}}, .launches = 2, .off = 2});
}

}  // namespace
}  // namespace dlbench::backend::cuda
