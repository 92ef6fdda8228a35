// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing recorded regions as a Chrome trace (the JSON Trace Event Format).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

/// One finished region. Times are of the steady clock, in nanoseconds.
struct TraceEvent {
  std::string_view name;
  std::string_view category;  ///< "step", "op", "kernel"
  std::int64_t id;
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

/// The regions of one thread, or of one stream of a device, in the order in which they ended.
struct TraceTrack {
  int number;
  std::string name;  ///< empty: the thread was never named
  std::vector<TraceEvent> events;
};

struct ChromeTrace {
  int rank = 0;  ///< becomes the process id
  std::int64_t origin_ns = 0;
  std::int64_t dropped = 0;
  std::vector<TraceTrack> tracks;
};

/// Writes a JSON object with "traceEvents". Events of a track come by start time, outer before
/// inner. Written beside `path` and renamed, so that a reader never sees half a file. Throws
/// Error(kFile).
void write_chrome_trace(const std::filesystem::path& path, ChromeTrace trace);

}  // namespace dlbench::probes
