// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/device_peaks.h"

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "harness/peaks/peaks.h"
#include "reports/peak_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr DevicePeakSizes kSmall{.extent = 24, .copy_bytes = 1 << 20, .repeats = 2};

DevicePeaks made_up() {
  return {.device = "NVIDIA H200",
          .libraries = {{"cudnn", "9.19"}, {"cublas", "13.0"}},
          .products = {{"fp32", 8192, 50e12}, {"bf16", 8192, 700e12}},
          .copy_bytes = 1 << 30,
          .copy_bytes_per_s = 4e12,
          .to_device_bytes_per_s = 55e9,
          .to_host_bytes_per_s = 54e9,
          .measured_at = "2026-01-31T12:00:00Z"};
}

class DevicePeakFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("device_peaks_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

// The reference backend computes in all three types; tf32 exists on GPUs only.
TEST(DevicePeaks, AreMeasuredOnAnyBackend) {
  const auto backend = backend::create_backend("ref", {});
  const DevicePeaks peaks = measure_device_peaks(*backend, kSmall);
  EXPECT_EQ(peaks.device, backend->device().name);
  EXPECT_EQ(peaks.libraries, backend->libraries());
  std::vector<std::string> precisions;
  for (const ProductPeak& product : peaks.products) {
    precisions.push_back(product.precision);
    EXPECT_EQ(product.extent, 24);
    EXPECT_GT(product.flop_per_s, 0.0);
    EXPECT_LT(product.flop_per_s, 1e15);
  }
  EXPECT_THAT(precisions, ElementsAre("fp32", "bf16", "fp16"));
  for (const double rate :
       {peaks.copy_bytes_per_s, peaks.to_device_bytes_per_s, peaks.to_host_bytes_per_s}) {
    EXPECT_GT(rate, 0.0);
    EXPECT_LT(rate, 1e15);
  }
}

TEST(DevicePeaks, BecomeARecordPerPrecision) {
  const auto records = peak_records(made_up());
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[1].device, "NVIDIA H200");
  EXPECT_EQ(records[1].precision, "bf16");
  EXPECT_EQ(records[1].flop_per_s, 700e12);
  EXPECT_EQ(records[1].memory_bytes_per_s, 4e12);
  EXPECT_EQ(records[1].source, "measured");
  EXPECT_EQ(records[1].measured_at, "2026-01-31T12:00:00Z");
  EXPECT_THAT(*records[1].method, HasSubstr("8192 x 8192 matrices; copy of 1024 MiB"));
}

TEST(DevicePeaks, AreSmallerWhereMemoryIsLittle) {
  const backend::DeviceInfo large{.memory_bytes = std::int64_t{80} << 30};
  const backend::DeviceInfo small{.memory_bytes = std::int64_t{6} << 30};
  EXPECT_EQ(DevicePeakSizes::for_device(large).extent, 8192);
  EXPECT_EQ(DevicePeakSizes::for_device(small).extent, 4096);
}

// mfu refers to the data sheet, shares of operators to what can be reached.
TEST(DevicePeaks, StandBesideTheDataSheets) {
  std::vector<reports::PeakRecord> peaks = peak_records(made_up());
  peaks.push_back({.device = "NVIDIA H200",
                   .precision = "bf16",
                   .flop_per_s = 989e12,
                   .memory_bytes_per_s = 4.8e12,
                   .source = "datasheet"});
  EXPECT_EQ(reports::mfu_flop_per_s(peaks, "bf16"), 989e12);
  EXPECT_EQ(reports::mfu_flop_per_s(peaks, "fp32"), 50e12);
  EXPECT_EQ(reports::mfu_flop_per_s(peaks, "fp16"), std::nullopt);
  EXPECT_EQ(reports::measured_flop_per_s(peaks, "bf16"), 700e12);
  EXPECT_EQ(reports::measured_flop_per_s(peaks, "fp16"), std::nullopt);
  EXPECT_EQ(reports::peak_rates(peaks, "bf16")->flop_per_s, 700e12);
  EXPECT_EQ(reports::peak_rates(peaks, "bf16")->bytes_per_s, 4e12);
}

TEST_F(DevicePeakFile, ComesBackAsItWas) {
  const DevicePeaks peaks = made_up();
  EXPECT_EQ(load_device_peaks(folder_, peaks.device, peaks.libraries), std::nullopt);
  store_device_peaks(folder_, peaks);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "peaks" / "nvidia-h200.json"));
  const auto loaded = load_device_peaks(folder_, peaks.device, peaks.libraries);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(peaks_text(*loaded), peaks_text(peaks));
  EXPECT_EQ(loaded->libraries, peaks.libraries);
  EXPECT_EQ(loaded->copy_bytes, peaks.copy_bytes);
}

TEST_F(DevicePeakFile, OfOtherLibrariesIsNotUsed) {
  const DevicePeaks peaks = made_up();
  store_device_peaks(folder_, peaks);
  EXPECT_EQ(load_device_peaks(folder_, peaks.device, {{"cudnn", "9.20"}, {"cublas", "13.0"}}),
            std::nullopt);
}

TEST_F(DevicePeakFile, ThatIsBrokenIsRefused) {
  const DevicePeaks peaks = made_up();
  store_device_peaks(folder_, peaks);
  const std::string path = device_peak_file(folder_, peaks.device).string();
  for (const char* text : {"{", "{}", R"({"format": "dlbench.device_peaks", "version": 2})"}) {
    core::write_file_atomically(path, text);
    try {
      static_cast<void>(load_device_peaks(folder_, peaks.device, peaks.libraries));
      FAIL() << text;
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kData);
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
}

}  // namespace
}  // namespace dlbench::harness
