// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans that run and compute something else are refused, and the next one is taken: where plans are
// timed, where they are not, and where one was remembered.
#include "engine/backend/cuda/libraries/conv_bench.h"
#include "engine/backend/cuda/libraries/conv_plan.h"
#include "engine/backend/cuda/libraries/device_contractions.h"
#include "engine/core/error.h"
#include "tests/engine/backend/cuda/fake/libraries_fixture.h"
#include "tests/engine/backend/cuda/fake/observer.h"
#include "tests/engine/backend/cuda/fake/wrong_engines.h"
#include "tests/temporary_folder.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ConvProblem strided_problem(ConvDirection direction, DType dtype) {
  return {.direction = direction,
          .dtype = dtype,
          .x = {2, 16, 9, 7},
          .w = {24, 16, 3, 3},
          .y = {2, 24, 5, 4},
          .pad_begin = {1, 1},
          .pad_end = {1, 1},
          .stride = {2, 2},
          .dilation = {1, 1},
          .epilogue = {.bias = direction == ConvDirection::kForward}};
}

/// Leaves so many bytes of the device free, as long as it lives.
class LittleMemory {
 public:
  explicit LittleMemory(std::size_t left) {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    EXPECT_GT(free, left);
    EXPECT_EQ(cudaMalloc(&taken_, free - left), cudaSuccess);
  }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;
  ~LittleMemory() { EXPECT_EQ(cudaFree(taken_), cudaSuccess); }

 private:
  void* taken_ = nullptr;
};

/// "0" of "cudnn:eng0{1=2}".
std::string engine_of(const std::string& name) {
  const std::size_t begin = name.find("eng") + 3;
  return name.substr(begin, name.find('{') - begin);
}

class WrongPlansOfCudnn : public FakeLibraries {
 protected:
  void TearDown() override {
    fake::set_wrong_engines("");
    fake::set_engines_without_memory("");
    FakeLibraries::TearDown();
  }

  /// The plan that is taken where these engines are wrong.
  std::string choose(const ConvProblem& problem, const std::string& wrong) {
    TriedPlans tried;
    return choose(problem, wrong, tried);
  }
  std::string choose(const ConvProblem& problem, const std::string& wrong, TriedPlans& tried) {
    fake::set_wrong_engines(wrong);
    Choices choices(options_, "machine");
    DeviceContractions contractions(handles_, options_, choices, tried);
    const std::string name = contractions.convolution(problem, "node|direction").kernel_name;
    choices.save();
    return name;
  }

  tests::TemporaryFolder folder_;
  LoweringOptions options_;
};

TEST_F(WrongPlansOfCudnn, AreNotTaken) {
  for (const auto direction :
       {ConvDirection::kForward, ConvDirection::kBackwardData, ConvDirection::kBackwardWeights}) {
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      const ConvProblem problem = strided_problem(direction, dtype);
      for (const bool autotune : {false, true}) {
        options_.autotune = autotune;
        const std::string first = choose(problem, "");
        const std::string next = choose(problem, engine_of(first));
        EXPECT_NE(engine_of(next), engine_of(first)) << problem.text();
        const std::string third = choose(problem, engine_of(first) + "+" + engine_of(next));
        EXPECT_NE(engine_of(third), engine_of(first)) << problem.text();
        EXPECT_NE(engine_of(third), engine_of(next)) << problem.text();
      }
    }
  }
}

TEST_F(WrongPlansOfCudnn, AreNotTakenBecauseTheyWereOnce) {
  options_.tuning_cache = folder_.file("tuning.txt");
  const ConvProblem problem = strided_problem(ConvDirection::kBackwardWeights, DType::kF32);
  options_.autotune = true;
  const std::string remembered = choose(problem, "");
  ASSERT_EQ(choose(problem, ""), remembered);
  EXPECT_NE(engine_of(choose(problem, engine_of(remembered))), engine_of(remembered));
}

// A plan that is the fastest in tf32 may be another in f32, and --conv-algorithm direct has fewer.
TEST_F(WrongPlansOfCudnn, AreKnownWhereThereIsNoRoomToSeeThemAgain) {
  const ConvProblem problem = strided_problem(ConvDirection::kForward, DType::kF32);
  options_.autotune = false;
  const std::string first = choose(problem, "");
  TriedPlans tried;
  const std::string next = choose(problem, engine_of(first), tried);
  const LittleMemory none(0);
  EXPECT_EQ(choose(problem, engine_of(first), tried), next);
  testing::internal::CaptureStderr();
  EXPECT_EQ(choose(problem, engine_of(first)), first) << "nothing is known of it";
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("memory to check all of cuDNN's"));
}

TEST_F(WrongPlansOfCudnn, AreNotThoseThatFoundNoMemoryOnce) {
  const ConvProblem problem = strided_problem(ConvDirection::kForward, DType::kF32);
  options_.autotune = false;
  const std::string first = choose(problem, "");
  TriedPlans tried;
  fake::set_engines_without_memory(engine_of(first));
  EXPECT_NE(engine_of(choose(problem, "", tried)), engine_of(first));
  fake::set_engines_without_memory("");
  EXPECT_EQ(choose(problem, "", tried), first);
}

