// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// State of one loader worker: the clocks of the stages, the file buffer, the simulated storage and
// the stop signal. Data sets report through it and keep no clocks.
#pragma once

#include "engine/core/trace.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>

namespace dlbench::data {

class StorageModel;

/// The stages of loading a sample, in order. Collate copies finished rows into the batch (nothing
/// to copy where a decoder writes its row in place) and hands the batch over.
enum class Stage : std::uint8_t { kRead, kDecode, kTransform, kCollate };
inline constexpr std::size_t kStages = 4;

/// "read", "decode", "transform", "collate".
[[nodiscard]] std::string_view name(Stage stage);

/// Time added to a stage once per sample, to inject slowness in tests of the verdict.
struct StageDelay {
  double sleep_s = 0.0;  ///< leaves the processor free
  double busy_s = 0.0;   ///< burns processor time
};
using StageDelays = std::array<StageDelay, kStages>;

/// What one worker has done so far. Written by that worker, read by any (relaxed: sums only).
struct alignas(64) WorkerCounters {
  std::array<std::atomic<std::int64_t>, kStages> stage_ns{};
  std::atomic<std::int64_t> idle_ns{0};
  std::atomic<std::int64_t> cpu_ns{0};
  std::atomic<std::int64_t> bytes_read{0};
  std::atomic<std::int64_t> samples{0};
};

/// State of one worker while it loads. Not thread safe: one per worker.
class LoadContext {
 public:
  struct Options {
    StorageModel* storage = nullptr;  ///< shared by all workers; nullptr: the real storage alone
    StageDelays delays{};
    std::stop_token stop;
  };

  LoadContext(WorkerCounters& counters, Options options);
  LoadContext(const LoadContext&) = delete;
  LoadContext& operator=(const LoadContext&) = delete;

  /// Adds the time of its scope to one stage and traces it as a region of that name.
  class StageTimer {
   public:
    StageTimer(LoadContext& context, Stage stage)
        : context_(context),
          stage_(stage),
          region_(core::trace::Category::kLoader, name(stage)),
          start_(std::chrono::steady_clock::now()) {}
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;
    ~StageTimer();

   private:
    LoadContext& context_;
    Stage stage_;
    core::trace::Region region_;
    std::chrono::steady_clock::time_point start_;
  };

  /// Reads the whole file, timed as kRead, after waiting as long as the simulated storage would
  /// take. The span is valid until the next call and is followed by 64 zero bytes. Throws
  /// Error(kFile) naming the path: missing, unreadable, not a regular file; Error(kData) for an
  /// empty file or one above 1 GiB.
  std::span<const std::byte> read_file(const std::filesystem::path& path);

  /// Counts `bytes` as read and waits as the simulated storage would for one read. For data sets
  /// that are held in memory.
  void account_read(std::int64_t bytes);

  /// Sleeps or spins for the injected delay of every stage; the loader calls it once per sample.
  void apply_delays();

  [[nodiscard]] WorkerCounters& counters() { return counters_; }
  [[nodiscard]] const std::stop_token& stop_token() const { return options_.stop; }

 private:
  void wait_for_storage(std::int64_t bytes);
  std::byte* reserve(std::size_t bytes);

  WorkerCounters& counters_;
  Options options_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t buffer_bytes_ = 0;
  bool has_delays_ = false;
};

/// Sleeps until `deadline` or until stop is requested.
void sleep_until_or_stop(std::chrono::steady_clock::time_point deadline,
                         const std::stop_token& stop);

}  // namespace dlbench::data
