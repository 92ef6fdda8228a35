// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/link_model.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/rng.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace dlbench::comm {
namespace {

constexpr double kMicrosecond = 1e-6;
constexpr double kGigabit = 1e9 / 8.0;  // bytes

/// One key of the option and what it gave.
struct Item {
  std::string_view key;
  std::optional<double> value;
};
using Items = std::array<Item, 6>;

[[noreturn]] void throw_syntax(std::string_view text, const std::string& reason) {
  throw core::Error(
      core::ErrorCode::kUsage,
      fmt::format("--link '{}': {}; wanted latency_us=NUMBER,gbit_per_s=NUMBER[,jitter_us=NUMBER]"
                  "[,node_ranks=N,inside_latency_us=NUMBER,inside_gbit_per_s=NUMBER]",
                  text,
                  reason));
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

void parse_items(std::string_view text, Items& items) {
  std::string_view rest = text;
  do {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    const std::size_t equals = part.find('=');
    const auto item = std::find_if(items.begin(), items.end(), [&](const Item& candidate) {
      return candidate.key == part.substr(0, equals);
    });
    if (item == items.end() || equals == std::string_view::npos) {
      throw_syntax(text, fmt::format("unknown item '{}'", part));
    }
    if (item->value.has_value()) {
      throw_syntax(text, fmt::format("'{}' is given twice", item->key));
    }
    item->value = parse_number(text, part, part.substr(equals + 1));
    if (comma != std::string_view::npos && rest.empty()) {
      throw_syntax(text, "ends with a comma");
    }
  } while (!rest.empty());
}

double transfer_s(const LinkLevel& level, double messages, double bytes) {
  return messages * level.latency_s + (level.bytes_per_s > 0.0 ? bytes / level.bytes_per_s : 0.0);
}

/// Messages one after the other, and bytes over a link, of a ring of n ranks.
struct RingLoad {
  double messages = 0.0;
  double bytes = 0.0;
};
RingLoad ring_load(Collective op, double bytes, std::int64_t ranks) {
  const auto hops = static_cast<double>(ranks - 1);
  const double part = hops / static_cast<double>(ranks);
  switch (op) {
    case Collective::kAllReduce:
      return {2.0 * hops, 2.0 * part * bytes};
    case Collective::kReduceScatter:
    case Collective::kAllGather:
      return {hops, part * bytes};
    case Collective::kBroadcast:
      return {hops, ranks > 1 ? bytes : 0.0};
  }
  DLBENCH_CHECK(false) << "collective " << static_cast<int>(op);
  return {};
}

}  // namespace

std::string_view name(Collective op) {
  switch (op) {
    case Collective::kAllReduce:
      return "all_reduce";
    case Collective::kReduceScatter:
      return "reduce_scatter";
    case Collective::kAllGather:
      return "all_gather";
    case Collective::kBroadcast:
      return "broadcast";
  }
  return "?";
}

std::string LinkModel::to_string() const {
  std::string text;
  const auto add = [&text](const char* key, double value) {
    if (value > 0.0) {
      text += fmt::format("{}{}={:.6g}", text.empty() ? "" : ",", key, value);
    }
  };
  add("latency_us", between.latency_s / kMicrosecond);
  add("gbit_per_s", between.bytes_per_s / kGigabit);
  add("jitter_us", jitter_s / kMicrosecond);
  add("node_ranks", static_cast<double>(node_ranks));
  add("inside_latency_us", inside.latency_s / kMicrosecond);
  add("inside_gbit_per_s", inside.bytes_per_s / kGigabit);
  return text;
}

LinkModel parse_link_model(std::string_view text) {
  Items items{{{"latency_us", {}},
               {"gbit_per_s", {}},
               {"jitter_us", {}},
               {"node_ranks", {}},
               {"inside_latency_us", {}},
               {"inside_gbit_per_s", {}}}};
  parse_items(text, items);
  const auto& [latency, bandwidth, jitter, node_ranks, inside_latency, inside_bandwidth] = items;
  if (!latency.value.has_value() && !bandwidth.value.has_value()) {
    throw_syntax(text, "neither latency_us nor gbit_per_s is given");
  }
  const double ranks = node_ranks.value.value_or(0.0);
  if (ranks != std::trunc(ranks)) {
    throw_syntax(text, fmt::format("node_ranks={} is not a whole number", ranks));
  }
  if (ranks == 0.0 && (inside_latency.value.has_value() || inside_bandwidth.value.has_value())) {
    throw_syntax(text, "the inside of a node needs node_ranks");
  }
  LinkModel link;
  link.between = {latency.value.value_or(0.0) * kMicrosecond,
                  bandwidth.value.value_or(0.0) * kGigabit};
  link.jitter_s = jitter.value.value_or(0.0) * kMicrosecond;
  link.node_ranks = static_cast<std::int64_t>(ranks);
  link.inside = {inside_latency.value.value_or(0.0) * kMicrosecond,
                 inside_bandwidth.value.value_or(0.0) * kGigabit};
  return link;
}

LinkLoad link_load(Collective op, double bytes, std::int64_t ranks, std::int64_t node_ranks) {
  DLBENCH_CHECK(bytes >= 0.0 && ranks >= 1 && node_ranks >= 0)
      << bytes << " bytes over " << ranks << " ranks, " << node_ranks << " a node";
  const std::int64_t in_node = node_ranks == 0 ? 1 : std::min(ranks, node_ranks);
  const std::int64_t nodes = (ranks + in_node - 1) / in_node;
  const RingLoad between = ring_load(op, bytes, nodes);
  const RingLoad inside = ring_load(op, bytes, in_node);
  return {between.messages, between.bytes, inside.messages, inside.bytes};
}

double collective_s(const LinkModel& link, Collective op, std::int64_t bytes, std::int64_t ranks) {
  const LinkLoad load = link_load(op, static_cast<double>(bytes), ranks, link.node_ranks);
  return transfer_s(link.between, load.between_messages, load.between_bytes) +
         transfer_s(link.inside, load.inside_messages, load.inside_bytes);
}

double jitter_s(const LinkModel& link, std::uint64_t seed, std::int64_t sequence) {
  if (link.jitter_s <= 0.0) {
    return 0.0;
  }
  const auto number = static_cast<std::uint64_t>(sequence);
  const auto bits = core::philox4x32(
      {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32U), 0U, 0U},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
  // The inverse of the distribution function; 1 - u lies in (0, 1].
  return -link.jitter_s * std::log1p(-static_cast<double>(core::uniform_from_bits(bits[0])));
}

}  // namespace dlbench::comm
