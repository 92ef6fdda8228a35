// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A JSON file with everything that a GPU monitor saw (the windows of all trials), for analysing a
// measurement again without the GPU.
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
  std::string origin;  ///< "recorded", or what generated it
  GpuIdentity gpu;
  std::vector<RecordedWindow> windows;

  /// Returns the windows of one trial, in order.
  [[nodiscard]] std::vector<GpuWindow> of_trial(const std::string& trial) const;
};

/// Throws core::Error(kFile) if it cannot be read, core::Error(kData) if it is not a recording.
[[nodiscard]] GpuRecording read_gpu_recording(const std::filesystem::path& path);

/// Throws core::Error(kFile).
void write_gpu_recording(const std::filesystem::path& path, const GpuRecording& recording);

}  // namespace dlbench::probes
