// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_tracks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace dlbench::probes {
namespace {

constexpr std::int64_t kOverheadTrack = std::numeric_limits<std::int64_t>::max();

std::string_view category(GpuActivityKind kind) {
  switch (kind) {
    case GpuActivityKind::kCopy:
      return "copy";
    case GpuActivityKind::kMemset:
      return "memset";
    case GpuActivityKind::kOverhead:
      return "overhead";
    default:
      return "kernel";
  }
}

}  // namespace

std::vector<TraceTrack> gpu_tracks(const GpuTrace& trace) {
  std::map<std::int64_t, std::vector<TraceEvent>> by_stream;
  for (const GpuActivity& activity : trace.activities) {
    const bool overhead = activity.kind == GpuActivityKind::kOverhead;
    if (occupies_device(activity.kind) || overhead) {
      by_stream[overhead ? kOverheadTrack : activity.stream].push_back({activity.name,
                                                                        category(activity.kind),
                                                                        trace.op_of(activity),
                                                                        activity.begin_ns,
                                                                        activity.end_ns});
    }
  }
  std::vector<TraceTrack> tracks;
  for (auto& [stream, events] : by_stream) {
    std::stable_sort(
        events.begin(), events.end(), [](const TraceEvent& left, const TraceEvent& right) {
          return left.end_ns < right.end_ns;
        });
    const std::string name =
        stream == kOverheadTrack ? "GPU overhead" : "GPU stream " + std::to_string(stream);
    tracks.push_back({kFirstGpuTrack + static_cast<int>(tracks.size()), name, std::move(events)});
  }
  return tracks;
}

std::vector<CounterTrack> counter_tracks(const GpuSamples& samples) {
  if (!samples.on_host_clock()) {
    return {};
  }
  const std::int64_t half_interval_ns = samples.interval_ns() / 2;
  std::vector<CounterTrack> tracks;
  for (std::size_t counter = 0; counter < samples.counters.size(); ++counter) {
    CounterTrack& track = tracks.emplace_back(CounterTrack{"GPU " + samples.counters[counter], {}});
    for (std::size_t index = 0; index < samples.samples.size(); ++index) {
      const CounterSample& sample = samples.samples[index];
      track.points.push_back({sample.begin_ns, sample.values[counter]});
      const bool last = index + 1 == samples.samples.size();
      if (last || samples.samples[index + 1].begin_ns - sample.end_ns > half_interval_ns) {
        track.points.push_back({sample.end_ns, 0.0});
      }
    }
  }
  return tracks;
}

}  // namespace dlbench::probes
