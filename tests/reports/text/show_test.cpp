// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/show.h"

#include "reports/text/text_table.h"
#include "tests/reports/sample_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace dlbench::reports {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::int64_t line_count(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

RunRecord run_only() {
  RunRecord record = sample_record();
  record.history.clear();
  record.trials.resize(3);
  record.trials[2].series = "weak";
  return record;
}

TEST(Summary, IsTenLinesThatCanBePasted) {
  const std::string text = summary_text(run_only(), "results/report.json");
  EXPECT_EQ(line_count(text), 10);
  EXPECT_THAT(text, HasSubstr("resunetpp on cpu (Example CPU, 2 cores), fp16, batch 2"));
  EXPECT_THAT(text,
              HasSubstr("io                       20.0 samples/s  95 % interval 18.8 to 21.2"));
  EXPECT_THAT(text, HasSubstr(", n=3, median batch 100 ms\n")) << "no batch over the rate";
  EXPECT_THAT(text, HasSubstr("synthetic/device         5.00 samples/s"));
  EXPECT_THAT(text, HasSubstr("full (weak, 1 rank)      4.40 samples/s"));
  EXPECT_THAT(text,
              HasSubstr("contention_bound (margin 12.0 %, 95 % interval 9.2 % to 14.8 %), full is "
                        "93.5 % of predicted"));
  EXPECT_THAT(text, HasSubstr("advice            give the loader processors"));
  EXPECT_THAT(text, HasSubstr("taints            generated_data"));
  EXPECT_THAT(text, HasSubstr("results/report.json (complete, dlbench 0.1.0 0123abc)"));
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    EXPECT_NE(text[end - 1], ' ');
    start = end + 1;
  }
}

// --batch-size is that of a rank.
TEST(Summary, OfSeveralRanksItSaysWhoseBatchItIs) {
  RunRecord record = run_only();
  record.system.hosts.front().ranks = {0, 1, 2};
  record.workload->batch_size_per_rank = 4;
  record.workload->global_batch_size = 12;
  EXPECT_THAT(summary_text(record, "r.json"),
              HasSubstr("3 ranks, batch 4 per rank (12 in all), seed"));
  record.workload->global_batch_size = 11;
  EXPECT_THAT(summary_text(record, "r.json"), HasSubstr("3 ranks, batch 11 in all, seed"));
}

TEST(Summary, HostsThatDifferAreNotTakenForAlike) {
  RunRecord record = run_only();
  record.config.effective["threads"] = 2;
  HostRecord other = record.system.hosts.front();
  other.ranks = {1};
  record.system.hosts.push_back(other);
  EXPECT_THAT(summary_text(record, "r.json"), HasSubstr("2 threads per rank on 2 cores, 2 hosts)"));
  record.system.hosts[1].cpu.usable_cores = 1;
  EXPECT_THAT(summary_text(record, "r.json"),
              HasSubstr("2 threads of rank 0 on 2 cores, 2 hosts of 1 to 2)"));
}

// As of two repetitions that differ much.
TEST(Summary, AMarginThatTellsNothingIsNotPrinted) {
  RunRecord record = run_only();
  record.attribution->verdict = Verdict::kUnsure;
  record.attribution->margin = -5.92;
  record.attribution->margin_ci95 = {-30059593003.761, 1.0};
  EXPECT_THAT(summary_text(record, "r.json"),
              HasSubstr("unsure (margin not known: its 95 % interval is wider than the full time), "
                        "full is"));
  record.attribution->margin = 0.4;
  record.attribution->margin_ci95 = {-0.05, 0.85};
  EXPECT_THAT(summary_text(record, "r.json"),
              HasSubstr("unsure (margin 40.0 %, 95 % interval -5.0 % to 85.0 %), full is"));
}

// Data may have been generated with another one.
TEST(Summary, TheSeedIsTheRunsNotTheDatas) {
  RunRecord record = run_only();
  record.run.seed = 7;
  const std::string text = summary_text(record, "r.json");
  EXPECT_THAT(text, HasSubstr("fp16, batch 2, seed 7\n"));
  EXPECT_THAT(text, HasSubstr(", generated)\n"));
}

