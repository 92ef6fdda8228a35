// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the vendors' data sheets promise of GPUs: dense arithmetic and memory bandwidth, by the name
// that the driver gives the device. docs/gpu-peaks.md has the same table with its sources.
#pragma once

#include "reports/record.h"

#include <span>
#include <string>
#include <vector>

namespace dlbench::harness {

/// One row of the table. Figures without sparsity; tera and giga are powers of 10.
struct GpuPeak {
  const char* device;
  double fp32_tflop_per_s;  ///< outside of the tensor cores
  double tf32_tflop_per_s;
  double half_tflop_per_s;  ///< bf16 and fp16 alike, summed in fp32
  double memory_gb_per_s;
};

[[nodiscard]] std::span<const GpuPeak> gpu_peaks();

/// Returns a record per precision; none for a device that is not in the table.
[[nodiscard]] std::vector<reports::PeakRecord> datasheet_peaks(const std::string& device);

}  // namespace dlbench::harness
