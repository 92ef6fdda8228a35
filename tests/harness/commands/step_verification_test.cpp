// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/step_verification.h"

#include "engine/core/error.h"
#include "engine/exec/safetensors.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

namespace dlbench::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

VerifyOptions small() {
  VerifyOptions options;
  options.workload = "mnist_cnn";
  options.params.batch_size = 2;
  options.backend = "ref";
  options.threads = 1;
  return options;
}

core::ErrorCode code_of(const VerifyOptions& options, std::string_view part_of_message) {
  std::ostringstream out;
  try {
    (void)run_verify(options, out);
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::string(part_of_message)));
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return core::ErrorCode::kRun;
}

TEST(Verify, OfTheReferenceItselfOnlyUpdatesAreCompared) {
  std::ostringstream out;
  EXPECT_EQ(run_verify(small(), out), 0);
  EXPECT_THAT(out.str(), HasSubstr("verify: this is the reference itself; compared are the"));
  EXPECT_THAT(out.str(), HasSubstr("verify: passed, 32 comparisons"));
  EXPECT_THAT(out.str(), HasSubstr("later update            8       0"));
  EXPECT_THAT(out.str(), HasSubstr("optimizer state        16       0"));
  EXPECT_THAT(out.str(), Not(HasSubstr("gradient")));
}

TEST(Verify, ComparesTheLastOfSomeSteps) {
  VerifyOptions options = small();
  options.steps = 3;
  std::ostringstream out;
  EXPECT_EQ(run_verify(options, out), 0);
  EXPECT_THAT(out.str(), HasSubstr("(step 3)"));
  options.steps = 1;
  std::ostringstream one;
  EXPECT_EQ(run_verify(options, one), 0);
  EXPECT_THAT(one.str(), HasSubstr("verify: passed, 8 comparisons"));
}

TEST(Verify, InF16TheReferenceIsComparedWithItselfInF32) {
  VerifyOptions options = small();
  options.precision = "fp16";
  std::ostringstream out;
  EXPECT_EQ(run_verify(options, out), 0) << out.str();
  EXPECT_THAT(out.str(), HasSubstr("each gradient             8       0"));
  EXPECT_THAT(out.str(), Not(HasSubstr("the reference itself")));
}

TEST(Verify, DumpsTheStep) {
  const tests::TemporaryFolder folder;
  VerifyOptions options = small();
  options.dump = folder.file("step.safetensors");
  std::ostringstream out;
  EXPECT_EQ(run_verify(options, out), 0);
  const exec::TensorMap step = exec::read_safetensors(*options.dump);
  EXPECT_EQ(step.at("grad/fc1.weight").shape(), core::Shape({128, 9216}));
}

TEST(Verify, BadOptionsAreOneLineWithTheRightCode) {
  VerifyOptions options = small();
  options.workload = "mnist_cn";
  EXPECT_EQ(code_of(options, "did you mean 'mnist_cnn'"), core::ErrorCode::kUsage);
  options = small();
  options.backend = "reff";
  EXPECT_EQ(code_of(options, "did you mean 'ref'"), core::ErrorCode::kUsage);
  options = small();
  options.backend = "cuda:x";
  EXPECT_EQ(code_of(options, "--backend: 'cuda:x' is no backend; wanted cpu, cuda, ref or cuda:N"),
            core::ErrorCode::kUsage);
  options = small();
  options.backend = "auto";
  EXPECT_EQ(code_of(options, "unknown backend 'auto'"), core::ErrorCode::kUsage);
  options = small();
  options.params.image_size = 30;
  EXPECT_EQ(code_of(options, "28 only"), core::ErrorCode::kUsage);
  options = small();
  options.init = "/nonexistent/model.safetensors";
  EXPECT_EQ(code_of(options, "/nonexistent/model.safetensors"), core::ErrorCode::kFile);
  options = small();
  options.dump = "/nonexistent/step.safetensors";
  EXPECT_EQ(code_of(options, "/nonexistent/step.safetensors"), core::ErrorCode::kFile);
  options = small();
  options.data = "/nonexistent/data";
  EXPECT_EQ(code_of(options, "/nonexistent/data"), core::ErrorCode::kFile);
}

}  // namespace
}  // namespace dlbench::harness
