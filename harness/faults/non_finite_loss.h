// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A step whose loss is NaN or infinite.
#pragma once

#include "engine/core/error.h"

#include <string>

namespace dlbench::harness {

/// A separate class because it must be declared quickly: the all-reduce spreads this rank's NaN, so
/// every rank's next loss is NaN too, and the report must name the rank that had it first.
class NonFiniteLoss : public core::Error {
 public:
  explicit NonFiniteLoss(const std::string& message)
      : core::Error(core::ErrorCode::kRun, message) {}
};

}  // namespace dlbench::harness
