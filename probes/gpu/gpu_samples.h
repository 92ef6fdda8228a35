// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU counters sampled over time, in a format that does not depend on their source (CUPTI on a GPU,
// a file in tests). Host times are nanoseconds of the steady clock.
#pragma once

#include "probes/gpu/profiler_clock.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::probes {

/// The counts between two moments.
struct CounterSample {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::vector<double> values;  ///< in the order of GpuSamples::counters; NaN: division by zero

  /// Whether it has a time; one without stands for missing samples, or for none.
  [[nodiscard]] bool timed() const { return begin_ns > 0 && end_ns > begin_ns; }
};

struct GpuSamples {
  std::string origin;  ///< "recorded", or what generated it
  std::string trial;
  std::int64_t started_ns = 0;  ///< host time before sampling was started
  std::int64_t stopped_ns = 0;  ///< host time after it was stopped
  std::int64_t begin_ns = 0;    ///< of the first step; 0: no step was seen
  std::int64_t end_ns = 0;      ///< of the last step
  std::int64_t steps = 0;
  std::int64_t overflows = 0;          ///< how often the device's buffer was found full
  std::vector<std::string> counters;   ///< with units: "dram_read_bytes_per_s"
  std::vector<std::string> missing;    ///< counters that this device lacks or gives no number of
  std::vector<CounterSample> samples;  ///< in order of time

  /// Returns the median length of the samples; 0 without samples.
  [[nodiscard]] std::int64_t interval_ns() const;

  /// Whether a sample belongs to the steps: its middle lies between the first one's begin and the
  /// last one's end. All do if no step was seen or samples are not on the host's clock.
  [[nodiscard]] bool counts(const CounterSample& sample) const;

  /// Returns the number of missing samples of the steps (see counts()): as many as would fill the
  /// gaps between the others and, after an overflow, the time up to the end (then at least 1).
  [[nodiscard]] std::int64_t lost() const;

  /// Whether the losses may change a mean: the buffer overflowed, or more than 1 % of the samples
  /// of the steps are missing.
  [[nodiscard]] bool has_gaps() const;

  /// Whether the samples' times lie within the host's sampling time, so that they are on its clock.
  /// False without samples.
  [[nodiscard]] bool on_host_clock() const;
};

/// Sorts the samples by time, as buffers of several units may be decoded one after the other.
void put_in_order(GpuSamples& samples);

/// Converts the times of all samples from the profiler's clock to the host's.
void move_to_host(GpuSamples& samples, const ProfilerClock& clock);

/// Drops the first sample if there are others: it may include time before sampling began (CUPTI's
/// guide says not to use it).
void drop_first_sample(GpuSamples& samples);

/// Moves counters without a finite value in any sample to `missing`, under the device's `names` for
/// `counters`. Without samples it moves none.
void leave_out_empty(GpuSamples& samples, const std::vector<std::string>& names);

/// Throws core::Error(kFile) if it cannot be read, core::Error(kData) if not such a recording.
[[nodiscard]] GpuSamples read_gpu_samples(const std::filesystem::path& path);

/// Throws core::Error(kFile).
void write_gpu_samples(const std::filesystem::path& path, const GpuSamples& samples);

}  // namespace dlbench::probes
