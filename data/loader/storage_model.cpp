// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/storage_model.h"

#include "data/load_context.h"
#include "engine/core/error.h"
#include "engine/core/key_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dlbench::data {
namespace {

// A file of 2^30 bytes then takes 10^15 ns, so that all workers' files fit into 64 bits in turn.
constexpr double kMinMibPerS = 0.001;

// A sleeper wakes late; the link makes up for that time, so that the rate over many reads is the
// requested one. A longer delay is not a late sleeper but a stopped process.
constexpr std::int64_t kMaxLateNs = 2'000'000;

std::int64_t nanoseconds_of(StorageModel::TimePoint::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

}  // namespace

std::string StorageOptions::to_string() const {
  std::string text;
  if (latency_ms > 0.0) {
    text = fmt::format("latency_ms={}", latency_ms);
  }
  if (mib_per_s > 0.0) {
    text += fmt::format("{}mib_per_s={}", text.empty() ? "" : ",", mib_per_s);
  }
  return text;
}

StorageOptions parse_storage_options(std::string_view text) {
  constexpr std::array<std::string_view, 2> kKeys{"latency_ms", "mib_per_s"};
  const core::KeyNumbersSyntax syntax{"--storage", "latency_ms=NUMBER,mib_per_s=NUMBER", kKeys};
  const core::KeyNumbers numbers = core::parse_key_numbers(text, syntax);
  if (numbers.value_or("mib_per_s", kMinMibPerS) < kMinMibPerS) {
    throw syntax.error(text, fmt::format("mib_per_s is less than {}", kMinMibPerS));
  }
  return {numbers.value_or("latency_ms", 0.0), numbers.value_or("mib_per_s", 0.0)};
}

StorageModel::TimePoint StorageModel::reserve(std::int64_t bytes, TimePoint now) {
  std::int64_t done_ns = nanoseconds_of(now.time_since_epoch());
  if (options_.mib_per_s > 0.0) {
    const auto transfer_ns = static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 /
                                                       (options_.mib_per_s * 1048576.0));
    const std::int64_t asked_ns = done_ns - late_ns_.exchange(0, std::memory_order_relaxed);
    std::int64_t free_ns = link_free_ns_.load(std::memory_order_relaxed);
    do {
      done_ns = std::max(free_ns, asked_ns) + transfer_ns;
    } while (!link_free_ns_.compare_exchange_weak(free_ns, done_ns, std::memory_order_relaxed));
  }
  done_ns += static_cast<std::int64_t>(options_.latency_ms * 1e6);
  return TimePoint(
      std::chrono::duration_cast<TimePoint::duration>(std::chrono::nanoseconds(done_ns)));
}

void StorageModel::woke(TimePoint complete, TimePoint now) {
  late_ns_.store(std::clamp<std::int64_t>(nanoseconds_of(now - complete), 0, kMaxLateNs),
                 std::memory_order_relaxed);
}

void StorageModel::read(std::int64_t bytes, const std::stop_token& stop) {
  const TimePoint complete = reserve(bytes, std::chrono::steady_clock::now());
  sleep_until_or_stop(complete, stop);
  woke(complete, std::chrono::steady_clock::now());
}

}  // namespace dlbench::data
