// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Caches a number that is queried once per device: a process may use several, from several threads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace dlbench::backend::cuda {

class OncePerDevice {
 public:
  static constexpr int kDevices = 32;

  /// Returns what ask() returned for this device when first called; calls it again for devices from
  /// kDevices on, and if the answer was 0. Threads may call this at the same time: ask() must give
  /// all of them the same answer.
  template <typename Ask>
  [[nodiscard]] std::uint32_t get(int device, const Ask& ask) {
    if (device < 0 || device >= kDevices) {
      return ask();
    }
    std::atomic<std::uint32_t>& known = answers_[static_cast<std::size_t>(device)];
    std::uint32_t answer = known.load(std::memory_order_relaxed);
    if (answer == 0) {
      answer = ask();
      known.store(answer, std::memory_order_relaxed);
    }
    return answer;
  }

 private:
  std::array<std::atomic<std::uint32_t>, kDevices> answers_{};
};

}  // namespace dlbench::backend::cuda
