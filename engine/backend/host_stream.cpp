// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/host_stream.h"

#include "engine/core/check.h"

#include <cstring>

namespace dlbench::backend {
namespace {

using Clock = std::chrono::steady_clock;

class HostEvent final : public Stream::Event {
 public:
  void wait() override { DLBENCH_CHECK(recorded_) << "waiting for an event never recorded"; }
  [[nodiscard]] bool done() override { return recorded_; }
  [[nodiscard]] double seconds_since(const Event& earlier) const override {
    const auto& other = dynamic_cast<const HostEvent&>(earlier);
    DLBENCH_CHECK(recorded_ && other.recorded_) << "time of an event never recorded";
    return std::chrono::duration<double>(time_ - other.time_).count();
  }
  void record_now() {
    time_ = Clock::now();
    recorded_ = true;
  }

 private:
  Clock::time_point time_;
  bool recorded_ = false;
};

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

std::unique_ptr<Stream::Event> HostStream::create_event() { return std::make_unique<HostEvent>(); }

void HostStream::record(Event& event) { dynamic_cast<HostEvent&>(event).record_now(); }

void HostStream::wait_for(Event& event) { event.wait(); }

void HostStream::copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) {
  copy_bytes(device, host, bytes);
}

void HostStream::copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
  copy_bytes(host, device, bytes);
}

void HostStream::copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy_bytes(to, from, bytes);
}

void HostStream::fill_zero(std::byte* device, std::size_t bytes) {
  if (bytes > 0) {
    std::memset(device, 0, bytes);
  }
}

}  // namespace dlbench::backend
