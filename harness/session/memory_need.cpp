// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/memory_need.h"

#include "engine/backend/workspace_limit.h"
#include "engine/core/error.h"
#include "engine/exec/executor.h"
#include "probes/node/system_info.h"

#include <algorithm>

namespace dlbench::harness {
namespace {

std::string mib(std::int64_t bytes) {
  return std::to_string((bytes + (std::int64_t{1} << 20) - 1) >> 20) + " MiB";
}

/// Returns the largest batch size that is found to fit, below `too_large`, which does not (`above`:
/// its pressure); 0: none. Memory is piecewise nearly linear in it, so both ends move to where the
/// line between them crosses the room. A plan may need less for a larger batch, whose kernels
/// differ: where the line crosses several times, one crossing is found.
std::int64_t largest_fitting(const MemoryRoom& room,
                             std::int64_t too_large,
                             double above,
                             const std::function<MemoryNeed(std::int64_t)>& need_at) {
  std::int64_t fits = 0;
  double below = 0.0;
  bool halve = false;
  while (too_large - fits > 1) {
    const auto width = static_cast<double>(too_large - fits);
    const double part = halve ? 0.5 : (1.0 - below) / std::max(above - below, 1e-9);
    const std::int64_t middle =
        std::clamp(fits + static_cast<std::int64_t>(width * part), fits + 1, too_large - 1);
    const double pressure = room.pressure(need_at(middle));
    if (pressure <= 1.0) {
      fits = middle;
      below = pressure;
    } else {
      too_large = middle;
      above = pressure;
    }
    halve = static_cast<double>(too_large - fits) > 0.5 * width;
  }
  return fits;
}

double share(std::int64_t need, std::int64_t room) {
  return static_cast<double>(need) / static_cast<double>(std::max<std::int64_t>(room, 1));
}

std::int64_t state_bytes(const backend::Backend& backend,
                         const graph::Graph& graph,
                         graph::Storage storage) {
  std::int64_t bytes = 0;
  for (const graph::ValueId id : graph.with_storage(storage)) {
    bytes += static_cast<std::int64_t>(backend.state_layout(graph.value(id)).bytes);
  }
  return bytes;
}

}  // namespace

MemoryNeed need_of_plan(const backend::Backend& backend,
                        const graph::Graph& graph,
                        const exec::Plan& plan) {
  using graph::Storage;
  MemoryNeed need;
  need.parameters = state_bytes(backend, graph, Storage::kParameter) +
                    state_bytes(backend, graph, Storage::kBuffer);
  need.gradients = state_bytes(backend, graph, Storage::kGradient);
  need.optimizer = state_bytes(backend, graph, Storage::kOptimizerState);
  need.saved_state = need.parameters + need.gradients + need.optimizer;
  need.on_device = !backend.reads_host_memory();
  need.activations = static_cast<std::int64_t>(
      plan.arena_bytes + (need.on_device ? exec::input_staging_bytes(graph) : 0));
  need.workspace = static_cast<std::int64_t>(plan.peak_bytes - plan.arena_bytes);
  return need;
}

MemoryNeed need_of_step(backend::Backend& backend,
                        const graph::Graph& graph,
                        backend::LoweringOptions lowering) {
  const bool tuned = lowering.autotune && !lowering.deterministic;
  lowering.autotune = false;
  lowering.try_out = false;
  lowering.tuning_cache.clear();
  const auto lowered = backend.lower(graph, lowering);
  MemoryNeed need = need_of_plan(backend, graph, exec::make_plan(graph, *lowered, {}));
  if (need.on_device) {
    const std::int64_t further =
        tuned ? std::max<std::int64_t>(0, backend::kWorkspaceLimit - need.workspace) : 0;
    need.device_reserve = kDeviceReserve + further;
  }
  return need;
}

void check_least(const MemoryRoom& room) {
  constexpr std::int64_t kMinBytes = std::int64_t{64} << 20;
  if (room.host < kMinBytes) {
    throw core::Error(
        core::ErrorCode::kMemory,
        mib(room.host) + " of memory are available, and " + mib(kMinBytes) +
            " are needed whatever is trained; see ulimit -v and -d, and the control group");
  }
}

void check_room(const MemoryRoom& room,
                std::int64_t batch_size,
                const SmallerStep& smaller,
                const std::function<MemoryNeed(std::int64_t)>& need_at) {
  const MemoryNeed need = need_at(batch_size);
  const double pressure = room.pressure(need);
  if (pressure <= 1.0) {
    return;
  }
  if (room.lacks_reserve(need)) {
    throw core::Error(core::ErrorCode::kMemory,
                      room.shortage(need) + "; " + room.wants_another_device());
  }
  const std::int64_t fitting = largest_fitting(room, batch_size, pressure, need_at);
  throw core::Error(
      core::ErrorCode::kMemory,
      room.shortage(need) + "; " +
          (fitting > 0
               ? "the largest " + smaller.option + " found to fit is " +
                     std::to_string(fitting * smaller.ranks)
               : "not even " + smaller.option + " " + std::to_string(smaller.ranks) + " fits" +
                     (smaller.smaller_images ? ": choose a smaller --image-size" : "")));
}

MemoryNeed& MemoryNeed::operator+=(const MemoryNeed& other) {
  parameters += other.parameters;
  gradients += other.gradients;
  optimizer += other.optimizer;
  saved_state += other.saved_state;
  activations += other.activations;
  workspace += other.workspace;
  loader_buffers += other.loader_buffers;
  on_device = on_device || other.on_device;
  device_reserve += other.device_reserve;
  return *this;
}

bool MemoryRoom::holds(const MemoryNeed& need) const { return pressure(need) <= 1.0; }

double MemoryRoom::pressure(const MemoryNeed& need) const {
  return device.has_value() ? std::max(share(need.host_bytes(), host),
                                       share(need.device_bytes() + need.device_reserve, *device))
                            : share(need.total() + need.device_reserve, host);
}

bool MemoryRoom::lacks_reserve(const MemoryNeed& need) const {
  return need.device_reserve > device.value_or(host);
}

std::string MemoryRoom::wants_another_device() const {
  if (!device.has_value()) {
    return "nothing smaller fits: more memory is wanted, or less that others use of it";
  }
  return std::string("nothing smaller fits: another device is wanted, or ") +
         (device_ranks > 1 ? "fewer ranks on this one"
                           : "the memory that others use of this one (nvidia-smi lists them)");
}

std::string MemoryRoom::shortage(const MemoryNeed& need) const {
  const auto to_each = [](int ranks, const char* of) {
    return ranks > 1 ? " to each of the " + std::to_string(ranks) + " ranks " + of : "";
  };
  if (!device.has_value() && need.on_device) {
    return "the plan needs " + mib(need.total()) + " of the memory that GPU and host share, and " +
           mib(need.device_reserve) + " are kept for further workspace and libraries; " +
           mib(host) + " are available" + to_each(host_ranks, "of this node");
  }
  if (need.host_bytes() > host) {
    return "the plan needs " + mib(need.host_bytes()) + " of memory, " + mib(host) +
           " are available" + to_each(host_ranks, "of this node");
  }
  return "the plan needs " + mib(need.device_bytes()) + " of device memory, and " +
         mib(need.device_reserve) + " are kept for further workspace and libraries; " +
         mib(device.value_or(0)) + " are available" + to_each(device_ranks, "on this GPU");
}

MemoryRoom read_memory_room(const backend::Backend& backend, const MemorySharers& ranks) {
  MemoryRoom room{.host = probes::read_memory_facts().usable_bytes / ranks.host,
                  .device = backend.free_memory(),
                  .host_ranks = ranks.host,
                  .device_ranks = ranks.device};
  if (room.device.has_value()) {
    *room.device /= ranks.device;
  }
  return room;
}

}  // namespace dlbench::harness
