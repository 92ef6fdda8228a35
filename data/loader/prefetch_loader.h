// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The loader: worker threads fill batches ahead of their use, in an order that depends on seed and
// rank only. Use:
//   PrefetchLoader loader(dataset, options);
//   while (BatchLease lease = loader.next()) { step(*lease); }
#pragma once

#include "data/batch.h"
#include "data/dataset.h"
#include "data/load_context.h"
#include "data/loader/batch_lease.h"
#include "data/loader/sampler.h"
#include "data/loader/storage_model.h"
#include "engine/core/host_allocator.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::data {

inline constexpr int kMaxWorkers = 1024;
inline constexpr int kMaxPrefetch = 1024;

struct LoaderOptions {
  std::int64_t batch_size = 1;         ///< of this rank
  std::int64_t global_batch_size = 0;  ///< as in SamplerOptions
  int workers = 1;                     ///< loader threads, 1 to kMaxWorkers
  int prefetch = 2;    ///< batches being filled or ready, ahead of the consumer, 1 to kMaxPrefetch
  int max_leases = 3;  ///< batches that the consumer may hold at a time, >= 1
  std::uint64_t seed = 1;
  int rank = 0;
  int world = 1;
  ShardMode shard = ShardMode::kEarly;
  bool shuffle = true;
  bool drop_last = true;
  std::int64_t epochs = 0;    ///< 0: endless
  bool skip_corrupt = false;  ///< replace a corrupt sample by the next good one of the sorted list
  std::string corrupt_advice{};  ///< ends the error of a corrupt sample: what else can be done
  StorageOptions storage{};
  StageDelays delays{};
  core::HostAllocator* allocator = nullptr;  ///< nullptr: pageable memory. Outlives all leases.
};

struct SkippedSample {
  std::int64_t index = 0;
  std::string name;     ///< Dataset::sample_name()
  std::string message;  ///< what is wrong; names the file
};

/// What was done since the last reset_stats(), summed over the workers, in seconds of one worker.
struct LoaderStats {
  std::array<double, kStages> stage_s{};  ///< by Stage
  double worker_idle_s = 0.0;             ///< workers waiting for room: the loader is ahead
  double worker_cpu_s = 0.0;              ///< CPU time of the worker threads
  double wait_s = 0.0;                    ///< the consumer waiting in next()
  std::int64_t samples_loaded = 0;     ///< by the workers, including those of other ranks (kLate)
  std::int64_t samples_delivered = 0;  ///< by next()
  std::int64_t batches_delivered = 0;
  std::int64_t bytes_read = 0;        ///< from files (or accounted for data held in memory)
  std::int64_t bytes_read_ever = 0;   ///< the same since the loader was made
  std::int64_t samples_replaced = 0;  ///< rows that hold another sample than planned
  std::vector<SkippedSample>
      skipped;             ///< each corrupt sample once, sorted; since the loader was made
  int queue_ready = 0;     ///< complete batches waiting, now
  int queue_capacity = 0;  ///< = LoaderOptions::prefetch

  /// Adds the sums of `later`; takes its lifetime totals and current queue as they are.
  void add(const LoaderStats& later);
};

/// Fills batches with `workers` threads. next() is for one consumer thread, stop() and stats() for
/// any. The order and contents of the batches do not depend on workers or prefetch.
class PrefetchLoader {
 public:
  /// Allocates all slots and starts the workers. The data set must outlive the loader.
  /// Throws Error(kUsage) for impossible options (see Sampler), Error(kMemory).
  PrefetchLoader(const Dataset& dataset, const LoaderOptions& options);
  PrefetchLoader(const PrefetchLoader&) = delete;
  PrefetchLoader& operator=(const PrefetchLoader&) = delete;
  ~PrefetchLoader();

  /// Returns the next batch, after waiting for it if necessary; an empty lease when all epochs are
  /// delivered or the loader was stopped. Rethrows a worker's error for a sample of this batch
  /// (Error kFile or kData, the file named), and again on every later call. Calling it while
  /// max_leases batches are held is a programmer error.
  [[nodiscard]] BatchLease next();

  /// Stops and joins the workers and drops the batches they had prepared; a next() waiting in
  /// another thread returns an empty lease. Leases stay valid. Idempotent.
  void stop();
  /// Restarts after stop(), with the first batch that was not delivered.
  void start();
  /// After stop() (checked), makes start() continue with the first batch of the next epoch, or of
  /// this one if none of it was delivered, so that a complete pass over the data follows.
  void skip_to_epoch();
  /// Calls stop(), skip_to_epoch() and start() for that epoch alone: nothing of it was prepared
  /// before, and nothing of the next is until start_epoch() is called again. After it, next()
  /// returns an empty lease.
  void start_epoch();
  [[nodiscard]] bool running() const;

  [[nodiscard]] LoaderStats stats() const;
  /// Resets the sums of stats(); the skipped samples stay listed.
  void reset_stats();

  [[nodiscard]] const Dataset& dataset() const;
  [[nodiscard]] const LoaderOptions& options() const;
  [[nodiscard]] const Sampler& sampler() const;
  /// Returns the bytes of all batch slots: prefetch + max_leases of them.
  [[nodiscard]] std::size_t buffer_bytes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the options of the sampler that a loader with these options would use. Throws
/// Error(kUsage) for numbers of workers or prefetched batches that no loader accepts.
[[nodiscard]] SamplerOptions sampler_options(const Dataset& dataset, const LoaderOptions& options);

/// Returns the bytes that a loader would allocate for its slots, for the memory plan.
[[nodiscard]] std::size_t loader_buffer_bytes(const DatasetSpec& spec,
                                              const LoaderOptions& options);

/// Returns the number of parts of a batch that can be loaded at the same time, i.e. of tickets with
/// DatasetSpec::samples_per_ticket samples each; >= 1.
[[nodiscard]] std::int64_t parts_of_batch(const DatasetSpec& spec, const LoaderOptions& options);

/// Returns how many workers can be busy at the same time, whatever their number: one for each part
/// of the prefetched batches.
[[nodiscard]] std::int64_t most_busy_workers(const DatasetSpec& spec, const LoaderOptions& options);

/// Returns how many batches the workers fill at the same time at most, and may thus complete at
/// once: workers share a batch that has a ticket for each of them. >= 1.
[[nodiscard]] std::int64_t loader_burst(const DatasetSpec& spec, const LoaderOptions& options);

}  // namespace dlbench::data
