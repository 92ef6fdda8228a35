// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/backend_list.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/nearest_name.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace dlbench::backend {
namespace {

std::vector<BackendEntry>& entries() {
  static std::vector<BackendEntry> list;
  return list;
}

}  // namespace

void register_backend(BackendEntry entry) {
  auto& list = entries();
  for (const BackendEntry& known : list) {
    DLBENCH_CHECK(known.name != entry.name) << "backend registered twice: " << entry.name;
  }
  const auto position = std::find_if(list.begin(), list.end(), [&](const BackendEntry& known) {
    return known.priority < entry.priority;
  });
  list.insert(position, std::move(entry));
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const BackendEntry& entry : entries()) {
    names.push_back(entry.name);
  }
  return names;
}

std::string backend_unavailable_reason(std::string_view name) {
  for (const BackendEntry& entry : entries()) {
    if (entry.name == name) {
      return entry.unavailable_reason();
    }
  }
  if (name == "cpu" || name == "cuda") {
    return "the " + std::string(name) + " backend is not part of this build";
  }
  return core::unknown_name_message("backend", name, backend_names());
}

std::unique_ptr<Backend> create_backend(std::string_view name, const BackendOptions& options) {
  for (const BackendEntry& entry : entries()) {
    if (entry.name == name) {
      if (const std::string reason = entry.unavailable_reason(); !reason.empty()) {
        throw core::Error(core::ErrorCode::kUnavailable, reason);
      }
      return entry.create(options);
    }
  }
  const bool known = name == "cpu" || name == "cuda";
  throw core::Error(known ? core::ErrorCode::kUnavailable : core::ErrorCode::kUsage,
                    backend_unavailable_reason(name));
}

StateLayout Backend::state_layout(const graph::Value& value) const {
  return {.bytes = static_cast<std::size_t>(value.shape.elements()) * core::size_of(value.dtype)};
}

void Backend::pack_state(const graph::Value& /*value*/,
                         const core::HostTensor& logical,
                         std::byte* physical) const {
  std::memcpy(physical, logical.data(), logical.bytes());
}

void Backend::unpack_state(const graph::Value& /*value*/,
                           const std::byte* physical,
                           core::HostTensor& logical) const {
  std::memcpy(logical.data(), physical, logical.bytes());
}

}  // namespace dlbench::backend
