// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The row-wise convolution against numbers worked out by hand, and against the defining sum written
// down once more in the plainest way.
#include "engine/core/rng.h"
#include "tests/engine/backend/ref/kernel_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

namespace dlbench::backend::ref {
namespace {

using core::DType;
using core::HostTensor;
using core::Shape;
using graph::ConvAttributes;
using graph::OpKind;
using ::testing::ElementsAre;

TEST(RefConv, MatchesAHandComputedCaseWithAsymmetricPadding) {
  // x = 1 2 3 / 4 5 6 / 7 8 9, w = 1 2 / 3 4, zero row and column after the end only.
  KernelCall call(OpKind::kConv, ConvAttributes{.pad_end = {1, 1, 0}});
  call.input(f32({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}))
      .input(f32({1, 1, 2, 2}, {1, 2, 3, 4}))
      .input(f32({1}, {0.5}))
      .output(DType::kF32, {1, 1, 3, 3})
      .run();
  EXPECT_THAT(values(call.result()),
              ElementsAre(37.5, 47.5, 21.5, 67.5, 77.5, 33.5, 23.5, 26.5, 9.5));
}

TEST(RefConv, MatchesAHandComputedCaseWithStrideAndDilation) {
  // x = 0 ... 24, taps two apart, outputs two apart: y = x[r][c] + 10 x[r + 2][c + 2].
  std::vector<double> x(25);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(i);
  }
  KernelCall call(OpKind::kConv, ConvAttributes{.stride = {2, 2, 1}, .dilation = {2, 2, 1}});
  call.input(f32({1, 1, 5, 5}, x))
      .input(f32({1, 1, 2, 2}, {1, 0, 0, 10}))
      .output(DType::kF32, {1, 1, 2, 2})
      .run();
  EXPECT_THAT(values(call.result()), ElementsAre(120, 142, 230, 252));
}

TEST(RefConv, BackwardMatchesAHandComputedCase) {
  // One row: x = 1 2 3, w = 10 20, y = (50, 80), dy = (1, 2).
  KernelCall data(OpKind::kConvBackwardData, ConvAttributes{});
  data.input(f32({1, 1, 1, 2}, {1, 2}))
      .input(f32({1, 1, 1, 2}, {10, 20}))
      .shape_only(DType::kF32, {1, 1, 1, 3})
      .output(DType::kF32, {1, 1, 1, 3})
      .run();
  EXPECT_THAT(values(data.result()), ElementsAre(10, 40, 40));
  KernelCall weights(OpKind::kConvBackwardWeights, ConvAttributes{});
  weights.input(f32({1, 1, 1, 3}, {1, 2, 3}))
      .input(f32({1, 1, 1, 2}, {1, 2}))
      .shape_only(DType::kF32, {1, 1, 1, 2})
      .shape_only(DType::kF32, {1})
      .output(DType::kF32, {1, 1, 1, 2})
      .output(DType::kF32, {1})
      .run();
  EXPECT_THAT(values(weights.result(0)), ElementsAre(5, 8));
  EXPECT_THAT(values(weights.result(1)), ElementsAre(3));
}

struct ConvCase {
  std::string name;
  Shape x;
  Shape weight;
  ConvAttributes attributes;
};

const std::vector<ConvCase>& cases() {
  static const std::vector<ConvCase> cases{
      {"pointwise", {2, 3, 5, 7}, {4, 3, 1, 1}, {}},
      {"same_3x3", {2, 3, 7, 5}, {4, 3, 3, 3}, {.pad_begin = {1, 1, 0}, .pad_end = {1, 1, 0}}},
      {"keras_stride_2", {1, 3, 8, 6}, {5, 3, 3, 3}, {.stride = {2, 2, 1}, .pad_end = {1, 1, 0}}},
      {"stride_3_odd", {1, 2, 11, 13}, {3, 2, 3, 3}, {.stride = {3, 2, 1}, .pad_begin = {2, 0, 0}}},
      {"dilation_wider_than_x",
       {1, 2, 5, 5},
       {2, 2, 3, 3},
       {.dilation = {6, 6, 1}, .pad_begin = {6, 6, 0}, .pad_end = {6, 6, 0}}},
      {"groups", {2, 6, 5, 5}, {4, 3, 3, 3}, {.pad_begin = {1, 1, 0}, .groups = 2}},
      {"depthwise", {1, 4, 6, 6}, {4, 1, 3, 3}, {.groups = 4}},
      {"row_longer_than_a_chunk",
       {1, 1, 2, 1100},
       {2, 1, 1, 5},
       {.pad_begin = {0, 2, 0}, .pad_end = {0, 2, 0}}},
      {"chunked_with_stride",
       {1, 2, 1, 1500},
       {1, 2, 1, 4},
       {.stride = {1, 2, 1}, .dilation = {1, 3, 1}, .pad_begin = {0, 5, 0}}},
      {"volume",
       {1, 2, 4, 5, 6},
       {3, 2, 3, 2, 3},
       {.stride = {1, 2, 2}, .dilation = {1, 2, 1}, .pad_begin = {1, 0, 2}, .pad_end = {0, 1, 1}}},
  };
  return cases;
}

HostTensor random_tensor(DType dtype, const Shape& shape, std::uint64_t stream) {
  HostTensor t(dtype, shape);
  core::RandomStream random(11, stream);
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    t.set(i, static_cast<double>(random.uniform(-1.0F, 1.0F)));
  }
  return t;
}

