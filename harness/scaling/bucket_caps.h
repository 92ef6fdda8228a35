// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures the step under several bucket caps, for comparison with the model's best cap.
#pragma once

#include "harness/scaling/scale_run.h"
#include "reports/scaling_record.h"

#include <functional>
#include <vector>

namespace dlbench::harness {

/// The result of a sweep of caps.
struct BucketCapResults {
  std::vector<reports::BucketSweepRecord> sweeps;  ///< by series
  std::vector<reports::TaintRecord> taints;        ///< one of each kind
};

/// Measures the synthetic step of every series of `options` at its largest number of ranks under
/// each cap, caps interleaved over rounds. Calls `listener` on rank 0 with what was measured so
/// far, after each size of each round and in the end. Collective.
void measure_bucket_caps(const ScaleRunOptions& options,
                         const std::vector<double>& caps_mib,
                         comm::Rendezvous& launch,
                         RunGuard& guard,
                         const std::function<void(const BucketCapResults&)>& listener);

/// Puts the sweeps into the records of their series, with the modelled steps that are there.
void keep_sweeps(const std::vector<reports::BucketSweepRecord>& sweeps,
                 std::vector<reports::ScalingRecord>& series);

}  // namespace dlbench::harness
