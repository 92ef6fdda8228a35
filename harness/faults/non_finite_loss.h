// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A step whose loss is NaN or infinite.
#pragma once

#include "engine/core/error.h"

#include <string>

namespace dlbench::harness {

/// It has to be known at once: this rank's gradients are in the next step of all others, whose loss
/// is none either, and the failure is of the rank that had it first.
class NonFiniteLoss : public core::Error {
 public:
  explicit NonFiniteLoss(const std::string& message)
      : core::Error(core::ErrorCode::kRun, message) {}
};

}  // namespace dlbench::harness
