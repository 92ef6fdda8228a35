// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/sample_record.h"

#include "reports/statistics_records.h"
#include "reports/verdict_rule.h"

#include <limits>
#include <utility>

namespace dlbench::reports {
namespace {

constexpr std::int64_t kSteps = 4;
constexpr std::int64_t kBatch = 2;
constexpr double kFlopPerSample = 94.0e9;
constexpr double kBusyCores = 1.7;
constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

RateSummary sample_summary(std::vector<double> rates) { return *rate_summary(rates); }

namespace {

RepetitionRecord repetition_of(std::int64_t index,
                               double rate,
                               std::int64_t global_batch_size,
                               bool with_loader) {
  RepetitionRecord repetition;
  repetition.index = index;
  repetition.round = index;
  repetition.started_at = "2026-01-31T12:00:30Z";
  repetition.steps = kSteps;
  repetition.samples = kSteps * global_batch_size;
  repetition.wall_s = static_cast<double>(repetition.samples) / rate;
  repetition.samples_per_second = rate;
  repetition.cpu_s = kBusyCores * repetition.wall_s;
  const double step_s = repetition.wall_s / static_cast<double>(kSteps);
  repetition.step_wall_s = {1.01 * step_s, 0.99 * step_s, 1.02 * step_s, 0.98 * step_s};
  repetition.step_loss = {0.9, 0.8, 0.7, 0.65};
  if (with_loader) {
    repetition.queue_fill = QueueFillRecord{2, 2};
  }
  repetition.disturbance.involuntary_context_switches = 3;
  repetition.disturbance.steal_s = 0.0;
  repetition.disturbance.foreign_cpu_s = 0.01;
  return repetition;
}

LoaderRecord sample_loader() {
  LoaderRecord loader;
  loader.workers = 1;
  loader.prefetch = 2;
  loader.decode = "exact";
  loader.stages = {{"read", 0.001, 0.02}, {"decode", 0.04, 0.8}, {"transform", 0.009, 0.18}};
  loader.bytes_read = 4'000'000;
  loader.bytes_from_device = Measured<std::int64_t>::missing("tmpfs has no device");
  loader.cache = {"as-is", 1.0, "mincore"};
  return loader;
}

WorkloadRecord sample_workload() {
  WorkloadRecord workload;
  workload.name = "resunetpp";
  workload.task = "segmentation";
  workload.citation = "Jha et al. 2019, arXiv:1911.07067";
  workload.parameters = {{"image_size", 256}, {"filters", ValueList{16, 32, 64, 128, 256}}};
  workload.trainable_parameters = 4'062'993;
  workload.buffers = 7'392;
  workload.forward_macs_per_sample = 15.67e9;
  workload.training_flop_per_sample = kFlopPerSample;
  workload.inputs = {{"image", "image", "u8", {kBatch, 256, 256, 3}}};
  workload.outputs = {{"prediction", {kBatch, 1, 256, 256}}};
  workload.loss = "dice";
  workload.optimizer = {{"name", "nadam"}, {"learning_rate", 1e-4}};
  workload.precision = "fp16";
  workload.batch_size_per_rank = kBatch;
  workload.global_batch_size = kBatch;
  workload.device = "cpu";
  workload.backend = "cpu";
  workload.plans = {{"train", kBatch, "1f2e3d", 412, {{"c1.conv1/forward", "direct"}}}};
  workload.memory.parameters_bytes = 16'251'972;
  workload.memory.planned_peak_bytes = 1'073'741'824;
  workload.memory.measured_rss_bytes = std::int64_t{1'100'000'000};
  return workload;
}

SystemRecord sample_system() {
  SystemRecord system;
  HostRecord host;
  host.hostname = "node1";
  host.ranks = {0};
  host.cpu = {"Example CPU", 1, 2, 2, "avx512_core", 2};
  host.memory_bytes = std::int64_t{8} << 30;
  host.numa_nodes = 1;
  host.os = "Debian GNU/Linux 12";
  host.kernel = "6.1.0";
  host.gpus = {{0, "Example GPU", "GPU-0", "0000:41:00.0", 1 << 30, "550.1", "9.0"}};
  system.hosts = {host};
  system.libraries = {{"onednn", "2.6.3"}};
  system.environment = {{"OMP_NUM_THREADS", "2"}};
  system.scheduler = SchedulerRecord{"slurm", "42", 1, 1};
  system.peaks = {{"cpu", "fp16", 2.0e11, 2.0e10, "measured"}};
  return system;
}

double wall_s_of(const TrialRecord& trial) {
  double wall_s = 0.0;
  for (const RepetitionRecord& repetition : trial.repetitions) {
    wall_s += repetition.wall_s;
  }
  return wall_s;
}

std::vector<PhaseRecord> sample_phases(const TrialRecord& trial) {
  const auto calls = static_cast<std::int64_t>(trial.repetitions.size()) * kSteps;
  const double wall_s = wall_s_of(trial);
  const auto phase = [calls, wall_s](const char* name, double share) {
    return PhaseRecord{name,
                       calls,
                       share * wall_s,
                       share * wall_s / static_cast<double>(calls),
                       share,
                       "host clock, profiled repetition"};
  };
  if (trial.kind == TrialKind::kIo) {
    return {phase("data_wait", 0.95), phase("other", 0.05)};
  }
  if (trial.kind == TrialKind::kSynthetic) {
    return {phase("forward", 0.35), phase("backward", 0.6), phase("optimizer", 0.05)};
  }
  return {phase("data_wait", 0.05),
          phase("forward", 0.33),
          phase("backward", 0.57),
          phase("optimizer", 0.05)};
}

}  // namespace

AttributionRecord sample_attribution(const TrialRecord& io,
                                     const TrialRecord& synthetic,
                                     const TrialRecord& full,
                                     const TrialRecord* nocomm) {
  VerdictEvidence evidence;
  evidence.io = round_rates(io.repetitions);
  (synthetic.variant.has_value() ? evidence.synthetic_device : evidence.synthetic_host) =
      round_rates(synthetic.repetitions);
  evidence.full = round_rates(full.repetitions);
  if (nocomm != nullptr) {
    evidence.nocomm = round_rates(nocomm->repetitions);
  }
  evidence.shared_processors = true;
  const std::vector<PartShare> shares = part_shares(evidence);
  const Decision decision = decide(evidence, shares);
  const ArmMeans means = arm_means(evidence);
  AttributionRecord attribution;
  attribution.verdict = decision.verdict;
  attribution.limiting = limiting_part(decision.verdict);
  attribution.margin = decision.margin->estimate;
  attribution.margin_ci95 = IntervalRecord{decision.margin->lower, decision.margin->upper};
  const double predicted = 2.0 / (*io.cpu_s_per_sample + *synthetic.cpu_s_per_sample);
  attribution.predicted_full_samples_per_second = predicted;
  attribution.overlap_efficiency = means.full / predicted;
  attribution.explanation = "io alone reaches 20.0 samples/s, but full is 12 % slower";
  attribution.advice = {
      {"give the loader processors of its own: up to 1.1x", means.host / means.full}};
  for (const PartShare& part : shares) {
    attribution.components.push_back({part.name,
                                      part.estimate / means.full,
                                      part.estimate,
                                      IntervalRecord{part.interval->lower, part.interval->upper}});
  }
  return attribution;
}

TrialRecord sample_trial(TrialKind kind,
                         std::optional<std::string> variant,
                         const std::vector<double>& rates,
                         const SampleSize& size) {
  TrialRecord trial;
  trial.kind = kind;
  trial.variant = std::move(variant);
  trial.ranks = size.ranks;
  trial.batch_size_per_rank = size.batch_size_per_rank;
  trial.global_batch_size = size.global_batch_size;
  trial.warmup = {12, "medians of two successive 5-step windows within 2 %", true, 0.9};
  const bool with_loader = kind != TrialKind::kSynthetic;
  for (const double rate : rates) {
    trial.repetitions.push_back(repetition_of(static_cast<std::int64_t>(trial.repetitions.size()),
                                              rate,
                                              size.global_batch_size,
                                              with_loader));
    if (kind == TrialKind::kIo) {
      trial.repetitions.back().step_loss.clear();
    } else {
      trial.repetitions.back().loss_scaling = LossScalingRecord{32768.0, 1};
    }
  }
  trial.throughput = ThroughputRecord{sample_summary(rates)};
  std::vector<double> step_s;
  for (const RepetitionRecord& repetition : trial.repetitions) {
    step_s.insert(step_s.end(), repetition.step_wall_s.begin(), repetition.step_wall_s.end());
  }
  trial.step_time_s = step_time_record(step_s);
  if (kind == TrialKind::kIo) {
    trial.achieved_flop_per_s = Measured<double>::missing("this trial does not compute");
  } else {
    trial.achieved_flop_per_s = kFlopPerSample * trial.throughput->samples_per_second.mean;
  }
  trial.mfu = Measured<double>::missing("peak not measured");
  trial.harness_overhead_s_per_step = 4e-6;
  trial.cpu_s_per_sample = kBusyCores * wall_s_of(trial) / static_cast<double>(step_s.size()) /
                           static_cast<double>(size.global_batch_size);
  if (with_loader) {
    trial.loader = sample_loader();
  }
  trial.phases = sample_phases(trial);
  return trial;
}

RunRecord sample_record() {
  RunRecord record;
  record.tool = {"0.1.0", "0123abc", {"Release", "GNU 12.2.0", {{"cpu", true}, {"cuda", false}}}};
  record.run.id = "20260131T120000-1";
  record.run.command = {"dlbench", "run", "--workload", "resunetpp"};
  record.run.started_at = "2026-01-31T12:00:00Z";
  record.run.finished_at = "2026-01-31T12:02:00Z";
  record.run.status = RunStatus::kComplete;
  record.run.exit_code = 0;
  record.run.seed = 1;
  record.run.taints = {{Taint::kGeneratedData, "dataset", "64 samples were generated"},
                       {Taint::kSamplesSkipped, "trial io", "corrupt samples replaced once"}};
  record.run.skipped = {{"probe cupti", "no CUDA device"}};
  record.system = sample_system();
  record.config.effective = {{"batch-size", kBatch},
                             {"decode", "exact"},
                             {"max-noise", 10.0},
                             {"min-time", 0.1},
                             {"strict", false}};
  record.config.source = {{"batch-size", "command_line"},
                          {"decode", "default"},
                          {"max-noise", "command_line"},
                          {"min-time", "command_line"},
                          {"strict", "default"}};
  record.workload = sample_workload();
  record.dataset = DatasetRecord{"kvasir_seg", "data", "generated", "jpeg", 64, 9'000'000, "train"};
  record.trials.push_back(sample_trial(TrialKind::kIo, std::nullopt, {19.5, 20.0, 20.5}));
  record.trials.push_back(sample_trial(TrialKind::kSynthetic, "device", {4.95, 5.0, 5.05}));
  record.trials.push_back(sample_trial(TrialKind::kFull, std::nullopt, {4.3, 4.4, 4.5}));
  record.trials[0].loader->skipped = 1;
  record.trials[0].loader->skipped_samples = {{"train/images/7.jpg", "truncated JPEG"}};
  record.trials[2].probes = {{"proc", ValueMap{{"voluntary_context_switches", 17}}}};
  const double wall_s = wall_s_of(record.trials[2]);
  record.trials[2].per_rank = {{.rank = 0,
                                .host = "node1",
                                .device = "cpu",
                                .samples_per_second = 3 * kSteps * kBatch / wall_s,
                                .wall_s = wall_s,
                                .cpu_s = kBusyCores * wall_s,
                                .late_share = 0.0}};
  record.attribution = sample_attribution(record.trials[0], record.trials[1], record.trials[2]);
  record.operators = {{"c1.conv1",
                       "conv2d",
                       "forward",
                       12,
                       0.01,
                       0.01 / 0.012,
                       1.0e9,
                       2.0e7,
                       1.0e11,
                       2.0e9,
                       Bound::kCompute,
                       "brgconv:avx512_core",
                       "nChw16c"},
                      {"c1.bn1",
                       "batch_norm",
                       "forward",
                       12,
                       0.002,
                       0.002 / 0.012,
                       std::nullopt,
                       std::nullopt,
                       std::nullopt,
                       std::nullopt,
                       std::nullopt,
                       "ref",
                       "nchw"}};
  record.probes = {{"proc", ValueMap{{"available", true}}},
                   {"nvml", ValueMap{{"available", false}, {"reason", "no NVIDIA driver"}}}};
  record.job = JobRecord{.state = "COMPLETED",
                         .cpu_time_s = 180.0,
                         .wall_s = 120.0,
                         .cores = 2,
                         .cpu_efficiency = 0.75,
                         .memory_used_bytes = 1'200'000'000};
  record.job->per_rank = {{0, "node1", 180.0, 1'200'000'000}};
  record.history = {{1,
                     "2026-01-31T12:00:10Z",
                     12.5,
                     800,
                     64.0,
                     1e-3,
                     0.7,
                     0.65,
                     {{"dice", 0.5}, {"precision", kUndefined}}},
                    {2,
                     "2026-01-31T12:00:30Z",
                     11.5,
                     800,
                     800 / 11.5,
                     1e-3,
                     0.4,
                     std::nullopt,
                     {{"dice", 0.8}, {"precision", 0.9}}}};
  record.history[0].loss_scaling = LossScalingRecord{32768.0, 1};
  record.history[1].loss_scaling = LossScalingRecord{65536.0, 0};
  add_sample_scaling(record);
  record.collectives = sample_collectives();
  return record;
}

}  // namespace dlbench::reports