TEST(Summary, ShowsTaintsOfTrialsBesideThoseOfTheRun) {
  RunRecord record = run_only();
  record.trials[0].taints = {{Taint::kNotConvergent, "trial io", "by purpose"}};
  EXPECT_THAT(summary_text(record, "r.json"),
              HasSubstr("samples_skipped; a trial by its purpose: not_convergent\n"));
}

TEST(Summary, OfTrainingShowsFirstBestAndLastEpoch) {
  RunRecord record = sample_record();
  record.trials.clear();
  record.attribution.reset();
  const std::string text = summary_text(record, "-");
  EXPECT_THAT(text, HasSubstr("first             epoch 1, 12.5 s, 64.0 samples/s, train loss 0.7"));
  EXPECT_THAT(text, HasSubstr("lowest valid loss epoch 1"));
  EXPECT_THAT(text, HasSubstr("last              epoch 2"));
  EXPECT_THAT(text, HasSubstr("valid loss none, dice 0.8000"));
  EXPECT_THAT(text, HasSubstr("dice 0.5000, precision none"));
  EXPECT_THAT(text, HasSubstr("left out          probe cupti: no CUDA device"));
  EXPECT_THAT(text, HasSubstr("on the standard output"));
  EXPECT_THAT(text, Not(HasSubstr("verdict")));
}

TEST(Summary, ALossThatGrowsWithoutBoundIsReadable) {
  RunRecord record = sample_record();
  record.trials.clear();
  record.history[0].train_loss = 227244199328897796769352616247296.0;
  EXPECT_THAT(summary_text(record, "r.json"), HasSubstr("train loss 2.2724e+32, valid loss 0.65"));
  EXPECT_THAT(tables_text(record), HasSubstr("  2.2724e+32      0.6500  "));
}

TEST(Summary, AnEmptyRecordIsTold) {
  const std::string text = summary_text(RunRecord{}, "r.json");
  EXPECT_THAT(text, HasSubstr("workload          none"));
  EXPECT_THAT(text, HasSubstr("taints            none"));
  EXPECT_THAT(text, HasSubstr("r.json (partial"));
}

TEST(Summary, OfScalingShowsItsTablesInsteadOfTrials) {
  RunRecord record = run_only();
  for (TrialRecord& trial : record.trials) {
    trial.series = "weak";
  }
  const std::string text = summary_text(record, "scale.json");
  EXPECT_THAT(text, HasSubstr("Weak scaling, batch per rank fixed"));
  EXPECT_THAT(text, HasSubstr("taints            generated_data"));
  EXPECT_THAT(text, Not(HasSubstr("io                       20.0 samples/s")));
}

TEST(Summary, ATrialWithoutRepetitionsIsNotZero) {
  RunRecord record = run_only();
  record.trials[0].repetitions.clear();
  record.trials[0].throughput.reset();
  EXPECT_THAT(summary_text(record, "r"), HasSubstr("io                  not measured"));
}

/// A verdict is missing although there are rows of all trials that it needs.
RunRecord without_verdict(RunStatus status, const char* detail) {
  RunRecord record = sample_record();
  record.scaling.clear();
  record.trials.resize(3);
  record.attribution.reset();
  record.config.effective["trials"] = "io,synthetic,full";
  record.run.status = status;
  record.run.failure =
      FailureRecord{.rank = 0, .host = "node1", .phase = "trial", .detail = detail};
  return record;
}

TEST(Summary, SaysWhyThereIsNoVerdict) {
  EXPECT_THAT(
      summary_text(without_verdict(RunStatus::kPartial, "--timeout reached"), "r"),
      HasSubstr("verdict           none: the run was ended before it: --timeout reached\n"));
  EXPECT_THAT(summary_text(without_verdict(RunStatus::kFailed, "the loss is NaN"), "r"),
              HasSubstr("verdict           none: the run failed before it: the loss is NaN\n"));
  RunRecord going_on = without_verdict(RunStatus::kPartial, "");
  going_on.run.finished_at.reset();
  going_on.run.failure.reset();
  EXPECT_THAT(summary_text(going_on, "r"), HasSubstr("none: the run has not come to it\n"));
  RunRecord disturbed = without_verdict(RunStatus::kComplete, "");
  disturbed.run.failure.reset();
  disturbed.trials[0].throughput.reset();
  EXPECT_THAT(summary_text(disturbed, "r"), HasSubstr("full, but no repetition of io counts\n"));
  RunRecord not_asked = without_verdict(RunStatus::kPartial, "interrupted");
  not_asked.trials.erase(not_asked.trials.begin());
  not_asked.config.effective["trials"] = "synthetic,full";
  EXPECT_THAT(summary_text(not_asked, "r"),
              HasSubstr("verdict           none: it needs the trials io, synthetic and full\n"));
  RunRecord alone = without_verdict(RunStatus::kPartial, "interrupted");
  alone.trials[1].variant = "nocomm";  // a step without its communication is no other step
  alone.config.effective["trials"] = "io,full";
  EXPECT_THAT(summary_text(alone, "r"),
              HasSubstr("verdict           none: it needs the trials io, synthetic and full\n"));
}

