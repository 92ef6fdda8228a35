// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The stream of the backends whose device is the host's processor: work runs immediately, on the
// calling thread.
#pragma once

#include "engine/backend/backend.h"

#include <chrono>
#include <cstddef>
#include <memory>

namespace dlbench::backend {

/// Every call has finished its work when it returns, so waiting is free. Events read the steady
/// clock.
class HostStream final : public Stream {
 public:
  [[nodiscard]] std::unique_ptr<Event> create_event() override;
  /// The event must come from a HostStream.
  void record(Event& event) override;
  /// Throws core::CheckFailure for an event that was never recorded: a device would not wait for it
  /// at all.
  void wait_for(Event& event) override;
  void synchronize() override {}
  void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) override;
  void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) override;
  void copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void fill_zero(std::byte* device, std::size_t bytes) override;
  /// Uses the OpenMP threads.
  void convert(const Conversion& conversion) override;
};

}  // namespace dlbench::backend
