// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole training steps of the workloads on a backend against the reference backend: fusions,
// layouts and reorders only meet in a real graph.
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/host_tensor.h"
#include "engine/exec/model_state.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlbench {

struct StepCase {
  std::string workload;
  std::int64_t batch;
  std::int64_t size;
  core::DType precision = core::DType::kF32;
  bool tf32 = false;  ///< contractions in f32 round their operands
  backend::ConvAlgorithm algorithm = backend::ConvAlgorithm::kDirect;
  double tolerance = 6e-3;  ///< relative L2 distance of a tensor
  graph::Mode mode = graph::Mode::kTrain;
  std::vector<graph::ValueId>
      keep{};  ///< of recorded_step(): values that must exist after the step
  std::map<std::string, std::string> decisions{};  ///< of recorded_step(): kernels that are taken
};

/// Loss, prediction and state after one step, by name.
using Tensors = std::map<std::string, core::HostTensor>;

/// One step on inputs that depend on the case alone; where it evaluates, so do running statistics.
[[nodiscard]] Tensors run_step(backend::Backend& backend, const StepCase& test);
[[nodiscard]] Tensors run_reference_step(const StepCase& test);

[[nodiscard]] double relative_distance(const core::HostTensor& a, const core::HostTensor& b);
/// The gradients of both steps, seen as two long vectors: cosine of the angle between them.
[[nodiscard]] double gradient_cosine(const Tensors& a, const Tensors& b);

/// The parameters whose first filter can be NaN with the loss still a number: none, for it must be
/// seen that a network has diverged.
[[nodiscard]] std::vector<std::string> parameters_whose_nan_is_lost(backend::Backend& backend,
                                                                    const StepCase& test);

/// Compares loss, prediction, gradients and running variances tensor by tensor. Updated parameters
/// are not compared: Nadam's first step has nearly the sign of the gradient, which is rounding
/// noise where the true gradient is zero (a bias before a batch norm).
void compare_with_reference(backend::Backend& backend, const StepCase& test);

/// A step with all it read and wrote, as `dlbench verify` records it.
[[nodiscard]] exec::TensorMap recorded_step(backend::Backend& backend, const StepCase& test);

/// Results of the step's graph that no kernel needs to write: between the additions of a chain, of
/// slices, and of upsamplings that a concatenation alone reads.
[[nodiscard]] std::vector<graph::ValueId> values_done_without(const StepCase& test);

/// Names of the tensors of a recorded step whose bits are others where those values are written.
[[nodiscard]] std::vector<std::string> changed_by_doing_without(backend::Backend& backend,
                                                                const StepCase& test);

/// Tensors of two recorded steps that are further apart than `dlbench verify` allows at this size,
/// each with error and limit: limits that know of ReLUs whose input rounding puts on the other side
/// of zero, where those of compare_with_reference() do not. StepCase::tolerance has no part in it.
[[nodiscard]] std::vector<std::string> beyond_verification(const exec::TensorMap& tested,
                                                           const exec::TensorMap& reference,
                                                           const StepCase& test);

/// As `dlbench verify` judges the step of a backend in any precision: against that of `ref` in f32,
/// without tf32, and with loss scaling the first one that updates. Empty: it keeps all limits.
[[nodiscard]] std::vector<std::string> verification_of(backend::Backend& backend,
                                                       const StepCase& test);

/// With 8 bits and a batch of two, single gradients of a deep network are mostly rounding: their
/// common direction and the loss are what both backends must agree on.
void compare_16_bit_with_reference(backend::Backend& backend, const StepCase& test);

/// A step of a small network with a transposed convolution, its bias and slices, which no workload
/// has, in this precision; each gradient is held to `tolerance`.
void compare_up_convolution_with_reference(backend::Backend& backend,
                                           core::DType precision,
                                           double tolerance);

}  // namespace dlbench
