// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline probe: records every trace region of every thread and writes a Chrome trace, which
// Perfetto (ui.perfetto.dev) and chrome://tracing open.
#pragma once

#include "engine/core/trace.h"
#include "probes/chrome_trace.h"
#include "probes/probe.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

/// The regions of all threads. Each thread appends to its own buffer without locks; begin and end
/// together cost about 0.1 us including the clock. A thread with the name of one that has ended
/// continues its track, so that restarted loader workers do not multiply the rows.
class Timeline final : public Probe, private core::trace::Sink {
 public:
  /// 2 million events of 56 bytes: 112 MiB per thread.
  static constexpr std::size_t kMaxEvents = std::size_t{256} * 8192;

  /// `max_events`: per thread, at most kMaxEvents.
  explicit Timeline(std::size_t max_events = kMaxEvents);
  ~Timeline() override;

  [[nodiscard]] const ProbeSpec& spec() const override;
  [[nodiscard]] std::string open(const ProbeOptions& options) override;
  void begin_trial(std::string_view trial) noexcept override;
  void end_trial() noexcept override;
  /// Returns recorded_events and dropped_events of the whole run, whatever the trial.
  [[nodiscard]] ProbeValues collect(std::string_view trial) const override;
  [[nodiscard]] core::trace::Sink* sink() override { return this; }

  /// Writes what was recorded so far: a JSON object with "traceEvents", complete events ("ph": "X")
  /// with ts and dur in microseconds since open(), category, and the region's id in args; metadata
  /// events name process and threads. Open regions are left out. `path` as for core::AtomicFile.
  /// The tracks of `device` come below the threads. Throws Error(kFile).
  void write(const std::filesystem::path& path, int rank = 0, DeviceTracks device = {}) const;

  /// Regions not recorded: buffer full, out of memory, nested deeper than 64, or never begun.
  [[nodiscard]] std::int64_t dropped_events() const;
  [[nodiscard]] std::int64_t recorded_events() const;

 private:
  class Recorder;

  void begin(const core::trace::RegionInfo& region) noexcept override;
  void end(const core::trace::RegionInfo& region) noexcept override;
  void name_thread(std::string_view name) noexcept override;
  void map_captured_node(std::uint64_t captured_node, std::int64_t op_id) noexcept override;

  std::shared_ptr<Recorder> recorder_;
};

}  // namespace dlbench::probes
