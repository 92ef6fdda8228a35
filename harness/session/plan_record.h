// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a report says about one executable step and its loss scaling.
#pragma once

#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "reports/record.h"

#include <cstdint>
#include <optional>

namespace dlbench::harness {

/// Records mode, hash, size and kernel decisions of a step made for `batch_size` samples.
[[nodiscard]] reports::PlanRecord plan_record(const exec::Executor& step, std::int64_t batch_size);

/// Returns the taint nondeterministic_plan if any kernel's library does not guarantee the same bits
/// in every run; --deterministic avoids such kernels. Nothing otherwise.
[[nodiscard]] std::optional<reports::TaintRecord> plan_taint(const backend::LoweredGraph& step);

/// Returns the current scale, and the steps skipped beyond `skipped_before`; nothing for a model
/// without loss scaling. Reads the state: do not call it inside a timed region.
[[nodiscard]] std::optional<reports::LossScalingRecord> loss_scaling_record(
    const exec::ModelState& state, std::int64_t skipped_before = 0);

}  // namespace dlbench::harness
