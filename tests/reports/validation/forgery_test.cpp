// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A good report, falsified in one place each: validation names the place. Its trials are falsified
// in trial_forgery_test.cpp, and what it was asked for is taken away in completeness_test.cpp.
#include "tests/reports/validation/forgery.h"

#include "engine/core/disturbance_thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::reports {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Forgery, Verdict) {
  expect_seen({
      {[](RunRecord& r) { r.attribution->verdict = Verdict::kComputeBound; },
       "attribution.verdict: is compute_bound, but the trials' rates make it contention_bound"},
      {[](RunRecord& r) {
         for (RepetitionRecord& repetition : r.trials[0].repetitions) {
           repetition.cpu_s = 0.01 * repetition.cpu_s.value();
         }
         r.trials[0].cpu_s_per_sample = 0.01 * r.trials[0].cpu_s_per_sample.value();
       },
       "attribution.verdict: is contention_bound, but the trials' rates make it unsure"},
      {[](RunRecord& r) { r.attribution_reason = "it needs the trials io, synthetic and full"; },
       "attribution_reason: says why there is no verdict, but there is one"},
      {[](RunRecord& r) { r.attribution->verdict = Verdict::kStraggler; },
       "attribution.verdict: is straggler, but no rank is late"},
      {[](RunRecord& r) { r.attribution->limiting = "step"; }, "attribution.limiting: is 'step'"},
      {[](RunRecord& r) { r.attribution->margin = 0.13; }, "attribution.margin: is 0.13"},
      {[](RunRecord& r) { r.attribution->margin.reset(); }, "attribution.margin: is null"},
      {[](RunRecord& r) { (*r.attribution->margin_ci95)[0] = 0.119; },
       "attribution.margin_ci95: is 0.119"},
      {[](RunRecord& r) { r.attribution->margin_ci95.reset(); },
       "attribution.margin_ci95: is null"},
      {[](RunRecord& r) { r.attribution->components[0].share = 0.2; },
       "attribution.components[0].share: is 0.2"},
      {[](RunRecord& r) { r.attribution->components[0].s_per_sample = 0.2; },
       "attribution.components[0].s_per_sample: is 0.2"},
      {[](RunRecord& r) { r.attribution->components[0].name = "copy"; },
       "attribution.components[0].name: is 'copy'"},
      {[](RunRecord& r) { r.attribution->components.clear(); },
       "attribution.components: are 0, but the trials make 1"},
      {[](RunRecord& r) { r.trials.erase(r.trials.begin()); },
       "attribution: is there, but io, full and synthetic are not all there"},
      {[](RunRecord& r) { r.attribution->overlap_efficiency = 1.0; },
       "attribution.overlap_efficiency: is 1"},
  });
}

TEST(Forgery, Advice) {
  expect_seen({
      {[](RunRecord& r) { r.attribution->advice[0].expected_gain = 3.0; },
       "attribution.advice[0].expected_gain: is 3, which the text beside it does not say"},
      {[](RunRecord& r) {
         r.attribution->advice[0] = {"give the loader processors of its own: up to 3.0x", 3.0};
       },
       "attribution.advice[0].expected_gain: is 3, but the trials' rates allow 1.136"},
  });
}

TEST(Forgery, Prediction) {
  const auto predict = [](double rate) {
    return [rate](RunRecord& r) { r.attribution->predicted_full_samples_per_second = rate; };
  };
  expect_seen({
      {predict(20.0), "predicted_full_samples_per_second: is 20, but the slower of"},
      {predict(4.5), "predicted_full_samples_per_second: is 4.5, which is neither"},
      {[&](RunRecord& r) {
         predict(4.5)(r);
         r.attribution->cpu_capacity = 2.0;
       },
       "predicted_full_samples_per_second: is 4.5, but the slower of io and synthetic, or "},
      {[](RunRecord& r) {
         r.workload->backend = "cuda";  // loader and step share nothing
       },
       "predicted_full_samples_per_second: is "},
  });
}

