// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/peaks.h"

#include "harness/peaks/peak_kernels_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Each chain must advance once per round, or flop_per_round is a lie. Chain i starts at 1 + i;
// fp32: x <- 0.75 x + 0.25, bf16: x <- x + 2^-8 for each product of a sum. The baseline returns all
// four lanes, the others one.
TEST(PeakKernels, DoTheWorkTheyCount) {
  const std::map<std::string, int> lanes{
      {"baseline", 4}, {"avx2", 8}, {"avx512", 16}, {"avx512_bf16", 32}, {"amx_bf16", 8192}};
  for (const ComputeKernel& kernel : compute_kernels()) {
    const int chains = static_cast<int>(kernel.flop_per_round) / (2 * lanes.at(kernel.isa));
    const bool tiles = kernel.isa == "amx_bf16";
    EXPECT_GE(chains, tiles ? 4 : 8) << kernel.isa;
    const double products = tiles ? 32 : 2;
    for (const int rounds : {1, 2, 5}) {
      double wanted = 0.0;
      for (int chain = 0; chain < chains; ++chain) {
        double x = 1.0 + chain;
        for (int round = 0; round < rounds; ++round) {
          x = kernel.precision == "bf16" ? x + products / 256 : 0.75 * x + 0.25;
        }
        wanted += kernel.isa == "baseline" ? 4.0 * x : x;
      }
      EXPECT_NEAR(kernel.run(rounds, 1.0F), wanted, 1e-5 * wanted) << kernel.isa << " " << rounds;
    }
  }
}

TEST(PeakKernels, CopyAndTriadWriteWhatTheyShould) {
  constexpr std::size_t kCount = 4 * kPeakBlock;
  struct alignas(64) Arrays {
    float out[kCount + kPeakBlock];
    float a[kCount];
    float b[kCount];
  };
  for (const MemoryKernel& kernel : memory_kernels()) {
    Arrays arrays;
    for (std::size_t index = 0; index < kCount; ++index) {
      arrays.a[index] = static_cast<float>(index);
      arrays.b[index] = static_cast<float>(10 * index + 2);
    }
    std::fill(std::begin(arrays.out), std::end(arrays.out), -1.0F);
    kernel.run(arrays.out, arrays.a, arrays.b, kCount);
    for (std::size_t index = 0; index < kCount; ++index) {
      const float wanted =
          arrays.a[index] + (kernel.name == "triad" ? 0.5F * arrays.b[index] : 0.0F);
      ASSERT_EQ(arrays.out[index], wanted) << kernel.name << " " << kernel.isa << " " << index;
    }
    EXPECT_EQ(arrays.out[kCount], -1.0F) << kernel.name << " " << kernel.isa;
    EXPECT_EQ(kernel.arrays, kernel.name == "triad" ? 3 : 2);
  }
}

MachinePeaks sample_peaks() {
  MachinePeaks peaks{.key = {"Processor", "avx512_bf16", 2}, .cache_bytes = 1 << 20};
  peaks.compute = {{"fp32", "avx2", 100e9, "2026-01-01T00:00:00Z"},
                   {"fp32", "avx512", 90e9, "2026-01-01T00:00:01Z"},
                   {"bf16", "avx512_bf16", 200e9, "2026-01-01T00:00:02Z"}};
  peaks.memory = {{"copy", "regular", "baseline", 20e9, 64 << 20, "2026-01-01T00:00:03Z"},
                  {"triad", "non-temporal", "avx512", 30e9, 64 << 20, "2026-01-01T00:00:04Z"}};
  return peaks;
}

