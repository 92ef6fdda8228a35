// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/compare.h"

#include "engine/core/error.h"
#include "engine/core/rng.h"
#include "tests/error_message.h"
#include "tests/reports/sample_record.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

RunRecord full_only(const std::vector<double>& rates) {
  RunRecord record = sample_record();
  record.trials = {sample_trial(TrialKind::kFull, std::nullopt, rates)};
  record.collectives.clear();
  record.history.clear();
  return record;
}

ArmComparison compare(const std::vector<double>& baseline, const std::vector<double>& candidate) {
  return compare_reports(full_only(baseline), full_only(candidate)).arms.at(0);
}

TEST(Compare, WelchByHand) {
  // Logs: 0, 0.01, 0.02 against 0.10, 0.11, 0.12: difference 0.1, both variances 1e-4, 4 degrees.
  const ArmComparison arm = compare({std::exp(0.0), std::exp(0.01), std::exp(0.02)},
                                    {std::exp(0.10), std::exp(0.11), std::exp(0.12)});
  const double half = 2.7764451 * std::sqrt(2e-4 / 3.0);
  EXPECT_NEAR(arm.ratio, std::exp(0.1), 1e-12);
  EXPECT_NEAR(arm.ci95.value()[0], std::exp(0.1 - half), 1e-7);
  EXPECT_NEAR(arm.ci95.value()[1], std::exp(0.1 + half), 1e-7);
  EXPECT_EQ(arm.change, Change::kFaster);
}

TEST(Compare, ItsFourWords) {
  EXPECT_EQ(compare({100, 100.5, 99.5}, {100.1, 99.9, 100.3}).change, Change::kSame);
  EXPECT_EQ(compare({100, 100.5, 99.5}, {90, 90.5, 89.5}).change, Change::kSlower);
  EXPECT_EQ(compare({100, 100.5, 99.5}, {111, 110, 112}).change, Change::kFaster);
  EXPECT_EQ(compare({100, 120, 85}, {95, 80, 115}).change, Change::kUnsure);
}

TEST(Compare, ASmallDifferenceIsSameHoweverSure) {
  // 1 % slower beyond doubt, and within the tolerance of 2 %.
  EXPECT_EQ(compare({100, 100.01, 99.99}, {99, 99.01, 98.99}).change, Change::kSame);
}

TEST(Compare, SaysHowManyRepetitionsWouldDecide) {
  const ArmComparison arm = compare({100, 106, 94}, {97, 103, 92});
  ASSERT_EQ(arm.change, Change::kUnsure);
  EXPECT_GT(arm.needed_n.value(), 20);
  EXPECT_LT(arm.needed_n.value(), 200);
}

// The sides' noise differs much, so that degrees of freedom pooled over both are too many.
TEST(Compare, RepetitionsThatWouldDecideAreMoreThanThereAre) {
  const std::vector<double> still = {100.0, 100.01, 99.99};
  for (const std::vector<double>& noisy :
       {std::vector<double>{111, 109, 107}, {112, 109, 107}, {115, 109, 104}, {112, 104, 103}}) {
    const ArmComparison arm = compare(still, noisy);
    ASSERT_EQ(arm.change, Change::kUnsure) << arm.ratio;
    EXPECT_GT(arm.needed_n.value(), 3) << "three did not decide";
  }
  // The side that has many keeps them: what lacks is the other's.
  std::vector<double> many;
  for (int index = 0; index < 40; ++index) {
    many.push_back(index % 2 == 0 ? 99.9 : 100.1);
  }
  const ArmComparison arm = compare(many, {112, 104, 103});
  ASSERT_EQ(arm.change, Change::kUnsure);
  EXPECT_GT(arm.needed_n.value(), 3);
  EXPECT_LT(arm.needed_n.value(), 40);
}

TEST(Compare, SaysThatTheWordIsDecidedAtAnotherLevelThanTheInterval) {
  const Comparison comparison =
      compare_reports(full_only({100.0, 100.01, 99.99}), full_only({111, 109, 107}));
  const ArmComparison& arm = comparison.arms.at(0);
  ASSERT_EQ(arm.change, Change::kUnsure);
  ASSERT_GT(arm.ci95.value()[0], 1.0) << "the interval at 95 % excludes 1";
  EXPECT_THAT(comparison_text(comparison), HasSubstr("Faster and slower are decided at 99 %"));
}

