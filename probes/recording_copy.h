// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The copy of everything seen that a probe keeps in a file (its option `record`).
#pragma once

#include <functional>
#include <string>

namespace dlbench::probes {

/// Calls write, unless `file` is empty. What it throws becomes a warning: what was measured stands
/// without its copy.
void keep_recording(const std::string& file, const std::function<void()>& write) noexcept;

}  // namespace dlbench::probes
