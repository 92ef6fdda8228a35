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
/// each cap, caps interleaved over rounds. Complete on rank 0. Collective.
[[nodiscard]] BucketCapResults measure_bucket_caps(const ScaleRunOptions& options,
                                                   const std::vector<double>& caps_mib,
                                                   comm::Rendezvous& launch,
                                                   RunGuard& guard,
                                                   const std::function<void()>& listener);

/// Adds the modelled steps of `model` to the measured ones of the same caps.
void add_model(const reports::BucketSweepRecord& model, reports::BucketSweepRecord& measured);

}  // namespace dlbench::harness
