// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of LoaderStats and LoaderOptions, apart from the threads.
#include "data/loader/prefetch_loader.h"

#include <algorithm>

namespace dlbench::data {

double LoaderStats::cpu_s_per_sample() const {
  return samples_loaded == 0 ? 0.0 : worker_cpu_s / static_cast<double>(samples_loaded);
}

double LoaderStats::stage_s_per_sample(Stage stage) const {
  return samples_loaded == 0
             ? 0.0
             : stage_s[static_cast<std::size_t>(stage)] / static_cast<double>(samples_loaded);
}

std::size_t loader_buffer_bytes(const DatasetSpec& spec, const LoaderOptions& options) {
  std::size_t sample_bytes = 0;
  for (const TensorSpec& tensor : spec.tensors) {
    sample_bytes += tensor.row_bytes();
  }
  return sample_bytes * static_cast<std::size_t>(options.batch_size) *
         static_cast<std::size_t>(options.prefetch + options.max_leases);
}

std::int64_t loader_burst(const DatasetSpec& spec, const LoaderOptions& options) {
  const std::int64_t global = options.global_batch_size > 0 ? options.global_batch_size
                                                            : options.batch_size * options.world;
  const std::int64_t items = options.shard == ShardMode::kLate ? global : options.batch_size;
  const std::int64_t tickets = (items + spec.samples_per_ticket - 1) / spec.samples_per_ticket;
  const std::int64_t batches = (options.workers + tickets - 1) / tickets;
  return std::min<std::int64_t>(batches, options.prefetch);
}

}  // namespace dlbench::data
