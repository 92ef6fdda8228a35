// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/step_window.h"

#include "engine/core/clock.h"
#include "engine/core/trace.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace dlbench::probes {
namespace {

using core::trace::Category;
using core::trace::RegionInfo;

void run(StepWindow& window, Category category) {
  const RegionInfo region{category, "region", 0};
  window.begin(region);
  window.end(region);
}

TEST(StepWindow, CountsTheStepsOfItsThreadSinceTheRestart) {
  StepWindow window;
  window.restart();
  run(window, Category::kStep);
  window.restart();
  EXPECT_EQ(window.count(), 0);
  const std::int64_t before_ns = core::steady_ns();
  run(window, Category::kStep);
  const std::int64_t first_ns = window.begin_ns();
  run(window, Category::kOp);
  while (core::steady_ns() == first_ns) {
  }
  run(window, Category::kStep);
  EXPECT_EQ(window.begin_ns(), first_ns) << "of the first step";
  std::thread([&] { run(window, Category::kStep); }).join();
  EXPECT_EQ(window.count(), 2);
  EXPECT_GE(window.begin_ns(), before_ns);
  EXPECT_LE(window.begin_ns(), window.end_ns());
  EXPECT_LE(window.end_ns(), core::steady_ns());
}

}  // namespace
}  // namespace dlbench::probes
