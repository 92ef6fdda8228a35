// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How far tensors lie from those that they should be, and what a record holds.
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
  double product = 0.0;  ///< of both vectors
  bool zero = true;      ///< all that was tested
  double max_difference = 0.0;
  std::int64_t elements = 0;

  void add(double tested, double reference);
  void add(const Difference& other);
  /// |tested - reference| / max(|reference|, smallest_norm): 0 / 0 is no error; anything else / 0
  /// is infinite.
  [[nodiscard]] double relative(double smallest_norm = 0.0) const;
  /// GradientBounds::direction; of vectors that are zero NaN or infinite, as the next one.
  [[nodiscard]] double direction() const;
  [[nodiscard]] double length() const;  ///< GradientBounds::length
};

/// Of one tensor beside another of the same shape.
[[nodiscard]] Difference difference_of(const core::HostTensor& tested,
                                       const core::HostTensor& reference);

/// The tensor `name` + `ending` of a record; it is a programmer error if there is none.
[[nodiscard]] const core::HostTensor& tensor_of(const exec::TensorMap& record,
                                                std::string_view name,
                                                std::string_view ending = {});

}  // namespace dlbench::harness
