// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/gpu_peaks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace dlbench::harness {
namespace {

TEST(GpuPeaks, GiveARecordPerPrecisionOfAKnownDevice) {
  const auto peaks = datasheet_peaks("NVIDIA H200");
  ASSERT_EQ(peaks.size(), 4U);
  EXPECT_EQ(peaks[2].precision, "bf16");
  EXPECT_EQ(peaks[2].flop_per_s, 989.4e12);
  EXPECT_EQ(peaks[2].memory_bytes_per_s, 4800e9);
  EXPECT_EQ(peaks[2].source, "datasheet");
}

TEST(GpuPeaks, GiveNothingForADeviceThatIsOnlySimilar) {
  EXPECT_TRUE(datasheet_peaks("NVIDIA H200 MIG 1g.18gb").empty());
  EXPECT_TRUE(datasheet_peaks("").empty());
}

// As in all tensor cores from Ampere on: a figure with sparsity, or of another row, stands out.
TEST(GpuPeaks, HaveTwiceTheRateInHalfTheBits) {
  for (const GpuPeak& peak : gpu_peaks()) {
    EXPECT_NEAR(peak.half_tflop_per_s / peak.tf32_tflop_per_s, 2.0, 0.03) << peak.device;
    EXPECT_LE(peak.fp32_tflop_per_s, peak.tf32_tflop_per_s) << peak.device;
  }
}

TEST(GpuPeaks, StandInTheDocumentationWithTheSameFigures) {
  std::ifstream file(DLBENCH_DOCS "/gpu-peaks.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  std::set<std::string> devices;
  for (const GpuPeak& peak : gpu_peaks()) {
    EXPECT_TRUE(devices.insert(peak.device).second) << peak.device << " stands there twice";
    EXPECT_THAT(page,
                testing::HasSubstr(fmt::format("| {} | {} | {} | {} | {} |",
                                               peak.device,
                                               peak.fp32_tflop_per_s,
                                               peak.tf32_tflop_per_s,
                                               peak.half_tflop_per_s,
                                               peak.memory_gb_per_s)));
  }
}

}  // namespace
}  // namespace dlbench::harness
