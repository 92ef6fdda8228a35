// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/verification/step_record.h"

#include "engine/core/error.h"
#include "engine/exec/checkpoint.h"
#include "engine/exec/safetensors.h"
#include "harness/verification/compare_steps.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

namespace dlbench::harness {
namespace {

using testing::HasSubstr;

class StepRecording : public testing::Test {
 protected:
  exec::TensorMap run(std::uint64_t seed,
                      const std::filesystem::path& init = {},
                      core::DType precision = core::DType::kF32) {
    StepSetup setup = setup_of(precision);
    setup.seed = seed;
    if (!init.empty()) {
      setup.init = init;
    }
    return record_step(*backend_, setup);
  }
  StepRecord run_on(int more, core::DType precision = core::DType::kF32) {
    return record_steps(*backend_, setup_of(precision), more);
  }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    return folder_.path() / name;
  }

 private:
  [[nodiscard]] StepSetup setup_of(core::DType precision) const {
    return {.spec = workload_.spec(),
            .built = built_,
            .inputs = inputs_,
            .precision = precision,
            .lowering = {}};
  }

  const workloads::Workload& workload_ = workloads::find_workload("mnist_cnn");
  workloads::BuiltWorkload built_ = workload_.build({.batch_size = 3}, graph::Mode::kTrain);
  StepInputs inputs_ = draw_step_inputs(workload_.spec(), built_, 1);
  std::unique_ptr<backend::Backend> backend_ = backend::create_backend("ref", {.threads = 1});
  tests::TemporaryFolder folder_;
};

TEST_F(StepRecording, HoldsTheWholeStepUnderTheNamesOfTheDump) {
  const exec::TensorMap step = run(5);
  EXPECT_EQ(step.at("input/image").shape(), core::Shape({3, 1, 28, 28}));
  EXPECT_EQ(step.at("input/image").dtype(), core::DType::kF32);
  EXPECT_EQ(step.at("input/label").dtype(), core::DType::kI32);
  EXPECT_EQ(step.at("output/prediction").shape(), core::Shape({3, 10}));
  EXPECT_EQ(step.at("loss").shape(), core::Shape{});
  EXPECT_EQ(step.at("before/seed").at(0), 5.0);
  EXPECT_EQ(step.at("before/step").at(0), 0.0);
  for (const char* name : {"conv1.weight", "conv1.bias", "fc2.weight", "fc2.bias"}) {
    for (const char* part : {"before/", "grad/", "after/"}) {
      EXPECT_TRUE(step.contains(std::string(part) + name)) << part << name;
    }
  }
  EXPECT_NE(step.at("before/fc2.bias").at(0), step.at("after/fc2.bias").at(0));
}

TEST_F(StepRecording, TheStepsBehindItGoOnFromIt) {
  const StepRecord once = run_on(1);
  const StepRecord twice = run_on(2);
  const exec::TensorMap alone = run(1);
  for (const std::string name : {"fc2.weight", "fc2.bias"}) {
    EXPECT_EQ(once.first.at("after/" + name).at(1), alone.at("after/" + name).at(1));
    EXPECT_EQ(once.later.at("before/" + name).at(1), alone.at("after/" + name).at(1));
    EXPECT_EQ(twice.later.at("before/" + name).at(1), once.later.at("after/" + name).at(1));
    EXPECT_NE(twice.later.at("before/" + name).at(1), twice.later.at("after/" + name).at(1));
    const std::string square = "adadelta/square/" + name;
    EXPECT_EQ(twice.later.at("before/" + square).at(1), once.later.at("after/" + square).at(1));
  }
  EXPECT_GT(once.later.at("before/adadelta/square/fc2.bias").at(1), 0.0);
  EXPECT_NE(once.later.at("grad/fc2.bias").at(1), alone.at("grad/fc2.bias").at(1));
}

// The scale begins too high for the first step, and is so again for the first and the third behind
// it: none that is recorded is a skipped one.
TEST_F(StepRecording, InF16EachRecordedStepUpdates) {
  const StepRecord record = run_on(3, core::DType::kF16);
  EXPECT_NE(record.later.at("before/fc2.bias").at(0), record.later.at("after/fc2.bias").at(0));
  for (const TensorError& error :
       compare_later_update(record.later,
                            4,
                            workloads::find_workload("mnist_cnn").spec().optimizer,
                            StepTolerances::of(core::DType::kF16, 8192, 1.0))) {
    EXPECT_TRUE(error.passed()) << error.tensor << ' ' << error.error;
  }
}

TEST_F(StepRecording, InputsAreNormalised) {
  const exec::TensorMap step = run(1);
  const core::HostTensor& image = step.at("input/image");
  double sum = 0.0;
  for (std::int64_t i = 0; i < image.elements(); ++i) {
    EXPECT_GE(image.at(i), -0.1307 / 0.3081 - 1e-5);
    EXPECT_LE(image.at(i), (1.0 - 0.1307) / 0.3081 + 1e-5);
    sum += image.at(i);
  }
  EXPECT_GT(sum / static_cast<double>(image.elements()), 0.5);  // pixels of about 140
}

TEST_F(StepRecording, StartsFromACheckpoint) {
  exec::TensorMap checkpoint;
  exec::TensorMap first = run(1);
  for (auto& [name, tensor] : first) {
    if (name.starts_with("after/")) {
      checkpoint.emplace(name.substr(6), std::move(tensor));
    }
  }
  exec::write_safetensors(file("init.safetensors"), checkpoint);
  const exec::TensorMap second = run(2, file("init.safetensors"));
  EXPECT_EQ(second.at("before/fc1.weight").at(17), checkpoint.at("fc1.weight").at(17));
}

TEST_F(StepRecording, InF16TheScaleIsFoundAndTakenOutOfTheGradients) {
  const exec::TensorMap wanted = run(1);
  const exec::TensorMap step = run(1, {}, core::DType::kF16);
  for (const auto& [name, tensor] : wanted) {
    if (!name.starts_with("grad/")) {
      continue;
    }
    double difference = 0.0;
    double norm = 0.0;
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      difference += std::pow(step.at(name).at(i) - tensor.at(i), 2);
      norm += std::pow(tensor.at(i), 2);
    }
    EXPECT_LT(std::sqrt(difference / norm), 0.05) << name;
  }
  EXPECT_NE(step.at("before/fc2.bias").at(0), step.at("after/fc2.bias").at(0)) << "skipped";
}

