// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/exec/model_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace dlbench::tests {

/// ||seen - wanted|| / ||wanted|| over all tensors; both have to hold the same ones.
[[nodiscard]] inline double relative_distance(const exec::TensorMap& seen,
                                              const exec::TensorMap& wanted) {
  EXPECT_EQ(seen.size(), wanted.size());
  double difference = 0.0;
  double norm = 0.0;
  for (const auto& [name, tensor] : wanted) {
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      difference += std::pow(seen.at(name).at(i) - tensor.at(i), 2);
      norm += std::pow(tensor.at(i), 2);
    }
  }
  return std::sqrt(difference / norm);
}

}  // namespace dlbench::tests
