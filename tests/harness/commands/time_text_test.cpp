// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/time_text.h"

#include "engine/comm/rendezvous.h"
#include "harness/cache_folder.h"
#include "harness/peaks/peak_cache.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A cache folder of its own.
class TimeText : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = backend::backend_unavailable_reason("cpu"); !why.empty()) {
      GTEST_SKIP() << why;
    }
    run_.session.workload = "mnist_cnn";
    run_.session.device = "cpu";
    run_.session.batch_size = 8;
  }

  static void cache_peaks(double flop_per_s) {
    constexpr const char* kMeasured = "2026-01-01T00:00:00Z";
    MachinePeaks peaks;
    peaks.key = peak_key();
    for (const char* isa : {"baseline", "avx2", "avx512"}) {  // one of them is the widest here
      peaks.compute.push_back(
          {.precision = "fp32", .isa = isa, .flop_per_s = flop_per_s, .measured_at = kMeasured});
    }
    peaks.memory.push_back({.kernel = "copy",
                            .stores = "regular",
                            .isa = "avx2",
                            .bytes_per_s = 1e15,
                            .array_bytes = 1,
                            .measured_at = kMeasured});
    store_peaks(cache_folder(), peaks);
  }
  [[nodiscard]] std::string text(bool shared = false) const {
    comm::LoneRank alone;
    const SessionPlan plan(session_options(run_), alone);
    return run_time_text(plan, shared, parse_trials(run_.trials, SyntheticTrials::kOne), run_);
  }

  tests::CacheFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  RunOptions run_;
};

TEST_F(TimeText, WithoutPeaksSaysHowToGetThem) {
  EXPECT_THAT(text(), HasSubstr("not estimated: run `dlbench info --measure-peaks` first"));
}

TEST_F(TimeText, NamesThePeaksThatItRestsOn) {
  cache_peaks(2e9);
  EXPECT_THAT(text(),
              HasSubstr("samples/s, if every op ran at the measured peaks (2 GFLOP/s, "
                        "1000000.0 GB/s)"));
}

TEST_F(TimeText, OfRanksThatShareCoresIsNotKnown) {
  cache_peaks(2e9);
  EXPECT_THAT(
      text(true),
      AllOf(HasSubstr("not estimated: ranks share cores or a GPU"), Not(HasSubstr("samples/s"))));
}

TEST_F(TimeText, FastStepsLeaveTheTimeToTheOptions) {
  cache_peaks(1e18);
  run_.min_time = 2.0;
  run_.max_time = 20.0;
  // 3 trials: 5 repetitions of 2 s; or 20 s of warm-up, 20 s and the repetition that passes them.
  EXPECT_THAT(text(), HasSubstr("with such steps: 30 s at least, 126 s if the noise stays"));
  run_.time_budget = 40.0;
  EXPECT_THAT(text(), HasSubstr("30 s at least, about 40 s as --time-budget says"));
  run_.time_budget = 10.0;
  EXPECT_THAT(text(), HasSubstr("30 s at least, more than --time-budget (10 s) allows"));
}

TEST_F(TimeText, SlowStepsTakeLongerThanTheOptionsSay) {
  cache_peaks(1e6);  // a step of some 600 MFLOP
  run_.trials = "io";
  EXPECT_THAT(text(), HasSubstr("5 s at least")) << "nothing is known of the loader's steps";
  run_.trials = "synthetic";
  EXPECT_THAT(text(), HasSubstr(" min at least"));
}

TEST_F(TimeText, AsksForNoPeaksWhereThereIsNoStep) {
  run_.trials = "io";
  EXPECT_THAT(text(),
              AllOf(HasSubstr("5 s at least"),
                    Not(HasSubstr("measure-peaks")),
                    Not(HasSubstr("such steps"))));
}

// Nothing is known of how long batches take: of a number of them neither.
TEST_F(TimeText, AsManyStepsOfTheLoaderTakeAtMostTheLimits) {
  run_.trials = "io";
  run_.steps = 30;
  EXPECT_THAT(text(), AllOf(HasSubstr(" 0 ms at least, "), HasSubstr("90 s if the noise stays")));
}

TEST_F(TimeText, ASimulatedStorageIsCounted) {
  cache_peaks(1e18);
  run_.trials = "io";
  run_.session.workers = 2;
  run_.storage = "latency_ms=1000";
  // Batches of 8 / 2 reads one after the other: a warm-up until one passes 30 s, 5 repetitions of
  // one, and 3 before each of them that no queue holds.
  EXPECT_THAT(text(), HasSubstr("\n             126 s at least"));
  run_.trials = "synthetic";
  EXPECT_THAT(text(), HasSubstr("with such steps: 5 s at least")) << "it loads nothing";
  EXPECT_THAT(text(), Not(HasSubstr("not counted")));
  run_.storage = "mib_per_s=1";
  EXPECT_THAT(text(), HasSubstr("\n             not counted: the transfers of --storage"));
}

TEST_F(TimeText, OtherThreadsHaveOtherPeaks) {
  cache_peaks(1e12);
  run_.session.threads = peak_key().threads + 1;
  EXPECT_THAT(text(), HasSubstr("not estimated: peaks are those of"));
  run_.session.threads.reset();
  run_.session.device = "ref";
  EXPECT_THAT(text(), HasSubstr("not estimated: no peaks of the ref backend"));
}

TEST_F(TimeText, StepsOfScaleMayTakeMoreThanTheTimeBudget) {
  cache_peaks(1e6);  // a step of some 600 MFLOP
  comm::LoneRank alone;
  const SessionPlan plan(session_options(run_), alone);
  run_.time_budget = 200.0;
  const auto text_of = [&](const char* trials) {
    return scale_time_text(plan, false, parse_trials(trials, SyntheticTrials::kOne), run_);
  };
  EXPECT_THAT(text_of("io"), HasSubstr("planned to fit: about 200 s")) << "no such steps";
  EXPECT_THAT(text_of("synthetic"), HasSubstr(" min at least, more than --time-budget (200 s)"));
  run_.steps = 1;
  EXPECT_THAT(text_of("io"), HasSubstr("of 1 step(s) each; about 200 s where that is enough"));
  EXPECT_THAT(text_of("synthetic"), HasSubstr(" min at least, more than --time-budget (200 s)"));
}

TEST_F(TimeText, TrainingCountsStepsOfAllEpochs) {
  cache_peaks(1e18);
  comm::LoneRank alone;
  const SessionPlan plan(session_options(run_), alone);
  const std::int64_t steps = (plan.dataset().size() + 7) / 8;
  EXPECT_THAT(training_time_text(plan, false, 3),
              HasSubstr("3 epochs of " + std::to_string(steps) + " steps"));
  EXPECT_THAT(training_time_text(plan, false, 3), Not(HasSubstr("not estimated")));
}

}  // namespace
}  // namespace dlbench::harness