// Of a loss that is not finite no scale helps: one step says so.
TEST_F(StepRecording, GradientsThatAreNeverFiniteEndIt) {
  exec::TensorMap spoilt;
  exec::TensorMap first = run(1);
  for (auto& [name, tensor] : first) {
    if (name.starts_with("after/")) {
      tensor.set(0, std::numeric_limits<float>::max());  // finite, but not in f16
      spoilt.emplace(name.substr(6), std::move(tensor));
    }
  }
  exec::write_safetensors(file("spoilt.safetensors"), spoilt);
  try {
    (void)run(1, file("spoilt.safetensors"), core::DType::kF16);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kRun);
    EXPECT_THAT(error.what(), HasSubstr("no loss scale down to 1"));
  }
}

TEST_F(StepRecording, AWeightThatIsNotFiniteIsRefused) {
  exec::TensorMap spoilt;
  for (auto& [name, tensor] : run(1)) {
    if (name.starts_with("after/")) {
      spoilt.emplace(name.substr(6), tensor.clone());
    }
  }
  spoilt.at("fc1.bias").set(3, std::numeric_limits<double>::quiet_NaN());
  exec::write_safetensors(file("spoilt.safetensors"), spoilt);
  try {
    (void)run(1, file("spoilt.safetensors"));
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kData);
    EXPECT_THAT(error.what(), HasSubstr("spoilt.safetensors: 'fc1.bias' holds values"));
  }
}

TEST_F(StepRecording, ACheckpointThatDoesNotFitIsNamed) {
  exec::TensorMap wrong;
  wrong.emplace("conv1.weight", core::HostTensor(core::DType::kF32, {32, 1, 5, 5}));
  exec::write_safetensors(file("wrong.safetensors"), wrong);
  try {
    (void)run(1, file("wrong.safetensors"));
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kData);
    EXPECT_THAT(error.what(), HasSubstr("wrong.safetensors: "));
    EXPECT_THAT(error.what(), HasSubstr("(32, 1, 5, 5)"));
  }
  exec::write_safetensors(file("empty.safetensors"), {});
  try {
    (void)run(1, file("empty.safetensors"));
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("empty.safetensors: "));
    EXPECT_THAT(error.what(), HasSubstr("conv1.weight"));
  }
}

}  // namespace
}  // namespace dlbench::harness
