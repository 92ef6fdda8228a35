// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/gpu_sampling.h"

#include "reports/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using reports::percentile;
using reports::summarize;
using reports::Summary;

using probes::CounterSample;
using probes::GpuSamples;

constexpr double kSecondsPerNs = 1e-9;

std::vector<const CounterSample*> of_the_steps(const GpuSamples& samples) {
  std::vector<const CounterSample*> result;
  for (const CounterSample& sample : samples.samples) {
    if (samples.counts(sample)) {
      result.push_back(&sample);
    }
  }
  return result;
}

reports::ValueMap counter_record(const std::vector<const CounterSample*>& samples,
                                 std::size_t counter) {
  std::vector<double> values;
  for (const CounterSample* sample : samples) {
    if (std::isfinite(sample->values[counter])) {
      values.push_back(sample->values[counter]);
    }
  }
  std::sort(values.begin(), values.end());
  reports::ValueMap record{{"n", static_cast<std::int64_t>(values.size())},
                           {"mean", reports::Value()},
                           {"p95", reports::Value()},
                           {"max", reports::Value()}};
  if (const std::optional<Summary> summary = summarize(values)) {
    record["mean"] = summary->mean;
    record["p95"] = percentile(values, 0.95);
    record["max"] = summary->max;
  }
  return record;
}

}  // namespace

reports::ValueMap sampling_record(const GpuSamples& samples) {
  const std::vector<const CounterSample*> counted = of_the_steps(samples);
  reports::ValueMap record{{"available", true},
                           {"samples", static_cast<std::int64_t>(counted.size())},
                           {"lost_samples", samples.lost()},
                           {"buffer_overflows", samples.overflows},
                           {"on_host_clock", samples.on_host_clock()},
                           {"steps", samples.steps},
                           {"window_s", reports::Value()},
                           {"interval_s", reports::Value()}};
  if (samples.begin_ns > 0) {
    record["window_s"] = static_cast<double>(samples.end_ns - samples.begin_ns) * kSecondsPerNs;
  }
  if (!samples.samples.empty()) {
    record["interval_s"] = static_cast<double>(samples.interval_ns()) * kSecondsPerNs;
  }
  reports::ValueMap counters;
  for (std::size_t counter = 0; counter < samples.counters.size(); ++counter) {
    counters[samples.counters[counter]] = counter_record(counted, counter);
  }
  record["counters"] = std::move(counters);
  reports::ValueList missing;
  for (const std::string& name : samples.missing) {
    missing.emplace_back(name);
  }
  record["missing_counters"] = std::move(missing);
  return record;
}

}  // namespace dlbench::harness
