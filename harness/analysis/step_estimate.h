// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How long a step would take at the machine's measured peaks: for plans, before anything has run.
#pragma once

#include "engine/graph/graph.h"
#include "reports/record.h"

#include <optional>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// Seconds of one step if every node ran at a peak: over all nodes the sum of
/// max(FLOP / peak FLOP per s of the node's precision, which for f32 is `wide`, compulsory bytes /
/// peak bytes per s), the roofline of Williams, Waterman, Patterson 2009,
/// doi:10.1145/1498765.1498785.
///
/// A real step is longer where kernels stay below the peaks, nodes are small or threads wait; it is
/// shorter where Winograd multiplies less, nodes are fused or results are still in a cache.
/// Nothing where a peak of a precision that the graph uses is not known.
[[nodiscard]] std::optional<double> estimate_step_s(const graph::Graph& step,
                                                    const std::vector<reports::PeakRecord>& peaks,
                                                    std::string_view wide = "fp32");

}  // namespace dlbench::harness
