// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulated slow storage: a latency per read and one link shared by all workers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace dlbench::data {

/// Limits of the simulated storage; 0 means no such limit, and two zeros no simulation.
struct StorageOptions {
  double latency_ms = 0.0;  ///< per read; reads of different workers overlap in it
  double mib_per_s = 0.0;  ///< of the shared link, in 2^20 bytes; transfers queue behind each other

  [[nodiscard]] bool enabled() const { return latency_ms > 0.0 || mib_per_s > 0.0; }
  /// "latency_ms=5,mib_per_s=40"
  [[nodiscard]] std::string to_string() const;
};

/// Parses "latency_ms=5,mib_per_s=40" (either may be missing, neither may repeat; mib_per_s is at
/// least 0.001). Throws Error(kUsage).
[[nodiscard]] StorageOptions parse_storage_options(std::string_view text);

/// Simulates the storage. Thread safe; one per loader, shared by its workers.
class StorageModel {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit StorageModel(const StorageOptions& options) : options_(options) {}

  /// Reserves the link for `bytes`, from `now` or when the link is free, and returns when the read
  /// is complete: end of the transfer + latency. After woke(), one transfer may start before `now`
  /// by as much as that reader woke late; its completion may then also lie before `now`.
  [[nodiscard]] TimePoint reserve(std::int64_t bytes, TimePoint now);
  /// Records that a reader that slept until `complete`, as returned by reserve(), woke at `now`.
  void woke(TimePoint complete, TimePoint now);
  /// Calls reserve(), sleeps until the read is complete or stop is requested, and calls woke().
  void read(std::int64_t bytes, const std::stop_token& stop);

 private:
  StorageOptions options_;
  std::atomic<std::int64_t> link_free_ns_{0};  ///< in the steady clock's time since its epoch
  std::atomic<std::int64_t> late_ns_{0};       ///< how late the last reader woke; 0: made up for
};

}  // namespace dlbench::data
