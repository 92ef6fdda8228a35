// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/memory_need.h"

#include "probes/system_info.h"

#include <algorithm>

namespace dlbench::harness {
namespace {

std::string mib(std::int64_t bytes) {
  return std::to_string((bytes + (std::int64_t{1} << 20) - 1) >> 20) + " MiB";
}

double share(std::int64_t need, std::int64_t room) {
  return static_cast<double>(need) / static_cast<double>(std::max<std::int64_t>(room, 1));
}

}  // namespace

MemoryNeed& MemoryNeed::operator+=(const MemoryNeed& other) {
  parameters += other.parameters;
  gradients += other.gradients;
  optimizer += other.optimizer;
  saved_state += other.saved_state;
  activations += other.activations;
  workspace += other.workspace;
  loader_buffers += other.loader_buffers;
  on_device = on_device || other.on_device;
  return *this;
}

bool MemoryRoom::holds(const MemoryNeed& need) const { return pressure(need) <= 1.0; }

double MemoryRoom::pressure(const MemoryNeed& need) const {
  return std::max(share(need.host_bytes(), host),
                  device.has_value() ? share(need.device_bytes(), *device) : 0.0);
}

std::string MemoryRoom::shortage(const MemoryNeed& need) const {
  if (need.host_bytes() > host) {
    return "the plan needs " + mib(need.host_bytes()) + " of memory, " + mib(host) +
           " are available";
  }
  return "the plan needs " + mib(need.device_bytes()) + " of device memory, " +
         mib(device.value_or(0)) + " are available";
}

MemoryRoom read_memory_room(const backend::Backend& backend, const MemorySharers& ranks) {
  MemoryRoom room{.host = probes::read_memory_facts().usable_bytes / ranks.host,
                  .device = backend.free_memory()};
  if (room.device.has_value()) {
    *room.device /= ranks.device;
  }
  return room;
}

}  // namespace dlbench::harness
