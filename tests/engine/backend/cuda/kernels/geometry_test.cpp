// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How launches share out tensors: every element once, whatever the shape.
#include "engine/backend/cuda/kernels/geometry.h"

#include "engine/backend/cuda/kernels/channels.h"
#include "engine/backend/cuda/kernels/once_per_device.h"
#include "engine/backend/cuda/kernels/reduce.h"
#include "engine/core/rng.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

TEST(Divisor, DividesAsTheProcessorDoes) {
  const Index limits[] = {0,
                          1,
                          2,
                          6,
                          254,
                          65535,
                          65537,
                          (Index{1} << 31) - 1,
                          Index{1} << 31,
                          (Index{1} << 32) - 1,
                          Index{1} << 32,
                          (Index{1} << 32) + 5,
                          (Index{1} << 53) - 1,
                          (Index{1} << 62) + 12345};
  for (const Index d : {Index{1},
                        Index{2},
                        Index{3},
                        Index{5},
                        Index{7},
                        Index{8},
                        Index{10},
                        Index{641},
                        Index{1023},
                        Index{65536},
                        Index{1000003},
                        (Index{1} << 30) + 1,
                        (Index{1} << 31) - 1}) {
    const Divisor divisor(d);
    for (const Index limit : limits) {
      // Around multiples of the divisor the quotient changes.
      const Index multiple = limit / d * d;
      for (const Index n : {limit, multiple, multiple + d - 1, multiple > 0 ? multiple - 1 : 0}) {
        ASSERT_EQ(divisor.divide(n), n / d) << n << " / " << d;
        if (fits_short(n)) {
          ASSERT_EQ(divisor.divide(static_cast<ShortIndex>(n)), n / d) << n << " / " << d;
        }
      }
    }
  }
}

