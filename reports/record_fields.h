// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of the report, listed once: writer, reader and the test of the schema iterate over this
// list. Each fields(visitor, record) calls visitor(key, member) in the order of the file. A new
// member of a record needs only its line here and its entry in schema/report.v1.schema.json.
#pragma once

#include "reports/record.h"

#include <concepts>
#include <type_traits>

namespace dlbench::reports {

/// T or const T.
template <typename Candidate, typename T>
concept MaybeConst = std::same_as<std::remove_const_t<Candidate>, T>;

template <typename V, MaybeConst<WarmupRecord> R>
void fields(V& visit, R& record) {
  visit("steps", record.steps);
  visit("rule", record.rule);
  visit("steady", record.steady);
  visit("first_step_s", record.first_step_s);
}

template <typename V, MaybeConst<DisturbanceRecord> R>
void fields(V& visit, R& record) {
  visit("involuntary_context_switches", record.involuntary_context_switches);
  visit("steal_s", record.steal_s);
  visit("foreign_cpu_s", record.foreign_cpu_s);
  visit("throttled_s", record.throttled_s);
  visit("sm_clock_mhz", record.sm_clock_mhz);
  visit("throttle_reasons", record.throttle_reasons);
  visit("foreign_gpu_share", record.foreign_gpu_share);
}

template <typename V, MaybeConst<QueueFillRecord> R>
void fields(V& visit, R& record) {
  visit("start", record.start);
  visit("end", record.end);
}

template <typename V, MaybeConst<LossScalingRecord> R>
void fields(V& visit, R& record) {
  visit("loss_scale", record.loss_scale);
  visit("skipped_steps", record.skipped_steps);
}

template <typename V, MaybeConst<RepetitionRecord> R>
void fields(V& visit, R& record) {
  visit("index", record.index);
  visit("round", record.round);
  visit("invocation", record.invocation);
  visit("discarded", record.discarded);
  visit("started_at", record.started_at);
  visit("steps", record.steps);
  visit("samples", record.samples);
  visit("wall_s", record.wall_s);
  visit("samples_per_second", record.samples_per_second);
  visit("cpu_s", record.cpu_s);
  visit("queue_fill", record.queue_fill);
  visit("loss_scaling", record.loss_scaling);
  visit("disturbance", record.disturbance);
  visit("step_wall_s", record.step_wall_s);
  visit("step_loss", record.step_loss);
}

template <typename V, MaybeConst<RateSummary> R>
void fields(V& visit, R& record) {
  visit("mean", record.mean);
  visit("stddev", record.stddev);
  visit("median", record.median);
  visit("mad", record.mad);
  visit("ci95", record.ci95);
  visit("n", record.n);
  visit("method", record.method);
}

template <typename V, MaybeConst<ThroughputRecord> R>
void fields(V& visit, R& record) {
  visit("samples_per_second", record.samples_per_second);
}

template <typename V, MaybeConst<StepTimeRecord> R>
void fields(V& visit, R& record) {
  visit("median", record.median);
  visit("p90", record.p90);
  visit("p95", record.p95);
  visit("p99", record.p99);
  visit("min", record.min);
  visit("max", record.max);
  visit("n", record.n);
}

template <typename V, MaybeConst<PhaseRecord> R>
void fields(V& visit, R& record) {
  visit("name", record.name);
  visit("calls", record.calls);
  visit("total_s", record.total_s);
  visit("s_per_step", record.s_per_step);
  visit("share", record.share);
  visit("source", record.source);
}

template <typename V, MaybeConst<StageRecord> R>
void fields(V& visit, R& record) {
  visit("name", record.name);
  visit("s_per_sample", record.s_per_sample);
  visit("share", record.share);
}

template <typename V, MaybeConst<CacheRecord> R>
void fields(V& visit, R& record) {
  visit("mode", record.mode);
  visit("resident_before", record.resident_before);
  visit("proof", record.proof);
}

template <typename V, MaybeConst<SkippedSampleRecord> R>
void fields(V& visit, R& record) {
  visit("path", record.path);
  visit("reason", record.reason);
}

template <typename V, MaybeConst<LoaderRecord> R>
void fields(V& visit, R& record) {
  visit("workers", record.workers);
  visit("prefetch", record.prefetch);
  visit("decode", record.decode);
  visit("stages", record.stages);
  visit("bytes_read", record.bytes_read);
  visit("bytes_from_device", record.bytes_from_device);
  visit("cache", record.cache);
  visit("skipped", record.skipped);
  visit("skipped_samples", record.skipped_samples);
}

template <typename V, MaybeConst<RankRecord> R>
void fields(V& visit, R& record) {
  visit("rank", record.rank);
  visit("host", record.host);
  visit("device", record.device);
  visit("device_address", record.device_address);
  visit("device_uuid", record.device_uuid);
  visit("samples_per_second", record.samples_per_second);
  visit("wall_s", record.wall_s);
  visit("cpu_s", record.cpu_s);
  visit("late_share", record.late_share);
  visit("late_share_ci95", record.late_share_ci95);
}

template <typename V, MaybeConst<TrialRecord> R>
void fields(V& visit, R& record) {
  visit("kind", record.kind);
  visit("variant", record.variant);
  visit("series", record.series);
  visit("ranks", record.ranks);
  visit("batch_size_per_rank", record.batch_size_per_rank);
  visit("global_batch_size", record.global_batch_size);
  visit("warmup", record.warmup);
  visit("throughput", record.throughput);
  visit("step_time_s", record.step_time_s);
  visit("phases", record.phases);
  visit("loader", record.loader);
  visit("achieved_flop_per_s", record.achieved_flop_per_s);
  visit("mfu", record.mfu);
  visit("mfu_measured", record.mfu_measured);
  visit("harness_overhead_s_per_step", record.harness_overhead_s_per_step);
  visit("cpu_s_per_sample", record.cpu_s_per_sample);
  visit("replayed", record.replayed);
  visit("probes", record.probes);
  visit("per_rank", record.per_rank);
  visit("repetitions", record.repetitions);
  visit("taints", record.taints);
}

template <typename V, MaybeConst<AdviceRecord> R>
void fields(V& visit, R& record) {
  visit("change", record.change);
  visit("expected_gain", record.expected_gain);
}

template <typename V, MaybeConst<ComponentRecord> R>
void fields(V& visit, R& record) {
  visit("name", record.name);
  visit("s_per_sample", record.s_per_sample);
  visit("share", record.share);
  visit("ci95", record.ci95);
}

template <typename V, MaybeConst<AttributionRecord> R>
void fields(V& visit, R& record) {
  visit("verdict", record.verdict);
  visit("limiting", record.limiting);
  visit("margin", record.margin);
  visit("margin_ci95", record.margin_ci95);
  visit("predicted_full_samples_per_second", record.predicted_full_samples_per_second);
  visit("overlap_efficiency", record.overlap_efficiency);
  visit("cpu_capacity", record.cpu_capacity);
  visit("explanation", record.explanation);
  visit("advice", record.advice);
  visit("components", record.components);
}

template <typename V, MaybeConst<OperatorRecord> R>
void fields(V& visit, R& record) {
  visit("name", record.name);
  visit("op", record.op);
  visit("phase", record.phase);
  visit("calls", record.calls);
  visit("s_per_step", record.s_per_step);
  visit("share", record.share);
  visit("flop", record.flop);
  visit("bytes", record.bytes);
  visit("flop_per_s", record.flop_per_s);
  visit("bytes_per_s", record.bytes_per_s);
  visit("bound", record.bound);
  visit("kernel", record.kernel);
  visit("layout", record.layout);
}

template <typename V, MaybeConst<JobRankRecord> R>
void fields(V& visit, R& record) {
  visit("rank", record.rank);
  visit("host", record.host);
  visit("cpu_time_s", record.cpu_time_s);
  visit("memory_used_bytes", record.memory_used_bytes);
}

template <typename V, MaybeConst<JobRecord> R>
void fields(V& visit, R& record) {
  visit("state", record.state);
  visit("cpu_time_s", record.cpu_time_s);
  visit("wall_s", record.wall_s);
  visit("cores", record.cores);
  visit("cpu_capacity", record.cpu_capacity);
  visit("cpu_efficiency", record.cpu_efficiency);
  visit("memory_used_bytes", record.memory_used_bytes);
  visit("memory_limit_bytes", record.memory_limit_bytes);
  visit("per_rank", record.per_rank);
}

template <typename V, MaybeConst<EpochRecord> R>
void fields(V& visit, R& record) {
  visit("epoch", record.epoch);
  visit("started_at", record.started_at);
  visit("seconds", record.seconds);
  visit("samples", record.samples);
  visit("samples_per_second", record.samples_per_second);
  visit("learning_rate", record.learning_rate);
  visit("train_loss", record.train_loss);
  visit("valid_loss", record.valid_loss);
  visit("metrics", record.metrics);
  visit("loss_scaling", record.loss_scaling);
  visit("disturbance", record.disturbance);
}

}  // namespace dlbench::reports
