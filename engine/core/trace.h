// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine's only interface to probes: named regions that begin and end on the calling thread. If
// no sink is installed a region costs one load and one branch. The engine never names a probe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace dlbench::core::trace {

/// What a region is; probes filter by it. Ordered from the outside in.
enum class Category : std::uint8_t { kTrial, kRepetition, kStep, kPhase, kOp, kLoader, kComm };

[[nodiscard]] std::string_view name(Category category);

/// One region. `name` must outlive the sink's use of it: callers pass strings that live as long as
/// the plan, the loader or the program. `id` is the node id of an op, the number of a step, or -1.
struct RegionInfo {
  Category category;
  std::string_view name;
  std::int64_t id = -1;
};

/// Receives regions from any thread. Implementations must not throw and must be thread safe.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  virtual void begin(const RegionInfo& region) noexcept = 0;
  virtual void end(const RegionInfo& region) noexcept = 0;
  /// Names the calling thread's track ("loader worker 2"). Called once per thread, if at all.
  virtual void name_thread(std::string_view name) noexcept = 0;
  /// Reports that node `captured_node` of the captured CUDA graph runs the plan's op `op_id`, or,
  /// below -1, belongs to a phase but none of its ops (graph::id_outside_nodes()). Nodes are the
  /// graph's kernels, copies and memsets, counted from 0 in the order of capture.
  virtual void map_captured_node(std::uint64_t captured_node, std::int64_t op_id) noexcept = 0;
};

/// Installs a sink (nullptr: none). Regions end at the sink where they began: a sink that is
/// replaced must live for as long as any thread may be inside a region.
void set_sink(Sink* sink) noexcept;

/// Tells the installed sink, and every sink installed later, which op a captured node runs (see
/// Sink::map_captured_node()): a step is captured long before a probe installs its sink. Number 0
/// begins a new graph, which replaces the previous one.
void map_captured_node(std::uint64_t captured_node, std::int64_t op_id);

/// The installed sink, or nullptr.
[[nodiscard]] Sink* sink() noexcept;

/// Names the calling thread for the installed sink and for later ones, which are told the name when
/// the thread begins its first region. Names are cut to 64 bytes.
void name_this_thread(std::string_view name) noexcept;

/// Tells `sink` the name of the calling thread, unless it has none or `sink` was told already.
void tell_name(Sink& sink) noexcept;

/// A region that ends with the enclosing scope.
class Region {
 public:
  Region(Category category, std::string_view name, std::int64_t id = -1) noexcept
      : sink_(trace::sink()), info_{category, name, id} {
    if (sink_ != nullptr) [[unlikely]] {
      tell_name(*sink_);
      sink_->begin(info_);
    }
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() {
    if (sink_ != nullptr) [[unlikely]] {
      sink_->end(info_);
    }
  }

 private:
  Sink* sink_;
  RegionInfo info_;
};

}  // namespace dlbench::core::trace
