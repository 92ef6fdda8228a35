// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/hang_rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace dlbench::harness {
namespace {

constexpr double kLongestPauseS = 3.0;  // between two looks
constexpr double kPartForDetection = 0.6;
constexpr double kStepsOfPatience = 4.0;
constexpr double kMovesS = 1.0;  // who has given a sign of life within it
// Extra time for waits for a device: if a rank of another node hangs outside its device, the
// sentinel there finds it, and its report must be the first.
constexpr double kDeviceExtraS = 0.5;

double longest_step_s(std::span<const RankSign> ranks) {
  double longest = 0.0;
  for (const RankSign& rank : ranks) {
    longest = std::max(longest, rank.longest_step_s);
  }
  return longest;
}

}  // namespace

double HangRule::patience_s(double longest_step_s) const {
  return std::max(kPartForDetection * limits_.stepping_s, kStepsOfPatience * longest_step_s);
}

bool all_stopped(std::span<const RankSign> ranks) {
  return std::all_of(
      ranks.begin(), ranks.end(), [](const RankSign& rank) { return rank.ended || rank.stopped; });
}

std::optional<Hang> HangRule::look(double now_s, std::span<const RankSign> ranks, bool others_run) {
  const bool node_stopped = all_stopped(ranks);
  const bool any_traced =
      std::any_of(ranks.begin(), ranks.end(), [](const RankSign& rank) { return rank.traced; });
  if (memory_.size() != ranks.size() || now_s - last_look_s_ > kLongestPauseS ||
      (node_stopped && !others_run) || any_traced) {
    start_afresh(now_s, ranks);
  }
  last_look_s_ = now_s;
  remember(now_s, ranks);
  if (auto hang = stopped_rank(now_s, node_stopped)) {
    return hang;
  }
  if (auto hang = silent_rank(now_s, ranks)) {
    return hang;
  }
  if (auto hang = device_waits(now_s, ranks)) {
    return hang;
  }
  return crossed_rank(now_s, ranks);
}

void HangRule::start_afresh(double now_s, std::span<const RankSign> ranks) {
  memory_.assign(ranks.size(), {});
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    memory_[i].beats = ranks[i].beats;
    memory_[i].changed_s = now_s;
  }
}

void HangRule::remember(double now_s, std::span<const RankSign> ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Memory& memory = memory_[i];
    if (ranks[i].beats != memory.beats || ranks[i].ended) {
      memory.beats = ranks[i].beats;
      memory.changed_s = now_s;
    }
    if (!ranks[i].stopped || ranks[i].ended) {
      memory.stopped_since_s.reset();
    } else if (!memory.stopped_since_s.has_value()) {
      memory.stopped_since_s = now_s;
    }
  }
}

std::optional<Hang> HangRule::stopped_rank(double now_s, bool all_stopped) const {
  const double limit_s = all_stopped ? limits_.node_stopped_s : limits_.stopped_s;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const std::optional<double> since = memory_[i].stopped_since_s;
    if (since.has_value() && now_s - *since > limit_s) {
      return Hang{i,
                  fmt::format("its process is stopped (SIGSTOP) for {:.1f} s while others run",
                              now_s - *since)};
    }
  }
  return std::nullopt;
}

// Finds a rank that is silent although it should be stepping and waits for nothing known.
std::optional<Hang> HangRule::silent_rank(double now_s, std::span<const RankSign> ranks) const {
  const double patience = patience_s(longest_step_s(ranks));
  std::optional<Hang> found;
  double longest_silence = 0.0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double silent_s = now_s - memory_[i].changed_s;
    const double limit = ranks[i].stepping ? patience : limits_.otherwise_s;
    if (ranks[i].ended || ranks[i].waits || ranks[i].waits_for_device ||
        silent_s <= std::max(limit, longest_silence)) {
      continue;
    }
    longest_silence = silent_s;
    found = Hang{i,
                 fmt::format("it hangs: no sign of life for {:.1f} s (limit {:.1f} s, longest "
                             "step {:.3g} s) while others wait for it",
                             silent_s,
                             limit,
                             longest_step_s(ranks))};
  }
  return found;
}

// Finds ranks that wait for their devices, once every other rank waits for ranks or moves. A
// collective that hangs on one device blocks all of them, so several such ranks reveal no culprit.
std::optional<Hang> HangRule::device_waits(double now_s, std::span<const RankSign> ranks) const {
  const double patience = patience_s(longest_step_s(ranks));
  std::optional<std::size_t> first;
  std::size_t running = 0;
  std::size_t waiting = 0;
  double shortest_s = now_s;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double silent_s = now_s - memory_[i].changed_s;
    running += ranks[i].ended ? 0 : 1;
    if (ranks[i].ended || ranks[i].waits || silent_s <= kMovesS) {
      continue;
    }
    double limit = ranks[i].first_step ? limits_.first_step_s : limits_.otherwise_s;
    limit = ranks[i].stepping ? patience : std::max(limit, patience);
    if (!ranks[i].waits_for_device || silent_s <= limit + kDeviceExtraS) {
      return std::nullopt;
    }
    first = first.value_or(i);
    ++waiting;
    shortest_s = std::min(shortest_s, silent_s);
  }
  if (!first.has_value()) {
    return std::nullopt;
  }
  const std::string silence =
      fmt::format("without a sign of life for {:.1f} s (longest step {:.3g} s)",
                  shortest_s,
                  longest_step_s(ranks));
  if (waiting == 1 && running > 1) {
    return Hang{*first,
                fmt::format("it alone waits for its GPU {}: the GPU hangs, or a collective on it "
                            "(NCCL_DEBUG=INFO says more)",
                            silence)};
  }
  return Hang{*first,
              fmt::format("{} ranks of the node wait for their GPUs {}: a collective hangs on the "
                          "device, and no rank stands out (NCCL_DEBUG=INFO says more)",
                          waiting == running ? "all" : fmt::format("{} of {}", waiting, running),
                          silence)};
}

// All ranks wait for each other in different places: blames the one that is behind.
std::optional<Hang> HangRule::crossed_rank(double now_s, std::span<const RankSign> ranks) const {
  const double patience = patience_s(longest_step_s(ranks));
  std::optional<std::size_t> behind;
  bool any_ahead = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].ended) {
      continue;
    }
    if (!ranks[i].waits || !ranks[i].stepping || now_s - memory_[i].changed_s <= patience) {
      return std::nullopt;
    }
    if (behind.has_value() && ranks[i].collectives != ranks[*behind].collectives) {
      any_ahead = true;
    }
    if (!behind.has_value() || ranks[i].collectives < ranks[*behind].collectives) {
      behind = i;
    }
  }
  if (!any_ahead) {
    return std::nullopt;
  }
  return Hang{*behind,
              fmt::format("it waits for others that wait for it elsewhere: no sign of life of any "
                          "rank for {:.1f} s",
                          patience)};
}

}  // namespace dlbench::harness
