// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// `dlbench verify --op`: checks single ops of a backend against the reference, and the reference's
// gradients against central differences, with the cases of engine/conformance.
#pragma once

#include "engine/conformance/runner.h"

#include <iosfwd>
#include <string>

namespace dlbench::harness {

/// Runs the selected cases on a backend, or the gradient checks on "ref"; writes one line per case
/// when it has run. Returns the exit code: 0, or 3 if a case failed; unimplemented cases do not
/// fail. Throws core::Error(kUnavailable) if the backend implements none of them, kUsage if the
/// reference has no gradient to check, and errors that end the run, after the lines of what ran.
[[nodiscard]] int run_verify_ops(const std::string& backend,
                                 int threads,
                                 conformance::Filter filter,
                                 std::ostream& out);

}  // namespace dlbench::harness