TEST(Compare, OneRepetitionHasNoInterval) {
  RunRecord one = full_only({100, 100, 100});
  one.trials[0].repetitions.resize(1);
  const ArmComparison arm = compare_reports(one, full_only({50, 50.1, 50.2})).arms.at(0);
  EXPECT_EQ(arm.change, Change::kUnsure);
  EXPECT_FALSE(arm.ci95.has_value());
}

TEST(Compare, TheGateFailsOnlyOnSlower) {
  const auto slower = compare_reports(full_only({100, 100.5, 99.5}), full_only({90, 90.5, 89.5}));
  EXPECT_TRUE(slower.any(Change::kSlower));
  const auto unsure = compare_reports(full_only({100, 120, 85}), full_only({95, 80, 115}));
  EXPECT_FALSE(unsure.any(Change::kSlower));
  EXPECT_EQ(unsure.arms.at(0).change, Change::kUnsure);
}

// A regression gate must not fail for a compiler that ran beside the candidate, nor pass for one
// that ran beside the baseline.
TEST(Compare, WhatWasDisturbedIsNotTheReasonToDecide) {
  const RunRecord before = full_only({100, 100.5, 99.5});
  RunRecord after = full_only({90, 90.5, 89.5});
  after.run.taints = {{Taint::kDisturbed, "trial full, repetition 1", "other processes"},
                      {Taint::kDisturbed, "trial full, repetition 2", "other processes"}};
  const Comparison comparison = compare_reports(before, after);
  EXPECT_EQ(comparison.arms.at(0).change, Change::kUnsure);
  EXPECT_EQ(comparison.arms.at(0).doubt, "the candidate was disturbed");
  EXPECT_EQ(compare_reports(after, before).arms.at(0).doubt, "the baseline was disturbed");
  const RunRecord slow = full_only({50, 50.5, 49.5});
  EXPECT_EQ(compare_reports(after, slow).arms.at(0).change, Change::kSlower) << "all the same";
  EXPECT_EQ(compare_reports(slow, after).arms.at(0).change, Change::kFaster);
  RunRecord below_the_quota = before;
  below_the_quota.run.taints = {{Taint::kThrottled, "trial full", "a CPU quota"}};
  after.run.taints = below_the_quota.run.taints;
  EXPECT_EQ(compare_reports(before, after).arms.at(0).doubt, "the candidate was throttled");
  EXPECT_EQ(compare_reports(below_the_quota, after).arms.at(0).change, Change::kSlower);
  after.run.taints = {{Taint::kDisturbed, "trial full/other", ""},
                      {Taint::kNoiseTargetMissed, "trial full", ""}};
  EXPECT_EQ(compare_reports(before, after).arms.at(0).change, Change::kSlower);
}

TEST(Compare, SeriesOfScaleAreKeptApart) {
  RunRecord record = full_only({100, 100.5, 99.5});
  record.trials.push_back(record.trials[0]);
  record.trials[0].series = "weak";
  record.trials[1].series = "strong";
  const Comparison comparison = compare_reports(record, record);
  ASSERT_EQ(comparison.arms.size(), 2U);
  EXPECT_EQ(comparison.arms[0].arm, "full (strong, 1 rank)");
  EXPECT_EQ(comparison.arms[1].arm, "full (weak, 1 rank)");
}

TEST(Compare, DiscardedRepetitionsDoNotCount) {
  RunRecord candidate = full_only({100, 100.5, 99.5, 10});
  candidate.trials[0].repetitions[3].discarded = "disturbed";
  const auto arm = compare_reports(full_only({100, 100.5, 99.5}), candidate).arms.at(0);
  EXPECT_EQ(arm.candidate_n, 3);
  EXPECT_EQ(arm.change, Change::kSame);
}

