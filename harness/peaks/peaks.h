// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast this machine goes at most: multiply-adds from registers, and memory bandwidth, with all
// cores that this process may use. What shares of peak in a report refer to. Keeping the figures
// between runs is peak_cache.h's work.
#pragma once

#include "reports/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// kQuick: below 1.5 s, best instruction sets only. kThorough: everything, several seconds.
enum class PeakEffort : std::uint8_t { kQuick, kThorough };

/// "quick", "thorough".
[[nodiscard]] std::string_view name(PeakEffort effort);

/// Arithmetic: independent multiply-add chains in registers, a multiply-add counted as 2.
struct ComputePeak {
  std::string precision;  ///< fp32, bf16
  std::string isa;        ///< baseline, avx2, avx512, avx512_bf16, amx_bf16
  double flop_per_s = 0.0;
  std::string measured_at;  ///< UTC, ISO 8601
};

/// Memory traffic as STREAM counts it: the bytes the loop names, without what caches add.
struct MemoryPeak {
  std::string kernel;  ///< copy (2 arrays) or triad (3 arrays)
  std::string stores;  ///< regular or non-temporal
  std::string isa;
  double bytes_per_s = 0.0;
  std::int64_t array_bytes = 0;
  std::string measured_at;
};

/// What makes two machines the same as far as peaks go.
struct PeakKey {
  std::string processor;
  std::string isa;  ///< best instruction set that the kernel reports
  int threads = 0;  ///< physical cores that this process may use: probes::usable_physical_cores()

  bool operator==(const PeakKey&) const = default;
};

struct MachinePeaks {
  PeakKey key;
  PeakEffort effort = PeakEffort::kQuick;
  int measurements = 1;          ///< how many the figures are the best of
  std::int64_t cache_bytes = 0;  ///< last-level caches of the process's CPUs; 0: unknown
  std::vector<ComputePeak> compute;
  std::vector<MemoryPeak> memory;
  std::vector<std::string> disturbed;  ///< figures of this measurement that no moment was left for
};

/// Of the machine and process as they are now.
[[nodiscard]] PeakKey peak_key();

/// Measures with peak_key().threads OpenMP threads, in windows of about half a millisecond. Only
/// windows in which all threads kept their processors count, and of those the best: what else runs
/// on a machine makes a window slower, never faster. A figure without such a window is left out.
/// Takes memory for three arrays (each four times as large as the last-level cache, quickly at most
/// 256 MiB; never more than a quarter, thorough three eighths, of what this process may take
/// together) and gives it back.
[[nodiscard]] MachinePeaks measure_peaks(PeakEffort effort);

/// Figure by figure the larger one into `kept`; figures of the same machine only.
void keep_larger(MachinePeaks& kept, const MachinePeaks& fresh);

/// One record per precision, each with the highest bandwidth; that of bf16 is the f32 one where the
/// processor multiplies f32 faster. A processor with matrix tiles (AMX) that were not measured, for
/// the system gives them to no process, has no bf16 record: a share of a lower figure would lie.
[[nodiscard]] std::vector<reports::PeakRecord> peak_records(const MachinePeaks& peaks);

/// For people: a line per figure, with what it was measured by and when.
[[nodiscard]] std::string peaks_text(const MachinePeaks& peaks);

}  // namespace dlbench::harness
