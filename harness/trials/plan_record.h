// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a report says of one executable step.
#pragma once

#include "engine/exec/executor.h"
#include "reports/record.h"

#include <cstdint>

namespace dlbench::harness {

/// Mode, hash, size and kernel decisions of a step made for `batch_size` samples.
[[nodiscard]] reports::PlanRecord plan_record(const exec::Executor& step, std::int64_t batch_size);

}  // namespace dlbench::harness
