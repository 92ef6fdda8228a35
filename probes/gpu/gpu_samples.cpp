// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/gpu_samples.h"

#include "engine/core/error.h"
#include "probes/gpu/recorded_file_internal.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace dlbench::probes {
namespace {

using nlohmann::json;

constexpr RecordedFormat kSamplesFormat{.name = "dlbench.gpu_samples", .text = "GPU samples"};
// Device times are interpolated to host times; the calls that start and stop take time as well.
constexpr std::int64_t kClockSlackNs = 1'000'000;

// Returns how many intervals fit into a gap, rounded to the nearest.
std::int64_t intervals_in(std::int64_t gap_ns, std::int64_t interval_ns) {
  return interval_ns > 0 ? std::max<std::int64_t>(0, (gap_ns + interval_ns / 2) / interval_ns) : 0;
}

// One row per sample: [begin, end, values...]; JSON has no NaN, it is null.
json to_json(const CounterSample& sample) {
  json row{sample.begin_ns, sample.end_ns};
  for (const double value : sample.values) {
    row.push_back(value);
  }
  return row;
}

CounterSample sample_from_json(const json& row, std::size_t counters) {
  if (row.size() != counters + 2) {
    throw core::Error(core::ErrorCode::kData,
                      "a sample has " + std::to_string(row.size()) +
                          " numbers, not begin, end and " + std::to_string(counters) + " values");
  }
  CounterSample sample{row.at(0).get<std::int64_t>(), row.at(1).get<std::int64_t>(), {}};
  for (std::size_t index = 2; index < row.size(); ++index) {
    sample.values.push_back(row.at(index).is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                    : row.at(index).get<double>());
  }
  return sample;
}

}  // namespace

std::int64_t GpuSamples::interval_ns() const {
  if (samples.empty()) {
    return 0;
  }
  std::vector<std::int64_t> lengths;
  lengths.reserve(samples.size());
  for (const CounterSample& sample : samples) {
    lengths.push_back(sample.end_ns - sample.begin_ns);
  }
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

bool GpuSamples::counts(const CounterSample& sample) const {
  const std::int64_t middle_ns = sample.begin_ns + (sample.end_ns - sample.begin_ns) / 2;
  return steps == 0 || !on_host_clock() || (middle_ns >= begin_ns && middle_ns < end_ns);
}

std::int64_t GpuSamples::lost() const {
  const std::int64_t interval = interval_ns();
  const bool of_the_steps = steps > 0 && on_host_clock();
  const auto in_gap = [&](std::int64_t from_ns, std::int64_t to_ns) {
    return of_the_steps
               ? intervals_in(std::min(to_ns, end_ns) - std::max(from_ns, begin_ns), interval)
               : intervals_in(to_ns - from_ns, interval);
  };
  std::int64_t count = 0;
  for (std::size_t index = 1; index < samples.size(); ++index) {
    count += in_gap(samples[index - 1].end_ns, samples[index].begin_ns);
  }
  if (overflows == 0) {
    return count;
  }
  if (on_host_clock()) {
    count += in_gap(samples.back().end_ns, stopped_ns);
  }
  return std::max<std::int64_t>(count, 1);
}

bool GpuSamples::has_gaps() const {
  constexpr double kMaxLost = 0.01;
  const std::int64_t gone = lost();
  const auto there = std::count_if(
      samples.begin(), samples.end(), [&](const CounterSample& sample) { return counts(sample); });
  return overflows > 0 || static_cast<double>(gone) > kMaxLost * static_cast<double>(there + gone);
}

bool GpuSamples::on_host_clock() const {
  return !samples.empty() && samples.front().end_ns >= started_ns - kClockSlackNs &&
         samples.back().end_ns <= stopped_ns + kClockSlackNs;
}

void put_in_order(GpuSamples& samples) {
  std::stable_sort(
      samples.samples.begin(),
      samples.samples.end(),
      [](const CounterSample& a, const CounterSample& b) { return a.begin_ns < b.begin_ns; });
}

void move_to_host(GpuSamples& samples, const ProfilerClock& clock) {
  for (CounterSample& sample : samples.samples) {
    sample.begin_ns = clock.to_host(sample.begin_ns);
    sample.end_ns = clock.to_host(sample.end_ns);
  }
}

void drop_first_sample(GpuSamples& samples) {
  if (samples.samples.size() > 1) {
    samples.samples.erase(samples.samples.begin());
  }
}

void leave_out_empty(GpuSamples& samples, const std::vector<std::string>& names) {
  for (std::size_t counter = samples.counters.size(); counter-- > 0 && !samples.samples.empty();) {
    if (std::ranges::any_of(samples.samples, [&](const CounterSample& sample) {
          return std::isfinite(sample.values[counter]);
        })) {
      continue;
    }
    const auto place = static_cast<std::ptrdiff_t>(counter);
    samples.missing.push_back(names[counter]);
    samples.counters.erase(samples.counters.begin() + place);
    for (CounterSample& sample : samples.samples) {
      sample.values.erase(sample.values.begin() + place);
    }
  }
}

GpuSamples read_gpu_samples(const std::filesystem::path& path) {
  GpuSamples samples;
  read_recorded_file(path, kSamplesFormat, [&samples](const json& object) {
    samples.origin = object.at("origin").get<std::string>();
    samples.trial = object.at("trial").get<std::string>();
    samples.started_ns = object.at("started_ns").get<std::int64_t>();
    samples.stopped_ns = object.at("stopped_ns").get<std::int64_t>();
    samples.begin_ns = object.at("begin_ns").get<std::int64_t>();
    samples.end_ns = object.at("end_ns").get<std::int64_t>();
    samples.steps = object.at("steps").get<std::int64_t>();
    samples.overflows = object.at("overflows").get<std::int64_t>();
    samples.counters = object.at("counters").get<std::vector<std::string>>();
    samples.missing = object.at("missing").get<std::vector<std::string>>();
    for (const json& row : object.at("samples")) {
      samples.samples.push_back(sample_from_json(row, samples.counters.size()));
    }
  });
  return samples;
}

void write_gpu_samples(const std::filesystem::path& path, const GpuSamples& samples) {
  json object{{"origin", samples.origin},
              {"trial", samples.trial},
              {"started_ns", samples.started_ns},
              {"stopped_ns", samples.stopped_ns},
              {"begin_ns", samples.begin_ns},
              {"end_ns", samples.end_ns},
              {"steps", samples.steps},
              {"overflows", samples.overflows},
              {"counters", samples.counters},
              {"missing", samples.missing},
              {"samples", json::array()}};
  for (const CounterSample& sample : samples.samples) {
    object["samples"].push_back(to_json(sample));
  }
  write_recorded_file(path, kSamplesFormat, std::move(object), -1);
}

}  // namespace dlbench::probes
