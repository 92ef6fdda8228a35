// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Counters of a GPU sampled over time, in words of our own: who sampled them (CUPTI on a GPU, a
// file in tests) does not matter to who reads them. Host times are nanoseconds of the steady clock.
#pragma once

#include "probes/gpu/profiler_clock.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::probes {

/// What was counted between two moments.
struct CounterSample {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::vector<double> values;  ///< in the order of GpuSamples::counters; NaN: nothing to divide by

  /// Whether it has a time. One without stands for samples that are gone, or for none.
  [[nodiscard]] bool timed() const { return begin_ns > 0 && end_ns > begin_ns; }
};

struct GpuSamples {
  std::string origin;  ///< "recorded", or what made it up
  std::string trial;
  std::int64_t started_ns = 0;  ///< host time before sampling was switched on
  std::int64_t stopped_ns = 0;  ///< host time after it was switched off
  std::int64_t begin_ns = 0;    ///< of the first step; 0: no step was seen
  std::int64_t end_ns = 0;      ///< of the last step
  std::int64_t steps = 0;
  std::int64_t overflows = 0;          ///< times that the device's buffer was found to be full
  std::vector<std::string> counters;   ///< with their unit: "dram_read_bytes_per_s"
  std::vector<std::string> missing;    ///< what this device does not count, or not in numbers
  std::vector<CounterSample> samples;  ///< in the order of time

  /// The middle one of the samples' lengths; 0 without samples.
  [[nodiscard]] std::int64_t interval_ns() const;

  /// Whether a sample is one of the steps: its middle lies between the first one's begin and the
  /// last one's end. All are where no step was seen or samples are not on the host's clock.
  [[nodiscard]] bool counts(const CounterSample& sample) const;

  /// Samples of the steps (see counts()) that should be there and are not: those that would fill
  /// the gaps between the others and, after an overflow, the time up to the end; after an overflow
  /// at least 1.
  [[nodiscard]] std::int64_t lost() const;

  /// Whether what is lost may change a mean: the buffer overflowed, or over 1 % of the samples of
  /// the steps are missing.
  [[nodiscard]] bool has_gaps() const;

  /// Whether the samples' times lie where the host was sampling, so that they are of its clock.
  /// False without samples.
  [[nodiscard]] bool on_host_clock() const;
};

/// Sorts the samples by time: buffers of several units may be decoded one behind the other.
void put_in_order(GpuSamples& samples);

/// Moves the times of all samples from the profiler's clock to the host's.
void move_to_host(GpuSamples& samples, const ProfilerClock& clock);

/// Drops the first sample, which may count from some moment before sampling began (CUPTI's guide
/// says not to use it), if there are others.
void drop_first_sample(GpuSamples& samples);

/// Moves counters of which no sample has a number to what is missing, under `names`, those of the
/// device for `counters`. None where there are no samples.
void leave_out_empty(GpuSamples& samples, const std::vector<std::string>& names);

/// Throws core::Error(kFile) if it cannot be read, core::Error(kData) if it is no such recording.
[[nodiscard]] GpuSamples read_gpu_samples(const std::filesystem::path& path);

/// Throws core::Error(kFile).
void write_gpu_samples(const std::filesystem::path& path, const GpuSamples& samples);

}  // namespace dlbench::probes
