// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/trial_summary.h"

#include "engine/core/check.h"
#include "harness/trials/late_ranks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

/// Of two ranks that took two samples and one in a second.
TrialResult result_of_two() {
  TrialResult result;
  result.id = {reports::TrialKind::kSynthetic, "device"};
  result.repetitions = {{.steps = 1, .samples = 3, .wall_s = 1.0, .samples_per_second = 3.0}};
  result.rounds = {{.shares = {{.samples = 2, .steps = 1, .wall_s = 1.0},
                               {.samples = 1, .steps = 1, .wall_s = 1.0}}}};
  return result;
}

TrialContext context_of_two() {
  TrialContext context;
  context.ranks = 2;
  context.places = {{.host = "a"}, {.host = "b"}};
  context.devices = {"GPU x", "GPU y"};
  context.training_flop_per_sample = 50.0;
  context.peaks.flop_per_s = 600.0;
  return context;
}

reports::TrialRecord summary_of_two() { return summarize_trial(result_of_two(), context_of_two()); }

TEST(TrialSummary, EachRankHasItsHostAndDevice) {
  const reports::TrialRecord trial = summary_of_two();
  ASSERT_EQ(trial.per_rank.size(), 2U);
  EXPECT_EQ(trial.per_rank[0].host, "a");
  EXPECT_EQ(trial.per_rank[0].device, "GPU x");
  EXPECT_EQ(trial.per_rank[1].host, "b");
  EXPECT_EQ(trial.per_rank[1].device, "GPU y");
  EXPECT_EQ(trial.per_rank[0].device_address, std::nullopt) << "on no GPU";
  TrialContext context = context_of_two();
  context.addresses = {"0000:18:00.0", "0000:2a:00.0"};
  EXPECT_EQ(summarize_trial(result_of_two(), context).per_rank[1].device_address, "0000:2a:00.0");
}

TEST(TrialSummary, ARankHasItsSamplesOverItsTime) {
  TrialResult result = result_of_two();
  result.repetitions.push_back(
      {.steps = 2, .samples = 6, .wall_s = 3.0, .samples_per_second = 2.0});
  result.rounds.push_back({.round = 1,
                           .shares = {{.samples = 4, .steps = 2, .wall_s = 3.0},
                                      {.samples = 2, .steps = 2, .wall_s = 2.0}}});
  const reports::TrialRecord trial = summarize_trial(result, context_of_two());
  ASSERT_EQ(trial.per_rank.size(), 2U);
  EXPECT_DOUBLE_EQ(trial.per_rank[0].samples_per_second, 6.0 / 4.0);
  EXPECT_DOUBLE_EQ(trial.per_rank[1].samples_per_second, 3.0 / 3.0);
  EXPECT_THAT(trial.per_rank[1].wall_s, Optional(3.0));
  EXPECT_DOUBLE_EQ(trial.throughput.value().samples_per_second.mean, 0.5 * (3.0 + 2.0));
}

TEST(TrialSummary, WhatRank0DidNotSpendOnItsPhasesIsOther) {
  TrialResult result = result_of_two();
  result.timed_s = 2.0;  // of the slower rank
  result.rounds[0].shares[1].wall_s = 2.0;
  result.phases.steps = 1;
  result.phases.data_wait = 0.75;
  const std::vector<reports::PhaseRecord> phases = summarize_trial(result, context_of_two()).phases;
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[1].name, "other");
  EXPECT_DOUBLE_EQ(phases[1].total_s, 0.25);
  EXPECT_DOUBLE_EQ(phases[0].share, 0.75);
}

TEST(TrialSummary, TheFlopRateIsOfTheSamplesOfAllRanks) {
  const reports::TrialRecord trial = summary_of_two();
  EXPECT_THAT(trial.achieved_flop_per_s.value, Optional(150.0));
  EXPECT_THAT(trial.mfu.value, Optional(0.25));
}

// Seconds of a sample, not of a batch or of all; bytes of rank 0 over the repetitions that count.
TEST(TrialSummary, TheLoaderTellsItsStagesAndBytes) {
  TrialResult result = result_of_two();
  result.id = {reports::TrialKind::kIo, ""};
  result.rounds.push_back(result.rounds.front());
  result.rounds[0].shares[0].read.storage = 4096;
  result.rounds[1].shares[0].read.storage = 8192;
  result.rounds[1].shares[1].read.storage = 1;
  result.has_loader = true;
  result.loader = {.stage_s = {2.0, 6.0, 1.0, 0.5},
                   .worker_idle_s = 0.5,
                   .wait_s = 100.0,
                   .samples_loaded = 4,
                   .samples_delivered = 3,
                   .bytes_read = 12000,
                   .bytes_read_ever = 99000};
  const reports::LoaderRecord loader = summarize_trial(result, context_of_two()).loader.value();
  std::vector<std::string> told;
  for (const reports::StageRecord& stage : loader.stages) {
    told.push_back(fmt::format("{} {} {}", stage.name, stage.s_per_sample, stage.share));
  }
  EXPECT_THAT(told,
              ElementsAre("read 0.5 0.2",
                          "decode 1.5 0.6",
                          "transform 0.25 0.1",
                          "collate 0.125 0.05",
                          "wait 0.125 0.05"));
  EXPECT_EQ(loader.bytes_read, 12000);
  EXPECT_EQ(loader.bytes_from_device.value, 4096 + 8192);
  result.rounds[1].shares[0].read.storage.reset();
  EXPECT_EQ(summarize_trial(result, context_of_two()).loader->bytes_from_device.reason,
            "the kernel does not tell (/proc/self/io)");
}