TEST(Compare, NamesWhatElseDiffers) {
  RunRecord candidate = sample_record();
  candidate.config.effective["decode"] = "scaled";
  candidate.config.effective["output"] = "other.json";
  candidate.system.libraries["onednn"] = "3.1";
  candidate.trials.erase(candidate.trials.begin());
  const Comparison comparison = compare_reports(sample_record(), candidate);
  ASSERT_EQ(comparison.differences.size(), 2U);
  EXPECT_EQ(comparison.differences[0].what, "--decode");
  EXPECT_EQ(comparison.differences[1].what, "library onednn");
  EXPECT_THAT(comparison.only_in_one, ::testing::ElementsAre("io on 1 rank: only in the baseline"));
  const std::string text = comparison_text(comparison);
  EXPECT_THAT(text, HasSubstr("1.000"));
  EXPECT_THAT(text, HasSubstr("library onednn  2.6.3"));
}

TEST(Compare, NamesWhatDiffersOnAnyHost) {
  RunRecord baseline = sample_record();
  ASSERT_EQ(baseline.system.hosts.size(), 1U);
  baseline.system.hosts.push_back(baseline.system.hosts[0]);
  baseline.system.hosts[1].hostname = "node2";
  RunRecord candidate = baseline;
  candidate.system.hosts[1].hostname = "node7";
  candidate.system.hosts[1].cpu.model = "Another CPU";
  const std::vector<Difference> differences = compare_reports(baseline, candidate).differences;
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].what, "cpu");
  EXPECT_EQ(differences[0].candidate, "Another CPU, " + baseline.system.hosts[0].cpu.model);
  EXPECT_EQ(differences[1].what, "host");
  EXPECT_EQ(differences[1].candidate, "node1, node7");
}

// One that is hot or broken is slower than others of its name.
TEST(Compare, NamesOtherGpusOfOneName) {
  RunRecord baseline = sample_record();
  baseline.trials[2].per_rank[0].device_uuid = "GPU-0";
  RunRecord candidate = baseline;
  EXPECT_TRUE(compare_reports(baseline, candidate).differences.empty());
  candidate.trials[2].per_rank[0].device_uuid = "GPU-1";
  const std::vector<Difference> differences = compare_reports(baseline, candidate).differences;
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].what, "gpu of the ranks");
  EXPECT_EQ(differences[0].candidate, "GPU-1");
}

// A virtual machine's processor may keep its name from one generation to the next.
TEST(Compare, NamesADifferentDeviceInstructionSetAndPlan) {
  RunRecord baseline = sample_record();
  baseline.workload->plans = {{"train", 12, "aaa", 9, {}}, {"train", 8, "bbb", 9, {}}};
  RunRecord candidate = baseline;
  candidate.system.hosts[0].cpu.isa = "avx2";
  candidate.workload->device = "Example GPU";
  candidate.workload->backend = "cuda";
  candidate.workload->plans[0].hash = "ccc";
  std::vector<std::string> texts;
  for (const Difference& each : compare_reports(baseline, candidate).differences) {
    texts.push_back(each.what + ": " + each.baseline + " -> " + each.candidate);
  }
  EXPECT_THAT(texts,
              UnorderedElementsAre("backend: cpu -> cuda",
                                   "device: cpu -> Example GPU",
                                   "instruction set: avx512_core -> avx2",
                                   "plan train, batch 12: aaa -> ccc"));
}

TEST(Compare, ACandidateThatEndedEarlyFails) {
  RunRecord candidate = sample_record();
  EXPECT_FALSE(compare_reports(sample_record(), candidate).fails());
  candidate.run.status = RunStatus::kFailed;
  candidate.run.exit_code = 5;
  const Comparison comparison = compare_reports(sample_record(), candidate);
  EXPECT_TRUE(comparison.fails());
  EXPECT_EQ(comparison.incomplete, "failed (exit code 5)");
  const std::string text = comparison_text(comparison);
  EXPECT_THAT(text, HasSubstr("the candidate is not complete: failed (exit code 5)\n"));
  EXPECT_THAT(text, HasSubstr("status   complete  failed (exit code 5)"));
  EXPECT_FALSE(compare_reports(candidate, sample_record()).fails()) << "the baseline is not asked";
  candidate.run.status = RunStatus::kPartial;
  candidate.run.exit_code.reset();
  EXPECT_EQ(compare_reports(sample_record(), candidate).incomplete, "partial");
}