TEST(PeakRecords, TakeTheBestOfEachPrecisionAndTheHighestBandwidth) {
  const auto records = peak_records(sample_peaks());
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].precision, "fp32");
  EXPECT_EQ(records[0].device, "Processor");
  EXPECT_EQ(records[0].source, "measured");
  EXPECT_EQ(records[0].flop_per_s, 100e9) << "the wider instruction set is not the faster one here";
  EXPECT_EQ(records[0].memory_bytes_per_s, 30e9);
  EXPECT_EQ(records[0].measured_at, "2026-01-01T00:00:00Z");
  EXPECT_THAT(records[0].method.value_or(""), HasSubstr("avx2"));
  EXPECT_THAT(records[0].method.value_or(""), HasSubstr("triad of 64 MiB arrays, non-temporal"));
  EXPECT_EQ(records[1].precision, "bf16");
  EXPECT_EQ(records[1].flop_per_s, 200e9);
}

TEST(PeakRecords, NothingMeasuredIsNoRecord) {
  MachinePeaks peaks = sample_peaks();
  peaks.compute.clear();
  EXPECT_TRUE(peak_records(peaks).empty());
  peaks = sample_peaks();
  peaks.memory.clear();
  ASSERT_EQ(peak_records(peaks).size(), 2U);
  EXPECT_FALSE(peak_records(peaks)[0].memory_bytes_per_s.has_value());
}

TEST(PeakRecords, MatrixTilesThatWereNotMeasuredLeaveNoBf16Peak) {
  MachinePeaks peaks = sample_peaks();
  peaks.key.isa = "amx_bf16";
  ASSERT_EQ(peak_records(peaks).size(), 1U);
  EXPECT_EQ(peak_records(peaks)[0].precision, "fp32");
  EXPECT_THAT(peaks_text(peaks),
              HasSubstr("no bf16 peak for shares, for want of a figure of the matrix tiles (AMX)"));
  peaks.compute.push_back({"bf16", "amx_bf16", 2000e9, "2026-01-01T00:00:05Z"});
  ASSERT_EQ(peak_records(peaks).size(), 2U);
  EXPECT_EQ(peak_records(peaks)[1].flop_per_s, 2000e9);
  EXPECT_THAT(peaks_text(peaks), Not(HasSubstr("AMX")));
}

// On a busy machine the narrow kernels may have had a quiet moment, and the wide ones none.
TEST(PeakRecords, NarrowInstructionsAloneAreNoPeak) {
  for (const auto& [isa, widest] : {std::pair("avx512_bf16", "avx512"),
                                    std::pair("amx_bf16", "avx512"),
                                    std::pair("avx512_vnni", "avx512"),
                                    std::pair("avx512", "avx512"),
                                    std::pair("avx2", "avx2")}) {
    MachinePeaks peaks = sample_peaks();
    peaks.key.isa = isa;
    std::erase_if(peaks.compute, [&](const ComputePeak& peak) { return peak.isa == widest; });
    peaks.compute.push_back({"fp32", "baseline", 10e9, "2026-01-01T00:00:05Z"});
    const auto records = peak_records(peaks);
    EXPECT_TRUE(std::ranges::none_of(records, [](const auto& record) {
      return record.precision == "fp32";
    })) << isa;
    EXPECT_THAT(
        peaks_text(peaks),
        HasSubstr(std::string("no fp32 peak for shares, for want of a figure of ") + widest));
  }
  MachinePeaks arm = sample_peaks();
  arm.key.isa = "sve2";
  arm.compute = {{"fp32", "baseline", 10e9, "2026-01-01T00:00:05Z"}};
  EXPECT_EQ(peak_records(arm).size(), 1U) << "its widest kernel";
}

TEST(PeakRecords, ProductsOfBf16ThatWereNotMeasuredLeaveNoPeak) {
  MachinePeaks peaks = sample_peaks();
  peaks.compute.pop_back();
  peaks.compute.push_back({"bf16", "something_else", 10e9, "2026-01-01T00:00:05Z"});
  ASSERT_EQ(peak_records(peaks).size(), 1U);
  EXPECT_EQ(peak_records(peaks)[0].precision, "fp32");
  EXPECT_THAT(peaks_text(peaks),
              HasSubstr("no bf16 peak for shares, for want of a figure of avx512_bf16"));
}

