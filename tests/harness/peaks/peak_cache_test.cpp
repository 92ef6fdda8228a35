// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/peak_cache.h"

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "harness/peaks/peak_kernels_internal.h"
#include "reports/json_reader.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Without this one there is no peak.
std::string widest_fp32() {
  std::string isa;
  for (const ComputeKernel& kernel : compute_kernels()) {
    isa = kernel.precision == "fp32" ? kernel.isa : isa;
  }
  return isa;
}

class PeakCache : public ::testing::Test {
 protected:
  void SetUp() override {
    peaks_.key = peak_key();
    peaks_.effort = PeakEffort::kThorough;
    peaks_.measurements = 3;
    peaks_.cache_bytes = 32 << 20;
    peaks_.compute = {{"fp32", widest_fp32(), 100.5e9, "2026-01-01T00:00:00Z"}};
    peaks_.memory = {{"triad", "non-temporal", "avx2", 30e9, 64 << 20, "2026-01-01T00:00:01Z"}};
  }

  void write(const std::string& text) {
    const auto path = peak_file(folder_, peaks_.key);
    std::filesystem::create_directories(path.parent_path());
    core::write_file_atomically(path.string(), text);
  }

  tests::CacheFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  MachinePeaks peaks_;
};

TEST_F(PeakCache, ReadsWhatItWrote) {
  EXPECT_FALSE(load_peaks(folder_, peaks_.key).has_value());
  store_peaks(folder_, peaks_);
  const auto loaded = load_peaks(folder_, peaks_.key);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->key, peaks_.key);
  EXPECT_EQ(loaded->effort, PeakEffort::kThorough);
  EXPECT_EQ(loaded->measurements, 3);
  EXPECT_EQ(loaded->cache_bytes, 32 << 20);
  ASSERT_EQ(loaded->compute.size(), 1U);
  EXPECT_EQ(loaded->compute[0].precision, "fp32");
  EXPECT_EQ(loaded->compute[0].isa, widest_fp32());
  EXPECT_EQ(loaded->compute[0].flop_per_s, 100.5e9);
  EXPECT_EQ(loaded->compute[0].measured_at, "2026-01-01T00:00:00Z");
  ASSERT_EQ(loaded->memory.size(), 1U);
  EXPECT_EQ(loaded->memory[0].kernel, "triad");
  EXPECT_EQ(loaded->memory[0].stores, "non-temporal");
  EXPECT_EQ(loaded->memory[0].isa, "avx2");
  EXPECT_EQ(loaded->memory[0].bytes_per_s, 30e9);
  EXPECT_EQ(loaded->memory[0].array_bytes, 64 << 20);
  EXPECT_EQ(loaded->memory[0].measured_at, "2026-01-01T00:00:01Z");
}

TEST_F(PeakCache, OtherMachinesHaveOtherFiles) {
  store_peaks(folder_, peaks_);
  PeakKey other = peaks_.key;
  other.threads += 1;
  EXPECT_NE(peak_file(folder_, other), peak_file(folder_, peaks_.key));
  EXPECT_FALSE(load_peaks(folder_, other).has_value());
  // Names that differ only in signs share a file: its contents decide.
  PeakKey alike = peaks_.key;
  alike.processor += " (";
  ASSERT_EQ(peak_file(folder_, alike), peak_file(folder_, peaks_.key));
  EXPECT_FALSE(load_peaks(folder_, alike).has_value());
}

TEST_F(PeakCache, WhatItDidNotWriteIsRefusedInOneLine) {
  store_peaks(folder_, peaks_);
  const std::string good = reports::read_text_file(peak_file(folder_, peaks_.key).string());
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text : {std::string(),
                                  std::string("{"),
                                  std::string("[]"),
                                  std::string("{}"),
                                  replaced("dlbench.peaks", "else"),
                                  replaced("\"version\": 2", "\"version\": 1"),
                                  replaced("thorough", "eager"),
                                  replaced("100500000000.0", "-1.0"),
                                  replaced("100500000000.0", "\"fast\""),
                                  replaced("\"array_bytes\"", "\"bytes\""),
                                  replaced("\"array_bytes\": 67108864", "\"array_bytes\": -1"),
                                  replaced("\"measurements\": 3", "\"measurements\": 1e300"),
                                  replaced("\"measurements\": 3", "\"measurements\": 4294967297"),
                                  replaced("\"measurements\": 3", "\"measurements\": true"),
                                  replaced("\"cache_bytes\": 33554432", "\"cache_bytes\": -1"),
                                  replaced("2026-01-01T00:00:00Z", "yesterday"),
                                  replaced("\"avx2\"", "\"\\u001b[2J\"")}) {
    write(text);
    try {
      (void)load_peaks(folder_, peaks_.key);
      ADD_FAILURE() << "no error for: " << text;
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kData);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("threads.json"), HasSubstr("delete it")));
    }
    EXPECT_TRUE(cached_peaks().empty()) << "a warning, not an error";
  }
}

TEST_F(PeakCache, ThoroughFiguresAreUsedAsTheyAre) {
  store_peaks(folder_, peaks_);
  for (const auto& records : {cached_peaks(), known_peaks()}) {
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].flop_per_s, 100.5e9);
    EXPECT_EQ(records[0].memory_bytes_per_s, 30e9);
  }
}

TEST_F(PeakCache, AQuickMeasurementIsRepeatedAndTheBestKept) {
  peaks_.effort = PeakEffort::kQuick;
  peaks_.measurements = 1;
  peaks_.compute = {{"fp32", widest_fp32(), 1e18, "2026-01-01T00:00:00Z"}};  // not to be beaten
  store_peaks(folder_, peaks_);
  const auto records = known_peaks();
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records[0].flop_per_s, 1e18);
  const auto kept = load_peaks(folder_, peaks_.key);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->measurements, 2);
  EXPECT_EQ(kept->effort, PeakEffort::kQuick);
}

TEST_F(PeakCache, WithoutAPeakOfFp32ItIsMeasuredAgain) {
  peaks_.compute = {{"fp32", "of_old", 1e18, "2026-01-01T00:00:00Z"}};
  store_peaks(folder_, peaks_);
  EXPECT_TRUE(cached_peaks().empty());
  static_cast<void>(known_peaks());
  const auto kept = load_peaks(folder_, peaks_.key);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->measurements, 4);
  EXPECT_EQ(kept->effort, PeakEffort::kQuick) << "what was measured now is not thorough";
}

TEST_F(PeakCache, EnoughQuickMeasurementsAreEnough) {
  peaks_.effort = PeakEffort::kQuick;
  peaks_.measurements = kQuickMeasurements;
  store_peaks(folder_, peaks_);
  ASSERT_EQ(known_peaks().size(), 1U);
  EXPECT_EQ(load_peaks(folder_, peaks_.key)->measurements, kQuickMeasurements);
}

}  // namespace
}  // namespace dlbench::harness
