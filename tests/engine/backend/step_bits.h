// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Several training steps of a workload to the last bit: what must be equal however the steps are
// enqueued, and again in a second run.
#pragma once

#include "engine/backend/backend.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench {

struct StepBitsCase {
  std::string workload;
  std::int64_t batch = 4;
  std::int64_t size = 28;
  core::DType precision = core::DType::kF32;  ///< f16 scales its loss
  bool tf32 = false;                          ///< contractions in f32 round their operands
  exec::GraphReplay replay = exec::GraphReplay::kOff;
  bool deterministic = true;
  int steps = 8;
};

struct StepBits {
  std::vector<float> losses;  ///< of each step
  exec::TensorMap
      state;  ///< parameters, gradients, optimizer state, buffers and scalars at the end
  std::int64_t steps_made = 0;  ///< the others were skipped: their gradients overflowed
  bool replayed = false;        ///< the last step was
};

/// Runs the steps on inputs that depend on case and step alone, another batch in each of them, as
/// many on their way as the device may have.
[[nodiscard]] StepBits run_step_bits(backend::Backend& backend, const StepBitsCase& test);

/// Empty if losses and state are equal bit for bit, else the first loss and the tensors, up to
/// four, that differ.
[[nodiscard]] std::string difference(const StepBits& a, const StepBits& b);

}  // namespace dlbench
