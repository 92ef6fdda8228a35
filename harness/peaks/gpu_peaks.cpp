// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/gpu_peaks.h"

#include <array>
#include <utility>

namespace dlbench::harness {
namespace {

// Sources: docs/gpu-peaks.md.
constexpr std::array<GpuPeak, 18> kPeaks{{
    {"NVIDIA A100-PCIE-40GB", 19.5, 156, 312, 1555},
    {"NVIDIA A100-SXM4-40GB", 19.5, 156, 312, 1555},
    {"NVIDIA A100 80GB PCIe", 19.5, 156, 312, 1935},
    {"NVIDIA A100-SXM4-80GB", 19.5, 156, 312, 2039},
    {"NVIDIA A10", 31.2, 62.5, 125, 600},
    {"NVIDIA A40", 37.4, 74.8, 149.7, 696},
    {"NVIDIA H100 PCIe", 51.2, 378, 756, 2000},
    {"NVIDIA H100 80GB HBM3", 66.9, 494.7, 989.4, 3350},
    {"NVIDIA H100 NVL", 60, 417.5, 835.5, 3938},
    {"NVIDIA GH200 480GB", 66.9, 494.7, 989.4, 4000},
    {"NVIDIA GH200 144G HBM3e", 66.9, 494.7, 989.4, 4900},
    {"NVIDIA H200", 66.9, 494.7, 989.4, 4800},
    {"NVIDIA H200 NVL", 60, 418, 835, 4800},
    {"NVIDIA B200", 75, 1125, 2250, 7700},
    {"NVIDIA GB200", 80, 1250, 2500, 8000},
    {"NVIDIA L4", 30.3, 60, 121, 300},
    {"NVIDIA L40S", 91.6, 183, 362, 864},
    {"NVIDIA GeForce RTX 4090", 82.6, 82.6, 165.2, 1008},
}};

}  // namespace

std::span<const GpuPeak> gpu_peaks() { return kPeaks; }

std::vector<reports::PeakRecord> datasheet_peaks(const std::string& device) {
  std::vector<reports::PeakRecord> records;
  for (const GpuPeak& peak : kPeaks) {
    if (device != peak.device) {
      continue;
    }
    const std::array<std::pair<const char*, double>, 4> rates{{{"fp32", peak.fp32_tflop_per_s},
                                                               {"tf32", peak.tf32_tflop_per_s},
                                                               {"bf16", peak.half_tflop_per_s},
                                                               {"fp16", peak.half_tflop_per_s}}};
    for (const auto& [precision, tflop_per_s] : rates) {
      records.push_back({.device = device,
                         .precision = precision,
                         .flop_per_s = 1e12 * tflop_per_s,
                         .memory_bytes_per_s = 1e9 * peak.memory_gb_per_s,
                         .source = "datasheet",
                         .measured_at = std::nullopt,
                         .method = std::nullopt});
    }
  }
  return records;
}

}  // namespace dlbench::harness
