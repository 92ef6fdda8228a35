// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines of cuDNN that run, say nothing, and compute something else, and such as find no memory.
#pragma once

#include <string>

namespace dlbench::fake {

/// Plans that are made from now on by the engines of these numbers ("0+4"), or by "all", take
/// filters from the other end. In place of the word wrong_engines (README.md).
void set_wrong_engines(const std::string& list);

/// Plans of these engines fail from now on when they are run, as where cuDNN gets no memory.
void set_engines_without_memory(const std::string& list);

}  // namespace dlbench::fake
