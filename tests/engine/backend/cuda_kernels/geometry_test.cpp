// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How launches share out tensors: every element once, whatever the shape.
#include "engine/backend/cuda/kernels/geometry.h"

#include "engine/backend/cuda/kernels/reduce.h"
#include "tests/engine/backend/cuda_kernels/host_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
      }
    }
  }
}

TEST(GridStride, VisitsEveryItemOnceWithFewerThreadsThanItems) {
  for (const Index items : {Index{1}, Index{255}, Index{256}, Index{257}, Index{5000}}) {
    std::vector<int> visits(static_cast<std::size_t>(items));
    HostLauncher launcher(3);
    for_each(launcher, items, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
    EXPECT_THAT(visits, ::testing::Each(1)) << items << " items";
  }
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
  int prepare(Index /*group*/, Index /*column*/) const { return 0; }
  void add(int /*constants*/, Index /*offset*/, float (&sum)[1][1]) const { sum[0][0] += 1; }
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

TEST(Columns, OfAReductionDependOnTheShapeAlone) {
  const Columns columns = reduction_columns(1, Index{32} * 256 * 256, 64, 8);
  EXPECT_EQ(columns.lanes, 8);
  EXPECT_EQ(columns.height, 32);
  EXPECT_LE(columns.blocks(), 1024);
  EXPECT_GE(columns.blocks(), 1000) << "a large tensor must keep a large GPU busy";
}

}  // namespace
}  // namespace dlbench::backend::cuda