TEST(Forgery, IsNotAPredictionWithPartOfAProcessor) {
  RunRecord quota = sample_record();
  AttributionRecord& attribution = quota.attribution.value();
  const double whole = attribution.predicted_full_samples_per_second.value();
  attribution.predicted_full_samples_per_second = whole * 1.5 / 2.0;
  *attribution.overlap_efficiency *= 2.0 / 1.5;
  EXPECT_THAT(problems_of(quota), Contains(HasSubstr("predicted_full"))) << "of whole ones";
  attribution.cpu_capacity = 1.5;
  quota.job->cpu_capacity = 1.5;
  quota.job->cpu_efficiency = *quota.job->cpu_time_s / (quota.job->wall_s * 1.5);
  EXPECT_THAT(problems_of(quota), IsEmpty());
}

// What tells a late rank or an idle device from the rest is not in the report.
TEST(Forgery, IsNotWhatTheReportCannotTell) {
  RunRecord late = sample_record();
  late.trials[2].ranks = 2;
  late.trials[2].per_rank[0].late_share = 0.99;
  late.trials[2].per_rank[0].late_share_ci95 = {0.9, 1.0};
  late.attribution->verdict = Verdict::kStraggler;
  late.attribution->limiting = "rank";
  late.attribution->margin = 0.5;
  late.attribution->margin_ci95 = {0.4, 0.6};
  EXPECT_THAT(problems_of(late), Not(Contains(HasSubstr("verdict"))));
  late.attribution->margin_ci95 = {0.04, 0.96};
  EXPECT_THAT(problems_of(late), Contains(HasSubstr("attribution.verdict: is straggler, but")));
  late.attribution->margin_ci95.reset();
  EXPECT_THAT(problems_of(late), Not(Contains(HasSubstr("verdict")))) << "of an older report";
  late.attribution->margin_ci95 = {0.4, 0.6};
  late.trials[2].ranks = 1;
  EXPECT_THAT(problems_of(late), Contains(HasSubstr("attribution.verdict: is straggler, but")));
  late.trials[2].ranks = 2;
  late.trials[2].per_rank[0].late_share_ci95 = {0.5, 1.0};
  EXPECT_THAT(problems_of(late), Contains(HasSubstr("attribution.verdict: is straggler, but")));
}

TEST(Forgery, StatusAndExitCode) {
  const auto ended = [](RunStatus status, std::int64_t code) {
    return [status, code](RunRecord& r) {
      r.run.status = status;
      r.run.exit_code = code;
      r.run.failure = FailureRecord{};
    };
  };
  expect_seen({
      {[](RunRecord& r) { r.run.exit_code = 4; }, "run.exit_code: is 4"},
      {[](RunRecord& r) { r.run.exit_code = 124; }, "run.exit_code: is 124"},
      {[](RunRecord& r) { r.config.effective["strict"] = true; },
       "run.exit_code: is 0, but a complete run like this one ends with 4"},
      {[](RunRecord& r) { r.collectives[0].wrong = 1; },
       "run.exit_code: is 0, but a complete run like this one ends with 3"},
      {ended(RunStatus::kPartial, 0), "run.exit_code: is 0, but a run that was ended early"},
      {ended(RunStatus::kFailed, 0), "run.exit_code: is 0, which is not that of a failed run"},
      {ended(RunStatus::kFailed, 4), "run.exit_code: is 4, which is not that of a failed run"},
      {ended(RunStatus::kFailed, 124), "run.exit_code: is 124, which is not that of a failed run"},
      {ended(RunStatus::kPartial, 124), "job.state: 'COMPLETED' contradicts"},
      {[](RunRecord& r) {
         r.run.status = RunStatus::kPartial;
         r.run.exit_code.reset();
       },
       "run: is partial with one of finished_at and exit_code"},
      {[](RunRecord& r) {
         r.run.status = RunStatus::kPartial;
         r.run.exit_code = 130;
       },
       "run: was ended early but does not say where"},
      {[](RunRecord& r) { r.run.finished_at = "2026-01-31T11:59:59Z"; },
       "run.finished_at: 2026-01-31T11:59:59Z is before started_at"},
      {[](RunRecord& r) { r.trials[1].repetitions[2].started_at = "2026-01-31T11:59:59Z"; },
       "trials[1].repetitions[2].started_at: 2026-01-31T11:59:59Z is not within the run"},
      {[](RunRecord& r) { r.history[0].started_at = "2026-01-31T12:02:01Z"; },
       "history[0].started_at: 2026-01-31T12:02:01Z is not within the run"},
      {[](RunRecord& r) { r.job->state = "FAILED"; }, "job.state: 'FAILED' contradicts"},
      {[](RunRecord& r) { r.job->cpu_time_s = 91.0; }, "job.cpu_time_s: is 91"},
      {[](RunRecord& r) { r.job->memory_used_bytes = 1; }, "job.memory_used_bytes: is 1"},
  });
}

