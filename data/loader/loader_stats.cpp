// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of LoaderStats and LoaderOptions, separate from the threads.
#include "data/loader/loader_totals_internal.h"
#include "data/loader/prefetch_loader.h"
#include "engine/core/round_up.h"

#include <algorithm>

namespace dlbench::data {
namespace {

double seconds(std::int64_t now_ns, std::int64_t base_ns) {
  return static_cast<double>(now_ns - base_ns) * 1e-9;
}

}  // namespace

LoaderStats detail::stats_between(const LoaderTotals& base, const LoaderTotals& now) {
  LoaderStats stats;
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    stats.stage_s[stage] = seconds(now.stage_ns[stage], base.stage_ns[stage]);
  }
  stats.worker_idle_s = seconds(now.idle_ns, base.idle_ns);
  stats.worker_cpu_s = seconds(now.cpu_ns, base.cpu_ns);
  stats.wait_s = seconds(now.wait_ns, base.wait_ns);
  stats.samples_loaded = now.samples_loaded - base.samples_loaded;
  stats.samples_delivered = now.samples_delivered - base.samples_delivered;
  stats.batches_delivered = now.batches_delivered - base.batches_delivered;
  stats.bytes_read = now.bytes_read - base.bytes_read;
  stats.bytes_read_ever = now.bytes_read;
  stats.samples_replaced = now.samples_replaced - base.samples_replaced;
  return stats;
}

void LoaderStats::add(const LoaderStats& later) {
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    stage_s[stage] += later.stage_s[stage];
  }
  worker_idle_s += later.worker_idle_s;
  worker_cpu_s += later.worker_cpu_s;
  wait_s += later.wait_s;
  samples_loaded += later.samples_loaded;
  samples_delivered += later.samples_delivered;
  batches_delivered += later.batches_delivered;
  bytes_read += later.bytes_read;
  bytes_read_ever = later.bytes_read_ever;
  samples_replaced += later.samples_replaced;
  skipped = later.skipped;
  queue_ready = later.queue_ready;
  queue_capacity = later.queue_capacity;
}

std::size_t loader_buffer_bytes(const DatasetSpec& spec, const LoaderOptions& options) {
  std::size_t sample_bytes = 0;
  for (const TensorSpec& tensor : spec.tensors) {
    sample_bytes += tensor.row_bytes();
  }
  return sample_bytes * static_cast<std::size_t>(options.batch_size) *
         static_cast<std::size_t>(options.prefetch + options.max_leases);
}

std::int64_t parts_of_batch(const DatasetSpec& spec, const LoaderOptions& options) {
  const std::int64_t global = options.global_batch_size > 0 ? options.global_batch_size
                                                            : options.batch_size * options.world;
  const std::int64_t items = options.shard == ShardMode::kLate ? global : options.batch_size;
  return core::ceil_divide(items, spec.samples_per_ticket);
}

std::int64_t most_busy_workers(const DatasetSpec& spec, const LoaderOptions& options) {
  return options.prefetch * parts_of_batch(spec, options);
}

std::int64_t loader_burst(const DatasetSpec& spec, const LoaderOptions& options) {
  const auto batches =
      core::ceil_divide<std::int64_t>(options.workers, parts_of_batch(spec, options));
  return std::min<std::int64_t>(batches, options.prefetch);
}

}  // namespace dlbench::data
