// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes recorded regions and counters as a Chrome trace (the JSON Trace Event Format).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

/// One finished region. Times are nanoseconds of the steady clock.
struct TraceEvent {
  std::string_view name;
  std::string_view category;  ///< "step", "op", "kernel"
  std::int64_t id;
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

/// A region of a track. For device work, also its op, its phase and the bytes moved.
struct TrackEvent : TraceEvent {
  std::string_view op{};     ///< empty: unknown, or not of a device
  std::string_view phase{};  ///< "forward"; empty likewise
  std::int64_t bytes = 0;    ///< 0: none, or unknown
};

/// The regions of one thread or one device stream, in the order in which they ended.
struct TraceTrack {
  int number;
  std::string name;  ///< empty: the thread was never named
  std::vector<TrackEvent> events;
};

/// The value of a counter from a moment on.
struct CounterPoint {
  std::int64_t time_ns;
  double value;
};

/// One counter over time, drawn as a step curve.
struct CounterTrack {
  std::string name;
  std::vector<CounterPoint> points;  ///< in the order of time
};

/// The tracks of a device, shown below the threads of the host.
struct DeviceTracks {
  std::vector<TraceTrack> streams;
  std::vector<CounterTrack> counters;
};

struct ChromeTrace {
  int rank = 0;  ///< becomes the process id
  std::int64_t origin_ns = 0;
  std::int64_t dropped = 0;
  std::vector<TraceTrack> tracks;
  std::vector<CounterTrack> counters;
};

/// Writes a JSON object with "traceEvents". A track's events are in order of start time, outer
/// before inner; counter points that are not numbers are left out. Written as a core::AtomicFile,
/// so a reader never sees a partial file. Throws Error(kFile).
void write_chrome_trace(const std::filesystem::path& path, ChromeTrace trace);

}  // namespace dlbench::probes
