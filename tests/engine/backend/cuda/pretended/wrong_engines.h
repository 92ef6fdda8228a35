// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines of cuDNN that run, say nothing, and compute something else.
#pragma once

#include <string>

namespace dlbench::pretended {

/// Plans that are made from now on by the engines of these numbers ("0+4"), or by "all", take
/// filters from the other end. In place of the word wrong_engines (README.md).
void set_wrong_engines(const std::string& list);

}  // namespace dlbench::pretended
