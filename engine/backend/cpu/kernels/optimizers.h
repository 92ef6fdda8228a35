// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimizer updates over flat ranges of f32. The rules are those of optimizer_math.h.
#pragma once

#include "engine/graph/attributes.h"

#include <cstdint>

namespace dlbench::backend::cpu {

enum class UpdateRule : std::uint8_t { kSgd, kAdam, kNadam, kAdadelta };

/// One contiguous piece of the arenas; second is null for SGD.
struct UpdateRange {
  const float* gradient;
  float* parameter;
  float* first;
  float* second;
  std::int64_t elements;
};

/// Updates all ranges. coefficients: f64 (8), see optimizer_math.h.
void update(UpdateRule rule,
            const graph::OptimizerAttributes& attributes,
            float learning_rate,
            const double* coefficients,
            const UpdateRange* ranges,
            std::int64_t range_count);

}  // namespace dlbench::backend::cpu