TEST(Summary, RepeatsTheReasonOfAReport) {
  RunRecord record = without_verdict(RunStatus::kComplete, "");
  record.attribution_reason = "as the report has it";
  EXPECT_THAT(summary_text(record, "r"), HasSubstr("none: as the report has it\n"));
}

TEST(Tables, ShowTheRanksOfATrialOnALine) {
  RunRecord record = run_only();
  EXPECT_THAT(tables_text(record), Not(HasSubstr("Mean step of each rank"))) << "one rank";
  TrialRecord& full = record.trials[2];  // 12 steps
  full.per_rank = {{.rank = 0, .host = "node1", .device = "GPU x", .wall_s = 1.2},
                   {.rank = 1, .host = "node2", .device = "GPU x", .wall_s = 1.8},
                   {.rank = 2, .host = "node2", .device = "GPU x", .wall_s = 1.32}};
  full.per_rank[1].device_address = "0000:2a:00.0";
  EXPECT_THAT(tables_text(record),
              HasSubstr("100 ms  110 ms  150 ms  1 on node2, GPU x at 0000:2a:00.0  -\n"));
  full.per_rank[0].late_share = 0.25;
  full.per_rank[2].late_share = 0.75;
  full.per_rank[1].device_address.reset();
  EXPECT_THAT(tables_text(record), HasSubstr("150 ms  1 on node2, GPU x  2, 75.0 %\n"));
  full.repetitions[0].discarded = "disturbed";  // its 4 steps are in no rank's time
  EXPECT_THAT(tables_text(record), HasSubstr("150 ms  165 ms  225 ms  1 on node2"));
  full.per_rank[0].wall_s.reset();
  EXPECT_THAT(tables_text(record), Not(HasSubstr("Mean step of each rank"))) << "one is not told";
}

TEST(Tables, ShowPhasesAsALineProfilerDoes) {
  const std::string text = tables_text(sample_record());
  EXPECT_THAT(text, HasSubstr("Phases of full"));
  // 1.8 s in 12 calls are 150 ms each.
  EXPECT_THAT(text, HasSubstr("forward       12  1.80 s    150 ms    150 ms  33.0"));
}

TEST(Tables, ShowOperatorsAgainstPeaks) {
  const std::string text = tables_text(sample_record());
  // 1e11 of 2e11 FLOP/s, 2e9 of 2e10 B/s.
  EXPECT_THAT(text,
              ContainsRegex("FLOP/s  of measured peak +B/s  of measured peak +bound +kernel.*\n.*"
                            " 100 G +50 %  2.00 G +10 %  compute  brgconv:avx512_core"));
  EXPECT_THAT(text, HasSubstr("c1.bn1"));
}

TEST(Tables, SayWhichPeakSharesAreOf) {
  RunRecord record = sample_record();
  record.system.peaks.insert(record.system.peaks.begin(),
                             {"cpu", "fp16", 4.0e11, 4.0e10, "datasheet"});
  record.trials.front().mfu = Measured<double>(0.125);
  record.trials.front().mfu_measured = 0.25;
  EXPECT_THAT(tables_text(record),
              ContainsRegex("FLOP/s  of data sheet  of measured peak  overhead/step\n.*"
                            " 12.5 % +25.0 % "));
  record.system.peaks.pop_back();
  EXPECT_THAT(tables_text(record), ContainsRegex("B/s  of data sheet +bound"));
  record.system.peaks.push_back({"another device", "fp16", 1.0e13, 1.0e12, "measured"});
  EXPECT_THAT(tables_text(record), ContainsRegex("B/s  of data sheet +bound"));
}