TEST(Compare, NamesEachTaintOnce) {
  RunRecord other = sample_record();
  other.run.taints.assign(5, {Taint::kDisturbed, "trial io", ""});
  const std::string text = comparison_text(compare_reports(sample_record(), other));
  const std::size_t first = text.find("disturbed");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("disturbed", first + 1), std::string::npos) << text;
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  RunRecord other = sample_record();
  other.workload->name = "mnist_cnn";
  EXPECT_THROW(static_cast<void>(compare_reports(sample_record(), other)), core::Error);
  other = sample_record();
  *other.workload->forward_macs_per_sample /= 4.0;
  try {
    static_cast<void>(compare_reports(sample_record(), other));
    FAIL() << "other images";
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("GMAC in the candidate (--image-size)"));
  }
  // Another batch shares the optimizer's work among more samples: no reason.
  other = sample_record();
  *other.workload->training_flop_per_sample *= 1.03;
  EXPECT_NO_THROW(static_cast<void>(compare_reports(sample_record(), other)));
  RunRecord empty = sample_record();
  empty.trials.clear();
  empty.collectives.clear();
  empty.history.clear();
  EXPECT_THROW(static_cast<void>(compare_reports(sample_record(), empty)), core::Error);
  empty.run.status = RunStatus::kPartial;
  const Comparison ended_early = compare_reports(sample_record(), empty);
  EXPECT_TRUE(ended_early.fails()) << "it measured nothing of what it was to";
  EXPECT_FALSE(ended_early.missing.empty());
  RunRecord two_ranks = full_only({50, 51, 52});
  two_ranks.trials[0].ranks = 2;
  try {
    static_cast<void>(compare_reports(full_only({50, 51, 52}), two_ranks));
    FAIL() << "nothing to compare";
  } catch (const core::Error& error) {
    EXPECT_STREQ(error.what(),
                 "nothing to compare: the baseline has full on 1 rank, the candidate full on 2 "
                 "ranks");
  }
  two_ranks.run.status = RunStatus::kPartial;
  EXPECT_THROW(static_cast<void>(compare_reports(full_only({50, 51, 52}), two_ranks)), core::Error)
      << "it measured, but something else";
  EXPECT_THROW(static_cast<void>(compare_reports(sample_record(), sample_record(), {0.0})),
               core::Error);
}

/// A report of `dlbench train` with epochs of these rates.
RunRecord epochs_only(const std::vector<double>& rates) {
  RunRecord record = full_only({1.0});
  record.trials.clear();
  for (const double rate : rates) {
    record.history.push_back({.epoch = static_cast<std::int64_t>(record.history.size()) + 1,
                              .seconds = 1.0,
                              .samples_per_second = rate});
  }
  return record;
}

TEST(Compare, EpochsOfTrainAreItsRepetitionsButTheFirst) {
  const Comparison comparison =
      compare_reports(epochs_only({50, 100, 101, 99}), epochs_only({100, 90, 91, 89}));
  ASSERT_EQ(comparison.arms.size(), 1U);
  EXPECT_EQ(comparison.arms[0].arm, "train");
  EXPECT_EQ(comparison.arms[0].change, Change::kSlower);
  EXPECT_EQ(comparison.arms[0].baseline_n, 3);
  EXPECT_EQ(
      compare_reports(epochs_only({50, 100, 101}), epochs_only({50, 100, 101})).arms[0].baseline_n,
      3)
      << "one would not be enough";
}

TEST(Compare, WhatIsWrittenIsADifferenceWhereItIsBesideWhatIsTimed) {
  for (const std::string option : {"trace", "checkpoint"}) {
    RunRecord plain = epochs_only({100, 101, 99});
    plain.run.command = {"dlbench", "train"};
    plain.config.effective[option] = Value();
    RunRecord written = plain;
    written.config.effective[option] = "a.json";
    RunRecord elsewhere = plain;
    elsewhere.config.effective[option] = "b.json";
    const std::vector<Difference> differences = compare_reports(plain, written).differences;
    ASSERT_EQ(differences.size(), 1U) << option;
    EXPECT_EQ(differences[0].what, "--" + option);
    EXPECT_EQ(differences[0].baseline, "none");
    EXPECT_EQ(differences[0].candidate, "given");
    EXPECT_TRUE(compare_reports(written, elsewhere).differences.empty());
    plain.run.command[1] = written.run.command[1] = "run";
    EXPECT_TRUE(compare_reports(plain, written).differences.empty()) << "after all that is timed";
  }
}

