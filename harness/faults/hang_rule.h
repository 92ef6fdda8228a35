// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides which rank hangs, from repeated looks at what the ranks of a node report. A rank that
// waits for others or for its device is never blamed while another one neither waits nor moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::harness {

/// The state of one rank at one moment.
struct RankSign {
  bool ended = false;
  bool stopped = false;     ///< by SIGSTOP
  bool traced = false;      ///< by a debugger
  std::uint64_t beats = 0;  ///< any change is a sign of life
  bool stepping = false;    ///< see comm::Stepping
  bool first_step = false;  ///< see comm::FirstStep
  bool waits = false;       ///< for other ranks
  bool waits_for_device = false;
  std::int64_t collectives = 0;  ///< entered so far
  double longest_step_s = 0.0;
};

/// Seconds without a sign of life.
struct HangLimits {
  double stepping_s = 10.0;  ///< in a loop of steps, or five times the longest step if longer
  /// In the first step, waiting for the device: CUDA loads kernels at their first call, possibly
  /// from a slow disk. On the host a first step may be a minute of work.
  double first_step_s = 60.0;
  double otherwise_s = 300.0;  ///< during preparation and conclusion
  double stopped_s = 2.0;      ///< stopped while other ranks run
  /// All ranks of a node stopped while other nodes run: a job is suspended node by node.
  double node_stopped_s = 5.0;
};

struct Hang {
  std::size_t index = 0;  ///< of the rank; the lowest one if none stands out, as `why` then says
  std::string why;
};

/// Returns whether no rank of the node runs: all have ended or are stopped.
[[nodiscard]] bool all_stopped(std::span<const RankSign> ranks);

class HangRule {
 public:
  explicit HangRule(HangLimits limits) : limits_(limits) {}

  /// Call it several times a second, with the same ranks in the same order; `now_s` is a monotonic
  /// clock. After a pause of the caller (the machine slept) or of all ranks (the job was
  /// suspended), all ranks start afresh. `others_run`: other nodes have ranks that are not stopped.
  [[nodiscard]] std::optional<Hang> look(double now_s,
                                         std::span<const RankSign> ranks,
                                         bool others_run = false);

  /// Returns how long a stepping rank may be silent: below the limit, as detection takes time too.
  [[nodiscard]] double patience_s(double longest_step_s) const;

 private:
  struct Memory {
    std::uint64_t beats = 0;
    double changed_s = 0.0;
    std::optional<double> stopped_since_s;
  };

  void start_afresh(double now_s, std::span<const RankSign> ranks);
  void remember(double now_s, std::span<const RankSign> ranks);
  [[nodiscard]] std::optional<Hang> stopped_rank(double now_s, bool all_stopped) const;
  [[nodiscard]] std::optional<Hang> silent_rank(double now_s,
                                                std::span<const RankSign> ranks) const;
  [[nodiscard]] std::optional<Hang> device_waits(double now_s,
                                                 std::span<const RankSign> ranks) const;
  [[nodiscard]] std::optional<Hang> crossed_rank(double now_s,
                                                 std::span<const RankSign> ranks) const;

  HangLimits limits_;
  std::vector<Memory> memory_;
  double last_look_s_ = 0.0;
};

}  // namespace dlbench::harness
