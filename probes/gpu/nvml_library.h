// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// NVML, the library of nvidia-smi, opened at run time: it comes with the driver, so a machine
// without a driver lacks it. Nothing here is linked to it.
#pragma once

#include "probes/gpu/gpu_sensors.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::probes {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

/// The sensors of one GPU, or one sentence on why there are none.
struct NvmlSensors {
  std::unique_ptr<GpuSensors> sensors;
  std::string reason;
};

/// Whether take_events() will be called; only then the driver queues events.
enum class FaultEvents : std::uint8_t { kWatched, kNotWatched };

/// Opens the sensors. `library`: kNvmlLibrary, or another one in tests. `device`: PCI address
/// ("0000:41:00.0"), UUID ("GPU-...") or NVML's index, which counts all GPUs of the machine by PCI
/// address, regardless of CUDA_VISIBLE_DEVICES.
[[nodiscard]] NvmlSensors open_nvml(const std::string& library,
                                    const std::string& device,
                                    FaultEvents events = FaultEvents::kWatched);

/// Returns all GPUs of the machine in the order of NVML's index; none if the library is missing or
/// does not start. Facts that a GPU does not report stay empty.
[[nodiscard]] std::vector<GpuIdentity> list_gpus(const std::string& library);

/// Returns the library's name in a report: "NVML of driver 580.65.06"; empty if the driver's
/// version is unknown.
[[nodiscard]] std::string nvml_text(const GpuIdentity& gpu);

}  // namespace dlbench::probes
