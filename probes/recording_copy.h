// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The file with everything that a probe saw (its option `record`).
#pragma once

#include <functional>
#include <string>

namespace dlbench::probes {

/// Calls `write` unless `file` is empty. Exceptions become warnings, as the measurement is valid
/// without the copy.
void keep_recording(const std::string& file, const std::function<void()>& write) noexcept;

}  // namespace dlbench::probes
