// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The meaning of the options of `dlbench scale`: ranks, modes, bucket caps, and the series of a
// sweep, which varies options of the command line.
#pragma once

#include "harness/commands/run_options.h"
#include "harness/scaling/scale_plan.h"
#include "workloads/sweep.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// Calls parse_rank_list(); an empty text gives powers of two up to `available`, and `available`.
[[nodiscard]] std::vector<int> scaled_ranks(std::string_view text, int available);

/// Parses --project, "16,64", to numbers of ranks up to 1024. Throws core::Error(kUsage) for
/// others.
[[nodiscard]] std::vector<std::int64_t> projected_ranks(std::string_view text);

/// Parses "weak,strong", keeping the order. Throws core::Error(kUsage) with the nearest name.
[[nodiscard]] std::vector<std::string> parse_modes(std::string_view text);

/// Parses "1,5,25" to MiB, ascending, each once. Throws core::Error(kUsage) for an invalid size.
[[nodiscard]] std::vector<double> parse_bucket_caps(std::string_view text);

/// Throws core::Error(kUsage) if an option that the sweep varies was given, or if it varies the
/// loader alone and none of `trials`, as --trials has them, loads data.
void check_variants(const workloads::SweepSpec& spec,
                    const OptionSet& options,
                    const std::string& trials);

/// Returns the series of a sweep: every variant with every batch rule of `modes`, its settings on
/// top of `base`. Throws core::Error(kUsage) for an unknown option in a variant.
[[nodiscard]] std::vector<ScaleSeries> sweep_series(const workloads::SweepSpec& spec,
                                                    const std::vector<std::string>& modes,
                                                    const RunOptions& base);

}  // namespace dlbench::harness
