// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The third part of the keys of the report: scaling and collectives. record_fields.h explains the
// list.
#pragma once

#include "reports/record_fields.h"

namespace dlbench::reports {

template <typename V, MaybeConst<EstimateRecord> R>
void fields(V& visit, R& record) {
  visit("mean", record.mean);
  visit("ci95", record.ci95);
}

template <typename V, MaybeConst<ScalingTrialRecord> R>
void fields(V& visit, R& record) {
  visit("trial", record.trial);
  visit("steps", record.steps);
  visit("samples", record.samples);
  visit("samples_per_second", record.samples_per_second);
  visit("step_time_s", record.step_time_s);
  visit("efficiency", record.efficiency);
  visit("speedup", record.speedup);
}

template <typename V, MaybeConst<StepCollectivesRecord> R>
void fields(V& visit, R& record) {
  visit("all_reduce_s", record.all_reduce_s);
  visit("exposed_all_reduce_s", record.exposed_all_reduce_s);
  visit("waiting_s", record.waiting_s);
  visit("other_collectives_s", record.other_collectives_s);
  visit("contention_s", record.contention_s);
}

template <typename V, MaybeConst<ScalingPointRecord> R>
void fields(V& visit, R& record) {
  visit("ranks", record.ranks);
  visit("batch_size_per_rank", record.batch_size_per_rank);
  visit("global_batch_size", record.global_batch_size);
  visit("local_batch_sizes", record.local_batch_sizes);
  visit("headline", record.headline);
  visit("trials", record.trials);
  visit("samples_per_second", record.samples_per_second);
  visit("step_time_s", record.step_time_s);
  visit("efficiency", record.efficiency);
  visit("speedup", record.speedup);
  visit("nocomm_s", record.nocomm_s);
  visit("exposed_communication_s", record.exposed_communication_s);
  visit("exposed_communication_ci95", record.exposed_communication_ci95);
  visit("waiting_s", record.waiting_s);
  visit("waiting_ci95", record.waiting_ci95);
  visit("transfer_s", record.transfer_s);
  visit("transfer_ci95", record.transfer_ci95);
  visit("all_reduce_s", record.all_reduce_s);
  visit("all_reduce_ci95", record.all_reduce_ci95);
  visit("in_step", record.in_step);
  visit("overlap", record.overlap);
  visit("overlap_ci95", record.overlap_ci95);
  visit("compression_relative_error", record.compression_relative_error);
  visit("slowest_rank", record.slowest_rank);
  visit("slowest_host", record.slowest_host);
  visit("slowest_share", record.slowest_share);
  visit("slowest_lost_share", record.slowest_lost_share);
  visit("attribution", record.attribution);
  visit("missing", record.missing);
}

template <typename V, MaybeConst<LinkRecord> R>
void fields(V& visit, R& record) {
  visit("alpha_s", record.alpha_s);
  visit("alpha_s_ci95", record.alpha_s_ci95);
  visit("beta_s_per_byte", record.beta_s_per_byte);
  visit("beta_s_per_byte_ci95", record.beta_s_per_byte_ci95);
  visit("residual", record.residual);
}

template <typename V, MaybeConst<LinkFitRecord> R>
void fields(V& visit, R& record) {
  visit("medium", record.medium);
  visit("overhead_s", record.overhead_s);
  visit("overhead_s_ci95", record.overhead_s_ci95);
  visit("alpha_s", record.alpha_s);
  visit("alpha_s_ci95", record.alpha_s_ci95);
  visit("beta_s_per_byte", record.beta_s_per_byte);
  visit("beta_s_per_byte_ci95", record.beta_s_per_byte_ci95);
  visit("node_ranks", record.node_ranks);
  visit("inside", record.inside);
  visit("n", record.n);
  visit("residual", record.residual);
  visit("source", record.source);
}

template <typename V, MaybeConst<ProjectionRecord> R>
void fields(V& visit, R& record) {
  visit("ranks", record.ranks);
  visit("global_batch_size", record.global_batch_size);
  visit("samples_per_second", record.samples_per_second);
  visit("ci95", record.ci95);
  visit("step_time_s", record.step_time_s);
  visit("efficiency", record.efficiency);
  visit("exposed_communication_s", record.exposed_communication_s);
  visit("waiting_s", record.waiting_s);
  visit("limit", record.limit);
  visit("doubt", record.doubt);
}

template <typename V, MaybeConst<LeaveLargestOutRecord> R>
void fields(V& visit, R& record) {
  visit("ranks", record.ranks);
  visit("from_ranks", record.from_ranks);
  visit("measured_step_time_s", record.measured_step_time_s);
  visit("predicted_step_time_s", record.predicted_step_time_s);
  visit("relative_error", record.relative_error);
  visit("inside_band", record.inside_band);
  visit("doubt", record.doubt);
}

template <typename V, MaybeConst<BucketCapRecord> R>
void fields(V& visit, R& record) {
  visit("bucket_cap_mib", record.bucket_cap_mib);
  visit("buckets", record.buckets);
  visit("modelled_step_time_s", record.modelled_step_time_s);
  visit("measured_step_time_s", record.measured_step_time_s);
}

template <typename V, MaybeConst<BucketSweepRecord> R>
void fields(V& visit, R& record) {
  visit("ranks", record.ranks);
  visit("caps", record.caps);
  visit("best_modelled_mib", record.best_modelled_mib);
  visit("best_measured_mib", record.best_measured_mib);
}

template <typename V, MaybeConst<ScalingRecord> R>
void fields(V& visit, R& record) {
  visit("mode", record.mode);
  visit("sweep", record.sweep);
  visit("variant", record.variant);
  visit("options", record.options);
  visit("baseline_ranks", record.baseline_ranks);
  visit("points", record.points);
  visit("fit", record.fit);
  visit("projection", record.projection);
  visit("leave_largest_out", record.leave_largest_out);
  visit("buckets", record.buckets);
}

template <typename V, MaybeConst<CollectiveTimeRecord> R>
void fields(V& visit, R& record) {
  visit("median", record.median);
  visit("p95", record.p95);
  visit("mean", record.mean);
  visit("min", record.min);
  visit("max", record.max);
  visit("n", record.n);
}

template <typename V, MaybeConst<CollectiveRecord> R>
void fields(V& visit, R& record) {
  visit("op", record.op);
  visit("bytes", record.bytes);
  visit("ranks", record.ranks);
  visit("dtype", record.dtype);
  visit("transport", record.transport);
  visit("device", record.device);
  visit("in_place", record.in_place);
  visit("replayed", record.replayed);
  visit("time_s", record.time_s);
  visit("algbw_gb_per_s", record.algbw_gb_per_s);
  visit("busbw_gb_per_s", record.busbw_gb_per_s);
  visit("wrong", record.wrong);
  visit("fit", record.fit);
}

}  // namespace dlbench::reports
