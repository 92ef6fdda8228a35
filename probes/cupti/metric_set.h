// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sets of GPU counters that one pass can read, and their configuration for a chip. This is
// arithmetic on tables inside CUPTI: it needs no GPU, and serves chips that are not there.
#pragma once

#include "probes/probe.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dlbench::probes {

/// Loads CUPTI's tables and starts its profiler, once per process: before any other call to either.
/// Returns the status of starting it, a CUptiResult.
[[nodiscard]] int start_profiler();

/// How the counters are read: summed over a range of work, or sampled over time (PM sampling).
enum class CounterUse : std::uint8_t { kRange, kSampling };

/// A counter and what a report calls it. Of several with the same `value` the first one that a chip
/// can count is taken.
struct Metric {
  std::string counter;  ///< NVIDIA's name: "dram__bytes_read.sum"
  std::string value;    ///< ours: "dram_read_bytes"
  std::string unit;
  double factor = 1.0;               ///< ours = factor * theirs
  std::vector<std::string> chips{};  ///< for these alone; empty: for all

  [[nodiscard]] bool is_for(const std::string& chip) const;
};

/// Bytes of the device's memory, share of cycles with the tensor pipes, the multiprocessors and
/// warps active, time. In one pass on GA100, AD102, GH100 and GB100. The tensor pipes of AD10x have
/// a second counter ("_v2"): CUPTI calls the first one deprecated there, and only there.
[[nodiscard]] const std::vector<Metric>& range_metrics();

/// The same as shares and rates, for a timeline. In one pass on the same chips. Tensor pipes and
/// warps by the counters that the CUPTI guide's table for PM sampling lists ("_realtime"); where a
/// chip cannot count those beside the others, by the plain ones; those of TU102, TU104 and TU106 by
/// the one that it lists for Turing, which counts the pipes for pairs of f16 with them.
[[nodiscard]] const std::vector<Metric>& sampling_metrics();

/// What a report calls them: each value once, described by the first counter for it.
[[nodiscard]] std::vector<ValueSpec> value_specs(std::span<const Metric> metrics);

/// The configuration of counters on one chip.
class MetricPlan {
 public:
  /// `chip`: "GH100"; `availability`: of the device, from CUPTI; empty for a device that is not
  /// here. Metrics that the chip lacks, or could only count in another pass, are left out and named
  /// in missing().
  MetricPlan(const std::string& chip,
             CounterUse use,
             std::span<const Metric> metrics,
             std::vector<std::uint8_t> availability = {});
  MetricPlan(const MetricPlan&) = delete;
  MetricPlan& operator=(const MetricPlan&) = delete;
  ~MetricPlan();

  /// Why there is no plan; empty if there is one. There is none of more than one pass: replaying a
  /// step would measure another one.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] std::size_t passes() const { return passes_; }
  [[nodiscard]] const std::vector<Metric>& metrics() const { return metrics_; }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }
  [[nodiscard]] std::span<const std::uint8_t> config() const { return config_; }
  /// Names for CUPTI's calls, in the order of metrics().
  [[nodiscard]] std::vector<const char*> counter_names() const;

  /// Values of range or sample `index` in CUPTI's counter data, in our units, in the order of
  /// metrics(). Throws core::Error(kLibrary).
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

/// The chips that this CUPTI has tables of.
[[nodiscard]] std::vector<std::string> known_chips();

}  // namespace dlbench::probes
