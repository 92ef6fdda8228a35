// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Evaluates a GPU's counters over time for the report of a trial. Independent of any profiler: the
// samples may come from a GPU or from a file.
#pragma once

#include "probes/gpu/gpu_samples.h"
#include "reports/value.h"

namespace dlbench::harness {

/// Returns the values for `probes.cupti_sampling` of a trial: number and interval of the samples,
/// how many are lost, and mean, 95th percentile and maximum of each counter over the samples whose
/// middle lies between the begin of the first and the end of the last step. All samples count if no
/// step was seen or they are not on the host's clock. Samples are equally long, hence unweighted.
[[nodiscard]] reports::ValueMap sampling_record(const probes::GpuSamples& samples);

}  // namespace dlbench::harness