TEST(Tables, CutLongOperatorLists) {
  const std::string text = tables_text(sample_record(), 1);
  EXPECT_THAT(text, Not(HasSubstr("c1.bn1")));
  EXPECT_THAT(text, HasSubstr("and 1 more: 2.00 ms per step, 16.7 %"));
}

// What a taint means holds for whatever sets it.
TEST(Tables, ExplainTaintsByAllTheirCauses) {
  RunRecord record = sample_record();
  record.run.taints = {{Taint::kThrottled, "trial full", "a CPU quota stopped threads for 3.0 %"},
                       {Taint::kNondeterministicPlan, "step", "1 of 9 kernels"}};
  const std::string text = tables_text(record);
  EXPECT_THAT(
      text,
      HasSubstr("throttled, trial full: the device of a rank lowered its clock, or a CPU quota "
                "stopped threads: a CPU quota stopped threads for 3.0 %\n"));
  EXPECT_THAT(text,
              HasSubstr("nondeterministic_plan, step: a kernel of the step may give other bits in "
                        "another run, as its library says: 1 of 9 kernels\n"));
}

TEST(Tables, ExplainTaintsSkipsAndDiscards) {
  RunRecord record = sample_record();
  record.trials[0].repetitions[1].discarded = "steal time 0.4 s";
  record.run.taints.push_back({Taint::kShortRun, "trial synthetic/device", "fewer repetitions"});
  const std::string text = tables_text(record);
  EXPECT_THAT(text, Not(HasSubstr("prefetch queue"))) << "which that trial has not";
  EXPECT_THAT(text, HasSubstr("generated_data, dataset: the data set was generated, not real: 64"));
  EXPECT_THAT(text, HasSubstr("discarded io repetition 1: steal time 0.4 s"));
  EXPECT_THAT(text, HasSubstr("skipped probe cupti: no CUDA device"));
  EXPECT_THAT(text, HasSubstr("left out: train/images/7.jpg: truncated JPEG\n"));
  // A line break in a file's name is not one of the table.
  record.trials[0].loader->skipped_samples = {{"a\nb", "'a\nb.jpg' is empty"}};
  record.run.skipped = {{"sample a\nb", "'a\nb.jpg' is empty"}};
  const std::string odd = tables_text(record);
  EXPECT_THAT(odd, HasSubstr("left out: a\\nb: 'a\\nb.jpg' is empty\n"));
  EXPECT_THAT(odd, HasSubstr("skipped sample a\\nb: 'a\\nb.jpg' is empty\n"));
}

// A trial with many repetitions would fill the screen; the report has them all.
TEST(Tables, TaintsOfATrialsRepetitionsAreALine) {
  RunRecord record = sample_record();
  record.run.taints = {{Taint::kShortRun, "trial full, repetition 0", "from 1 to 2 batches"},
                       {Taint::kDisturbed, "trial full, repetition 1", "somebody"},
                       {Taint::kShortRun, "trial full, repetition 1", "from 2 to 1 batches"},
                       {Taint::kShortRun, "trial full/other, repetition 1", "from 5 to 6 batches"},
                       {Taint::kShortRun, "trial full", "repetition 3: too short"}};
  const std::string text = tables_text(record);
  EXPECT_THAT(text, HasSubstr("short_run, trial full, repetition 0: "));
  EXPECT_THAT(text, HasSubstr(": from 1 to 2 batches, and 1 more like it\n"));
  EXPECT_THAT(text, HasSubstr("repetition 3: too short\n")) << "other words";
  EXPECT_THAT(text, HasSubstr(": from 5 to 6 batches\n")) << "another trial";
  EXPECT_THAT(text, HasSubstr(": somebody\n")) << "another code";
  EXPECT_THAT(text, Not(HasSubstr("from 2 to 1")));
}

TEST(Tables, TaintsForOtherReasonsAreToldEach) {
  RunRecord record = sample_record();
  record.run.taints = {{Taint::kDisturbed, "training", "epoch 1: other processes used 2 s"},
                       {Taint::kDisturbed, "training", "epoch 3: another process on the GPU"},
                       {Taint::kDisturbed, "training", "epoch 4: other processes used 1.5 s"},
                       {Taint::kDisturbed, "trial full, repetition 1", "steal time (0.2 s)"},
                       {Taint::kDisturbed, "trial full, repetition 2", "another process"}};
  const std::string text = tables_text(record);
  EXPECT_THAT(text, HasSubstr("epoch 1: other processes used 2 s, and 1 more like it\n"));
  EXPECT_THAT(text, HasSubstr("another process on the GPU\n"));
  EXPECT_THAT(text, HasSubstr("steal time (0.2 s)\n"));
  EXPECT_THAT(text, HasSubstr("measured: another process\n"));
}

