// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One batch for a verified step: drawn in memory from a seed, or read from a data set.
#pragma once

#include "data/dataset.h"
#include "engine/core/host_tensor.h"
#include "workloads/workload.h"

#include <cstdint>
#include <map>
#include <string>

namespace dlbench::harness {

/// What to bind to each input of a graph, by its name.
using StepInputs = std::map<std::string, core::HostTensor, std::less<>>;

/// Images with an ellipse on a shaded, noisy ground; masks of the same ellipse; labels of all
/// classes. Sample s depends on (seed, s) alone. Neither constant nor symmetric, so that a swapped
/// axis or a shifted window shows.
[[nodiscard]] StepInputs draw_step_inputs(const workloads::WorkloadSpec& spec,
                                          const workloads::BuiltWorkload& built,
                                          std::uint64_t seed);

/// The first batch of a shuffled pass over a data set. Throws what the loader throws.
[[nodiscard]] StepInputs load_step_inputs(const data::Dataset& dataset,
                                          const workloads::BuiltWorkload& built,
                                          std::uint64_t seed);

}  // namespace dlbench::harness