TEST(TrialSummary, TheOverheadIsOfStepsThatCompute) {
  TrialContext context = context_of_two();
  context.overhead_s_per_step = 1e-6;
  TrialResult result = result_of_two();
  EXPECT_THAT(summarize_trial(result, context).harness_overhead_s_per_step.value, Optional(1e-6));
  for (const TrialId& id : {TrialId{reports::TrialKind::kIo, ""},
                            TrialId{reports::TrialKind::kInterference, "loader_beside_step"}}) {
    result.id = id;
    const auto overhead = summarize_trial(result, context).harness_overhead_s_per_step;
    EXPECT_FALSE(overhead.value.has_value());
    EXPECT_EQ(overhead.reason, "measured around a step that computes");
  }
}

TEST(TrialSummary, WhereThereIsNoPeakSomebodySaidWhy) {
  TrialContext context = context_of_two();
  context.peaks.flop_per_s = reports::Measured<double>::missing("ranks share cores");
  EXPECT_EQ(summarize_trial(result_of_two(), context).mfu.reason, "ranks share cores");
  context.peaks = {};
  EXPECT_THROW((void)summarize_trial(result_of_two(), context), core::CheckFailure);
}

/// Ranks that did the same in `repetitions` repetitions.
TrialResult full_of(const std::vector<RankShare>& shares, int repetitions = 3) {
  TrialResult full;
  full.id = {reports::TrialKind::kFull, ""};
  for (int round = 0; round < repetitions; ++round) {
    full.repetitions.push_back(
        {.round = round, .steps = 10, .samples = 40, .wall_s = 1.0, .samples_per_second = 40.0});
    full.rounds.push_back({.round = round, .shares = shares});
  }
  return full;
}

TEST(TrialSummary, ARankThatWasDealtMoreSamplesIsNoStraggler) {
  RankShare late{.samples = 20, .steps = 10, .wall_s = 1.0};
  late.communication.collectives = 40;
  late.communication.exposed_s = 0.1;
  late.arrivals = 40;
  late.late_arrivals = 38;
  RankShare early = late;
  early.late_arrivals = 2;
  early.communication.exposed_s = 0.3;
  TrialResult full = full_of({late, early});
  const auto even = attribution_input({full}, context_of_two()).straggler;
  ASSERT_TRUE(even.has_value());
  EXPECT_EQ(even->rank, 0);
  EXPECT_DOUBLE_EQ(even->late.estimate, 0.95);
  EXPECT_EQ(even->late.n, 3);
  EXPECT_DOUBLE_EQ(even->lost.estimate, 0.2) << "what the late rank waits itself is not its fault";
  full.rounds[0].shares[0].samples = 30;
  EXPECT_FALSE(attribution_input({full}, context_of_two()).straggler.has_value());
}

// Of 100 steps of 10 ms two GPUs spend 1 ms in a transfer that nothing hides; for the first of them
// the other two wait for 3 ms more.
TEST(TrialSummary, OnDevicesTheStragglersStepsAreBlockedLeast) {
  TrialContext context = context_of_two();
  context.ranks = 3;
  context.places.resize(3);
  const RankShare other{
      .samples = 800, .steps = 100, .wall_s = 1.0, .all_reduce_wait_s = 0.4, .communication = {}};
  RankShare late = other;
  late.all_reduce_wait_s = 0.1;
  std::vector<RankShare> shares{late, other, other};
  const std::vector<double> blocked(100, 4e-3);
  count_late_arrivals({std::vector<double>(100, 1e-3), blocked, blocked}, shares);
  const TrialResult full = full_of(shares);
  const auto found = attribution_input({full}, context).straggler;
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 0);
  EXPECT_DOUBLE_EQ(found->late.estimate, 1.0);
  EXPECT_NEAR(found->lost.estimate, 0.3, 1e-12) << "the transfer is not its fault";
}

// As in `scale`, whose synthetic trial leaves its batch on a GPU.
TEST(TrialSummary, ASyntheticTrialWithoutVariantHasNoCopyOnADevice) {
  TrialResult synthetic;
  synthetic.id = {reports::TrialKind::kSynthetic, ""};
  synthetic.repetitions = {{.samples = 16, .wall_s = 1.0, .samples_per_second = 16.0}};
  synthetic.rounds = {{.shares = {RankShare{}, RankShare{}}}};
  TrialContext context = context_of_two();
  for (const bool shared : {true, false}) {
    context.shared_processors = shared;
    const AttributionInput input = attribution_input({synthetic}, context);
    EXPECT_EQ(input.synthetic_host.size(), shared ? 1U : 0U);
    EXPECT_EQ(input.synthetic_device.size(), shared ? 0U : 1U);
  }
}

