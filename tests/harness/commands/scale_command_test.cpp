// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What `dlbench scale` takes, refuses and plans; tests/integration/ranks_test.py measures with it.
#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "harness/commands/command.h"
#include "harness/scaling/scale_plan.h"
#include "tests/error_message.h"
#include "tests/harness/commands/command_line_call.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::usage_error;

/// The command with options as on the command line, in a cache folder of its own.
class ScaleCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = backend::backend_unavailable_reason("cpu"); !why.empty()) {
      GTEST_SKIP() << why;
    }
    start();
  }
  /// A command with nothing given but small sizes.
  void start() {
    command_ = make_scale_command();
    options_ = OptionSet();
    command_->add_options(options_);
    give({{"batch-size", "8"}, {"output", (folder_ / "report.json").string()}});
  }
  void give(const std::map<std::string, std::string>& settings) {
    for (const auto& [option, text] : settings) {
      options_.set(option, text, OptionSource::kCommandLine);
    }
  }
  /// What the command prints; it ends with code 0.
  std::string output() {
    comm::LoneRank alone;
    ::testing::internal::CaptureStdout();
    const int code = command_->run(options_, {{"dlbench", "scale"}, {}, alone});
    std::string text = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0);
    return text;
  }
  /// Runs `dlbench scale` with these options on 50 samples, two short repetitions of each trial.
  CommandLineCall measure_shortly(const std::vector<std::string>& options) {
    const std::string data = (folder_ / "mnist").string();
    if (!std::filesystem::exists(data)) {
      const CommandLineCall made = call_dlbench(
          {"data", "generate", "--dataset", "mnist", "--out", data, "--samples", "50"});
      EXPECT_EQ(made.code, 0) << made.err;
    }
    std::vector<std::string> words = {"scale", "--data", data, "--batch-size", "8"};
    words.insert(words.end(), {"--mode", "weak", "--steps", "2", "--repetitions", "2"});
    words.insert(words.end(), {"--time-budget", "1s", "--device", "cpu"});
    words.insert(words.end(), {"--output", (folder_ / "report.json").string()});
    words.insert(words.end(), options.begin(), options.end());
    return call_dlbench(words);
  }
  void expect_refused(const std::map<std::string, std::string>& settings, const std::string& says) {
    start();
    give(settings);
    comm::LoneRank alone;
    try {
      command_->check();
      command_->check_ranks(alone.size());
      (void)command_->run(options_, {{"dlbench", "scale"}, {}, alone});
      FAIL() << "was not refused";
    } catch (const core::Error& error) {
      EXPECT_EQ(core::exit_code(error.code()), 2);
      EXPECT_THAT(error.what(), HasSubstr(says));
    }
  }

  tests::CacheFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  std::unique_ptr<Command> command_;
  OptionSet options_;
};

TEST_F(ScaleCommand, TheDefaultTimeBudgetIsAnOptionsValue) {
  EXPECT_EQ(std::get<double>(options_.effective().at("time-budget").data), 200.0);
}

