// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Device memory of the backends whose device is the host's processor.
#pragma once

#include "engine/backend/backend.h"

#include <cstddef>

namespace dlbench::backend {

/// Zeroed pages directly from the kernel, huge pages where available, all touched at construction
/// by the OpenMP threads that will use them: a timed step has no page faults, and each page is
/// close to a thread that works on it.
class HostBuffer final : public Buffer {
 public:
  /// Throws core::Error(kMemory) if the kernel refuses. Zero bytes give a valid, empty buffer.
  explicit HostBuffer(std::size_t bytes);
  ~HostBuffer() override;

  [[nodiscard]] std::byte* data() override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t mapped_bytes_ = 0;  ///< starting at data_
};

}  // namespace dlbench::backend