TEST(Compare, WhereResultsGoIsNoDifference) {
  const RunRecord plain = epochs_only({100, 101, 99});
  for (const char* option : {"output", "trace", "benchy", "record-probes", "config"}) {
    RunRecord elsewhere = plain;
    elsewhere.config.effective[option] = "elsewhere";
    EXPECT_TRUE(compare_reports(plain, elsewhere).differences.empty()) << option;
  }
}

/// A report of `dlbench comm` with one all-reduce for each of the medians; the 95th percentile of
/// the calls is 10 % above.
RunRecord collectives_only(const std::vector<double>& medians) {
  RunRecord record = sample_record();
  record.workload.reset();
  record.trials.clear();
  record.collectives.clear();
  record.history.clear();
  std::int64_t bytes = 8;
  for (const double median : medians) {
    CollectiveRecord& collective = record.collectives.emplace_back(sample_collectives().at(0));
    collective.bytes = bytes *= 2;
    collective.time_s = {.median = median, .p95 = 1.1 * median};
  }
  return record;
}

TEST(Compare, CollectivesByTheirMediansBeyondTheSpreadOfTheCalls) {
  const Comparison comparison =
      compare_reports(collectives_only({1.0, 1.0, 1.0, 1.0, 1.0, 1.0}),
                      collectives_only({1.0, 1.01, 1.05, 1.2, 0.95, 0.8}));
  EXPECT_TRUE(comparison.arms.empty());
  std::vector<Change> changes;
  for (const CollectiveComparison& collective : comparison.collectives) {
    changes.push_back(collective.change);
  }
  EXPECT_EQ(changes,
            (std::vector{Change::kSame,
                         Change::kSame,
                         Change::kUnsure,
                         Change::kSlower,
                         Change::kUnsure,
                         Change::kFaster}));
  EXPECT_TRUE(comparison.any(Change::kSlower));
  EXPECT_NEAR(comparison.collectives.back().ratio, 1.25, 1e-12) << "of speeds";
  const std::string text = comparison_text(comparison);
  EXPECT_THAT(text, HasSubstr("all_reduce of 128 bytes, f32, 4 ranks"));
  EXPECT_THAT(text, Not(HasSubstr("samples/s")));
}

TEST(Compare, UndisturbedRepetitionsDecideByThemselves) {
  const RunRecord before = full_only({100, 100.5, 99.5, 100.2, 99.8});
  RunRecord after = full_only({25, 25.1, 24.9, 25.05, 24.95});
  after.run.taints = {{Taint::kDisturbed, "trial full, repetition 3", "other processes"}};
  EXPECT_EQ(compare_reports(before, after).arms.at(0).change, Change::kSlower);
  EXPECT_EQ(compare_reports(after, before).arms.at(0).change, Change::kFaster);
  // Slower only where it was disturbed.
  RunRecord as_fast = full_only({100, 100.5, 99.5, 40, 41});
  as_fast.run.taints = {{Taint::kDisturbed, "trial full, repetition 3", "other processes"},
                        {Taint::kDisturbed, "trial full, repetition 4", "other processes"}};
  EXPECT_EQ(compare_reports(before, as_fast).arms.at(0).change, Change::kUnsure);
  for (const int repetition : {0, 1, 2}) {
    after.run.taints.push_back(
        {Taint::kDisturbed, fmt::format("trial full, repetition {}", repetition), ""});
  }
  EXPECT_EQ(compare_reports(before, after).arms.at(0).doubt, "the candidate was disturbed")
      << "one repetition is left";
}

