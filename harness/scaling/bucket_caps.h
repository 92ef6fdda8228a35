// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The step under several bucket caps, measured: what the model's best cap is compared with.
#pragma once

#include "harness/scaling/scale_run.h"
#include "reports/scaling_record.h"

#include <functional>
#include <vector>

namespace dlbench::harness {

/// What a sweep of caps found.
struct BucketCapResults {
  std::vector<reports::BucketSweepRecord> sweeps;  ///< by series
  std::vector<reports::TaintRecord> taints;        ///< one of each kind
};

/// The synthetic step of every series of `options` at its largest number of ranks under each cap,
/// caps interleaved over rounds. Complete on rank 0. Collective.
[[nodiscard]] BucketCapResults measure_bucket_caps(const ScaleRunOptions& options,
                                                   const std::vector<double>& caps_mib,
                                                   comm::Rendezvous& launch,
                                                   RunGuard& guard,
                                                   const std::function<void()>& listener);

/// Puts the modelled steps of `model` beside the measured ones of the same caps.
void add_model(const reports::BucketSweepRecord& model, reports::BucketSweepRecord& measured);

}  // namespace dlbench::harness