// Codes that commands end with: docs/command-line.md.
TEST(Forgery, IsNoneOfTheEndsThatOccur) {
  struct End {
    RunStatus status;
    std::int64_t code;
    const char* state;
  };
  for (const End& end : {End{RunStatus::kPartial, 124, "TIMEOUT"},
                         End{RunStatus::kPartial, 130, "CANCELLED"},
                         End{RunStatus::kFailed, 1, "OUT_OF_MEMORY"},
                         End{RunStatus::kFailed, 1, "FAILED"},
                         End{RunStatus::kFailed, 2, "FAILED"},
                         End{RunStatus::kFailed, 3, "FAILED"},
                         End{RunStatus::kFailed, 5, "FAILED"}}) {
    RunRecord record = sample_record();
    record.run.status = end.status;
    record.run.exit_code = end.code;
    record.run.failure = FailureRecord{};
    record.run.taints.push_back({Taint::kPartial, "trial full", "ended"});
    record.job->state = end.state;
    EXPECT_THAT(problems_of(record), IsEmpty()) << end.code;
  }
  RunRecord tainted = sample_record();
  tainted.config.effective["strict"] = true;
  tainted.run.exit_code = 4;
  EXPECT_THAT(problems_of(tainted), IsEmpty());
  tainted.run.taints.clear();
  tainted.run.exit_code = 0;
  EXPECT_THAT(problems_of(tainted), Not(Contains(HasSubstr("run.exit_code"))));
  RunRecord going_on = sample_record();
  going_on.run.status = RunStatus::kPartial;
  going_on.run.finished_at.reset();
  going_on.run.exit_code.reset();
  going_on.job.reset();
  EXPECT_THAT(problems_of(going_on), IsEmpty());
}

