// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From the measured sizes of `scale` to what more ranks would bring, in the report.
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

/// Fills in fit, projection, buckets and leave_largest_out of record.scaling, which has the series
/// of `scale` in its order. Projections are conclusions: what is missing for one goes into
/// run.skipped, and the report stands without it. On rank 0, after scale.measure_facts().
void project_series(const ScaleRun& scale,
                    const ProjectionRequest& request,
                    reports::RunRecord& record);

}  // namespace dlbench::harness
