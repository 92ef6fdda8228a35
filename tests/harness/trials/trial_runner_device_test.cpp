// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the runner makes of how the devices fared, with arms that only pretend to work.
#include "engine/core/error.h"
#include "harness/trials/trial_runner.h"
#include "tests/engine/comm/thread_rendezvous.h"
#include "tests/harness/trials/short_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using testing::on_ranks;

class IdleArm final : public Arm {
 public:
  IdleArm() : Arm({reports::TrialKind::kSynthetic, ""}) {}
  void prepare() override {}
  std::optional<StepSample> step() override { return StepSample{.samples = 2}; }
  void finish() override {}
};

std::vector<std::unique_ptr<Arm>> one_arm() {
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<IdleArm>());
  return arms;
}

std::vector<std::string> throttled(const TrialResult& result) {
  std::vector<std::string> details;
  for (const reports::TaintRecord& taint : result.all_taints()) {
    if (taint.code == reports::Taint::kThrottled) {
      details.push_back(taint.where + ": " + taint.detail);
    }
  }
  return details;
}

TEST(TrialRunner, TaintsAThrottledTrialOnceAndNotesTheClock) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  TrialRunner runner(tests::three_repetitions(), group, guard);
  runner.hooks().end_window = [] {
    return probes::DeviceConditions{.sm_clock_mhz = 1200.0,
                                    .throttle_reasons = {"power_cap", "hardware_thermal"},
                                    .throttled = true};
  };
  runner.run(one_arm());
  const TrialResult& result = runner.results().front();
  EXPECT_EQ(result.repetitions.front().disturbance.sm_clock_mhz, 1200.0);
  EXPECT_EQ(result.repetitions.front().disturbance.throttle_reasons.size(), 2U);
  ASSERT_GE(result.repetitions.size(), 3U);
  EXPECT_THAT(throttled(result),
              ElementsAre("trial synthetic: clocks held back by: power_cap, hardware_thermal"));
}

// One is hot from the start, another one only later; the rank that writes the report is neither.
// The first one's reason changes.
TEST(TrialRunnerOnRanks, AThrottledDeviceOfAnyRankTaintsTheTrialOnce) {
  std::vector<std::vector<std::string>> taints(4);
  RunGuard guard(std::nullopt);
  on_ranks(4, [&](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    TrialRunner runner(tests::three_repetitions(), group, guard);
    int windows = 0;
    runner.hooks().end_window = [&] {
      ++windows;
      if (ranks.rank() == 3) {
        return probes::DeviceConditions{
            .throttle_reasons = {windows == 1 ? "hardware_thermal" : "power_brake"},
            .throttled = true};
      }
      if (ranks.rank() == 1 && windows == 2) {
        return probes::DeviceConditions{.throttle_reasons = {"power_cap", "power_brake"},
                                        .throttled = true};
      }
      return probes::DeviceConditions{.throttle_reasons = {"power_cap"}};
    };
    runner.run(one_arm());
    const TrialResult& result = runner.results().front();
    ASSERT_GE(result.repetitions.size(), 3U);
    taints[static_cast<std::size_t>(ranks.rank())] = throttled(result);
  });
  for (const std::vector<std::string>& of_rank : taints) {
    EXPECT_THAT(of_rank,
                ElementsAre("trial synthetic: clocks held back on rank 1: power_cap, power_brake; "
                            "rank 3: hardware_thermal, power_brake"));
  }
}

// It computes in the first two repetitions of one rank's device, and has gone then.
TEST(TrialRunnerOnRanks, AnotherProcessOnADeviceDisturbsTheRepetition) {
  RunGuard guard(std::nullopt);
  std::vector<std::vector<std::string>> discarded(2);
  std::vector<std::size_t> taints(2);
  on_ranks(2, [&](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    RunnerOptions options = tests::three_repetitions();
    options.max_discards = 3;
    options.stopping.max_time_s = 60.0;
    options.stopping.max_noise = 1e9;
    TrialRunner runner(options, group, guard);
    int windows = 0;
    runner.hooks().end_window = [&] {
      const bool crowded = ranks.rank() == 1 && ++windows <= 2;
      return probes::DeviceConditions{.foreign_share = crowded ? 0.5 : 0.0,
                                      .neighbours = crowded ? "somebody computed" : ""};
    };
    runner.run(one_arm());
    const auto rank = static_cast<std::size_t>(ranks.rank());
    for (const auto& repetition : runner.results().front().repetitions) {
      EXPECT_TRUE(repetition.disturbance.foreign_gpu_share.has_value());
      if (repetition.discarded.has_value()) {
        discarded[rank].push_back(*repetition.discarded);
      }
    }
    for (const auto& taint : runner.results().front().all_taints()) {
      taints[rank] += taint.detail.find("somebody") != std::string::npos ? 1 : 0;
    }
  });
  for (const std::vector<std::string>& of_rank : discarded) {
    EXPECT_THAT(of_rank, Contains(ContainsRegex("rank 1: .*somebody computed")).Times(2));
  }
  EXPECT_THAT(taints, ElementsAre(0U, 0U));
}

// Far beyond what the processors of a busy machine show.
TEST(TrialRunner, OfDisturbedRepetitionsOfARoundTheLeastDisturbedCounts) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  RunnerOptions options = tests::three_repetitions();
  options.max_discards = 2;
  options.stopping.max_time_s = 60.0;
  options.stopping.max_noise = 1e9;
  TrialRunner runner(options, group, guard);
  const std::vector<double> shares{1e5, 1e3, 1e4};
  std::size_t windows = 0;
  runner.hooks().end_window = [&] {
    const double share = windows < shares.size() ? shares[windows++] : 0.0;
    return probes::DeviceConditions{.foreign_share = share,
                                    .neighbours = share > 0.0 ? "somebody computed" : ""};
  };
  runner.run(one_arm());
  const TrialResult& result = runner.results().front();
  ASSERT_GE(result.repetitions.size(), 5U);
  for (const std::size_t attempt : {0U, 1U, 2U}) {
    EXPECT_EQ(result.repetitions[attempt].round, 0);
    EXPECT_EQ(result.repetitions[attempt].discarded.has_value(), attempt != 1) << attempt;
  }
  EXPECT_EQ(result.rounds.size(), result.rates().size());
  std::vector<std::string> disturbed;
  for (const auto& taint : result.all_taints()) {
    if (taint.detail.find("somebody") != std::string::npos) {
      disturbed.push_back(taint.where);
    }
  }
  EXPECT_THAT(disturbed, ElementsAre("trial synthetic, repetition 1"));
}

TEST(TrialRunner, AFaultOfTheDeviceEndsTheRun) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  TrialRunner runner(tests::three_repetitions(), group, guard);
  runner.hooks().end_window = [] {
    return probes::DeviceConditions{.reported = {.fault = "the GPU reported Xid 48"}};
  };
  try {
    runner.run(one_arm());
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kRun);
    EXPECT_STREQ(error.what(), "trial synthetic: the GPU reported Xid 48");
  }
}

}  // namespace
}  // namespace dlbench::harness