TEST(Forgery, DoubtsThatAreNotTold) {
  expect_seen({
      {[](RunRecord& r) { r.run.taints.clear(); },
       "run.taints: has no generated_data, but dataset.origin is generated"},
      {[](RunRecord& r) { r.config.effective["storage"] = "latency_ms=5"; },
       "run.taints: has no simulated, but the option storage imitates one"},
      {[](RunRecord& r) { r.trials[1].warmup.steady = false; },
       "run.taints: has no warmup_not_steady, but trials[1].warmup.steady is false"},
      {[](RunRecord& r) { r.run.failure = FailureRecord{}; },
       "run.taints: has no partial, but run.failure says what ended it"},
      {[](RunRecord& r) { r.trials[1].variant = "nocomm"; },
       "trials[1].taints: has no not_convergent, but nocomm does not train"},
      {[](RunRecord& r) { r.config.effective["max-noise"] = 1.0; },
       "run.taints: has no noise_target_missed of trial io, but its interval is +-6.21 %, "
       "--max-noise is 1.00 %"},
      {[](RunRecord& r) {
         r.config.effective["max-noise"] = 1;
         r.run.taints.push_back({Taint::kNoiseTargetMissed, "trial io", ""});
       },
       "run.taints: has no noise_target_missed of trial synthetic/device"},
      {[](RunRecord& r) { r.config.effective["min-time"] = 1.0; },
       "run.taints: has no short_run of trial io, but repetition 0 lasted 0.41"},
      {[](RunRecord& r) { r.trials[2].repetitions[1].queue_fill->start = 1; },
       "run.taints: has no short_run of trial full, but the queue of repetition 1 went from 1 to "
       "2 batches in 4 steps"},
      {[](RunRecord& r) { r.trials[1].repetitions[1].disturbance.foreign_cpu_s = 50.0; },
       "run.taints: has no disturbed of trial synthetic/device, but repetition 1 counts although "
       "others used 50 s"},
      {[](RunRecord& r) { r.trials[1].repetitions[1].disturbance.steal_s = 1.0; },
       "run.taints: has no disturbed of trial synthetic/device"},
      {[](RunRecord& r) { r.trials[2].repetitions[1].disturbance.foreign_gpu_share = 0.03; },
       "run.taints: has no disturbed of trial full, but repetition 1 counts although others had "
       "0.03 of the GPU's time"},
      {[](RunRecord& r) { r.history[1].disturbance = DisturbanceRecord{.foreign_gpu_share = 0.5}; },
       "run.taints: has no disturbed, but others used the GPU in epoch 2"},
      {[](RunRecord& r) { r.trials[1].repetitions[1].disturbance.throttled_s = 1.0; },
       "run.taints: has no throttled of trial synthetic/device, but a quota stopped repetition 1"},
      {[](RunRecord& r) { r.run.taints.pop_back(); },
       "run.taints: has no samples_skipped of trial io, but its loader left 1 sample out"},
      {[](RunRecord& r) { r.history[1].disturbance = DisturbanceRecord{.foreign_cpu_s = 20.0}; },
       "run.taints: has no disturbed, but others used the processors in epoch 2"},
      {[](RunRecord& r) { r.config.effective["link"] = "latency_us=10"; },
       "run.taints: has no simulated, but the option link delays 4 ranks"},
      {[](RunRecord& r) {  // of collectives alone
         r.config.effective["link"] = "latency_us=10";
         r.trials.clear();
         r.history.clear();
       },
       "run.taints: has no simulated, but the option link delays 4 ranks"},
      {[](RunRecord& r) {
         r.config.effective["link"] = "gbit_per_s=10,inside_latency_us=1";
         r.config.effective["link-node-ranks"] = 4;
       },
       "run.taints: has no simulated, but the option link delays 4 ranks"},
  });
}

