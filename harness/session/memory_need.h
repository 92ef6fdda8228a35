// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares the host and device memory that a run needs with what this process may still take,
// before anything big is allocated.
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

/// The bytes that a run needs on one rank.
struct MemoryNeed {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;
  std::int64_t saved_state = 0;  ///< the host copy that every repetition starts from
  std::int64_t activations = 0;  ///< including, on a device, the buffers that inputs are copied to
  std::int64_t workspace = 0;
  std::int64_t loader_buffers = 0;  ///< on the host
  bool on_device = false;           ///< a GPU computes, also one that shares host memory
  /// Device memory kept beyond the plan, for what the plan cannot know. Not included in the sums
  /// below.
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

/// The bytes that one of a host's ranks may still take.
struct MemoryRoom {
  std::int64_t host = 0;
  std::optional<std::int64_t> device;  ///< nothing: the device's step uses host memory too
  int host_ranks = 1;                  ///< ranks that have as much each
  int device_ranks = 1;

  [[nodiscard]] bool holds(const MemoryNeed& need) const;
  /// Returns need / room for the tightest memory: above 1 if it does not fit.
  [[nodiscard]] double pressure(const MemoryNeed& need) const;
  /// Returns "the plan needs 4000 MiB of memory, 3000 MiB are available" for the memory that is
  /// short; for a device with its reserve.
  [[nodiscard]] std::string shortage(const MemoryNeed& need) const;
  /// Whether the reserve alone exceeds the device's memory, so that no smaller step fits either.
  [[nodiscard]] bool lacks_reserve(const MemoryNeed& need) const;
  /// Returns advice for that case.
  [[nodiscard]] std::string wants_another_device() const;
};

/// Device memory that a run leaves to driver and libraries: kernel code, loaded when first run,
/// recorded steps, CUPTI's buffers, and the workspace of a plan that replaces one that does not
/// run. An estimate, not measured on a GPU.
inline constexpr std::int64_t kDeviceReserve = std::int64_t{512} << 20;

/// Device memory left to NCCL with several ranks, per communicator: its buffers grow with the
/// number of channels and connections (users report 0.5 to 1.6 GB, NVIDIA/nccl issues 864 and 964)
/// and are allocated by the first collective; the memory blocks that it provides are rounded up by
/// up to 512 MiB (engine/backend/cuda/libraries/nccl_memory.h). Also an estimate.
inline constexpr std::int64_t kNcclReserve = std::int64_t{2048} << 20;
/// Returns kNcclReserve if several `ranks` compute on devices of their own (not `shared`), else 0.
[[nodiscard]] constexpr std::int64_t nccl_reserve(int ranks, bool on_device, bool shared) {
  return ranks > 1 && on_device && !shared ? kNcclReserve : 0;
}

/// How many ranks share each memory.
struct MemorySharers {
  int host = 1;
  int device = 1;
};

/// Returns the room of one rank, where ranks that share a memory take equal parts.
[[nodiscard]] MemoryRoom read_memory_room(const backend::Backend& backend,
                                          const MemorySharers& ranks);

/// Returns the need of the step of `graph` with this plan, its state and the saved copy of the
/// state; no loader, no reserve.
[[nodiscard]] MemoryNeed need_of_plan(const backend::Backend& backend,
                                      const graph::Graph& graph,
                                      const exec::Plan& plan);

/// Returns the need of a step whose plan does not exist yet: the step of `graph`, its state and the
/// saved copy; no loader. Lowers the graph without tuning or trials, and allocates none of it. The
/// device reserve is kDeviceReserve plus the workspace that the step, if it is to be tuned, may
/// take in addition (backend::kWorkspaceLimit in all).
[[nodiscard]] MemoryNeed need_of_step(backend::Backend& backend,
                                      const graph::Graph& graph,
                                      backend::LoweringOptions lowering);

/// Throws Error(kMemory) if the host has less than any run needs: libraries, threads, stacks.
void check_least(const MemoryRoom& room);

/// What to suggest where a batch does not fit.
struct SmallerStep {
  bool smaller_images = false;
  std::string option = "--batch-size";
  int ranks = 1;  ///< among which the option's batch is divided
};

/// Throws Error(kMemory) with the needed and free memory and the largest batch that fits, unless
/// `room` holds `need_at(batch_size)`. `need_at` grows with the batch size of one rank.
void check_room(const MemoryRoom& room,
                std::int64_t batch_size,
                const SmallerStep& smaller,
                const std::function<MemoryNeed(std::int64_t)>& need_at);

}  // namespace dlbench::harness