TEST(Tables, AnEmptyRecordHasNone) { EXPECT_EQ(tables_text(RunRecord{}), ""); }

TEST(TextTable, AlignsColumnsByCharactersNotBytes) {
  TextTable table({"name", "value"});
  table.add({"\u00fcber", "1"});
  table.add({"plain", "10"});
  EXPECT_EQ(table.text(), "name   value\n\u00fcber       1\nplain     10\n");
}

TEST(TextTable, NumbersHaveThreeDigitsAndAFittingUnit) {
  EXPECT_EQ(seconds_text(0.00927), "9.27 ms");
  EXPECT_EQ(seconds_text(0.0), "0 s");
  EXPECT_EQ(seconds_text(30.89), "30.9 s");
  EXPECT_EQ(seconds_text(4.2e-8), "42.0 ns");
  EXPECT_EQ(seconds_text(7200.0), "7200 s");
  EXPECT_EQ(seconds_text(14400.0), "4.00 h");
  EXPECT_EQ(decimal_text(2.0e11), "200 G");
  EXPECT_EQ(decimal_text(950.0), "950 ");
  EXPECT_EQ(bytes_text(1.31 * 1073741824.0), "1.31 GiB");
  EXPECT_EQ(number_text(12345.6), "12346");
  EXPECT_EQ(number_text(0.01234), "0.0123");
  EXPECT_EQ(percent_text(0.9464), "94.6 %");
  EXPECT_EQ(loss_text(0.69314), "0.6931");
  EXPECT_EQ(loss_text(-999999.0), "-999999.0000");
  EXPECT_EQ(loss_text(-1e6), "-1.0000e+06");
}

// Of a run with fewer threads than cores the rates are not those of the cores.
TEST(Summary, SaysHowManyThreadsCompute) {
  RunRecord record = run_only();
  record.config.effective["threads"] = 1;
  EXPECT_THAT(summary_text(record, "r.json"),
              HasSubstr("resunetpp on cpu (Example CPU, 1 thread on 2 cores), fp16"));
  record.config.effective["threads"] = 2;
  record.system.hosts[0].ranks = {0, 1};
  record.system.hosts[0].cpu.threads = 4;
  EXPECT_THAT(summary_text(record, "r.json"),
              HasSubstr("(Example CPU, 2 threads per rank on 2 hardware threads), fp16, 2 ranks"));
  record.config.effective["threads"] = Value();
  EXPECT_THAT(summary_text(record, "r.json"), HasSubstr("(Example CPU, 2 hardware threads), fp16"))
      << "a GPU computes";
}

TEST(TextTable, NextToAPowerOfTenThreeDigitsAreThree) {
  EXPECT_EQ(number_text(99.9998), "100");
  EXPECT_EQ(number_text(-99.9998), "-100");
  EXPECT_EQ(number_text(99.94), "99.9");
  EXPECT_EQ(number_text(9.996), "10.0");
  EXPECT_EQ(number_text(0.99964), "1.00");
  EXPECT_EQ(number_text(0.001), "0.00100");
  EXPECT_EQ(seconds_text(0.9997), "1.00 s");
  EXPECT_EQ(seconds_text(0.9994), "999 ms");
  EXPECT_EQ(seconds_text(9.999e-4), "1.00 ms");
  EXPECT_EQ(seconds_text(9.999e-7), "1.00 us");
  EXPECT_EQ(decimal_text(999.7), "1.00 k");
  EXPECT_EQ(decimal_text(999.4), "999 ");
  EXPECT_EQ(bytes_text(1023.7 * 1024.0), "1.00 MiB");
  EXPECT_EQ(bytes_text(1023.4 * 1024.0), "1023 KiB");
  EXPECT_EQ(number_text(1e-310), "0.000000") << "as small as numbers are";
}

}  // namespace
}  // namespace dlbench::reports