// Limits are asked after where the report holds them, and only where a run came to that end.
TEST(Forgery, IsNoDoubtThatARunDoesNotTell) {
  const auto expect_no = [](const char* taint, const std::function<void(RunRecord&)>& change) {
    RunRecord record = sample_record();
    change(record);
    EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr(taint)))) << taint;
  };
  expect_no("noise_target_missed", [](RunRecord& r) {
    r.config.effective["max-noise"] = 1.0;
    r.run.status = RunStatus::kPartial;
  });
  expect_no("short_run", [](RunRecord& r) {
    r.config.effective["min-time"] = 5.0;
    r.config.effective["steps"] = 4;
  });
  expect_no("disturbed", [](RunRecord& r) {
    r.trials[1].repetitions[1].disturbance.foreign_cpu_s = 50.0;
    r.trials[1].repetitions[1].discarded = "other processes used 50 s";
  });
  expect_no("disturbed",
            [](RunRecord& r) { r.trials[1].repetitions[1].disturbance.foreign_cpu_s = 0.1; });
  expect_no("disturbed",
            [](RunRecord& r) { r.trials[1].repetitions[1].disturbance.foreign_gpu_share = 0.02; });
  expect_no("disturbed", [](RunRecord& r) {
    r.trials[1].repetitions[1].disturbance.foreign_gpu_share = 1.0;
    r.trials[1].repetitions[1].discarded = "another process computed on the same GPU";
  });
  expect_no("disturbed",
            [](RunRecord& r) { r.trials[2].repetitions[1].disturbance.foreign_cpu_s = 50.0; });
  expect_no("disturbed", [](RunRecord& r) {
    r.system.hosts[0].cpu.cpu_quota = 1.0;
    r.system.hosts[0].cpu.usable_cores = 1;
    r.system.hosts[0].cpu.threads = 10'000;  // on all of which the ranks may run
    r.trials[1].repetitions[1].disturbance.foreign_cpu_s = 50.0;
  });
  expect_no("simulated", [](RunRecord& r) {
    r.config.effective["link"] = "gbit_per_s=10";
    r.config.effective["link-node-ranks"] = 4;
  });
  expect_no("simulated", [](RunRecord& r) { r.config.effective["link"] = "latency_us=0"; });
  expect_no("simulated", [](RunRecord& r) {
    r.config.effective["link"] = "latency_us=0,inside_latency_us=10";
    r.config.effective["link-node-ranks"] = 1;  // nothing is inside of a node
  });
  expect_no("short_run", [](RunRecord& r) {
    r.config.effective["min-time"] = 5.0;
    r.trials.erase(r.trials.begin(), r.trials.begin() + 3);  // what is left is of series
  });
  expect_no("throttled", [](RunRecord& r) {
    r.trials[1].repetitions[1].disturbance.throttled_s = 1.0;
    r.run.taints.push_back({Taint::kThrottled, "trial synthetic/device, repetition 1", ""});
  });
  expect_no("disturbed", [](RunRecord& r) {  // what is seen here is no more than an upper bound
    const core::DisturbanceThresholds limits;
    RepetitionRecord& repetition = r.trials[1].repetitions[1];
    const auto cpus = static_cast<double>(r.system.hosts[0].cpu.usable_cores);
    repetition.disturbance.foreign_cpu_s =
        1.5 * limits.limit_s(limits.other_cpu_share, repetition.wall_s, cpus);
  });
  const auto with_trial = [](RunRecord& record, std::size_t trial) {
    record.trials = {record.trials.at(trial)};
    record.history.clear();
    record.collectives.clear();
  };
  expect_no("simulated", [&](RunRecord& r) {  // io alone
    with_trial(r, 0);
    r.config.effective["link"] = "latency_us=10";
  });
  expect_no("simulated", [&](RunRecord& r) {  // synthetic/device alone
    with_trial(r, 1);
    r.config.effective["storage"] = "latency_ms=5";
  });
}

