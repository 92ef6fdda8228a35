// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/idle_options.h"

#include "tests/harness/commands/command_line_call.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Dry runs of a workload on generated data, of which what they warn of counts.
class IdleOptions : public ::testing::Test {
 protected:
  std::string warnings(const std::string& command,
                       const std::string& workload,
                       const std::vector<std::string>& options) {
    const bool digits = workload == "mnist_cnn";
    const std::string data = (folder_.path() / workload).string();
    std::vector<std::string> words = {"data", "generate", "--dataset"};
    words.insert(words.end(), {digits ? "mnist" : "kvasir-seg", "--out", data, "--samples", "20"});
    if (!std::filesystem::exists(data)) {
      EXPECT_EQ(call_dlbench(words).code, 0);
    }
    words = {command, "--workload", workload, "--data", data, "--device", "ref", "--dry-run"};
    words.insert(words.end(),
                 {"--batch-size", "2", "--output", (folder_.path() / "r.json").string()});
    if (!digits) {
      words.insert(words.end(), {"--image-size", "32"});
    }
    words.insert(words.end(), options.begin(), options.end());
    const CommandLineCall call = call_dlbench(words);
    EXPECT_EQ(call.code, 0) << call.err;
    return call.err;
  }

 private:
  tests::TemporaryFolder folder_;
};

TEST_F(IdleOptions, OfALoaderWhereNothingLoads) {
  const std::vector<std::string> options = {"--cache", "cold", "--prefetch", "3"};
  std::vector<std::string> synthetic = options;
  synthetic.insert(synthetic.end(), {"--trials", "synthetic"});
  EXPECT_THAT(warnings("run", "resunetpp", synthetic),
              HasSubstr("--prefetch, --cache have no effect on what is measured: none of the "
                        "trials loads data"));
  EXPECT_THAT(warnings("run", "resunetpp", {"--trials", "synthetic", "--skip-corrupt"}),
              Not(HasSubstr("no effect")))
      << "the batch of the step may have such samples";
  EXPECT_THAT(warnings("run", "resunetpp", options), Not(HasSubstr("no effect")));
}

TEST_F(IdleOptions, ACacheOfDataInMemory) {
  for (const std::string command : {"run", "train"}) {
    EXPECT_THAT(warnings(command, "mnist_cnn", {"--cache", "cold"}),
                HasSubstr("--cache cold has no effect: mnist is read into memory first"));
    EXPECT_THAT(warnings(command, "mnist_cnn", {"--cache", "warm"}), Not(HasSubstr("no effect")));
  }
}

TEST_F(IdleOptions, AreSaidByADryRunOfScaleToo) {
  EXPECT_THAT(warnings("scale", "mnist_cnn", {"--sync-loss"}),
              HasSubstr("--sync-loss has no effect"));
}

TEST_F(IdleOptions, ADecoderThatCannotDecodeLess) {
  EXPECT_THAT(warnings("run", "mnist_cnn", {"--decode", "scaled"}),
              HasSubstr("--decode scaled has no effect"));
  EXPECT_THAT(warnings("run", "resunetpp", {"--decode", "scaled"}), Not(HasSubstr("no effect")));
}

TEST_F(IdleOptions, ALossOfOneRankOrWithoutARatio) {
  EXPECT_THAT(warnings("run", "mnist_cnn", {"--sync-loss"}),
              HasSubstr("--sync-loss has no effect: the loss of mnist_cnn is no ratio"));
  EXPECT_THAT(warnings("train", "resunetpp", {"--sync-loss"}),
              HasSubstr("--sync-loss has no effect: there is one rank"));
}

TEST_F(IdleOptions, AGpuThatNobodyShares) {
  for (const std::string command : {"run", "scale"}) {
    EXPECT_THAT(warnings(command, "mnist_cnn", {"--share-gpu"}),
                HasSubstr("--share-gpu has no effect: no two ranks compute on one GPU"));
  }
}

TEST_F(IdleOptions, TimingForAStepThatMayNotDependOnIt) {
  EXPECT_THAT(warnings("run", "mnist_cnn", {"--deterministic", "--autotune", "on"}),
              HasSubstr("--autotune has no effect with --deterministic"));
  for (const std::vector<std::string>& sensible :
       {std::vector<std::string>{"--deterministic"},
        std::vector<std::string>{"--deterministic", "--autotune", "off"}}) {
    EXPECT_THAT(warnings("run", "mnist_cnn", sensible), Not(HasSubstr("no effect")));
  }
}

TEST_F(IdleOptions, WorkersWithoutWork) {
  EXPECT_THAT(warnings("run", "resunetpp", {"--workers", "30"}),
              AllOf(HasSubstr("--workers 30: no more than"), HasSubstr("has work for all")));
}

}  // namespace
}  // namespace dlbench::harness