TEST(Compare, NorDoDisturbedSeriesTrainingsAndCollectives) {
  const auto with = [](RunRecord record, Taint code, const std::string& where) {
    record.run.taints = {{code, where, ""}};
    return record;
  };
  RunRecord before = full_only({100, 100.5, 99.5});
  before.trials.at(0).series = "weak";
  RunRecord after = full_only({90, 90.5, 89.5});
  after.trials.at(0).series = "weak";
  after = with(after, Taint::kDisturbed, "trial full (weak, 1 rank)");
  EXPECT_EQ(compare_reports(before, after).arms.at(0).doubt, "the candidate was disturbed");
  after.run.taints.at(0).where = "trial full (weak, 2 ranks)";
  EXPECT_EQ(compare_reports(before, after).arms.at(0).change, Change::kSlower);

  const RunRecord fast = epochs_only({500, 505, 495});
  const RunRecord slow = epochs_only({400, 405, 395});
  EXPECT_EQ(compare_reports(fast, slow).arms.at(0).change, Change::kSlower);
  const Comparison training = compare_reports(fast, with(slow, Taint::kThrottled, "training"));
  EXPECT_EQ(training.arms.at(0).doubt, "the candidate was throttled");
  EXPECT_FALSE(training.any(Change::kSlower));

  const std::string where = "collectives over 4 ranks";
  const Comparison collectives = compare_reports(
      collectives_only({1.0}), with(collectives_only({2.0}), Taint::kDisturbed, where));
  EXPECT_EQ(collectives.collectives.at(0).change, Change::kUnsure);
  EXPECT_THAT(comparison_text(collectives), HasSubstr("unsure (the candidate was disturbed)"));
}

TEST(Compare, CollectivesOfOneSideAloneAreNamed) {
  RunRecord candidate = collectives_only({1.0, 1.0});
  candidate.collectives.at(1).ranks = 8;
  candidate.collectives.at(0).replayed = true;
  const Comparison comparison = compare_reports(collectives_only({1.0, 1.0}), candidate);
  EXPECT_EQ(comparison.collectives.size(), 1U);
  EXPECT_FALSE(comparison.any(Change::kSlower));
  EXPECT_THAT(comparison.only_in_one,
              UnorderedElementsAre("all_reduce of 32 bytes, f32, 4 ranks: only in the baseline",
                                   "all_reduce of 32 bytes, f32, 8 ranks: only in the candidate"));
  EXPECT_THAT(comparison_text(comparison), HasSubstr("shared_window, replayed"));
}

TEST(Compare, SaysWhichCommandsReportsAreOf) {
  RunRecord comm = collectives_only({1.0});
  comm.run.command = {"/usr/bin/dlbench", "comm", "-b", "8"};
  const auto message = [](const RunRecord& baseline, const RunRecord& candidate) {
    return tests::error_of([&] { static_cast<void>(compare_reports(baseline, candidate)); },
                           core::ErrorCode::kData);
  };
  EXPECT_EQ(message(comm, full_only({50, 51, 52})),
            "the baseline is a report of the command comm, the candidate one of run: what they "
            "measure cannot be compared");
  RunRecord other = full_only({50, 51, 52});
  other.workload->name = "mnist_cnn";
  other.run.command[1] = "train";
  EXPECT_THAT(message(full_only({50, 51, 52}), other),
              HasSubstr("of different workloads, resunetpp and mnist_cnn"));
  comm.run.command.clear();
  EXPECT_THAT(message(comm, other), HasSubstr("of different workloads, none and mnist_cnn"));
}

/// Two runs of one program: a false alarm once in 100 at any noise (bound: 2 standard errors more).
TEST(Compare, EqualProgramsAreHardlyEverFasterOrSlower) {
  constexpr int kRuns = 1500;
  core::RandomStream random(31, 0);
  RunRecord baseline = full_only({1, 1, 1, 1, 1});
  RunRecord candidate = baseline;
  for (const double noise : {0.005, 0.01, 0.03}) {
    int alarms = 0;
    for (int run = 0; run < kRuns; ++run) {
      for (RunRecord* record : {&baseline, &candidate}) {
        for (RepetitionRecord& repetition : record->trials[0].repetitions) {
          repetition.samples_per_second =
              100.0 * std::exp(noise * static_cast<double>(random.normal()));
        }
      }
      const Change change = compare_reports(baseline, candidate).arms[0].change;
      alarms += change == Change::kFaster || change == Change::kSlower ? 1 : 0;
    }
    EXPECT_LE(alarms, kRuns * 3 / 200) << "noise " << noise;
  }
}

}  // namespace
}  // namespace dlbench::reports
