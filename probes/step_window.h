// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/clock.h"
#include "engine/core/trace.h"

#include <cstdint>
#include <string_view>
#include <thread>

namespace dlbench::probes {

/// The steps of one thread: from the begin of the first to the end of the last, as what comes
/// before and after is not training. Ignores regions of other threads.
class StepWindow final : public core::trace::Sink {
 public:
  /// Resets; from now on the calling thread's steps count.
  void restart() noexcept {
    thread_ = std::this_thread::get_id();
    begin_ns_ = 0;
    end_ns_ = 0;
    count_ = 0;
  }

  [[nodiscard]] std::int64_t begin_ns() const noexcept { return begin_ns_; }  ///< steady clock
  [[nodiscard]] std::int64_t end_ns() const noexcept { return end_ns_; }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  void begin(const core::trace::RegionInfo& region) noexcept override {
    if (is_step(region) && begin_ns_ == 0) {
      begin_ns_ = core::steady_ns();
    }
  }

  void end(const core::trace::RegionInfo& region) noexcept override {
    if (is_step(region)) {
      end_ns_ = core::steady_ns();
      count_ += 1;
    }
  }

  void name_thread(std::string_view /*name*/) noexcept override {}
  void map_captured_node(std::uint64_t /*captured_node*/,
                         std::int64_t /*op_id*/) noexcept override {}

 private:
  [[nodiscard]] bool is_step(const core::trace::RegionInfo& region) const noexcept {
    return region.category == core::trace::Category::kStep && std::this_thread::get_id() == thread_;
  }

  std::thread::id thread_;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace dlbench::probes
