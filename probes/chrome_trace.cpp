// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/chrome_trace.h"

#include "engine/core/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iterator>

namespace dlbench::probes {
namespace {

/// Writes and clears the text once it is large.
void flush_large(core::AtomicFile& file, std::string& text) {
  constexpr std::size_t kLargeBytes = std::size_t{1} << 20;
  if (text.size() > kLargeBytes) {
    file.write(text);
    text.clear();
  }
}

/// Returns `text` in quotes, as JSON.
std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
    } else {
      result += letter;
    }
  }
  return result + '"';
}

/// Formats nanoseconds as microseconds with all three decimals: exact, whereas a double would lose
/// them after days.
std::string microseconds(std::int64_t ns) {
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
}

void append_metadata(std::string& out, int rank, const TraceTrack& track) {
  const std::string name = track.name.empty() ? fmt::format("thread {}", track.number) : track.name;
  fmt::format_to(std::back_inserter(out),
                 ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{0},\"tid\":{1},"
                 "\"args\":{{\"name\":{2}}}}},\n{{\"ph\":\"M\",\"name\":\"thread_sort_index\","
                 "\"pid\":{0},\"tid\":{1},\"args\":{{\"sort_index\":{1}}}}}",
                 rank,
                 track.number,
                 json_string(name));
}

void append_arguments(std::string& out, const TrackEvent& event) {
  std::string arguments;
  const auto add = [&](std::string_view name, const std::string& value) {
    arguments += fmt::format("{}\"{}\":{}", arguments.empty() ? "" : ",", name, value);
  };
  if (event.id >= 0) {
    add("id", std::to_string(event.id));
  }
  if (!event.op.empty()) {
    add("op", json_string(event.op));
  }
  if (!event.phase.empty()) {
    add("phase", json_string(event.phase));
  }
  if (event.bytes > 0) {
    add("bytes", std::to_string(event.bytes));
  }
  if (!arguments.empty()) {
    out.append(",\"args\":{").append(arguments).append("}");
  }
}

void append_event(std::string& out, const ChromeTrace& trace, int track, const TrackEvent& event) {
  fmt::format_to(std::back_inserter(out),
                 ",\n{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"ts\":{},\"dur\":{},\"pid\":{},"
                 "\"tid\":{}",
                 json_string(event.name),
                 event.category,
                 microseconds(event.begin_ns - trace.origin_ns),
                 microseconds(event.end_ns - event.begin_ns),
                 trace.rank,
                 track);
  append_arguments(out, event);
  out += '}';
}

// Viewers identify counters by process and name; they have no thread.
void append_point(std::string& out,
                  const ChromeTrace& trace,
                  const std::string& name,
                  const CounterPoint& point) {
  if (std::isfinite(point.value)) {
    fmt::format_to(std::back_inserter(out),
                   ",\n{{\"ph\":\"C\",\"name\":{},\"ts\":{},\"pid\":{},\"args\":{{\"value\":{}}}}}",
                   name,
                   microseconds(point.time_ns - trace.origin_ns),
                   trace.rank,
                   point.value);
  }
}

}  // namespace

void write_chrome_trace(const std::filesystem::path& path, ChromeTrace trace) {
  core::AtomicFile file(path.string(), "choose another --trace file");
  std::string out = fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"tool\":\"dlbench\",\"dropped_events\":{}}},"
      "\"traceEvents\":[\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,"
      "\"args\":{{\"name\":\"dlbench rank {}\"}}}}",
      trace.dropped,
      trace.rank,
      trace.rank);
  for (TraceTrack& track : trace.tracks) {
    append_metadata(out, trace.rank, track);
    // Inner regions end first: reversed and stably sorted, an outer one of equal times comes first.
    std::reverse(track.events.begin(), track.events.end());
    std::stable_sort(
        track.events.begin(), track.events.end(), [](const TraceEvent& a, const TraceEvent& b) {
          return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
        });
    for (const TrackEvent& event : track.events) {
      append_event(out, trace, track.number, event);
      flush_large(file, out);
    }
  }
  for (const CounterTrack& counter : trace.counters) {
    const std::string name = json_string(counter.name);
    for (const CounterPoint& point : counter.points) {
      append_point(out, trace, name, point);
      flush_large(file, out);
    }
  }
  out += "\n]}\n";
  file.write(out);
  file.commit();
}

}  // namespace dlbench::probes
