// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of the backends whose device is the host's processor.
#pragma once

#include "engine/backend/backend.h"

#include <cstddef>

namespace dlbench::backend {

/// Zeroed pages straight from the kernel, in huge pages where it gives them, all touched at
/// construction by the OpenMP threads that will use them: no page fault is left for a timed step,
/// and each page lies near a thread that works on it.
class HostBuffer final : public Buffer {
 public:
  /// Throws core::Error(kMemory) when the kernel refuses. Zero bytes give a valid, empty buffer.
  explicit HostBuffer(std::size_t bytes);
  ~HostBuffer() override;

  [[nodiscard]] std::byte* data() override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t mapped_bytes_ = 0;  ///< from data_ on
};

}  // namespace dlbench::backend
