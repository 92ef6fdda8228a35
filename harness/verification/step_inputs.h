// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The batch of a verified step: drawn in memory from a seed, or read from a data set.
#pragma once

#include "data/dataset.h"
#include "engine/core/host_tensor.h"
#include "workloads/workload.h"

#include <cstdint>
#include <map>
#include <string>

namespace dlbench::harness {

/// The tensor to bind to each input of a graph, by name.
using StepInputs = std::map<std::string, core::HostTensor, std::less<>>;

/// Draws images with an ellipse on a shaded, noisy background, masks of the same ellipse, and
/// labels of all classes. Sample s depends on (seed, s) only. Neither constant nor symmetric, so
/// that a swapped axis or a shifted window is detected.
[[nodiscard]] StepInputs draw_step_inputs(const workloads::WorkloadSpec& spec,
                                          const workloads::BuiltWorkload& built,
                                          std::uint64_t seed);

/// Loads the first batch of a shuffled pass over a data set. Rethrows what the loader throws.
[[nodiscard]] StepInputs load_step_inputs(const data::Dataset& dataset,
                                          const workloads::BuiltWorkload& built,
                                          std::uint64_t seed);

}  // namespace dlbench::harness
