// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A trace sink that forwards every region to several sinks, so that a timeline and NVTX can listen
// at the same time.
#pragma once

#include "engine/core/trace.h"

#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::probes {

/// Calls its sinks in order for begin and in reverse order for end, so that the regions of one sink
/// lie inside those of the previous one. Does not own the sinks, which must outlive it.
class SinkFanout final : public core::trace::Sink {
 public:
  explicit SinkFanout(std::vector<core::trace::Sink*> sinks) : sinks_(std::move(sinks)) {}

  void begin(const core::trace::RegionInfo& region) noexcept override {
    for (core::trace::Sink* sink : sinks_) {
      sink->begin(region);
    }
  }
  void end(const core::trace::RegionInfo& region) noexcept override {
    for (auto sink = sinks_.rbegin(); sink != sinks_.rend(); ++sink) {
      (*sink)->end(region);
    }
  }
  void name_thread(std::string_view name) noexcept override {
    for (core::trace::Sink* sink : sinks_) {
      sink->name_thread(name);
    }
  }
  void map_captured_node(std::uint64_t captured_node, std::int64_t op_id) noexcept override {
    for (core::trace::Sink* sink : sinks_) {
      sink->map_captured_node(captured_node, op_id);
    }
  }

 private:
  std::vector<core::trace::Sink*> sinks_;
};

}  // namespace dlbench::probes