/// Spatial extent or attribute of axis d, h, w; a 2D tensor has depth 1.
std::int64_t at_axis(const Shape& shape, std::size_t axis) {
  const std::size_t missing = 5 - shape.rank();
  return axis < missing ? 1 : shape[axis - missing + 2];
}
std::int64_t at_axis(const graph::Spatial& s, std::size_t rank, std::size_t axis, int fill) {
  const std::size_t missing = 5 - rank;
  return axis < missing ? fill : s[axis - missing];
}

Shape output_shape(const ConvCase& c) {
  Shape y = c.x.with(1, c.weight[0]);
  for (std::size_t axis = 2; axis < c.x.rank(); ++axis) {
    const std::size_t a = axis - 2;
    const std::int64_t span = (c.weight[axis] - 1) * c.attributes.dilation[a] + 1;
    const std::int64_t padded = c.x[axis] + c.attributes.pad_begin[a] + c.attributes.pad_end[a];
    y = y.with(axis, (padded - span) / c.attributes.stride[a] + 1);
  }
  return y;
}

std::int64_t flat(const Shape& s, std::int64_t n, std::int64_t c, std::array<std::int64_t, 3> p) {
  return (((n * s[1] + c) * at_axis(s, 0) + p[0]) * at_axis(s, 1) + p[1]) * at_axis(s, 2) + p[2];
}

/// Calls visit(x index, weight index, y index) for every product of the convolution.
template <typename Visit>
void for_each_product(const ConvCase& c, const Visit& visit) {
  const Shape y = output_shape(c);
  const std::size_t rank = c.x.rank();
  const std::int64_t taps = at_axis(c.weight, 0) * at_axis(c.weight, 1) * at_axis(c.weight, 2);
  const std::int64_t plane = at_axis(y, 0) * at_axis(y, 1) * at_axis(y, 2);
  for (std::int64_t n = 0; n < c.x[0]; ++n) {
    for (std::int64_t k = 0; k < c.weight[0]; ++k) {
      for (std::int64_t i = 0; i < plane * c.weight[1] * taps; ++i) {
        const std::int64_t tap = i % taps;
        const std::int64_t channel = i / taps % c.weight[1];
        const std::int64_t o = i / (taps * c.weight[1]);
        const std::array<std::int64_t, 3> out{o / (at_axis(y, 1) * at_axis(y, 2)),
                                              o / at_axis(y, 2) % at_axis(y, 1),
                                              o % at_axis(y, 2)};
        const std::array<std::int64_t, 3> t{tap / (at_axis(c.weight, 1) * at_axis(c.weight, 2)),
                                            tap / at_axis(c.weight, 2) % at_axis(c.weight, 1),
                                            tap % at_axis(c.weight, 2)};
        std::array<std::int64_t, 3> in{};
        bool inside = true;
        for (std::size_t a = 0; a < 3; ++a) {
          in[a] = out[a] * at_axis(c.attributes.stride, rank, a, 1) +
                  t[a] * at_axis(c.attributes.dilation, rank, a, 1) -
                  at_axis(c.attributes.pad_begin, rank, a, 0);
          inside = inside && in[a] >= 0 && in[a] < at_axis(c.x, a);
        }
        if (inside) {
          const std::int64_t group = k / (c.weight[0] / c.attributes.groups);
          visit(flat(c.x, n, group * c.weight[1] + channel, in),
                flat(c.weight, k, channel, t),
                flat(y, n, k, out));
        }
      }
    }
  }
}

