// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What NCCL is to a GPU, for the device that runs later than it is told: collectives that are
// kernels of the caller's stream, done by nobody on the host.
#pragma once

#include "engine/comm/device_watch.h"
#include "engine/comm/self.h"
#include "engine/core/check.h"
#include "engine/core/error.h"
#include "tests/engine/exec/deferred_backend.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>

namespace dlbench::exec::testing {

/// One of two ranks with the same data: an all-reduce doubles it, in f32, f16 or bf16. Other
/// collectives leave all as it is.
class DoublingCommunicator : public comm::SelfCommunicator {
 public:
  [[nodiscard]] std::string_view name() const override { return "doubling"; }
  [[nodiscard]] int size() const override { return 2; }
  [[nodiscard]] std::unique_ptr<backend::Buffer> allocate(backend::Backend& backend,
                                                          std::size_t bytes) override {
    ++allocations_;
    return backend.allocate(bytes);
  }
  [[nodiscard]] int allocations() const { return allocations_; }
  [[nodiscard]] comm::Ticket start_all_reduce(const comm::ReduceRequest& request,
                                              backend::Stream& stream) override {
    enqueue(request, stream);
    return 0;
  }

 protected:
  void enqueue(const comm::ReduceRequest& request, backend::Stream& stream) {
    if (auto* device = dynamic_cast<DeferredStream*>(&stream)) {
      device->enqueue_kernel([this, request] { run(request); });
    } else {
      run(request);
    }
  }
  /// On the device.
  virtual void run(const comm::ReduceRequest& request) {
    for (std::size_t i = 0; i < request.count; ++i) {
      if (request.dtype == core::DType::kF32) {
        reinterpret_cast<float*>(request.data)[i] *= 2.0F;
        continue;
      }
      DLBENCH_CHECK(core::size_of(request.dtype) == 2) << core::name(request.dtype);
      std::uint16_t& bits = reinterpret_cast<std::uint16_t*>(request.data)[i];
      bits = request.dtype == core::DType::kF16 ? core::f32_to_f16(core::f16_to_f32(bits) * 2.0F)
                                                : core::f32_to_bf16(core::bf16_to_f32(bits) * 2.0F);
    }
  }

 private:
  int allocations_ = 0;
};

/// Whose collectives can be made to fail as NCCL's do when a rank is gone: what is on the device
/// never ends, until it is aborted.
class FragileCommunicator final : public DoublingCommunicator {
 public:
  explicit FragileCommunicator(double timeout_s)
      : watch_({.check = [this] { check(); },
                .abort = [this] { abort(); },
                .rank = 3,
                .timeout_s = timeout_s}) {}

  [[nodiscard]] comm::DeviceWatch* watch() override { return &watch_; }
  void broadcast(std::byte* data,
                 std::size_t /*bytes*/,
                 int /*root*/,
                 backend::Stream& stream) override {
    enqueue({.data = data}, stream);
  }
  /// From now on collectives do not end.
  void hang() { hangs_ = true; }
  /// And this is what is known of it.
  void fail() { failed_ = true; }
  [[nodiscard]] int aborts() const { return aborts_; }

 protected:
  void run(const comm::ReduceRequest& request) override {
    while (hangs_ && aborts_ == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    DoublingCommunicator::run(request);
  }

 private:
  void check() const {
    if (failed_) {
      throw core::Error(core::ErrorCode::kRun, "[rank 3] the other rank is gone");
    }
  }
  void abort() { ++aborts_; }

  std::atomic<bool> hangs_{false};
  std::atomic<bool> failed_{false};
  std::atomic<int> aborts_{0};
  comm::DeviceWatch watch_;  // last: its thread uses all of the above
};

}  // namespace dlbench::exec::testing
