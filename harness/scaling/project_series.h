// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Projects the measured sizes of `scale` to more ranks, for the report.
#pragma once

#include "harness/scaling/scale_run.h"
#include "reports/record.h"

#include <cstdint>
#include <vector>

namespace dlbench::harness {

struct ProjectionRequest {
  std::vector<std::int64_t> ranks;
  std::vector<double> bucket_caps_mib;  ///< to model; empty: the usual ones
  int bucket_ranks = 1;                 ///< ranks that the caps are modelled for
  bool leave_largest_out = false;
};

/// Fills in fit, projection, buckets and leave_largest_out of record.scaling, whose series are in
/// the order of `scale`. Projections are conclusions: if something is missing for one, run.skipped
/// says so and the report stands without it. Call on rank 0, after scale.measure_facts().
void project_series(const ScaleRun& scale,
                    const ProjectionRequest& request,
                    reports::RunRecord& record);

}  // namespace dlbench::harness