void expect_near(const HostTensor& got, const HostTensor& want, double tolerance) {
  ASSERT_EQ(got.elements(), want.elements());
  for (std::int64_t i = 0; i < want.elements(); ++i) {
    ASSERT_NEAR(got.at(i), want.at(i), tolerance) << "element " << i;
  }
}

TEST(RefConvTranspose, MatchesAHandComputedCase) {
  // One row: x = 1 2, w = 10 20 30, stride 2: 10 20 30+20 40 60; padding 1 takes the first and the
  // last away, an output padding of 1 brings the last back.
  KernelCall call(OpKind::kConvTranspose,
                  graph::ConvTransposeAttributes{
                      .conv = {.stride = {1, 2, 1}, .pad_begin = {0, 1, 0}, .pad_end = {0, 1, 0}},
                      .output_padding = {0, 1, 0}});
  call.input(f32({1, 1, 1, 2}, {1, 2}))
      .input(f32({1, 1, 1, 3}, {10, 20, 30}))
      .output(DType::kF32, {1, 1, 1, 4})
      .run();
  EXPECT_THAT(values(call.result()), ElementsAre(20, 50, 40, 60));
}

class RefConvSum : public ::testing::TestWithParam<ConvCase> {};

TEST_P(RefConvSum, ForwardEqualsTheDefiningSum) {
  const ConvCase& c = GetParam();
  const HostTensor x = random_tensor(DType::kF64, c.x, 1);
  const HostTensor w = random_tensor(DType::kF64, c.weight, 2);
  HostTensor want(DType::kF64, output_shape(c));
  for_each_product(c, [&](std::int64_t xi, std::int64_t wi, std::int64_t yi) {
    want.set(yi, want.at(yi) + x.at(xi) * w.at(wi));
  });
  KernelCall call(OpKind::kConv, c.attributes);
  call.input(x.clone()).input(w.clone()).output(DType::kF64, want.shape()).run();
  expect_near(call.result(), want, 1e-13);
}

TEST_P(RefConvSum, BackwardDataEqualsTheDefiningSum) {
  const ConvCase& c = GetParam();
  const HostTensor dy = random_tensor(DType::kF64, output_shape(c), 3);
  const HostTensor w = random_tensor(DType::kF64, c.weight, 2);
  HostTensor want(DType::kF64, c.x);
  for_each_product(c, [&](std::int64_t xi, std::int64_t wi, std::int64_t yi) {
    want.set(xi, want.at(xi) + dy.at(yi) * w.at(wi));
  });
  KernelCall call(OpKind::kConvBackwardData, c.attributes);
  call.input(dy.clone())
      .input(w.clone())
      .shape_only(DType::kF64, c.x)
      .output(DType::kF64, c.x)
      .run();
  expect_near(call.result(), want, 1e-13);
}

TEST_P(RefConvSum, BackwardWeightsEqualsTheDefiningSum) {
  const ConvCase& c = GetParam();
  const HostTensor x = random_tensor(DType::kF64, c.x, 1);
  const HostTensor dy = random_tensor(DType::kF64, output_shape(c), 3);
  HostTensor want(DType::kF64, c.weight);
  for_each_product(c, [&](std::int64_t xi, std::int64_t wi, std::int64_t yi) {
    want.set(wi, want.at(wi) + x.at(xi) * dy.at(yi));
  });
  KernelCall call(OpKind::kConvBackwardWeights, c.attributes);
  call.input(x.clone())
      .input(dy.clone())
      .shape_only(DType::kF64, c.weight)
      .output(DType::kF64, c.weight)
      .run();
  expect_near(call.result(), want, 1e-12);
}

TEST_P(RefConvSum, IsTheSameForAnyNumberOfThreads) {
  const ConvCase& c = GetParam();
  std::vector<HostTensor> results;
  for (const int threads : {1, 3}) {
    KernelCall call(OpKind::kConvBackwardWeights, c.attributes);
    call.threads(threads)
        .input(random_tensor(DType::kF32, c.x, 1))
        .input(random_tensor(DType::kF32, output_shape(c), 3))
        .shape_only(DType::kF32, c.weight)
        .output(DType::kF32, c.weight)
        .run();
    results.push_back(call.result().clone());
  }
  EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), results[0].bytes()), 0);
}

INSTANTIATE_TEST_SUITE_P(Geometries,
                         RefConvSum,
                         ::testing::ValuesIn(cases()),
                         [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace dlbench::backend::ref