TEST(Forgery, OptionsWorkloadAndData) {
  const auto built_with = [](const char* option, const Value& value) {
    return [option, value](RunRecord& r) {
      r.scaling.clear();  // or batches are those of a series
      r.config.effective[option] = value;
    };
  };
  expect_seen({
      {[](RunRecord& r) { r.config.source.erase("decode"); },
       "config.source: does not say where decode is from"},
      {[](RunRecord& r) { r.config.effective.erase("decode"); },
       "config.source: has decode, which is no option in effect"},
      {[](RunRecord& r) { r.config.effective["seed"] = std::int64_t{7}; },
       "config.effective.seed: is not run.seed, 1"},
      {built_with("batch-size", std::int64_t{512}),
       "config.effective.batch-size: is 512, but the workload was built with 2"},
      {built_with("workload", "mnist_cnn"),
       "config.effective.workload: is mnist_cnn, but the workload was built with resunetpp"},
      {built_with("image-size", 128),
       "config.effective.image-size: is 128, but the workload was built with 256"},
      {[](RunRecord& r) { r.trials[0].loader->skipped_samples.clear(); },
       "trials[0].loader.skipped_samples: lists none of the 1 that were skipped"},
      {[](RunRecord& r) {
         auto& samples = r.trials[0].loader->skipped_samples;
         samples.push_back(samples.front());
       },
       "trials[0].loader.skipped_samples: lists more samples than were skipped"},
      {[](RunRecord& r) { r.trials[0].repetitions[0].queue_fill->start = 1000; },
       "trials[0].repetitions[0].queue_fill: has more batches than the 2 of loader.prefetch"},
      {[](RunRecord& r) { r.trials[0].repetitions[1].queue_fill->end = 3; },
       "trials[0].repetitions[1].queue_fill: has more batches than the 2 of loader.prefetch"},
      {[](RunRecord& r) { r.job->cpu_capacity = 3.0; },
       "job.cpu_capacity: is 3, which 2 cores do not have"},
      {[](RunRecord& r) { r.dataset.reset(); }, "dataset: is null although there is a workload"},
      {[](RunRecord& r) { r.workload.reset(); }, "dataset: is not null although"},
      {[](RunRecord& r) { r.workload.reset(); }, "workload: is null although there are trials"},
      {[](RunRecord& r) { r.dataset->samples = 0; }, "dataset: has no samples"},
      {[](RunRecord& r) { r.workload->trainable_parameters *= 2; },
       "memory.parameters_bytes: 16251972 bytes do not hold 8125986 numbers"},
      {[](RunRecord& r) { r.workload->memory.gradients_bytes = 4; },
       "memory.gradients_bytes: 4 bytes do not hold 4062993 numbers"},
      {[](RunRecord& r) { r.workload->batch_size_per_rank = 4; },
       "trials[0].batch_size_per_rank: is 2, but that of the workload is 4"},
      {[](RunRecord& r) { r.workload->global_batch_size = 4; },
       "trials[0].global_batch_size: is 2, but that of the workload is 4"},
  });
}

TEST(Forgery, WhatProbesLost) {
  expect_seen({
      {[](RunRecord& r) {
         r.trials[1].probes["cupti"] = ValueMap{{"available", true}, {"dropped_records", 3}};
       },
       "has no dropped_profiler_records of trial"},
      {[](RunRecord& r) {
         r.probes["timeline"] = ValueMap{{"dropped_events", 1000}};
       },
       "has no dropped_profiler_records, but 1000 regions of the timeline are lost"},
      {[](RunRecord& r) { r.trials[0].replayed = true; },
       "trials[0].replayed: is not null, but its steps are not the network's"},
  });
}

