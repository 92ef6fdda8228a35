// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/storage_model.h"

#include "data/load_context.h"
#include "engine/core/key_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dlbench::data {
namespace {

// A sleeper wakes late by up to about this; the link does not lose that time, so that the rate over
// many reads is the one asked for.
constexpr std::int64_t kWakeUpSlackNs = 2'000'000;

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
  const core::KeyNumbers numbers =
      core::parse_key_numbers(text, {"--storage", "latency_ms=NUMBER,mib_per_s=NUMBER", kKeys});
  return {numbers.value_or("latency_ms", 0.0), numbers.value_or("mib_per_s", 0.0)};
}

StorageModel::TimePoint StorageModel::reserve(std::int64_t bytes, TimePoint now) {
  using std::chrono::nanoseconds;
  auto done_ns = std::chrono::duration_cast<nanoseconds>(now.time_since_epoch()).count();
  if (options_.mib_per_s > 0.0) {
    const auto transfer_ns = static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 /
                                                       (options_.mib_per_s * 1048576.0));
    std::int64_t free_ns = link_free_ns_.load(std::memory_order_relaxed);
    std::int64_t end_ns = 0;
    do {
      end_ns = std::max(free_ns, done_ns - kWakeUpSlackNs) + transfer_ns;
    } while (!link_free_ns_.compare_exchange_weak(free_ns, end_ns, std::memory_order_relaxed));
    done_ns = std::max(done_ns, end_ns);
  }
  done_ns += static_cast<std::int64_t>(options_.latency_ms * 1e6);
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(nanoseconds(done_ns)));
}

void StorageModel::read(std::int64_t bytes, const std::stop_token& stop) {
  sleep_until_or_stop(reserve(bytes, std::chrono::steady_clock::now()), stop);
}

}  // namespace dlbench::data