// Four nodes of one rank, the last of which is slow: each rank is the last of its node every time.
TEST(TrialSummary, TheStragglerIsTheRankThatWaitsLeastOfAllNodes) {
  TrialContext context;
  context.ranks = 4;
  context.peaks.flop_per_s = reports::Measured<double>::missing("not measured");
  std::vector<RankShare> shares;
  for (int rank = 0; rank < 4; ++rank) {
    context.places.push_back({.host = "node" + std::to_string(rank), .node = rank});
    RankShare share{.samples = 800, .steps = 100, .wall_s = 10.0};
    share.communication.collectives = 300;
    share.communication.exposed_s = rank == 3 ? 0.1 : 2.1;
    share.communication.exposed_transfer_s = 0.1;
    shares.push_back(share);
  }
  EXPECT_FALSE(attribution_input({full_of(shares)}, context).straggler.has_value())
      << "who came last is not known";
  EXPECT_EQ(summarize_trial(full_of(shares), context).per_rank[0].late_share, std::nullopt);

  // Of every second collective it is known.
  const std::vector<double> early(150, 0.02);
  count_late_arrivals({early, early, early, std::vector<double>(150, 1e-4)}, shares);
  const TrialResult full = full_of(shares);
  const auto found = attribution_input({full}, context).straggler;
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(found->host, "node3");
  EXPECT_DOUBLE_EQ(found->late.estimate, 1.0);
  EXPECT_DOUBLE_EQ(found->lost.estimate, 0.2);
  const std::vector<reports::RankRecord> ranks = summarize_trial(full, context).per_rank;
  EXPECT_THAT(ranks[0].late_share, Optional(0.0));
  EXPECT_THAT(ranks[3].late_share_ci95, Optional(reports::IntervalRecord{1.0, 1.0}));
  EXPECT_FALSE(attribution_input({full_of(shares, 1)}, context).straggler.has_value())
      << "one repetition has no interval";
}

// Shares of 1, 0.9 and 1: 0.97 +- 0.14.
TEST(TrialSummary, NoRankIsLateInMoreThanAllOfItsSteps) {
  TrialResult full = full_of({{.samples = 20, .steps = 10, .wall_s = 1.0, .arrivals = 40},
                              {.samples = 20, .steps = 10, .wall_s = 1.0, .arrivals = 40}});
  const std::vector<std::int64_t> late{40, 36, 40};
  for (std::size_t round = 0; round < late.size(); ++round) {
    full.rounds[round].shares[0].late_arrivals = late[round];
    full.rounds[round].shares[1].late_arrivals = 40 - late[round];
  }
  const std::vector<reports::RankRecord> ranks = summarize_trial(full, context_of_two()).per_rank;
  ASSERT_TRUE(ranks[0].late_share_ci95.has_value() && ranks[1].late_share_ci95.has_value());
  EXPECT_NEAR((*ranks[0].late_share_ci95)[0], 0.8232, 1e-4);
  EXPECT_EQ((*ranks[0].late_share_ci95)[1], 1.0);
  EXPECT_EQ((*ranks[1].late_share_ci95)[0], 0.0);
}

TEST(TrialSummary, EqualRanksThatSpendTheirStepsMeetingHaveNoStraggler) {
  TrialContext context = context_of_two();
  RankShare share{.samples = 800, .steps = 100, .wall_s = 10.0, .arrivals = 100};
  share.communication.collectives = 100;
  share.communication.exposed_s = 3.0;  // a network whose barrier takes 30 ms
  share.late_arrivals = 90;             // and that always tells rank 0 a little earlier
  RankShare other = share;
  other.late_arrivals = 10;
  other.communication.exposed_s = 3.01;
  const auto found = attribution_input({full_of({share, other})}, context).straggler;
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(reports::is_straggler(*found)) << found->lost.estimate;
}

// On a machine with a passing process: each repetition has a rank that is late in all of it.
TEST(TrialSummary, RanksThatAreLateByTurnsOfARepetitionHaveNoStraggler) {
  RankShare late{.samples = 800, .steps = 100, .wall_s = 10.0, .arrivals = 100};
  late.communication.collectives = 100;
  late.late_arrivals = 100;
  RankShare early = late;
  early.late_arrivals = 0;
  early.communication.exposed_s = 3.0;
  TrialResult full = full_of({late, early}, 5);
  std::swap(full.rounds[1].shares[0], full.rounds[1].shares[1]);
  const auto found = attribution_input({full}, context_of_two()).straggler;
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(found->late.estimate, 0.8) << "of 500 steps";
  EXPECT_FALSE(reports::is_straggler(*found)) << found->late.lower;
  EXPECT_TRUE(reports::is_straggler(
      *attribution_input({full_of({late, early}, 5)}, context_of_two()).straggler));
}

}  // namespace
}  // namespace dlbench::harness
