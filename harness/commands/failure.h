// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user and the report are told of an exception that is no core::Error.
#pragma once

#include "engine/core/error.h"

#include <exception>

namespace dlbench::harness {

/// `failure` itself if it is a core::Error. Else one that says what was lacking (memory, threads)
/// or went wrong, with exit code 1.
[[nodiscard]] core::Error as_error(const std::exception& failure);

}  // namespace dlbench::harness
