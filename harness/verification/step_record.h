// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One training step with everything it read and wrote, as named tensors in logical layout, which
// `dlbench verify` compares and dumps. The names in the dump file are:
//   input/<tensor>      as the network sees it, after normalisation (images f32, masks u8, N C H W)
//   output/prediction   of the network
//   loss                f32 scalar
//   before/<name>       parameters, running statistics and scalars before the step
//   grad/<name>         of each parameter
//   after/<name>        parameters and running statistics after the step
#pragma once

#include "engine/backend/backend.h"
#include "engine/exec/model_state.h"
#include "harness/verification/step_inputs.h"
#include "workloads/workload.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace dlbench::harness {

struct StepSetup {
  const workloads::WorkloadSpec& spec;
  const workloads::BuiltWorkload& built;
  const StepInputs& inputs;
  std::uint64_t seed = 1;                       ///< of the initial weights and of dropout
  core::DType precision = core::DType::kF32;    ///< of contractions
  std::optional<std::filesystem::path> init{};  ///< a checkpoint instead of drawn weights
  backend::LoweringOptions lowering{};
};

/// One step, and the update of a later one.
struct StepRecord {
  exec::TensorMap first;
  /// before/<name> and after/<name> of parameters and optimizer state, and grad/<name>.
  exec::TensorMap later;
  bool replayed = false;  ///< the later step was, from a recording
};

/// Calls record_step(), then runs `more` (> 0) steps on the same batch and records the update of
/// the last one. Steps are replayed as in a measurement if the device can: from the third on.
[[nodiscard]] StepRecord record_steps(backend::Backend& backend, const StepSetup& setup, int more);

/// Runs one step from a fresh model state; with loss scaling, at the first scale, from the initial
/// one down, at which the gradients are finite. Throws core::Error(kRun) if there is none down to
/// 1, and the errors of lowering and load_checkpoint().
[[nodiscard]] exec::TensorMap record_step(backend::Backend& backend, const StepSetup& setup);

}  // namespace dlbench::harness
