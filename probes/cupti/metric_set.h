// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sets of GPU counters that fit in one pass, and their configuration for a chip. Based on tables
// inside CUPTI only: needs no GPU, and also works for chips that are not present.
#pragma once

#include "probes/probe.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dlbench::probes {

/// Loads CUPTI's tables and starts its profiler, once per process; call it before using either.
/// Returns the status of the start, a CUptiResult.
[[nodiscard]] int start_profiler();

/// How the counters are read: summed over a range of work, or sampled over time (PM sampling).
enum class CounterUse : std::uint8_t { kRange, kSampling };

/// A counter and its name in a report. Of several with the same `value`, the first one that a chip
/// can count is used.
struct Metric {
  std::string counter;  ///< NVIDIA's name: "dram__bytes_read.sum"
  std::string value;    ///< ours: "dram_read_bytes"
  std::string unit;
  double factor = 1.0;               ///< ours = factor * theirs
  std::vector<std::string> chips{};  ///< for these alone; empty: for all

  [[nodiscard]] bool is_for(const std::string& chip) const;
};

/// Bytes of device memory, time, and the shares of cycles with the tensor pipes, the
/// multiprocessors and warps active. One pass on GA100, AD102, GH100 and GB100. The tensor pipes of
/// AD10x have a second counter ("_v2"): CUPTI calls the first one deprecated there, and only there.
[[nodiscard]] const std::vector<Metric>& range_metrics();

/// The same as shares and rates, for a timeline. One pass on the same chips. Tensor pipes and warps
/// use the counters in the PM sampling table of the CUPTI guide ("_realtime"), or the plain ones on
/// a chip that cannot count those together with the others.
[[nodiscard]] const std::vector<Metric>& sampling_metrics();

/// Returns the report's values: each once, described by its first counter.
[[nodiscard]] std::vector<ValueSpec> value_specs(std::span<const Metric> metrics);

/// The configuration of counters on one chip.
class MetricPlan {
 public:
  /// `chip`: "GH100"; `availability`: of the device, from CUPTI; empty for a device that is not
  /// present. Metrics that the chip lacks, or can only count in another pass, are left out and
  /// listed in missing().
  MetricPlan(const std::string& chip,
             CounterUse use,
             std::span<const Metric> metrics,
             std::vector<std::uint8_t> availability = {});
  MetricPlan(const MetricPlan&) = delete;
  MetricPlan& operator=(const MetricPlan&) = delete;
  ~MetricPlan();

  /// Says why there is no plan; empty if there is one. Plans never have more than one pass: a step
  /// replayed for the next pass would be a different one.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] std::size_t passes() const { return passes_; }
  [[nodiscard]] const std::vector<Metric>& metrics() const { return metrics_; }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }
  [[nodiscard]] std::span<const std::uint8_t> config() const { return config_; }
  /// Returns the names for CUPTI's calls, in the order of metrics().
  [[nodiscard]] std::vector<const char*> counter_names() const;

  /// Returns the values of range or sample `index` in CUPTI's counter data, in our units, in the
  /// order of metrics(). Throws core::Error(kLibrary).
  [[nodiscard]] std::vector<double> evaluate(std::span<const std::uint8_t> counter_data,
                                             std::size_t index) const;

 private:
  struct Host;  // CUPTI's host object
  std::string configure(const std::string& chip, CounterUse use, std::span<const Metric> metrics);
  bool fits(const std::string& chip, CounterUse use, const Metric& metric);
  std::string select(const std::string& chip, CounterUse use);
  std::string build_image();

  std::vector<std::uint8_t> availability_;
  std::unique_ptr<Host> host_;
  std::string reason_;
  std::size_t passes_ = 0;
  std::vector<Metric> metrics_;
  std::vector<std::string> missing_;
  std::vector<std::uint8_t> config_;
};

/// Returns the chips for which this CUPTI has tables.
[[nodiscard]] std::vector<std::string> known_chips();

}  // namespace dlbench::probes
