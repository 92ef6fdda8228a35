// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// NVML, the library of nvidia-smi, opened at run time: it comes with the driver, so a machine
// without one lacks it, and nothing here is linked to it.
#pragma once

#include "probes/gpu/gpu_sensors.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::probes {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

/// The sensors of one GPU, or why there are none, in one sentence.
struct NvmlSensors {
  std::unique_ptr<GpuSensors> sensors;
  std::string reason;
};

/// Whether take_events() is asked for, by which the driver queues events.
enum class FaultEvents : std::uint8_t { kWatched, kNotWatched };

/// `library`: kNvmlLibrary, or another in tests. `device`: PCI address ("0000:41:00.0"), UUID
/// ("GPU-...") or NVML's index, which counts all GPUs of the machine by PCI address, whatever
/// CUDA_VISIBLE_DEVICES says.
[[nodiscard]] NvmlSensors open_nvml(const std::string& library,
                                    const std::string& device,
                                    FaultEvents events = FaultEvents::kWatched);

/// All GPUs of the machine in the order of NVML's index; none where the library is missing or does
/// not start. What a GPU does not tell stays empty.
[[nodiscard]] std::vector<GpuIdentity> list_gpus(const std::string& library);

/// What a report calls the library: "NVML of driver 580.65.06"; empty where the driver does not
/// say.
[[nodiscard]] std::string nvml_text(const GpuIdentity& gpu);

}  // namespace dlbench::probes