TEST(KeepMissing, TakesFiguresThatAreNotThere) {
  const MachinePeaks earlier = sample_peaks();
  MachinePeaks fresh = sample_peaks();
  fresh.compute = {{"fp32", "avx2", 50e9, "2026-02-02T00:00:00Z"}};
  fresh.memory = {{"copy", "regular", "baseline", 1e9, 64 << 20, "2026-02-02T00:00:00Z"}};
  fresh.effort = PeakEffort::kThorough;
  keep_missing(fresh, earlier);
  ASSERT_EQ(fresh.compute.size(), 3U);
  EXPECT_EQ(fresh.compute[0].flop_per_s, 50e9) << "what is measured replaces what was kept";
  EXPECT_EQ(fresh.compute[1].isa, "avx512");
  EXPECT_EQ(fresh.compute[1].measured_at, "2026-01-01T00:00:01Z");
  ASSERT_EQ(fresh.memory.size(), 2U);
  EXPECT_EQ(fresh.memory[0].bytes_per_s, 1e9);
  EXPECT_EQ(fresh.memory[1].bytes_per_s, 30e9);
  EXPECT_EQ(fresh.effort, PeakEffort::kQuick) << "as what was taken is";
  EXPECT_EQ(fresh.measurements, 1);
  MachinePeaks whole = sample_peaks();
  whole.effort = PeakEffort::kThorough;
  keep_missing(whole, earlier);
  EXPECT_EQ(whole.effort, PeakEffort::kThorough) << "nothing was missing";
}

TEST(KeepLarger, TakesEachFigureWithItsTime) {
  MachinePeaks kept = sample_peaks();
  MachinePeaks fresh = sample_peaks();
  fresh.compute = {{"fp32", "avx2", 110e9, "2026-02-02T00:00:00Z"},
                   {"fp32", "avx512", 80e9, "2026-02-02T00:00:00Z"},
                   {"fp32", "baseline", 10e9, "2026-02-02T00:00:00Z"}};
  fresh.memory[1].bytes_per_s = 29e9;
  fresh.effort = PeakEffort::kThorough;
  keep_larger(kept, fresh);
  ASSERT_EQ(kept.compute.size(), 4U);
  EXPECT_EQ(kept.compute[0].flop_per_s, 110e9);
  EXPECT_EQ(kept.compute[0].measured_at, "2026-02-02T00:00:00Z");
  EXPECT_EQ(kept.compute[1].flop_per_s, 90e9);
  EXPECT_EQ(kept.compute[1].measured_at, "2026-01-01T00:00:01Z");
  EXPECT_EQ(kept.compute[3].isa, "baseline");
  EXPECT_EQ(kept.memory[1].bytes_per_s, 30e9);
  EXPECT_EQ(kept.measurements, 2);
  EXPECT_EQ(kept.effort, PeakEffort::kThorough);
}

// On a busy machine figures may be missing, but then they are named; what is there is plausible.
TEST(MeasurePeaks, EveryFigureIsMeasuredOrNamedAsDisturbed) {
  const MachinePeaks peaks = measure_peaks(PeakEffort::kQuick);
  EXPECT_GE(peaks.compute.size() + peaks.memory.size() + peaks.disturbed.size(), 3U);
  EXPECT_EQ(peaks.key, peak_key());
  for (const ComputePeak& peak : peaks.compute) {
    // From a tenth of a multiply-add per cycle at 1 GHz to 128 lanes twice at 10 GHz, per thread.
    EXPECT_GT(peak.flop_per_s, 0.2e9 * peaks.key.threads) << peak.isa;
    EXPECT_LT(peak.flop_per_s, 5e12 * peaks.key.threads) << peak.isa;
  }
  for (const MemoryPeak& peak : peaks.memory) {
    EXPECT_GT(peak.bytes_per_s, 0.1e9) << peak.kernel;
    EXPECT_LT(peak.bytes_per_s, 1e12 * peaks.key.threads) << peak.kernel;
  }
}

}  // namespace
}  // namespace dlbench::harness
