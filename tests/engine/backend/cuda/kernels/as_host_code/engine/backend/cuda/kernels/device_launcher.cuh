// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// In place of the header of this name in engine/backend/cuda/kernels: the same launches as host
// loops, so that a host compiler takes the .cu files as they are.
#pragma once

#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <cstdint>

namespace dlbench::backend::cuda {

class DeviceLauncher {
 public:
  explicit DeviceLauncher(StreamHandle stream) : stream_(stream) {}

  template <typename Body>
  [[nodiscard]] std::uint32_t resident_blocks() const {
    return HostLauncher().resident_blocks<Body>();
  }
  template <typename Body>
  void map(const Body& body, std::uint32_t blocks, std::uint32_t threads) const {
    enqueue_kernel(stream_, [=] { HostLauncher().map(body, blocks, threads); });
  }
  template <typename Body>
  void map_shared(const Body& body, std::uint32_t blocks, std::uint32_t threads) const {
    enqueue_kernel(stream_, [=] { HostLauncher().map_shared(body, blocks, threads); });
  }
  template <typename Body>
  void exchange(const Body& body, std::uint32_t blocks, std::uint32_t threads) const {
    enqueue_kernel(stream_, [=] { HostLauncher().exchange(body, blocks, threads); });
  }
  template <typename Body>
  void reduce(const Body& body, std::uint32_t blocks, std::uint32_t threads) const {
    enqueue_kernel(stream_, [=] { HostLauncher().reduce(body, blocks, threads); });
  }

 private:
  StreamHandle stream_;
};

}  // namespace dlbench::backend::cuda
