// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The steady state allocates nothing and creates no primitive: counted, not believed. What oneDNN
// allocates inside its calls is counted apart and printed.
#include "engine/core/check.h"
#include "tests/allocation_counter.h"
#include "tests/engine/exec/small_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using graph::Mode;
using testing::SmallTraining;
using tests::AllocationCount;
using tests::start_counting;
using tests::stop_counting;

// Three steps before: libraries allocate when they run something for the first time.
AllocationCount count_steps(Executor& executor, bool profiled, int steps) {
  for (int step = 0; step < 3; ++step) {
    profiled ? executor.run_profiled() : executor.run();
  }
  start_counting();
  for (int step = 0; step < steps; ++step) {
    profiled ? executor.run_profiled() : executor.run();
  }
  return stop_counting();
}

class SteadyState : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = backend::backend_unavailable_reason(GetParam()); !why.empty()) {
      GTEST_SKIP() << why;
    }
  }
};

TEST_P(SteadyState, AllocatesNothingAndCreatesNoPrimitive) {
  for (const auto& [classifier, threads] : {std::pair(false, 1), std::pair(true, 2)}) {
    SmallTraining training(GetParam(), {.classifier = classifier, .threads = threads});
    for (const Mode mode : {Mode::kTrain, Mode::kEvaluate}) {
      const auto executor = training.executor(mode);
      for (const bool profiled : {false, true}) {
        const AllocationCount count = count_steps(*executor, profiled, 20);
        EXPECT_EQ(count.own, 0) << graph::name(mode) << ", first by " << count.first_own;
        EXPECT_EQ(count.primitives, 0) << graph::name(mode);
        // libgomp allocates for each region of one thread: the reference enters such regions.
        if (GetParam() != "ref" || threads > 1) {
          EXPECT_EQ(count.openmp, 0) << graph::name(mode);
        }
        if (GetParam() == "ref") {
          EXPECT_EQ(count.library, 0);
        }
        std::cout << GetParam() << (classifier ? " classifier " : " unet ") << graph::name(mode)
                  << ", 20 steps on " << threads << " threads: allocations inside oneDNN "
                  << count.library << '\n';
      }
    }
  }
}

// The scale falls and grows on the way: neither has to ask the host.
TEST(SteadyStateInF16, AllocatesNothing) {
  SmallTraining training(
      "ref",
      {.classifier = true,
       .precision = core::DType::kF16,
       .loss_scaling = graph::LossScaling{.initial = 0x1p+24, .rule = {.interval = 2}},
       .threads = 2});
  const auto executor = training.executor(Mode::kTrain);
  const AllocationCount count = count_steps(*executor, false, 20);
  EXPECT_EQ(count.own, 0) << "first by " << count.first_own;
  EXPECT_GT(training.state().scalar("skipped_steps"), 0.0);
}

TEST_P(SteadyState, BindingAnInputAllocatesNothing) {
  SmallTraining training(GetParam(), {});
  const auto executor = training.executor(Mode::kTrain);
  executor->run();
  start_counting();
  training.bind(*executor);
  EXPECT_EQ(stop_counting().own, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends,
                         SteadyState,
                         ::testing::ValuesIn(backend::backend_names()),
                         [](const auto& instance) { return instance.param; });

TEST(AllocationCounter, SeesEveryKindOfAllocation) {
  start_counting();
  auto number = std::make_unique<int>(1);
  std::vector<double> many(100 + static_cast<std::size_t>(*number));
  EXPECT_EQ(stop_counting().own, 2);

  start_counting();
  void* volatile plain = std::malloc(10);
  void* volatile zeroed = std::calloc(10, 10);
  void* volatile aligned = std::aligned_alloc(64, 128);
  const std::int64_t count = stop_counting().own;
  std::free(plain);
  std::free(zeroed);
  std::free(aligned);
  EXPECT_EQ(count, 3);
}

TEST(AllocationCounter, SeesAllocationsInsideTheLibrary) {
  SmallTraining training("ref", {});
  const auto executor = training.executor(Mode::kEvaluate);
  executor->run();
  start_counting();
  (void)executor->read("prediction");
  const AllocationCount count = stop_counting();
  EXPECT_GE(count.own, 2) << "a copy in host memory and the tensor";
  EXPECT_NE(count.first_own.find("Executor"), std::string::npos) << count.first_own;
}

TEST(AllocationCounter, SeesPrimitivesBeingCreated) {
  const auto names = backend::backend_names();
  if (std::find(names.begin(), names.end(), "cpu") == names.end()) {
    GTEST_SKIP() << "this build has no oneDNN";
  }
  SmallTraining training("cpu", {});
  start_counting();
  const auto executor = training.executor(Mode::kTrain);
  EXPECT_GT(stop_counting().primitives, 3);
}

}  // namespace
}  // namespace dlbench::exec
