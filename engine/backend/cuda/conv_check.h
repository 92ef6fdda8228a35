// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a plan computes the convolution that it is for: which elements of its result are looked
// at, and how far each may be from the definition. An engine of cuDNN may run, finish without an
// error and compute something else. Knows no CUDA call.
#pragma once

#include "engine/backend/cuda/conv_problem.h"
#include "engine/backend/cuda/kernels/launch.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {

/// What a plan may do besides summing products in f32.
struct ConvRounding {
  bool tf32 = false;         ///< operands in f32 are cut to 10 bits of mantissa
  bool transformed = false;  ///< Winograd or FFT
};

/// The operands that a plan is tried out with: random_value() of these seeds.
enum class ConvOperand : std::uint32_t { kX = 1, kW = 2, kY = 3, kBias = 4 };

/// Offsets into the result, rising, the same for every plan: its first and last element, corners
/// and middles of edges and random places, or, where they are few, all places in turn, such as the
/// taps of a gradient of weights; of random samples and channels.
[[nodiscard]] std::vector<Index> conv_samples(const ConvProblem& problem);

/// What launch_conv_samples() wants; addresses are left null.
[[nodiscard]] ConvSamplesArgs conv_samples_args(const ConvProblem& problem,
                                                std::vector<Index> offsets);

/// Extents of what the problem's direction computes.
[[nodiscard]] const std::vector<std::int64_t>& result_extents(const ConvProblem& problem);

/// What is wrong with a result, epilogue included: "computes w[3, 17, 0, 5] = 1.2, wanted 0.4
/// (limit 0.001); 9 of 128 results are wrong"; empty: nothing. `sums`: of launch_conv_samples() at
/// the offsets, over the operands above; `results`: what was written there. Sums of parts that are
/// added up in 16 bits, from some 32 to 64 parts on, are meant to be refused.
[[nodiscard]] std::string wrong_results(const ConvProblem& problem,
                                        const ConvRounding& rounding,
                                        std::span<const Index> offsets,
                                        std::span<const double> sums,
                                        std::span<const double> results);

}  // namespace dlbench::backend::cuda
