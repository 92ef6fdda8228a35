// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The verdict: what limits the full pipeline, by how much, and what would help. Derived from paired
// rates of the trials alone; neither measures nor prints.
#pragma once

#include "harness/analysis/gpu_activity.h"
#include "reports/analysis_record.h"
#include "reports/verdict_rule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// The input of a verdict and its advice.
struct AttributionInput : reports::VerdictEvidence {
  std::vector<reports::RoundRate> loader_beside_step;  ///< of the interference trial; may be empty

  std::int64_t cores = 1;  ///< usable by all ranks together; shared cores count once
  /// CPU time of these cores, in processors: less below a quota such as 1.5. Nothing: all of it.
  std::optional<double> cpu_capacity;
  std::int64_t workers = 1;  ///< loader threads of one rank
  /// Number of prefetched batches, and of parts of each batch; one worker can load one part.
  std::int64_t prefetch = 2;
  std::int64_t parts_of_batch = 1;
  std::int64_t ranks = 1;
  bool single_root = false;  ///< --strategy data-parallel: rank 0 loads, and none all-reduces
  std::optional<double> io_cpu_s_per_sample;         ///< CPU time of the io trial per sample
  std::optional<double> synthetic_cpu_s_per_sample;  ///< the same of the synthetic trial
  /// How the GPU spends a step without recording (synthetic/device); decides launch_idle.
  std::optional<UntracedShares> gpu;
};

/// Returns the verdict of reports::decide(), in words and with advice. An advice's `expected_gain`
/// is a factor on the full rate: an upper bound from measured rates and CPU times.
///
/// Nothing if io, full or both synthetic arms are empty.
[[nodiscard]] std::optional<reports::AttributionRecord> attribute(const AttributionInput& input);

/// Returns the samples/s that loader and step can reach together: min(io, synthetic) on separate
/// processors; on shared ones 1 / max(t_io, t_synthetic, (cpu_io + cpu_synthetic) /
/// cpu_capacity()), or nothing if CPU times are unknown. All values cover all ranks.
[[nodiscard]] std::optional<double> predicted_full(const AttributionInput& input);

/// Returns the processors' worth of CPU time that limits the rates of work on the cores.
[[nodiscard]] double cpu_capacity(const AttributionInput& input);

}  // namespace dlbench::harness
