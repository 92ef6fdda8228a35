// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that keeps what a GPU monitor saw, so that a measurement can be looked at again without
// the GPU: the windows of all trials, as JSON.
#pragma once

#include "probes/gpu/gpu_window.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::probes {

/// A window and the trial that it belongs to.
struct RecordedWindow {
  std::string trial;
  GpuWindow window;
};

struct GpuRecording {
  std::string origin;  ///< how it came about: "recorded", or what made it up
  GpuIdentity gpu;
  std::vector<RecordedWindow> windows;

  /// The windows of one trial, in their order.
  [[nodiscard]] std::vector<GpuWindow> of_trial(const std::string& trial) const;
};

/// Throws core::Error(kFile) if it cannot be read, core::Error(kData) if it is no recording.
[[nodiscard]] GpuRecording read_gpu_recording(const std::filesystem::path& path);

/// Throws core::Error(kFile).
void write_gpu_recording(const std::filesystem::path& path, const GpuRecording& recording);

}  // namespace dlbench::probes
