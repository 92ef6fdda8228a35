// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/link_model.h"

#include "engine/core/check.h"
#include "engine/core/key_numbers.h"
#include "engine/core/rng.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace dlbench::comm {
namespace {

constexpr double kMicrosecond = 1e-6;
constexpr double kGigabit = 1e9 / 8.0;  // bytes
constexpr double kMinGbitPerS = 1e-6;   // slower than any link; delays are counted in nanoseconds

constexpr std::array<std::string_view, 5> kKeys{
    "latency_us", "gbit_per_s", "jitter_us", "inside_latency_us", "inside_gbit_per_s"};
constexpr std::array<std::string_view, 3> kFromZero{"latency_us", "jitter_us", "inside_latency_us"};
constexpr core::KeyNumbersSyntax kSyntax{"--link",
                                         "latency_us=NUMBER,gbit_per_s=NUMBER[,jitter_us=NUMBER]"
                                         "[,inside_latency_us=NUMBER,inside_gbit_per_s=NUMBER]",
                                         kKeys,
                                         kFromZero};

double transfer_s(const LinkLevel& level, double messages, double bytes) {
  return messages * level.latency_s + (level.bytes_per_s > 0.0 ? bytes / level.bytes_per_s : 0.0);
}

/// The number of successive messages, and of bytes over a link, in a ring of n ranks.
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
  const bool between_free = between.latency_s <= 0.0 && between.bytes_per_s <= 0.0;
  return between_free ? "latency_us=0" + (text.empty() ? "" : "," + text) : text;
}

LinkModel parse_link_model(std::string_view text, std::int64_t node_ranks) {
  const core::KeyNumbers numbers = core::parse_key_numbers(text, kSyntax);
  if (!numbers.contains("latency_us") && !numbers.contains("gbit_per_s")) {
    throw kSyntax.error(text, "neither latency_us nor gbit_per_s is given");
  }
  if (node_ranks == 0 &&
      (numbers.contains("inside_latency_us") || numbers.contains("inside_gbit_per_s"))) {
    throw kSyntax.error(text, "the inside of a node needs --link-node-ranks");
  }
  for (const std::string_view rate : {"gbit_per_s", "inside_gbit_per_s"}) {
    if (numbers.value_or(rate, kMinGbitPerS) < kMinGbitPerS) {
      throw kSyntax.error(text, fmt::format("{} is less than {:g}", rate, kMinGbitPerS));
    }
  }
  const auto level = [&numbers](std::string_view latency_us, std::string_view gbit_per_s) {
    return LinkLevel{numbers.value_or(latency_us, 0.0) * kMicrosecond,
                     numbers.value_or(gbit_per_s, 0.0) * kGigabit};
  };
  LinkModel link;
  link.between = level("latency_us", "gbit_per_s");
  link.jitter_s = numbers.value_or("jitter_us", 0.0) * kMicrosecond;
  link.node_ranks = node_ranks;
  link.inside = level("inside_latency_us", "inside_gbit_per_s");
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

std::string idle_reason(const LinkModel& link, std::int64_t ranks) {
  constexpr std::int64_t kManyBytes = 1 << 30;
  if (ranks == 1) {
    return "there is one rank";
  }
  if (link.jitter_s > 0.0 || collective_s(link, Collective::kAllReduce, kManyBytes, ranks) > 0.0) {
    return {};
  }
  return link.node_ranks >= ranks
             ? fmt::format(
                   "all {} ranks are of one node (--link-node-ranks {}), whose inside_ "
                   "keys are not given",
                   ranks,
                   link.node_ranks)
             : "its latency is 0 and its bandwidth has no limit";
}

double root_exchange_s(const LinkModel& link, double bytes, std::int64_t ranks) {
  DLBENCH_CHECK(bytes >= 0.0 && ranks >= 1) << bytes << " bytes, " << ranks << " ranks";
  const std::int64_t in_node = link.node_ranks == 0 ? 1 : std::min(ranks, link.node_ranks);
  const auto near = static_cast<double>(in_node - 1);
  const auto far = static_cast<double>(ranks - in_node);
  return transfer_s(link.between, far, far * bytes) + transfer_s(link.inside, near, near * bytes);
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
