// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_tracks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace dlbench::probes {
namespace {

constexpr std::int64_t kOverheadTrack = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kWaitTrack = kOverheadTrack - 1;

/// Returns the stream, or a track after those of streams; nothing if it is not drawn.
std::optional<std::int64_t> track_of(const GpuActivity& activity) {
  switch (activity.kind) {
    case GpuActivityKind::kOverhead:
      return kOverheadTrack;
    case GpuActivityKind::kSynchronization:
      return kWaitTrack;
    case GpuActivityKind::kApiCall:
      return std::nullopt;
    default:
      return activity.stream;
  }
}

std::string track_name(std::int64_t track) {
  return track == kOverheadTrack ? "GPU overhead"
         : track == kWaitTrack   ? "GPU synchronization"
                                 : "GPU stream " + std::to_string(track);
}

}  // namespace

std::vector<TraceTrack> gpu_tracks(const GpuTrace& trace) {
  std::map<std::int64_t, std::vector<TrackEvent>> by_track;
  for (const GpuActivity& activity : trace.activities) {
    const std::optional<std::int64_t> track = track_of(activity);
    if (!track.has_value()) {
      continue;
    }
    const std::int64_t op = trace.op_of(activity);
    TrackEvent& event = by_track[*track].emplace_back(TrackEvent{
        {activity.name, activity_name(activity.kind), op, activity.begin_ns, activity.end_ns}});
    event.bytes = activity.bytes;
    if (const auto label = trace.ops.find(op); label != trace.ops.end()) {
      event.op = label->second.name;
      event.phase = label->second.phase;
    }
  }
  std::vector<TraceTrack> tracks;
  for (auto& [track, events] : by_track) {
    std::stable_sort(
        events.begin(), events.end(), [](const TraceEvent& left, const TraceEvent& right) {
          return left.end_ns < right.end_ns;
        });
    tracks.push_back(
        {kFirstGpuTrack + static_cast<int>(tracks.size()), track_name(track), std::move(events)});
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
      const double value = sample.values[counter];  // no number: drawn as nothing
      track.points.push_back({sample.begin_ns, std::isfinite(value) ? value : 0.0});
      const bool last = index + 1 == samples.samples.size();
      if (last || samples.samples[index + 1].begin_ns - sample.end_ns > half_interval_ns) {
        track.points.push_back({sample.end_ns, 0.0});
      }
    }
  }
  return tracks;
}

}  // namespace dlbench::probes
