// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Estimates the time of a step from the machine's measured peaks: for plans, before it has run.
#pragma once

#include "engine/graph/graph.h"
#include "reports/record.h"

#include <optional>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// Returns the seconds of one step if every node ran at a peak: the sum over nodes of max(FLOP /
/// peak FLOP per s of the node's precision (`wide` for f32), compulsory bytes / peak bytes per s),
/// the roofline of Williams, Waterman, Patterson 2009, doi:10.1145/1498765.1498785.
///
/// A real step takes longer if kernels stay below the peaks, nodes are small or threads wait; it is
/// shorter if Winograd multiplies less, nodes are fused or results are still in a cache. Nothing if
/// the peak of a precision that the graph uses is unknown.
[[nodiscard]] std::optional<double> estimate_step_s(const graph::Graph& step,
                                                    const std::vector<reports::PeakRecord>& peaks,
                                                    std::string_view wide = "fp32");

}  // namespace dlbench::harness
