// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimizer updates over flat ranges of f32. The rules are in optimizer_math.h.
#pragma once

#include "engine/backend/optimizer_math.h"

#include <cstdint>

namespace dlbench::backend::cpu {

/// Updates all ranges. op: of the node; coefficients: f64 (8), see optimizer_math.h.
void update(graph::OpKind op,
            const graph::OptimizerAttributes& attributes,
            float learning_rate,
            const double* coefficients,
            const UpdateRange* ranges,
            std::int64_t range_count);

}  // namespace dlbench::backend::cpu
