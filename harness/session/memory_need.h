// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run needs of the memory of the host and of the device, and what of it this process may
// still take: compared before anything big is allocated.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/lowering.h"
#include "engine/exec/plan.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <functional>
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
  /// Of the device's memory, beyond the plan: kept for what the plan cannot know. No part of the
  /// sums below.
  std::int64_t device_reserve = 0;

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
  std::optional<std::int64_t> device;  ///< nothing: the device's step takes of the host's, too
  int host_ranks = 1;                  ///< that each have as much
  int device_ranks = 1;

  [[nodiscard]] bool holds(const MemoryNeed& need) const;
  /// How much more than this room is needed where it is tightest: above 1 if it does not hold.
  [[nodiscard]] double pressure(const MemoryNeed& need) const;
  /// "the plan needs 4000 MiB of memory, 3000 MiB are available"; of what does not hold, of a
  /// device with its reserve.
  [[nodiscard]] std::string shortage(const MemoryNeed& need) const;
  /// Whether the reserve alone is more than the device has: then nothing that is smaller fits.
  [[nodiscard]] bool lacks_reserve(const MemoryNeed& need) const;
  /// What to do then.
  [[nodiscard]] std::string wants_another_device() const;
};

/// Bytes of a device's memory that a run leaves to driver and libraries: the code of kernels, which
/// is loaded when they first run, recorded steps, the buffers of CUPTI. An estimate: none of it has
/// been measured on a GPU.
inline constexpr std::int64_t kDeviceReserve = std::int64_t{512} << 20;

/// The same for NCCL on a device with several ranks, per communicator: its buffers grow with the
/// number of channels and of connections (users report 0.5 to 1.6 GB, NVIDIA/nccl issues 864 and
/// 964), and are allocated when the first collective runs; and blocks of memory that it gives are
/// rounded up, by up to 512 MiB (engine/backend/cuda/libraries/nccl_memory.h). An estimate,
/// likewise.
inline constexpr std::int64_t kNcclReserve = std::int64_t{2048} << 20;
/// That, or 0: of `ranks` that compute on devices, each its own or, `shared`, not.
[[nodiscard]] constexpr std::int64_t nccl_reserve(int ranks, bool on_device, bool shared) {
  return ranks > 1 && on_device && !shared ? kNcclReserve : 0;
}

/// How many ranks share a memory.
struct MemorySharers {
  int host = 1;
  int device = 1;
};

/// Of one rank, where those that share a memory take it evenly.
[[nodiscard]] MemoryRoom read_memory_room(const backend::Backend& backend,
                                          const MemorySharers& ranks);

/// What the step of `graph` with this plan, its state and the copy of that need; nothing of a
/// loader, and no reserve.
[[nodiscard]] MemoryNeed need_of_plan(const backend::Backend& backend,
                                      const graph::Graph& graph,
                                      const exec::Plan& plan);

/// The same of a plan to come: what the step of `graph`, its state and the copy of that need;
/// nothing of a loader. Lowers the graph without tuning or trying anything, and allocates none of
/// it. The reserve of a device is what a step that is tuned and tried may take more of workspace
/// (backend::kWorkspaceLimit at most in all) and kDeviceReserve.
[[nodiscard]] MemoryNeed need_of_step(backend::Backend& backend,
                                      const graph::Graph& graph,
                                      backend::LoweringOptions lowering);

/// Throws Error(kMemory) if the host has less than any run takes: libraries, threads, their stacks.
void check_least(const MemoryRoom& room);

/// What may be asked for where a batch does not fit.
struct SmallerStep {
  bool smaller_images = false;
  std::string option = "--batch-size";
  int ranks = 1;  ///< among which the option's batch is divided
};

/// Throws Error(kMemory) with what is needed, what is free and the largest batch that fits, unless
/// `room` holds what `need_at(batch_size)` says. `need_at` grows with the batch size, which is one
/// rank's.
void check_room(const MemoryRoom& room,
                std::int64_t batch_size,
                const SmallerStep& smaller,
                const std::function<MemoryNeed(std::int64_t)>& need_at);

}  // namespace dlbench::harness