TEST(Forgery, FiguresThatAreThereTwice) {
  expect_seen({
      {[](RunRecord& r) { r.trials[0].ranks = 3; },
       "trials[0].ranks: is 3, but system.hosts have 1"},
      {[](RunRecord& r) { r.config.effective["workers"] = 4; },
       "trials[0].loader.workers: is 1, but config.effective has 4"},
      {[](RunRecord& r) { r.config.effective["prefetch"] = 4; },
       "trials[0].loader.prefetch: is 2, but config.effective has 4"},
      {[](RunRecord& r) { r.config.effective["decode"] = "scaled"; },
       "trials[0].loader.decode: is exact, but config.effective has scaled"},
      {[](RunRecord& r) { r.config.effective["cache"] = "cold"; },
       "trials[0].loader.cache.mode: is as-is, but config.effective has cold"},
      {[](RunRecord& r) {
         r.scaling.clear();
         r.config.effective["device"] = "cuda:1";
       },
       "config.effective.device: is cuda:1, but the workload's backend is cpu"},
      {[](RunRecord& r) { r.workload->plans[0].batch_size = 1; },
       "workload.plans[0].batch_size: is 1, but batch_size_per_rank is 2"},
      {[](RunRecord& r) { r.workload->inputs[0].shape[0] = 5; },
       "workload.inputs[0].shape: does not begin with the 2 of batch_size_per_rank"},
      {[](RunRecord& r) { r.collectives[0].time_s.mean = 0.01; },
       "collectives[0].time_s.mean: is 0.01, which is not between min and max"},
      {[](RunRecord& r) { r.config.effective["collectives"] = "all_reduce,all_gather"; },
       "collectives: has no all_gather over 4 ranks, which the option collectives asks for"},
      {[](RunRecord& r) { r.config.effective["iters"] = 10; },
       "collectives[0].time_s.n: is 20, but --iters is 10"},
      {[](RunRecord& r) { r.scaling[0].projection[0].waiting_s = 0.06; },
       "projection[0].waiting_s: is 0.06, which is no part of exposed_communication_s"},
      {[](RunRecord& r) { r.scaling[0].projection[0].waiting_s = -0.01; },
       "projection[0].waiting_s: is -0.01, which is no part of exposed_communication_s"},
      {[](RunRecord& r) { r.scaling[0].projection[0].exposed_communication_s = 0.3; },
       "projection[0].exposed_communication_s: is 0.3, which is more than the step, 0.23"},
      {[](RunRecord& r) { (*r.scaling[0].projection[0].ci95)[0] *= 0.9; },
       "projection[0].ci95: is "},
      {[](RunRecord& r) { (*r.scaling[0].projection[0].efficiency.ci95)[0] *= 0.9; },
       "projection[0].efficiency.ci95: is "},
      {[](RunRecord& r) {
         EstimateRecord& efficiency = r.scaling[0].projection[1].efficiency;
         efficiency.mean *= 1.01;
         (*efficiency.ci95)[0] *= 1.01;
         (*efficiency.ci95)[1] *= 1.01;
       },
       "projection[1].efficiency: is against another baseline"},
  });
}

// Of the last batch of an epoch, train has a plan of its own.
TEST(Forgery, IsNoPlanOfASmallerBatchOfATraining) {
  RunRecord record = sample_record();
  record.trials.clear();
  record.workload->plans[0].batch_size = 1;
  EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr("workload.plans"))));
}

TEST(Forgery, PartsOfThePlannedMemory) {
  RunRecord record = sample_record();
  MemoryRecord& memory = record.workload->memory;
  memory.parameters_bytes = 20'000'000;
  memory.gradients_bytes = 20'000'000;
  memory.optimizer_bytes = 40'000'000;
  memory.activations_bytes = 900;
  memory.workspace_bytes = 100;
  memory.loader_buffers_bytes = 7;
  memory.saved_state_bytes = 80'000'000;
  memory.planned_peak_bytes = 160'001'007;
  memory.planned_host_bytes = 80'000'007;
  memory.planned_device_bytes = 80'001'000;
  EXPECT_THAT(problems_of(record), IsEmpty());
  const auto expect_forged = [&record](const auto& change, const char* problem) {
    RunRecord forged = record;
    change(forged.workload->memory);
    EXPECT_THAT(problems_of(forged), Contains(HasSubstr(problem)));
  };
  expect_forged([](MemoryRecord& m) { *m.workspace_bytes = 101; },
                "memory.planned_peak_bytes: is 160001007, but its parts sum to 160001008");
  expect_forged([](MemoryRecord& m) { *m.planned_host_bytes = 8; },
                "memory.planned_peak_bytes: is 160001007, but host and device have 80001008");
  expect_forged(
      [](MemoryRecord& m) {
        m.planned_host_bytes = 7;
        m.planned_device_bytes = 160'001'000;
      },
      "memory.planned_device_bytes: is 160001000, but the step needs 80001000");
  memory.planned_host_bytes = memory.planned_peak_bytes;  // where the step computes
  memory.planned_device_bytes = 0;
  EXPECT_THAT(problems_of(record), IsEmpty());
}

}  // namespace
}  // namespace dlbench::reports
