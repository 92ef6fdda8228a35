// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The cost of a collective on a link of given latency and bandwidth: the model behind --link and
// the projection to more ranks. Only computes numbers; nothing sleeps here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dlbench::comm {

/// One level of a network (Hockney's model): a message of b bytes takes latency_s + b /
/// bytes_per_s.
struct LinkLevel {
  double latency_s = 0.0;
  double bytes_per_s = 0.0;  ///< 0: infinite
};

/// A network of one level, or of two: `between` nodes of `node_ranks` ranks each, and `inside`
/// them.
struct LinkModel {
  LinkLevel between;
  /// Mean of an exponentially distributed extra time of each collective, for other users of the
  /// network.
  double jitter_s = 0.0;
  std::int64_t node_ranks = 0;  ///< 0: one level, every pair of ranks is connected by `between`
  LinkLevel inside;

  /// In the syntax of parse_link_model(), plus "node_ranks=N" if there are two levels.
  [[nodiscard]] std::string to_string() const;
};

/// Parses "latency_us=..,gbit_per_s=..[,jitter_us=..][,inside_latency_us=..,inside_gbit_per_s=..]":
/// at least one of the first two; the inside_ keys require `node_ranks` (--link-node-ranks). A
/// level without keys costs nothing, like one with a latency of 0 and no bandwidth. 1 Gbit is 10^9
/// bits. Throws Error(kUsage).
[[nodiscard]] LinkModel parse_link_model(std::string_view text, std::int64_t node_ranks = 0);

enum class Collective : std::uint8_t { kAllReduce, kReduceScatter, kAllGather, kBroadcast };

/// "all_reduce", "reduce_scatter", "all_gather", "broadcast".
[[nodiscard]] std::string_view name(Collective op);

/// The number of successive messages, and of bytes that cross a link, on each level: the collective
/// takes messages * latency_s + bytes / bytes_per_s, summed over the levels.
struct LinkLoad {
  double between_messages = 0.0;
  double between_bytes = 0.0;
  double inside_messages = 0.0;
  double inside_bytes = 0.0;
};

/// The load of a collective on an array of `bytes` over `ranks` ranks, in nodes of `node_ranks` (0:
/// one level; the last node may be smaller). With n ranks in one ring and an array of b bytes
///   all_reduce      2 (n - 1) messages, 2 (n - 1) / n b bytes: reduce-scatter, then all-gather
///   reduce_scatter, all_gather    half of that
///   broadcast       n - 1 messages, b bytes: a pipeline along the ring
/// (Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", J. Parallel Distrib. Comput. 69(2), section 4; Thakur, Rabenseifner and Gropp
/// 2005, "Optimization of collective communication operations in MPICH", IJHPCA 19(1), section 4;
/// bytes as in NVIDIA/nccl-tests, doc/PERFORMANCE.md). Two levels are hierarchical: a ring within
/// each node, then rings over the nodes that share each node's link, which together carry as many
/// bytes as one ring on b bytes, then within each node again. ranks >= 1, bytes >= 0, node_ranks >=
/// 0 (checked).
[[nodiscard]] LinkLoad link_load(Collective op,
                                 double bytes,
                                 std::int64_t ranks,
                                 std::int64_t node_ranks);

/// The time of the collective in seconds, without jitter; 0 for one rank.
[[nodiscard]] double collective_s(const LinkModel& link,
                                  Collective op,
                                  std::int64_t bytes,
                                  std::int64_t ranks);

/// Why this link delays no collective of `ranks` ranks; empty if it does delay them.
[[nodiscard]] std::string idle_reason(const LinkModel& link, std::int64_t ranks);

/// The time in seconds for one rank to send `bytes` to, or receive them from, each other rank in
/// turn over its own link: the cost of scatter, gather and reduce with a single root. With two
/// levels, ranks of the root's node are reached over `inside`.
[[nodiscard]] double root_exchange_s(const LinkModel& link, double bytes, std::int64_t ranks);

/// The extra time in seconds of collective number `sequence`: 0 without jitter, otherwise the same
/// on all ranks that use the same seed.
[[nodiscard]] double jitter_s(const LinkModel& link, std::uint64_t seed, std::int64_t sequence);

}  // namespace dlbench::comm
