// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How an exception other than core::Error is described to the user and in the report.
#pragma once

#include "engine/core/error.h"

#include <exception>

namespace dlbench::harness {

/// Returns `failure` itself if it is a core::Error, else an error with exit code 1 that says what
/// was lacking (memory, threads) or went wrong.
[[nodiscard]] core::Error as_error(const std::exception& failure);

}  // namespace dlbench::harness
