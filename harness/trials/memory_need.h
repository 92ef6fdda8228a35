// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run needs of the memory of the host and of the device, and what of it this process may
// still take: compared before anything big is allocated.
#pragma once

#include "engine/backend/backend.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dlbench::harness {

/// Bytes of a run on one rank.
struct MemoryNeed {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;
  std::int64_t saved_state = 0;  ///< the copy that every repetition starts from, on the host
  std::int64_t activations = 0;  ///< and, on a device, the places to which inputs are copied
  std::int64_t workspace = 0;
  std::int64_t loader_buffers = 0;  ///< on the host
  bool on_device = false;           ///< the step has a memory of its own

  [[nodiscard]] std::int64_t step_bytes() const {
    return parameters + gradients + optimizer + activations + workspace;
  }
  [[nodiscard]] std::int64_t host_bytes() const {
    return saved_state + loader_buffers + (on_device ? 0 : step_bytes());
  }
  [[nodiscard]] std::int64_t device_bytes() const { return on_device ? step_bytes() : 0; }
  [[nodiscard]] std::int64_t total() const { return host_bytes() + device_bytes(); }

  MemoryNeed& operator+=(const MemoryNeed& other);
};

/// Bytes that one of the ranks of a host may still take.
struct MemoryRoom {
  std::int64_t host = 0;
  std::optional<std::int64_t> device;  ///< nothing: the host's

  [[nodiscard]] bool holds(const MemoryNeed& need) const;
  /// How much more than this room is needed where it is tightest: above 1 if it does not hold.
  [[nodiscard]] double pressure(const MemoryNeed& need) const;
  /// "the plan needs 4000 MiB of device memory, 3000 MiB are free"; of what does not hold.
  [[nodiscard]] std::string shortage(const MemoryNeed& need) const;
};

/// How many ranks share a memory.
struct MemorySharers {
  int host = 1;
  int device = 1;
};

/// Of one rank, where those that share a memory take it evenly.
[[nodiscard]] MemoryRoom read_memory_room(const backend::Backend& backend,
                                          const MemorySharers& ranks);

}  // namespace dlbench::harness
