// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// `dlbench verify --op`: single ops of a backend against the reference, and the reference's
// gradients against central differences. The cases are engine/conformance's.
#pragma once

#include "engine/conformance/runner.h"

#include <iosfwd>
#include <string>

namespace dlbench::harness {

/// Runs the selected cases on a backend; on "ref" the gradient checks. One line per case, written
/// when it has run. Returns the exit code: 0, or 3 if a case failed. What the backend does not have
/// is said, not failed. Throws core::Error(kUnavailable) where it has none of them, kUsage where
/// the reference has no gradient to check, and what ends a run, behind the lines of what ran.
[[nodiscard]] int run_verify_ops(const std::string& backend,
                                 int threads,
                                 conformance::Filter filter,
                                 std::ostream& out);

}  // namespace dlbench::harness