TEST(EachItem, IsVisitedOnce) {
  for (const Index items : {Index{1}, Index{255}, Index{256}, Index{257}, Index{5000}}) {
    std::vector<int> visits(static_cast<std::size_t>(items));
    HostLauncher launcher;
    for_each(launcher, items, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
    for_each<ShortIndex>(
        launcher, items, [&](ShortIndex i) { ++visits[static_cast<std::size_t>(i)]; });
    EXPECT_THAT(visits, ::testing::Each(2)) << items << " items";
  }
}

TEST(EachItem, EndsBehindTheLastOf31Bits) {
  const Index items = (Index{1} << 31) - 1;
  const auto blocks = static_cast<std::uint32_t>(ceil_divide<Index>(items, kThreads));
  std::vector<ShortIndex> seen;
  const auto see = [&](ShortIndex i) { seen.push_back(i); };
  const EachItem<decltype(see), ShortIndex> body{see, static_cast<ShortIndex>(items)};
  body({.block = blocks - 1, .thread = kThreads - 1, .blocks = blocks, .threads = kThreads});
  EXPECT_THAT(seen, ::testing::IsEmpty()) << "2^31 is none of them";
  body({.block = blocks - 1, .thread = kThreads - 2, .blocks = blocks, .threads = kThreads});
  EXPECT_THAT(seen, ::testing::ElementsAre(items - 1)) << "the last of all";
}

/// Launches nothing, and counts the blocks.
struct BlockCounter {
  Index blocks = 0;
  template <typename Body>
  void map(const Body& /*body*/, std::uint32_t count, std::uint32_t /*threads*/) {
    blocks += count;
  }
};

TEST(EachItem, HasAThreadOfItsOwn) {
  BlockCounter counter;
  for_each(counter, Index{1} << 33, [](Index /*i*/) {});
  EXPECT_EQ(counter.blocks, (Index{1} << 33) / kThreads);
  EXPECT_THROW(for_each(counter, Index{1} << 39, [](Index /*i*/) {}), core::CheckFailure)
      << "a launch has less than 2^31 blocks";
}

TEST(OncePerDevice, AsksEachDeviceOnce) {
  OncePerDevice answers;
  int asked = 0;
  const auto blocks_of_device = [&](int device) {
    return answers.get(device, [&] {
      ++asked;
      return static_cast<std::uint32_t>(100 + device);
    });
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(blocks_of_device(0), 100);
    EXPECT_EQ(blocks_of_device(3), 103);
  }
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(blocks_of_device(OncePerDevice::kDevices), 100 + OncePerDevice::kDevices);
}

/// The width of the packs for a launch over so many positions of 16 channels.
int counted_width(Index positions, const void* address) {
  int chosen = 0;
  visit_counted_packs(
      core::DType::kBF16,
      positions,
      16,
      16,
      [&](auto /*type*/, auto width) { chosen = decltype(width)::value; },
      address);
  return chosen;
}

TEST(CountedPacks, AreWideWhereTheirNumberFits31Bits) {
  alignas(16) const std::byte memory[32] = {};
  EXPECT_EQ(counted_width((Index{1} << 30) - 1, memory), 8);
  EXPECT_EQ(counted_width(Index{1} << 30, memory), 1);
  EXPECT_EQ(counted_width(1, memory + 2), 1);
  EXPECT_TRUE((std::is_same_v<PackIndex<8>, ShortIndex>));
  EXPECT_TRUE((std::is_same_v<PackIndex<1>, Index>)) << "single elements may be more than 2^31";
}

TEST(EachItem, IsRefusedWhereItsIndexCannotCountAll) {
  HostLauncher launcher;
  EXPECT_THROW(for_each<ShortIndex>(launcher, Index{1} << 31, [](ShortIndex /*i*/) {}),
               core::CheckFailure);
}

/// Counts how often each element is finished.
struct CountVisits {
  int* visits;
  int width;
  struct Nothing {};
  Nothing prepare(Index /*group*/, Index /*column*/) const { return {}; }
  Nothing load(Index /*offset*/) const { return {}; }
  void finish(Nothing /*constants*/, Nothing /*loaded*/, Index offset) const {
    for (int lane = 0; lane < width; ++lane) {
      ++visits[offset + lane];
    }
  }
};

struct ShapeOfRows {
  Index groups;
  Index rows;
  Index stride;
  int width;
};

TEST(WalkColumns, VisitsEveryElementOnce) {
  for (const ShapeOfRows& s : {ShapeOfRows{1, 1, 1, 1},
                               ShapeOfRows{1, 1000, 3, 1},
                               ShapeOfRows{4, 7, 24, 8},
                               ShapeOfRows{2, 33, 536, 8},
                               ShapeOfRows{3, 5000, 8, 8},
                               ShapeOfRows{5, 1, 1031, 1}}) {
    std::vector<int> visits(static_cast<std::size_t>(s.groups * s.rows * s.stride));
    HostLauncher launcher;
    walk_columns(
        launcher, s.groups, s.rows, s.stride, s.width, CountVisits{visits.data(), s.width});
    EXPECT_THAT(visits, ::testing::Each(1))
        << s.groups << " x " << s.rows << " x " << s.stride << " by " << s.width;
  }
}

/// Each element counts one.
struct Ones {
  static constexpr int kAhead = 4;
  int prepare(Index /*group*/, Index /*column*/) const { return 0; }
  float load(Index /*offset*/) const { return 1.0F; }
  void add(int /*constants*/, float loaded, float (&sum)[1][1]) const { sum[0][0] += loaded; }
};

TEST(ReduceColumns, AddsEveryRowOnceForAnyNumberOfRows) {
  for (Index rows = 1; rows < 3000; rows = rows * 3 / 2 + 1) {
    for (const Index stride : {Index{1}, Index{3}, Index{70}}) {
      const Columns columns = reduction_columns(2, rows, stride, 1);
      std::vector<float> scratch(reduction_scratch_bytes(columns, 1) / sizeof(float), -1e9F);
      std::vector<double> sums(static_cast<std::size_t>(2 * stride));
      HostLauncher launcher;
      reduce_columns<1, 1>(
          launcher,
          columns,
          stride,
          Ones{},
          [&](Index group, Index column, const double(&sum)[1]) {
            sums[static_cast<std::size_t>(group * stride + column)] = sum[0];
          },
          scratch.data());
      EXPECT_THAT(sums, ::testing::Each(static_cast<double>(rows))) << rows << " x " << stride;
    }
  }
}

/// The elements of a matrix.
struct Elements {
  static constexpr int kAhead = 4;
  const float* x;
  int prepare(Index /*group*/, Index /*column*/) const { return 0; }
  float load(Index offset) const { return x[offset]; }
  void add(int /*constants*/, float loaded, float (&sum)[1][1]) const { sum[0][0] += loaded; }
};

/// Merges the second half into the first until one is left.
template <typename Number>
Number merged(std::vector<Number> parts) {
  for (std::size_t rows = parts.size(); rows > 1; rows = (rows + 1) / 2) {
    for (std::size_t row = 0; row + (rows + 1) / 2 < rows; ++row) {
      parts[row] += parts[row + (rows + 1) / 2];
    }
  }
  return parts.front();
}

/// The sum of one column, each addition by itself: in f32 down the rows of each thread, those of a
/// chunk merged, then the chunks in double down those of each of 32 threads, these merged.
double sum_in_order(const Columns& columns, const std::vector<float>& x, Index column) {
  std::vector<double> folded(32);
  for (Index chunk = 0; chunk < columns.chunks; ++chunk) {
    std::vector<float> parts(columns.height);
    const Index begin = chunk * columns.chunk_rows;
    for (Index row = begin; row < std::min(begin + columns.chunk_rows, columns.rows); ++row) {
      parts[static_cast<std::size_t>((row - begin) % columns.height)] +=
          x[static_cast<std::size_t>(row * columns.stride + column)];
    }
    folded[static_cast<std::size_t>(chunk % 32)] += static_cast<double>(merged(parts));
  }
  return merged(folded);
}

// Losses and gradients of earlier builds are compared bit for bit with those of later ones.
TEST(ReduceColumns, KeepsTheOrderOfItsAdditions) {
  core::RandomStream random(3, 1);
  for (const auto& [rows, stride] : {std::pair<Index, Index>{1, 3},
                                     {700, 3},
                                     {1023, 1},
                                     {1024, 1},
                                     {1025, 1},
                                     {4001, 24},
                                     {9001, 70},
                                     {300007, 1}}) {
    std::vector<float> x(static_cast<std::size_t>(rows * stride));
    for (float& element : x) {
      element = random.uniform(-1.0F, 1.0F);
    }
    const Columns columns = reduction_columns(1, rows, stride, 1);
    std::vector<float> scratch(reduction_scratch_bytes(columns, 1) / sizeof(float), -1e9F);
    HostLauncher launcher;
    reduce_columns<1, 1>(
        launcher,
        columns,
        stride,
        Elements{x.data()},
        [&, rows = rows, stride = stride](Index /*group*/, Index column, const double(&sum)[1]) {
          ASSERT_EQ(sum[0], sum_in_order(columns, x, column))
              << "column " << column << " of " << rows << " x " << stride;
        },
        scratch.data());
  }
}

TEST(Columns, OfAReductionDependOnTheShapeAlone) {
  const Columns columns = reduction_columns(1, Index{32} * 256 * 256, 64, 8);
  EXPECT_EQ(columns.lanes, 8);
  EXPECT_EQ(columns.height, 32);
  EXPECT_LE(columns.blocks(), 1024);
  EXPECT_GE(columns.blocks(), 1000) << "a large tensor must keep a large GPU busy";
}

}  // namespace
}  // namespace dlbench::backend::cuda
