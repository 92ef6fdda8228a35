// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Casts between dense channels and padded ones: into zero lanes, and past lanes that hold anything.
#include "engine/backend/cuda/kernels/convert.h"
#include "engine/core/rng.h"
#include "tests/engine/backend/cuda/kernels/emulated_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

/// Images and weights: of one, three, nine channels (two packs), and of more rows than threads.
const core::Shape kShapes[] = {{2, 1, 5, 7}, {16, 3, 3, 3}, {2, 9, 1, 3}, {3, 3, 17, 31}};
constexpr Emulation kDense{.channel_multiple = 1};
constexpr Emulation kPadded{.channel_multiple = 8};
constexpr Emulation kPaddedMisaligned{.channel_multiple = 8, .misaligned = true};

core::HostTensor random_values(const core::Shape& shape) {
  core::HostTensor values(DType::kF32, shape);
  core::RandomStream random(4, 2);
  for (std::int64_t i = 0; i < values.elements(); ++i) {
    values.set(i, static_cast<double>(random.uniform(-3.0F, 3.0F)));
  }
  return values;
}

void cast(DeviceTensor& x, DeviceTensor& y, HostLauncher launcher = HostLauncher()) {
  run_cast(launcher,
           {.x = x.as(),
            .x_dtype = x.dtype(),
            .x_layout = x.layout(),
            .y = y.as(),
            .y_dtype = y.dtype(),
            .y_layout = y.layout()});
}

/// Sets the lanes behind the channels of a 16-bit tensor to NaN.
void spoil_lanes(DeviceTensor& tensor) {
  const ChannelsLast& layout = tensor.layout();
  auto* elements = tensor.as<std::uint16_t>();
  for (Index row = 0; row < layout.positions(); ++row) {
    for (Index lane = layout.channels; lane < layout.stride; ++lane) {
      elements[row * layout.stride + lane] = 0xFFFF;
    }
  }
}

void expect_same(const core::HostTensor& seen, const core::HostTensor& wanted) {
  ASSERT_EQ(seen.bytes(), wanted.bytes());
  EXPECT_EQ(std::memcmp(seen.data(), wanted.data(), wanted.bytes()), 0)
      << wanted.shape().to_string() << " " << core::name(wanted.dtype());
}

class CastRows : public ::testing::TestWithParam<DType> {};

TEST_P(CastRows, WritesZerosBehindTheChannels) {
  for (const Emulation& how : {kPadded, kPaddedMisaligned}) {
    for (const core::Shape& shape : kShapes) {
      const core::HostTensor values = random_values(shape);
      DeviceTensor x(DType::kF32, shape, true, kDense);
      DeviceTensor y(GetParam(), shape, true, how);
      x.upload(values.data());
      cast(x, y);
      core::HostTensor seen(GetParam(), shape);
      ASSERT_NO_THROW(y.download(seen.data())) << shape.to_string();  // looks at the lanes
      expect_same(seen, values.to(GetParam()));
    }
  }
}

TEST_P(CastRows, ReadsNothingBehindTheChannels) {
  for (const Emulation& how : {kPadded, kPaddedMisaligned}) {
    for (const core::Shape& shape : kShapes) {
      const core::HostTensor values = random_values(shape).to(GetParam());
      DeviceTensor x(GetParam(), shape, true, how);
      DeviceTensor y(DType::kF32, shape, true, kDense);
      x.upload(values.data());
      spoil_lanes(x);
      cast(x, y);
      core::HostTensor seen(DType::kF32, shape);
      ASSERT_NO_THROW(y.download(seen.data())) << shape.to_string();
      expect_same(seen, values.to(DType::kF32));
    }
  }
}

TEST_P(CastRows, MissALostThread) {
  for (const core::Shape& shape : kShapes) {
    DeviceTensor x(DType::kF32, shape, true, kDense);
    DeviceTensor y(GetParam(), shape, true, kPadded);
    x.upload(random_values(shape).data());
    cast(x, y, HostLauncher(3, Fault::kLostThread));
    // What it would have written is NaN still: a lane, or where a pack has none, an element.
    core::HostTensor seen(GetParam(), shape);
    bool found = false;
    try {
      y.download(seen.data());
      found = std::isnan(seen.at(0));
    } catch (const std::runtime_error&) {
      found = true;
    }
    EXPECT_TRUE(found) << shape.to_string();
  }
}

INSTANTIATE_TEST_SUITE_P(Halves,
                         CastRows,
                         ::testing::Values(DType::kBF16, DType::kF16),
                         [](const auto& test) { return std::string(core::name(test.param)); });

TEST(CastRowsOfF32, AreNotPadded) {
  DeviceTensor x(DType::kF32, kShapes[0], true, kDense);
  DeviceTensor y(DType::kF32, kShapes[0], true, kPadded);
  EXPECT_THROW(cast(x, y), core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::backend::cuda