TEST_F(ScaleCommand, ADryRunShowsThePlanAndMeasuresNothing) {
  give({{"dry-run", "true"}, {"steps", "3"}, {"time-budget", "30s"}});
  const std::string text = output();
  EXPECT_THAT(text, HasSubstr("workload     mnist_cnn"));
  EXPECT_THAT(text, ContainsRegex("weak +1 +8 +8 +[0-9.]+ MiB"));
  EXPECT_THAT(text, ContainsRegex("strong +1 +8 +8 +[0-9.]+ MiB"));
  // io, synthetic and full of both modes; one rank has no communication to leave out.
  EXPECT_THAT(text, HasSubstr("5 rounds of 6 trials or more, of 3 step(s) each; about 30 s"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report.json"));
}

TEST_F(ScaleCommand, ADryRunShowsWhatWasLeftToTheWorkloadAndTheMachine) {
  options_ = OptionSet();
  command_ = make_scale_command();
  command_->add_options(options_);
  give({{"dry-run", "true"}, {"threads", "1"}});
  const std::string text = output();
  EXPECT_THAT(text, ContainsRegex("\nbatch-size +64 +default"));
  EXPECT_THAT(text, ContainsRegex("\ndata +/.*mnist.* default"));
  EXPECT_THAT(text, ContainsRegex("\nimage-size +28 +default"));
  EXPECT_THAT(text, ContainsRegex("\nmax-time +60 +default"));
  EXPECT_THAT(text, ContainsRegex("\nmin-time +1 +default"));
  EXPECT_THAT(text, ContainsRegex("\nranks +1 +default"));
  EXPECT_THAT(text, ContainsRegex("\nthreads +1 +command_line"));
  EXPECT_THAT(text, ContainsRegex("\nworkers +[0-9]+ +default"));
}

TEST_F(ScaleCommand, ADryRunSaysWhenTheTimeBudgetIsTooShort) {
  give({{"dry-run", "true"}, {"time-budget", "1ms"}});
  // Each of 5 x 6 repetitions lasts a tenth of a second, however short the budget is.
  EXPECT_THAT(output(),
              HasSubstr("5 rounds of 6 trials or more, 30 s at --min-time, 3 s at least, more than "
                        "--time-budget (1 ms) allows\n"));
  start();
  give({{"dry-run", "true"}, {"time-budget", "4s"}});
  EXPECT_THAT(output(), HasSubstr("30 s at --min-time, planned to fit: about 4 s with warm-up"));
  start();
  give({{"dry-run", "true"}, {"time-budget", "1ms"}, {"min-time", "10ms"}});
  EXPECT_THAT(output(), HasSubstr("300 ms at least, more than --time-budget (1 ms) allows\n"));
}

TEST_F(ScaleCommand, TheConfigurationOfASweepIsWhatRuns) {
  give({{"dry-run", "true"}, {"sweep", "early-vs-late-shard"}, {"image-size", "32"}});
  const std::string text = output();
  EXPECT_THAT(text, ContainsRegex("\nworkload +resunetpp +default"));
  EXPECT_THAT(text, ContainsRegex("\ntrials +io,synthetic,synthetic/nocomm,full +default"));
  EXPECT_THAT(text, HasSubstr("shard=late"));
  EXPECT_THAT(text, Not(HasSubstr("mnist")));
}

TEST_F(ScaleCommand, ATrialThatNoSizeCanDoIsInTheReportWithTheReason) {
  const CommandLineCall call = measure_shortly({"--trials", "synthetic,synthetic/nocomm"});
  ASSERT_EQ(call.code, 0) << call.err;
  EXPECT_THAT(call.err, HasSubstr("trial synthetic/nocomm skipped: there is one rank"));
  EXPECT_THAT(call.out, ContainsRegex("left out +trial synthetic/nocomm: there is one rank"));
  EXPECT_THAT(call.out,
              ContainsRegex("left out +projection of the weak series: a projection needs 2 numbers "
                            "of ranks, measured: 1; start it with more"));
}

TEST_F(ScaleCommand, StorageTaintsWhatLoadsFromIt) {
  const std::vector<std::string> slow = {"--storage", "latency_ms=0.01,mib_per_s=1000"};
  for (const auto& [trials, tainted] : {std::pair{"synthetic", false}, std::pair{"io", true}}) {
    std::vector<std::string> options = slow;
    options.insert(options.end(), {"--trials", trials});
    const CommandLineCall call = measure_shortly(options);
    ASSERT_EQ(call.code, 0) << call.err;
    EXPECT_EQ(call.out.find("simulated") != std::string::npos, tainted) << call.out;
  }
}

TEST_F(ScaleCommand, ALinkThatSimulatesNothingIsSaid) {
  give({{"dry-run", "true"}, {"link", "latency_us=10"}});
  ::testing::internal::CaptureStderr();
  (void)output();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("--link simulates nothing here: there is one rank"));
}

TEST_F(ScaleCommand, WhatItCannotDoIsRefused) {
  expect_refused({{"cache", "cold"}}, "--cache cold");
  expect_refused({{"sweep", "loader-workers"}, {"trials", "synthetic"}},
                 "varies --workers, and none of --trials synthetic loads data");
  expect_refused({{"ranks", "1,two"}}, "'two'");
  expect_refused({{"ranks", "2"}}, "this launch has 1");
  expect_refused({{"strategy", "data-parallel"}, {"compression", "bf16"}},
                 "--strategy data-parallel excludes --compression bf16");
  expect_refused({{"strategy", "data-parallel"}, {"sweep-buckets", "1,25"}},
                 "--sweep-buckets is of --strategy ddp");
  expect_refused({{"sweep-buckets", "1,huge"}}, "'huge' is no size");
  expect_refused({{"sweep-buckets", "1,25"}}, "one rank has no all-reduce");
  expect_refused({{"trials", "synthetic/nocomm"}, {"dry-run", "true"}},
                 "none of the trials can run on 1 rank: synthetic/nocomm");
  expect_refused({{"link-node-ranks", "2"}}, "--link-node-ranks");
  expect_refused({{"link", "latency_us=10"}, {"sweep", "weak-strnog"}}, "weak-strong");
}

}  // namespace
}  // namespace dlbench::harness
