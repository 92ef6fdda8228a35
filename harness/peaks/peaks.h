// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The peak rates of this machine: multiply-adds from registers, and memory bandwidth, with all
// cores that this process may use. Shares of peak in a report refer to them. peak_cache.h keeps the
// figures between runs.
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

/// Memory traffic as STREAM counts it: the bytes that the loop names, without cache effects.
struct MemoryPeak {
  std::string kernel;  ///< copy (2 arrays) or triad (3 arrays)
  std::string stores;  ///< regular or non-temporal
  std::string isa;
  double bytes_per_s = 0.0;
  std::int64_t array_bytes = 0;
  std::string measured_at;
};

/// Two machines with equal keys have equal peaks.
struct PeakKey {
  std::string processor;
  std::string isa;  ///< best instruction set that the kernel reports
  int threads = 0;  ///< physical cores that this process may use: probes::usable_physical_cores()

  bool operator==(const PeakKey&) const = default;
};

struct MachinePeaks {
  PeakKey key;
  PeakEffort effort = PeakEffort::kQuick;
  int measurements = 1;          ///< the figures are the best of this many
  std::int64_t cache_bytes = 0;  ///< last-level caches of the process's CPUs; 0: unknown
  std::vector<ComputePeak> compute;
  std::vector<MemoryPeak> memory;
  std::vector<std::string> disturbed;  ///< figures without an undisturbed window this time
};

/// Returns the key of the machine and process in their current state.
[[nodiscard]] PeakKey peak_key();

/// Measures with peak_key().threads OpenMP threads, in windows of about half a millisecond. Takes
/// the best of the windows in which all threads kept their processors, because other programs make
/// a window slower, never faster. A figure without such a window is left out. Allocates three
/// arrays (each four times as large as the last-level cache, at most 256 MiB if quick; together at
/// most a quarter, thorough three eighths, of the memory that this process may take) and frees
/// them.
[[nodiscard]] MachinePeaks measure_peaks(PeakEffort effort);

/// Merges into `kept` the larger of each figure; both must be of the same machine.
void keep_larger(MachinePeaks& kept, const MachinePeaks& fresh);

/// Adds to `fresh` the figures that it lacks and `earlier` has; both must be of the same machine.
/// With quick ones among them all are taken for quick.
void keep_missing(MachinePeaks& fresh, const MachinePeaks& earlier);

/// Returns one record per precision, each with the highest bandwidth; bf16 has the f32 figure where
/// the processor multiplies f32 faster. A precision whose widest instruction set was not measured
/// has none (others left it no undisturbed moment, or no process may use the matrix tiles): a
/// share of a lower figure would mislead.
[[nodiscard]] std::vector<reports::PeakRecord> peak_records(const MachinePeaks& peaks);

/// Returns a line per figure for people, with how and when it was measured.
[[nodiscard]] std::string peaks_text(const MachinePeaks& peaks);

}  // namespace dlbench::harness
