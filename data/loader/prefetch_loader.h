// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The loader: worker threads fill batches ahead of their use, in an order that depends on seed and
// rank alone. Use:
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
  StorageOptions storage{};
  StageDelays delays{};
  core::HostAllocator* allocator = nullptr;  ///< nullptr: pageable memory. Outlives all leases.
};

struct SkippedSample {
  std::int64_t index = 0;
  std::string name;     ///< Dataset::sample_name()
  std::string message;  ///< what is wrong; names the file
};

/// What was done since the last reset_stats(). Sums over the workers; seconds of one worker each.
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

  /// Adds the sums of `later`; what is of the loader's whole life, or of now, is as there.
  void add(const LoaderStats& later);
};

/// Fills batches with `workers` threads. next() is for one consumer thread; stop() and stats() for
/// any thread. The order and contents of the batches do not depend on workers or prefetch.
class PrefetchLoader {
 public:
  /// Allocates all slots and starts the workers. The data set must outlive the loader.
  /// Throws Error(kUsage) for impossible options (see Sampler), Error(kMemory).
  PrefetchLoader(const Dataset& dataset, const LoaderOptions& options);
  PrefetchLoader(const PrefetchLoader&) = delete;
  PrefetchLoader& operator=(const PrefetchLoader&) = delete;
  ~PrefetchLoader();

  /// The next batch, waiting for it if need be; an empty lease when all epochs are delivered or the
  /// loader was stopped. Throws what a worker threw for a sample of this batch (Error kFile or
  /// kData, the file named), and again on every later call. It is a programmer error to call it
  /// while max_leases batches are held.
  [[nodiscard]] BatchLease next();

  /// Stops and joins the workers and drops what they had prepared; next() in another thread returns
  /// an empty lease. Leases stay valid. Idempotent.
  void stop();
  /// After stop(): goes on with the first batch that was not delivered.
  void start();
  /// After stop() (checked): start() will go on with the first batch of the next epoch, or of this
  /// one if none of it was delivered. What follows is one pass over the data.
  void skip_to_epoch();
  /// stop(), skip_to_epoch() and start() for that epoch alone: nothing was prepared before, nothing
  /// of the one behind it is until start_epoch() is called again; next() then has an empty lease.
  void start_epoch();
  [[nodiscard]] bool running() const;

  [[nodiscard]] LoaderStats stats() const;
  /// Starts the sums of stats() afresh; the skipped samples stay listed.
  void reset_stats();

  [[nodiscard]] const Dataset& dataset() const;
  [[nodiscard]] const LoaderOptions& options() const;
  [[nodiscard]] const Sampler& sampler() const;
  /// Bytes of all batch slots: prefetch + max_leases of them.
  [[nodiscard]] std::size_t buffer_bytes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Of the sampler that a loader with these options would have. Throws Error(kUsage) for numbers of
/// workers or batches ahead that no loader takes.
[[nodiscard]] SamplerOptions sampler_options(const Dataset& dataset, const LoaderOptions& options);

/// Bytes that a loader would allocate for its slots, before it is made (memory plan).
[[nodiscard]] std::size_t loader_buffer_bytes(const DatasetSpec& spec,
                                              const LoaderOptions& options);

/// Parts of a batch that workers can load at the same time: tickets of DatasetSpec's
/// samples_per_ticket. >= 1.
[[nodiscard]] std::int64_t parts_of_batch(const DatasetSpec& spec, const LoaderOptions& options);

/// Workers that can work at the same time, however many there are: one for each part of the batches
/// that the loader is ahead.
[[nodiscard]] std::int64_t most_busy_workers(const DatasetSpec& spec, const LoaderOptions& options);

/// Batches that the workers fill at the same time, at most, and may complete all at once: workers
/// share a batch where it has a ticket for each of them. >= 1.
[[nodiscard]] std::int64_t loader_burst(const DatasetSpec& spec, const LoaderOptions& options);

}  // namespace dlbench::data
