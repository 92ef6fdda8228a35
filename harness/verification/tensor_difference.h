// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The differences between tested and reference tensors, and access to the tensors of a record.
#pragma once

#include "engine/core/host_tensor.h"
#include "engine/exec/model_state.h"

#include <cstdint>
#include <string_view>

namespace dlbench::harness {

/// Sums over the elements of one or several pairs of tensors.
struct Difference {
  double squared_error = 0.0;
  double squared_norm = 0.0;  ///< of the reference
  double squared_tested = 0.0;
  double product = 0.0;  ///< inner product of both vectors
  bool zero = true;      ///< all tested elements are zero
  double max_difference = 0.0;
  std::int64_t elements = 0;

  void add(double tested, double reference);
  void add(const Difference& other);
  /// Returns |tested - reference| / max(|reference|, smallest_norm), where 0 / 0 counts as no error
  /// and anything else / 0 is infinite.
  [[nodiscard]] double relative(double smallest_norm = 0.0) const;
  /// Returns GradientBounds::direction; NaN or infinite for zero vectors, like length().
  [[nodiscard]] double direction() const;
  [[nodiscard]] double length() const;  ///< GradientBounds::length
};

/// Compares one tensor with another of the same shape.
[[nodiscard]] Difference difference_of(const core::HostTensor& tested,
                                       const core::HostTensor& reference);

/// Returns the tensor `name` + `ending` of a record; a missing one is a programmer error.
[[nodiscard]] const core::HostTensor& tensor_of(const exec::TensorMap& record,
                                                std::string_view name,
                                                std::string_view ending = {});

}  // namespace dlbench::harness
