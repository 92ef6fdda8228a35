// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a report says of one executable step and of its loss scaling.
#pragma once

#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "reports/record.h"

#include <cstdint>
#include <optional>

namespace dlbench::harness {

/// Mode, hash, size and kernel decisions of a step made for `batch_size` samples.
[[nodiscard]] reports::PlanRecord plan_record(const exec::Executor& step, std::int64_t batch_size);

/// The taint nondeterministic_plan, if the library of any kernel of the step does not promise the
/// same bits in every run; --deterministic leaves such kernels out. Nothing otherwise.
[[nodiscard]] std::optional<reports::TaintRecord> plan_taint(const backend::LoweredGraph& step);

/// The scale of now, and the steps skipped beyond `skipped_before`; nothing for a model without
/// loss scaling. Reads the state: not inside of a timed region.
[[nodiscard]] std::optional<reports::LossScalingRecord> loss_scaling_record(
    const exec::ModelState& state, std::int64_t skipped_before = 0);

}  // namespace dlbench::harness
