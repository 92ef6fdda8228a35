// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulated slow storage: a latency per read and one link that all workers share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace dlbench::data {

/// Zero means "no such limit". Both zero: no simulation.
struct StorageOptions {
  double latency_ms = 0.0;  ///< per read; reads of different workers overlap in it
  double mib_per_s = 0.0;  ///< of the shared link, in 2^20 bytes; transfers queue behind each other

  [[nodiscard]] bool enabled() const { return latency_ms > 0.0 || mib_per_s > 0.0; }
  /// "latency_ms=5,mib_per_s=40"
  [[nodiscard]] std::string to_string() const;
};

/// Parses "latency_ms=5,mib_per_s=40" (either may be missing, none twice; of the second 0.001 or
/// more). Throws Error(kUsage).
[[nodiscard]] StorageOptions parse_storage_options(std::string_view text);

/// Thread safe; one per loader, shared by its workers.
class StorageModel {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit StorageModel(const StorageOptions& options) : options_(options) {}

  /// Reserves the link for `bytes`, starting at `now` or when the link is free, and returns when
  /// the read is complete: end of the transfer + latency. After woke() it may start as much before
  /// `now` as that reader was late, once; what is complete may then lie before `now`.
  [[nodiscard]] TimePoint reserve(std::int64_t bytes, TimePoint now);
  /// A reader that slept until `complete`, as reserve() returned it, woke at `now`.
  void woke(TimePoint complete, TimePoint now);
  /// reserve(), sleep until then, or until stop is requested, and woke().
  void read(std::int64_t bytes, const std::stop_token& stop);

 private:
  StorageOptions options_;
  std::atomic<std::int64_t> link_free_ns_{0};  ///< in the steady clock's time since its epoch
  std::atomic<std::int64_t> late_ns_{0};       ///< of the reader that woke last; 0: made up for
};

}  // namespace dlbench::data
