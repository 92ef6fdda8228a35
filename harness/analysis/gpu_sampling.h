// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a GPU's counters over time say of a trial, as its report has it. Knows no profiler: the
// samples may come from a GPU or from a file.
#pragma once

#include "probes/gpu/gpu_samples.h"
#include "reports/value.h"

namespace dlbench::harness {

/// For `probes.cupti_sampling` of a trial: how many samples, their interval, how many are lost, and
/// mean, 95th percentile and maximum of each counter over the samples whose middle lies between the
/// first step's begin and the last one's end. All samples count where no step was seen or the
/// samples are not on the host's clock. Samples are equally long, so none has a weight.
[[nodiscard]] reports::ValueMap sampling_record(const probes::GpuSamples& samples);

}  // namespace dlbench::harness
