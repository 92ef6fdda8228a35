// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of several tensors against additions two by two, to the last bit.
#include "engine/backend/cuda/kernels/pointwise.h"
#include "engine/core/rng.h"
#include "tests/engine/backend/cuda/kernels/element_types.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

constexpr Index kPositions = 35;

/// `lanes` of each of kPositions positions, which begin `begin` lanes behind multiples of `stride`.
template <typename T>
class Operand {
 public:
  Operand(Index lanes, Index stride, Index begin, std::uint64_t stream)
      : lanes_(lanes),
        stride_(stride),
        memory_(static_cast<std::size_t>(kPositions * stride + begin) * sizeof(T) / 16 + 1),
        first_(reinterpret_cast<T*>(memory_.data()) + begin) {
    std::fill(reinterpret_cast<std::uint8_t*>(memory_.data()),
              reinterpret_cast<std::uint8_t*>(memory_.data() + memory_.size()),
              std::uint8_t{0xFF});
    core::RandomStream random(3, stream);
    for (Index position = 0; position < kPositions; ++position) {
      for (Index lane = 0; lane < lanes; ++lane) {
        store(first_[position * stride_ + lane], random.uniform(-1.0F, 1.0F));
      }
    }
  }
  [[nodiscard]] T* data() { return first_; }
  [[nodiscard]] float at(Index position, Index lane) const {
    return to_float(first_[position * stride_ + lane]);
  }
  [[nodiscard]] SumArgs::Summand summand() const { return {first_, stride_}; }

 private:
  Index lanes_;
  Index stride_;
  std::vector<Pack<float, 4>> memory_;
  T* first_;
};

/// Lanes of y, and of each operand the stride and where it begins.
struct SumCase {
  Index lanes;
  std::vector<std::pair<Index, Index>> operands;
  Index y_begin = 0;
};
const SumCase kCases[] = {
    {16, {{16, 0}, {16, 0}}},
    {16, {{16, 0}, {16, 0}, {16, 0}, {16, 0}}},
    {5, {{5, 0}, {5, 0}, {5, 0}}},                 // packs across positions, and a tail
    {16, {{16, 1}, {16, 0}, {16, 3}}},             // misaligned
    {16, {{16, 0}, {16, 0}}, 1},                   // y is
    {16, {{48, 16}, {16, 0}, {40, 24}, {32, 0}}},  // ranges of wider tensors
    {16, {{40, 3}, {16, 0}}},                      // not at 16 bytes
    {5, {{7, 2}, {5, 0}, {16, 8}}},
};

template <typename T>
class Sum : public ::testing::Test {};
using SummedElements = ::testing::Types<float, F16, BF16>;
TYPED_TEST_SUITE(Sum, SummedElements);

TYPED_TEST(Sum, HasTheBitsOfAdditionsOneByOne) {
  using T = TypeParam;
  for (const SumCase& test : kCases) {
    std::vector<Operand<T>> operands;
    SumArgs args{.dtype = dtype_of<T>(),
                 .layout = {.spatial = kPositions, .channels = test.lanes, .stride = test.lanes}};
    for (const auto& [stride, begin] : test.operands) {
      operands.emplace_back(test.lanes, stride, begin, operands.size());
    }
    for (const Operand<T>& operand : operands) {
      args.summands.push_back(operand.summand());
    }
    Operand<T> y(test.lanes, test.lanes, test.y_begin, 9);
    args.y = y.data();
    HostLauncher launcher;
    run_sum(launcher, args);
    EXPECT_EQ(launcher.launches(), 1);
    int other_in_f32 = 0;
    for (Index position = 0; position < kPositions; ++position) {
      for (Index lane = 0; lane < test.lanes; ++lane) {
        float exact = operands[0].at(position, lane);
        T sum;
        store(sum, exact);
        for (std::size_t k = 1; k < operands.size(); ++k) {
          store(sum, to_float(sum) + operands[k].at(position, lane));
          exact += operands[k].at(position, lane);
        }
        T once;
        store(once, exact);
        other_in_f32 += to_float(once) != to_float(sum) ? 1 : 0;
        ASSERT_EQ(y.at(position, lane), to_float(sum)) << position << ' ' << lane;
      }
    }
    if (sizeof(T) == 2 && operands.size() > 2) {
      EXPECT_GT(other_in_f32, 0) << "rounding once would have passed";
    }
  }
}

TYPED_TEST(Sum, MayTakeTheMemoryOfAnOperand) {
  using T = TypeParam;
  for (std::size_t place = 0; place < 3; ++place) {
    std::vector<Operand<T>> operands;
    for (std::uint64_t k = 0; k < 3; ++k) {
      operands.emplace_back(Index{16}, Index{16}, Index{0}, k);
    }
    Operand<T> y(16, 16, 0, 9);
    SumArgs args{.summands = {operands[0].summand(), operands[1].summand(), operands[2].summand()},
                 .y = y.data(),
                 .dtype = dtype_of<T>(),
                 .layout = {.spatial = kPositions, .channels = 16, .stride = 16}};
    HostLauncher launcher;
    run_sum(launcher, args);
    args.y = operands[place].data();
    run_sum(launcher, args);
    for (Index lane = 0; lane < 16; ++lane) {
      ASSERT_EQ(operands[place].at(kPositions - 1, lane), y.at(kPositions - 1, lane));
    }
  }
}

}  // namespace
}  // namespace dlbench::backend::cuda
