// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Concatenations: one launch of whole packs, or one for each part, with the same result.
#include "engine/backend/cuda/kernels/shape_ops.h"
#include "tests/engine/backend/cuda_kernels/host_launcher.h"

#include <gtest/gtest.h>

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
  ConcatArgs args{.y_stride = spec.behind, .positions = kPositions, .dtype = spec.dtype};
  std::vector<Memory> parts;
  for (const Index channels : spec.channels) {
    const Index stride = channels + spec.apart;
    parts.emplace_back(static_cast<std::size_t>(kPositions * stride) * size, 0);
    for (Index i = 0; i < kPositions * stride * static_cast<Index>(size); ++i) {
      parts.back().data()[i] =
          static_cast<std::byte>(i * 7 + static_cast<Index>(parts.size()) * 31);
    }
    args.parts.push_back({parts.back().data(), stride, channels});
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

}  // namespace
}  // namespace dlbench::backend::cuda
