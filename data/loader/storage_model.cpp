// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/storage_model.h"

#include "data/load_context.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dlbench::data {
namespace {

// A sleeper wakes late by up to about this; the link does not lose that time, so that the rate over
// many reads is the one asked for.
constexpr std::int64_t kWakeUpSlackNs = 2'000'000;

[[noreturn]] void throw_syntax(std::string_view text, std::string_view reason) {
  throw core::Error(
      core::ErrorCode::kUsage,
      fmt::format("--storage '{}': {}; wanted latency_ms=NUMBER,mib_per_s=NUMBER", text, reason));
}

double parse_number(std::string_view text, std::string_view item, std::string_view digits) {
  double value = 0.0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value) ||
      value <= 0.0 || value > 1e9) {
    throw_syntax(text, fmt::format("'{}' is not a number in (0, 1e9]", item));
  }
  return value;
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
  StorageOptions options;
  std::string_view rest = text;
  do {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    const std::size_t equals = item.find('=');
    const std::string_view key = item.substr(0, equals);
    double* target = key == "latency_ms"  ? &options.latency_ms
                     : key == "mib_per_s" ? &options.mib_per_s
                                          : nullptr;
    if (target == nullptr || equals == std::string_view::npos) {
      throw_syntax(text, fmt::format("unknown item '{}'", item));
    }
    if (*target != 0.0) {
      throw_syntax(text, fmt::format("'{}' is given twice", key));
    }
    *target = parse_number(text, item, item.substr(equals + 1));
    if (comma != std::string_view::npos && rest.empty()) {
      throw_syntax(text, "ends with a comma");
    }
  } while (!rest.empty());
  return options;
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
