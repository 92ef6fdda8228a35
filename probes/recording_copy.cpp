// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/recording_copy.h"

#include "engine/core/log.h"

#include <exception>

namespace dlbench::probes {

void keep_recording(const std::string& file, const std::function<void()>& write) noexcept {
  if (file.empty()) {
    return;
  }
  try {
    write();
  } catch (const std::exception& error) {
    core::log::warn("--record-probes keeps nothing in " + file + ": " + error.what());
  }
}

}  // namespace dlbench::probes
