// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Pooling and upsampling in all their shapes of windows, wide and in single accesses, against plain
// loops to the last bit: NaN, ties, -0, and inputs behind the last whole window.
#include "engine/backend/cuda/kernels/pooling.h"

#include "engine/core/rng.h"
#include "tests/engine/backend/cuda/kernels/element_types.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using Extents3 = std::array<Index, 3>;

constexpr Index kBatch = 2;
constexpr Index kStride = 16;  // two packs of 16 bits, four of f32

/// A tensor of (kBatch, extents, kStride), poisoned; aligned for packs, or one element off.
template <typename T>
class Tensor {
 public:
  Tensor(const Extents3& extents, bool misaligned)
      : extents_(extents),
        size_(static_cast<std::size_t>(kBatch * volume(extents) * kStride)),
        memory_(size_ / 4 + 2),
        first_(reinterpret_cast<T*>(memory_.data()) + (misaligned ? 1 : 0)) {
    std::memset(memory_.data(), 0xFF, memory_.size() * sizeof(memory_[0]));
  }
  [[nodiscard]] T* data() { return first_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& at(Index n, Index d, Index h, Index w, Index c) {
    return first_[(((n * extents_[0] + d) * extents_[1] + h) * extents_[2] + w) * kStride + c];
  }
  void fill(std::uint64_t stream) {
    const float values[] = {
        -1, -0.0F, 0, 1, 1, 2, 3, NAN, std::numeric_limits<float>::infinity(), -2.5F};
    core::RandomStream random(11, stream);
    for (std::size_t i = 0; i < size_; ++i) {
      store(first_[i], values[random.next_u32() % std::size(values)]);
    }
  }
  [[nodiscard]] bool same_bits(const Tensor& other) const {
    return std::memcmp(first_, other.first_, size_ * sizeof(T)) == 0;
  }

 private:
  Extents3 extents_;
  std::size_t size_;
  std::vector<Pack<float, 4>> memory_;
  T* first_;
};

template <typename Visit>
void for_each_place(const Extents3& extents, const Visit& visit) {
  for (Index n = 0; n < kBatch; ++n) {
    for (Index d = 0; d < extents[0]; ++d) {
      for (Index h = 0; h < extents[1]; ++h) {
        for (Index w = 0; w < extents[2]; ++w) {
          for (Index c = 0; c < kStride; ++c) {
            visit(n, d, h, w, c);
          }
        }
      }
    }
  }
}

struct Windows {
  Extents3 x;
  Extents3 kernel;
  Extents3 stride;
};
constexpr Windows kWindows[] = {
    {{1, 6, 10}, {1, 2, 2}, {1, 2, 2}},  // the workloads'
    {{4, 2, 6}, {2, 2, 2}, {2, 2, 2}},
    {{4, 6, 6}, {2, 2, 2}, {2, 2, 2}},  // a plane of x is higher than a window
    {{1, 7, 5}, {1, 2, 2}, {1, 2, 2}},  // inputs behind the last window
    {{3, 5, 4}, {2, 2, 2}, {2, 2, 2}},
    {{1, 6, 9}, {1, 3, 3}, {1, 3, 3}},
    {{1, 4, 7}, {1, 2, 2}, {1, 1, 1}},  // overlapping
    {{3, 5, 7}, {2, 2, 2}, {1, 2, 1}},
    {{1, 7, 9}, {1, 3, 2}, {1, 2, 3}},  // with gaps
    {{2, 4, 6}, {1, 4, 2}, {1, 4, 2}},
};

template <typename T>
class Pooling : public ::testing::Test {};
using PooledElements = ::testing::Types<float, F16, BF16>;
TYPED_TEST_SUITE(Pooling, PooledElements);

template <typename T>
void expect_pooled(const Windows& s, bool misaligned) {
  Extents3 extents{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    extents[axis] = (s.x[axis] - s.kernel[axis]) / s.stride[axis] + 1;
  }
  Tensor<T> x(s.x, misaligned);
  Tensor<T> y(extents, misaligned);
  Tensor<T> dy(extents, misaligned);
  Tensor<T> dx(s.x, misaligned);
  Tensor<std::uint8_t> argmax(extents, misaligned);
  x.fill(1);
  dy.fill(2);
  const MaxPoolArgs args{.x = x.data(),
                         .y = y.data(),
                         .argmax = argmax.data(),
                         .dy = dy.data(),
                         .dx = dx.data(),
                         .dtype = dtype_of<T>(),
                         .planes = {.batch = kBatch,
                                    .channels = kStride,
                                    .x_stride = kStride,
                                    .y_stride = kStride,
                                    .x = s.x,
                                    .y = extents},
                         .kernel = s.kernel,
                         .stride = s.stride};
  HostLauncher launcher;
  run_max_pool(launcher, args, false);
  run_max_pool(launcher, args, true);

  Tensor<T> want_y(extents, false);
  Tensor<std::uint8_t> want_argmax(extents, false);
  Tensor<T> want_dx(s.x, false);
  std::vector<float> sums(want_dx.size());
  const auto sum_at = [&](Index n, Index d, Index h, Index w, Index c) -> float& {
    return sums[static_cast<std::size_t>(&want_dx.at(n, d, h, w, c) - want_dx.data())];
  };
  for_each_place(extents, [&](Index n, Index d, Index h, Index w, Index c) {
    const Index first[] = {d * s.stride[0], h * s.stride[1], w * s.stride[2]};
    float best = 0;
    int chosen = -1;
    Extents3 from{};
    int tap = 0;
    for (Index i = 0; i < s.kernel[0]; ++i) {
      for (Index j = 0; j < s.kernel[1]; ++j) {
        for (Index k = 0; k < s.kernel[2]; ++k, ++tap) {
          const float value = to_float(x.at(n, first[0] + i, first[1] + j, first[2] + k, c));
          if (chosen < 0 || value > best || (std::isnan(value) && !std::isnan(best))) {
            best = value;
            chosen = tap;
            from = {first[0] + i, first[1] + j, first[2] + k};
          }
        }
      }
    }
    store(want_y.at(n, d, h, w, c), best);
    want_argmax.at(n, d, h, w, c) = static_cast<std::uint8_t>(chosen);
    sum_at(n, from[0], from[1], from[2], c) += to_float(dy.at(n, d, h, w, c));
  });
  for_each_place(s.x, [&](Index n, Index d, Index h, Index w, Index c) {
    store(want_dx.at(n, d, h, w, c), sum_at(n, d, h, w, c));
  });
  EXPECT_TRUE(y.same_bits(want_y));
  EXPECT_TRUE(argmax.same_bits(want_argmax));
  EXPECT_TRUE(dx.same_bits(want_dx));
}

TYPED_TEST(Pooling, EqualsPlainLoops) {
  for (const Windows& windows : kWindows) {
    for (const bool misaligned : {false, true}) {
      SCOPED_TRACE("case " + std::to_string(&windows - kWindows) +
                   (misaligned ? ", single accesses" : ""));
      expect_pooled<TypeParam>(windows, misaligned);
    }
  }
}

TEST(PoolingWindows, TileWhereEachInputBelongsToOne) {
  const auto tile = [](const Extents3& x, const Extents3& y, const Extents3& k, const Extents3& s) {
    return windows_tile({.planes = {.x = x, .y = y}, .kernel = k, .stride = s});
  };
  EXPECT_TRUE(tile({1, 6, 4}, {1, 3, 2}, {1, 2, 2}, {1, 2, 2}));
  EXPECT_TRUE(tile({2, 9, 4}, {1, 3, 2}, {2, 3, 2}, {2, 3, 2}));
  EXPECT_FALSE(tile({1, 7, 4}, {1, 3, 2}, {1, 2, 2}, {1, 2, 2})) << "a row behind the last window";
  EXPECT_FALSE(tile({1, 6, 4}, {1, 5, 2}, {1, 2, 2}, {1, 1, 2})) << "windows overlap";
}

TYPED_TEST(Pooling, UpsamplingEqualsPlainLoops) {
  using T = TypeParam;
  const Extents3 small{2, 3, 5};
  for (const Extents3& factors : {Extents3{1, 2, 2},
                                  Extents3{2, 2, 2},
                                  Extents3{1, 1, 1},
                                  Extents3{1, 3, 2},
                                  Extents3{3, 1, 4}}) {
    const Extents3 large{small[0] * factors[0], small[1] * factors[1], small[2] * factors[2]};
    for (const bool misaligned : {false, true}) {
      Tensor<T> x(small, misaligned);
      Tensor<T> y(large, misaligned);
      Tensor<T> dy(large, misaligned);
      Tensor<T> dx(small, misaligned);
      x.fill(1);
      dy.fill(2);
      UpsampleArgs args{.from = x.data(),
                        .to = y.data(),
                        .dtype = dtype_of<T>(),
                        .planes = {.batch = kBatch,
                                   .channels = kStride,
                                   .x_stride = kStride,
                                   .y_stride = kStride,
                                   .x = small,
                                   .y = large}};
      HostLauncher launcher;
      run_upsample(launcher, args, false);
      args.from = dy.data();
      args.to = dx.data();
      run_upsample(launcher, args, true);

      Tensor<T> want_y(large, false);
      for_each_place(large, [&](Index n, Index d, Index h, Index w, Index c) {
        want_y.at(n, d, h, w, c) = x.at(n, d / factors[0], h / factors[1], w / factors[2], c);
      });
      Tensor<T> want_dx(small, false);
      for_each_place(small, [&](Index n, Index d, Index h, Index w, Index c) {
        float sum = 0;
        for (Index i = 0; i < factors[0]; ++i) {
          for (Index j = 0; j < factors[1]; ++j) {
            for (Index k = 0; k < factors[2]; ++k) {
              sum +=
                  to_float(dy.at(n, d * factors[0] + i, h * factors[1] + j, w * factors[2] + k, c));
            }
          }
        }
        store(want_dx.at(n, d, h, w, c), sum);
      });
      EXPECT_TRUE(y.same_bits(want_y)) << factors[0] << factors[1] << factors[2] << misaligned;
      EXPECT_TRUE(dx.same_bits(want_dx)) << factors[0] << factors[1] << factors[2] << misaligned;
    }
  }
}

/// Launches nothing, and sees what counts the items.
struct ItemCounter {
  std::size_t bytes = 0;
  template <typename Item, typename I>
  void map(const EachItem<Item, I>& /*body*/, std::uint32_t /*blocks*/, std::uint32_t /*threads*/) {
    bytes = sizeof(I);
  }
};

// With fewer items than y has positions, of which no number may need a 32nd bit.
TYPED_TEST(Pooling, UpsamplingToTwoToThe31PositionsCountsInSixtyFourBits) {
  using T = TypeParam;
  Pack<T, kWide<T>> somewhere{};
  for (const Extents3& factors : {Extents3{1, 2, 1}, Extents3{2, 1, 1}, Extents3{2, 2, 2}}) {
    for (const Index batch : {7, 8}) {
      const Extents3 small{32, 1024, 8192 / (factors[0] * factors[1] * factors[2])};
      const Extents3 large{32 * factors[0], 1024 * factors[1], small[2] * factors[2]};
      const UpsampleArgs args{.from = &somewhere,
                              .to = &somewhere,
                              .dtype = dtype_of<T>(),
                              .planes = {.batch = batch,
                                         .channels = kWide<T>,
                                         .x_stride = kWide<T>,
                                         .y_stride = kWide<T>,
                                         .x = small,
                                         .y = large}};
      ItemCounter counter;
      run_upsample(counter, args, false);
      EXPECT_EQ(counter.bytes, batch == 8 ? 8U : 4U) << factors[0] << factors[1] << factors[2];
      run_upsample(counter, args, true);
      EXPECT_EQ(counter.bytes, 4U) << "reads a sample of y by its own numbers";
    }
  }
}

// As a concatenation writes an upsampled part, and as its gradient is read.
TYPED_TEST(Pooling, UpsamplingOfARangeOfChannelsLeavesTheOthersAlone) {
  using T = TypeParam;
  const Extents3 small{1, 3, 5};
  const Extents3 large{1, 6, 10};
  constexpr Index kPart = 8;
  for (const Index begin : {0, 8, 3}) {
    Tensor<T> x(small,
                false);  // of kStride lanes: the first kPart are read as if there were no others
    Tensor<T> whole(large, false);
    Tensor<T> want(large, false);
    x.fill(1);
    whole.fill(2);
    want.fill(2);
    UpsampleArgs args{.from = x.data(),
                      .to = whole.data() + begin,
                      .dtype = dtype_of<T>(),
                      .planes = {.batch = kBatch,
                                 .channels = kPart,
                                 .x_stride = kPart,
                                 .y_stride = kStride,
                                 .x = small,
                                 .y = large}};
    HostLauncher launcher;
    run_upsample(launcher, args, false);
    const auto dense = [&](Tensor<T>& tensor, Index n, Index h, Index w, Index c) -> T& {
      return tensor.data()[((n * small[1] + h) * small[2] + w) * kPart + c];
    };
    for_each_place(large, [&](Index n, Index d, Index h, Index w, Index c) {
      if (c < kPart) {
        want.at(n, d, h, w, begin + c) = dense(x, n, h / 2, w / 2, c);
      }
    });
    EXPECT_TRUE(whole.same_bits(want)) << "begin " << begin;

    Tensor<T> dx(small, false);
    args.from = whole.data() + begin;
    args.to = dx.data();
    run_upsample(launcher, args, true);
    for_each_place(small, [&](Index n, Index d, Index h, Index w, Index c) {
      if (c < kPart) {
        float sum = 0;
        for (Index tap = 0; tap < 4; ++tap) {
          sum += to_float(whole.at(n, d, 2 * h + tap / 2, 2 * w + tap % 2, begin + c));
        }
        T want_dx;
        store(want_dx, sum);
        EXPECT_EQ(std::memcmp(&dense(dx, n, h, w, c), &want_dx, sizeof(T)), 0) << "begin " << begin;
      }
    });
  }
}

}  // namespace
}  // namespace dlbench::backend::cuda