TEST_F(WrongPlansOfCudnn, AreRememberedByWhatTheyWereChosenFrom) {
  options_.tuning_cache = folder_.file("tuning.txt");
  options_.autotune = true;
  const auto lines = [&] {
    std::ifstream file(options_.tuning_cache);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  const ConvProblem forward = strided_problem(ConvDirection::kForward, DType::kF32);
  (void)choose(forward, "");
  EXPECT_EQ(lines(), 2) << "a header and the choice";
  (void)choose(forward, "");
  EXPECT_EQ(lines(), 2);
  options_.allow_tf32 = true;
  (void)choose(forward, "");
  EXPECT_EQ(lines(), 3);
  options_.conv_algorithm = ConvAlgorithm::kDirect;
  (void)choose(forward, "");
  EXPECT_EQ(lines(), 4);
  ConvProblem without_bias = forward;
  without_bias.epilogue = {};
  (void)choose(without_bias, "");
  EXPECT_EQ(lines(), 5);
}

TEST_F(WrongPlansOfCudnn, EndTheRunWhereADecisionNamesThem) {
  const ConvProblem problem = strided_problem(ConvDirection::kForward, DType::kF32);
  options_.autotune = false;
  const std::string first = choose(problem, "");
  options_.decisions = {{"node|direction", first.substr(first.find("eng"))}};
  EXPECT_EQ(choose(problem, ""), first);
  try {
    (void)choose(problem, engine_of(first));
    ADD_FAILURE() << "a wrong plan was taken";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUnavailable);
    EXPECT_THAT(error.what(), HasSubstr("cannot be followed"));
    EXPECT_THAT(error.what(), HasSubstr("computes y["));
  }
}

TEST_F(WrongPlansOfCudnn, EndTheRunWhereAllAreWrong) {
  const ConvProblem problem = strided_problem(ConvDirection::kBackwardData, DType::kF32);
  for (const bool autotune : {false, true}) {
    options_.autotune = autotune;
    try {
      (void)choose(problem, "all");
      ADD_FAILURE() << "a wrong plan was taken";
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kLibrary);
      EXPECT_THAT(
          error.what(),
          AllOf(StartsWith("none of the plans for " + problem.text() + " can be taken; eng"),
                HasSubstr("}: computes x["),
                HasSubstr(", wanted "),
                HasSubstr(" results are wrong"),
                Not(HasSubstr("\n"))));
    }
  }
}

// A filter of one tap has no other end: its plans are right, and every one may be taken.
TEST_F(WrongPlansOfCudnn, AreThoseThatComputeSomethingElse) {
  ConvProblem problem = strided_problem(ConvDirection::kForward, DType::kBF16);
  problem.w = {24, 16, 1, 1};
  problem.pad_begin = problem.pad_end = {0, 0};
  options_.autotune = false;
  EXPECT_EQ(choose(problem, "all"), choose(problem, ""));
}

/// Counts how often samples are computed.
class SampleLaunches final : public fake::Observer {
 public:
  void enqueued(const fake::ObservedWorkPtr& work) override {
    count_ += work->label.name.find("ConvSampleSums") != std::string::npos ? 1 : 0;
  }
  void done(const fake::ObservedWorkPtr& /*work*/) override {}
  void called(const fake::HostCall& /*call*/) override {}
  [[nodiscard]] int take() { return count_.exchange(0); }

 private:
  std::atomic<int> count_{0};
};

class ReservedBench : public FakeLibraries {
 protected:
  void SetUp() override {
    FakeLibraries::SetUp();
    fake::set_observer(&launches());
    (void)launches().take();
  }
  void TearDown() override {
    fake::set_observer(nullptr);
    FakeLibraries::TearDown();
  }
  static SampleLaunches& launches() {
    static SampleLaunches all;  // work that was enqueued may still tell it that it is done
    return all;
  }
};

TEST_F(ReservedBench, ComputesSamplesOnceForAProblemAndAgainAfterAnother) {
  const ConvProblem problem = strided_problem(ConvDirection::kForward, DType::kF32);
  ConvProblem another = problem;
  another.dtype = DType::kF16;  // of the same extents: no buffer grows
  ConvBench bench(handles_);
  const auto launched_by = [&](const ConvProblem& reserved, std::size_t workspace) {
    EXPECT_TRUE(bench.reserve(reserved, workspace));
    return launches().take();
  };
  EXPECT_EQ(launched_by(problem, 0), 1);
  EXPECT_EQ(launched_by(problem, 0), 0);
  EXPECT_EQ(launched_by(problem, 1 << 20), 0) << "only the workspace grows";
  EXPECT_EQ(launched_by(another, 0), 1);
  EXPECT_EQ(launched_by(problem, 0), 1);
}

TEST_F(ReservedBench, HasRoomForAProblemThatFitsWithoutWhatOthersLeft) {
  constexpr std::size_t kMib = std::size_t{1} << 20;
  ConvProblem widens = strided_problem(ConvDirection::kForward, DType::kF32);
  widens.x = {1, 4, 256, 256};  // 1 MiB
  widens.w = {64, 4, 1, 1};
  widens.y = {1, 64, 256, 256};  // 16 MiB
  widens.pad_begin = widens.pad_end = {0, 0};
  widens.stride = {1, 1};
  ConvProblem narrows = widens;
  std::swap(narrows.x, narrows.y);
  narrows.w = {4, 64, 1, 1};
  const LittleMemory room(24 * kMib);
  ConvBench bench(handles_);
  EXPECT_TRUE(bench.reserve(widens, 0));
  EXPECT_TRUE(bench.reserve(narrows, 0)) << "one of them at a time";
  EXPECT_FALSE(bench.reserve(narrows, 16 * kMib));
  (void)launches().take();
  EXPECT_TRUE(bench.reserve(narrows, 0));
  EXPECT_EQ(launches().take(), 1) << "what was given back is filled again";
}

}  // namespace
}  // namespace dlbench::backend::cuda
