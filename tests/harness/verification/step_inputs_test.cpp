// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/verification/step_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace dlbench::harness {
namespace {

StepInputs draw(const std::string& workload, std::int64_t batch_size, std::uint64_t seed) {
  const workloads::Workload& found = workloads::find_workload(workload);
  const auto built =
      found.build({.batch_size = batch_size, .image_size = found.spec().verify_image_size},
                  graph::Mode::kTrain);
  return draw_step_inputs(found.spec(), built, seed);
}

bool equal(const core::HostTensor& a, const core::HostTensor& b, std::size_t bytes) {
  return std::memcmp(a.data(), b.data(), bytes) == 0;
}

TEST(StepInputs, DependOnSeedAndSampleAlone) {
  const StepInputs two = draw("resunetpp", 2, 7);
  const StepInputs three = draw("resunetpp", 3, 7);
  const StepInputs other = draw("resunetpp", 2, 8);
  for (const char* name : {"image", "mask"}) {
    EXPECT_TRUE(equal(two.at(name), three.at(name), two.at(name).bytes())) << name;
    EXPECT_FALSE(equal(two.at(name), other.at(name), two.at(name).bytes())) << name;
  }
}

TEST(StepInputs, MasksMarkTheBrighterPartOfTheImage) {
  const StepInputs inputs = draw("resunetpp", 2, 1);
  const auto mask = inputs.at("mask").as<std::uint8_t>();
  const auto image = inputs.at("image").as<std::uint8_t>();
  double sums[2] = {0.0, 0.0};
  double counts[2] = {0.0, 0.0};
  for (std::size_t pixel = 0; pixel < mask.size(); ++pixel) {
    ASSERT_LE(mask[pixel], 1);
    sums[mask[pixel]] += image[3 * pixel];
    counts[mask[pixel]] += 1.0;
  }
  EXPECT_GT(counts[1], 0.03 * counts[0]);
  EXPECT_GT(sums[1] / counts[1], sums[0] / counts[0] + 20.0);
}

TEST(StepInputs, ImagesHaveNoSymmetry) {
  const StepInputs inputs = draw("resunetpp", 1, 1);
  const core::HostTensor& image = inputs.at("image");
  const std::int64_t side = image.shape()[1];
  std::int64_t transposed_differs = 0;
  for (std::int64_t row = 0; row < side; ++row) {
    for (std::int64_t column = 0; column < row; ++column) {
      const double a = image.at((row * side + column) * 3);
      const double b = image.at((column * side + row) * 3);
      transposed_differs += a != b ? 1 : 0;
    }
  }
  EXPECT_GT(transposed_differs, side * side / 4);
}

TEST(StepInputs, LabelsCoverTheClasses) {
  const StepInputs inputs = draw("mnist_cnn", 200, 1);
  const auto labels = inputs.at("label").as<std::int32_t>();
  const std::set<std::int32_t> seen(labels.begin(), labels.end());
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 9);
}

}  // namespace
}  // namespace dlbench::harness
