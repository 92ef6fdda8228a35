// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks that a plan computes the convolution that it is for: which elements of its result are
// compared, and how far each may be from the definition. An engine of cuDNN may run without an
// error and still compute something else. Makes no CUDA calls.
#pragma once

#include "engine/backend/cuda/conv_problem.h"
#include "engine/backend/cuda/kernels/launch.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {

/// How a plan may deviate from summing products in f32.
struct ConvRounding {
  bool tf32 = false;         ///< f32 operands are truncated to 10 bits of mantissa
  bool transformed = false;  ///< Winograd or FFT
};

/// The operands with which a plan is tried: random_value() with these seeds.
enum class ConvOperand : std::uint32_t { kX = 1, kW = 2, kY = 3, kBias = 4 };

/// Returns ascending offsets into the result, the same for every plan: its first and last element,
/// corners, middles of edges and random places, or all places if there are few (such as the taps of
/// a weight gradient); of random samples and channels.
[[nodiscard]] std::vector<Index> conv_samples(const ConvProblem& problem);

/// The arguments for launch_conv_samples(); addresses are left null.
[[nodiscard]] ConvSamplesArgs conv_samples_args(const ConvProblem& problem,
                                                std::vector<Index> offsets);

/// The extents of the operand that the problem's direction computes.
[[nodiscard]] const std::vector<std::int64_t>& result_extents(const ConvProblem& problem);

/// What is wrong with a result, epilogue included: "computes w[3, 17, 0, 5] = 1.2, wanted 0.4
/// (limit 0.001); 9 of 128 results are wrong"; empty if nothing is. `sums`: from
/// launch_conv_samples() at the offsets, with the operands above; `results`: what the plan wrote
/// there. Plans that add partial sums in 16 bits, from some 32 to 64 parts on, are to be rejected.
[[nodiscard]] std::string wrong_results(const ConvProblem& problem,
                                        const ConvRounding& rounding,
                                        std::span<const Index> offsets,
                                        std::span<const double> sums,
                                        std::span<const double> results);

}  // namespace dlbench::backend::cuda
