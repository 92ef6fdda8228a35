// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The verdict: what limits the full pipeline, by how much, and what would help. From paired rates
// of the trials alone; it neither measures nor prints.
#pragma once

#include "harness/analysis/gpu_activity.h"
#include "reports/analysis_record.h"
#include "reports/verdict_rule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// What a verdict and its advice are made of.
struct AttributionInput : reports::VerdictEvidence {
  std::vector<reports::RoundRate> loader_beside_step;  ///< of the interference trial; may be empty

  std::int64_t cores = 1;  ///< usable by all ranks together, shared ones counted once
  /// Their time, in processors' worth: less below a CPU quota such as 1.5. Nothing: all of it.
  std::optional<double> cpu_capacity;
  std::int64_t workers = 1;  ///< loader threads of one rank
  /// Batches that the loader is ahead, and parts of each: for each part one worker can work.
  std::int64_t prefetch = 2;
  std::int64_t parts_of_batch = 1;
  std::int64_t ranks = 1;
  bool single_root = false;  ///< --strategy data-parallel: rank 0 loads, and none all-reduces
  std::optional<double> io_cpu_s_per_sample;         ///< CPU time of the io trial per sample
  std::optional<double> synthetic_cpu_s_per_sample;  ///< the same of the synthetic trial
  /// How the GPU spends a step that nothing records (synthetic/device); it decides launch_idle.
  std::optional<UntracedShares> gpu;
};

/// The verdict by reports::decide(), in words, with advice. `expected_gain` of an advice is a
/// factor on the full rate, an upper bound from measured rates and CPU times.
///
/// Nothing when io, full or both synthetic arms are empty: there is nothing to say.
[[nodiscard]] std::optional<reports::AttributionRecord> attribute(const AttributionInput& input);

/// samples/s that loader and step together can reach: min(io, synthetic) on separate processors; on
/// shared ones 1 / max(t_io, t_synthetic, (cpu_io + cpu_synthetic) / cpu_capacity()), and nothing
/// if the CPU times are not known. Rates, CPU times and processors are those of all ranks.
[[nodiscard]] std::optional<double> predicted_full(const AttributionInput& input);

/// What rates of work on the cores are limited by.
[[nodiscard]] double cpu_capacity(const AttributionInput& input);

}  // namespace dlbench::harness
