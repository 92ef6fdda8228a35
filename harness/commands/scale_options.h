// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the options of `dlbench scale` mean: ranks, modes, bucket caps, and the series of a sweep,
// which varies options of the command line.
#pragma once

#include "harness/commands/run_options.h"
#include "harness/scaling/scale_plan.h"
#include "workloads/sweep.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// parse_rank_list(); of an empty text powers of two up to `available`, and `available`.
[[nodiscard]] std::vector<int> scaled_ranks(std::string_view text, int available);

/// --project: "16,64" -> numbers of ranks up to 1024. Throws core::Error(kUsage) for what is none.
[[nodiscard]] std::vector<std::int64_t> projected_ranks(std::string_view text);

/// "weak,strong" -> names in that order. Throws core::Error(kUsage) with the nearest name.
[[nodiscard]] std::vector<std::string> parse_modes(std::string_view text);

/// "1,5,25" -> MiB, ascending, each once. Throws core::Error(kUsage) for what is no size.
[[nodiscard]] std::vector<double> parse_bucket_caps(std::string_view text);

/// The series of a sweep: every variant with every batch rule of `modes`, over `base` with what the
/// variant sets. Throws core::Error(kUsage) for a variant with an option that does not exist.
[[nodiscard]] std::vector<ScaleSeries> sweep_series(const workloads::SweepSpec& spec,
                                                    const std::vector<std::string>& modes,
                                                    const RunOptions& base);

}  // namespace dlbench::harness
