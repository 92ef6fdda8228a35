// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The verdict: what limits the full pipeline, by how much, and what would help. From paired rates
// of the trials alone; it neither measures nor prints.
#pragma once

#include "harness/analysis/gpu_activity.h"
#include "harness/stats/interval.h"
#include "reports/analysis_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// A rank that others wait for.
struct StragglerEvidence {
  std::int64_t rank = 0;
  std::string host;
  double late_share = 0.0;  ///< of the steps in which this rank was the last, 0 to 1
  double lost_share = 0.0;  ///< of the full step time that the others waited for it, 0 to 1
  /// Steps that late_share comes from; 0: unknown, it is then taken as exact.
  std::int64_t steps = 0;
};

/// All rates in samples/s over all ranks, repetitions that count, one per round.
struct AttributionInput {
  std::vector<RoundRate> io;
  /// synthetic/host: the step with the copy. Where there is no copy (the CPU) the only synthetic.
  std::vector<RoundRate> synthetic_host;
  std::vector<RoundRate> synthetic_device;  ///< without the copy; empty: not measured or no copy
  std::vector<RoundRate> nocomm;            ///< without the all-reduce; empty: one rank
  std::vector<RoundRate> full;
  std::vector<RoundRate> step_beside_loader;  ///< of the interference trial; may be empty
  std::vector<RoundRate> loader_beside_step;  ///< the same

  /// Loader and step run on the same processors (device cpu).
  bool shared_processors = false;
  std::int64_t cores = 1;    ///< usable by one rank
  std::int64_t workers = 1;  ///< loader threads of one rank
  std::int64_t ranks = 1;
  std::optional<double> io_cpu_s_per_sample;         ///< CPU time of the io trial per sample
  std::optional<double> synthetic_cpu_s_per_sample;  ///< the same of the synthetic trial
  /// How the GPU spends a step that nothing records (synthetic/device).
  std::optional<UntracedShares> gpu;
  std::optional<StragglerEvidence> straggler;
};

/// The verdict by the rules of docs/measuring.md, "The verdict". With times per sample
/// t = 1 / rate: input = t_full - t_host, copy = t_host - t_device, communication = t_device -
/// t_nocomm, each as a share of t_full with a 95 % interval from paired log ratios. A share counts
/// from 10 % on with a lower bound above 5 %; it does not count below 10 % with an upper bound
/// below 15 %; anything else is too wide to say, and so is a share with a lower bound below half of
/// it. io and synthetic are compared as a ratio with the
/// bounds 1.1 and 1 / 1.1, which its interval may cross by a factor of 1.05 at most.
///
/// In order: a rank late in most steps (lower 95 % bound of late_share above one half: of two equal
/// ranks one is always late in half of the steps or more) that costs 10 % -> straggler. io and
/// synthetic within 10 % of each other -> balanced: speeding up one alone gains nothing, whatever
/// the step spends its time on. io slower and input counts -> input_bound, even if copy or
/// communication are larger: nothing but the loader can raise what the loader limits. Else the
/// largest share that counts: input (io would keep up alone) -> contention_bound, copy ->
/// copy_bound, communication -> communication_bound. No share counts -> compute_bound, or
/// launch_bound when the GPU idles for more than 30 % for want of launches. Measurements that
/// contradict each other (full faster than the step alone, or than a loader that limits nothing) ->
/// unsure.
///
/// Nothing when io, full or both synthetic arms are empty: there is nothing to say. kUnsure
/// whenever the intervals (or fewer than 2 common rounds) do not support the word. Rates must be
/// positive (checked).
///
/// `margin` is the share that decides: that of input, copy or communication; for compute_bound and
/// launch_bound what is left to the step; for balanced io / synthetic - 1; for straggler the time
/// lost; for unsure the largest share. `expected_gain` of an advice is a factor on the full rate,
/// an upper bound from measured rates and CPU times.
[[nodiscard]] std::optional<reports::AttributionRecord> attribute(const AttributionInput& input);

/// samples/s that loader and step together can reach: min(io, synthetic) on separate processors; on
/// shared ones 1 / max(t_io, t_synthetic, (cpu_io + cpu_synthetic) / cores), and nothing if the CPU
/// times are not known.
[[nodiscard]] std::optional<double> predicted_full(const AttributionInput& input);

}  // namespace dlbench::harness
