// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/backend_list.h"

#include "engine/backend/cuda_loader.h"
#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/nearest_name.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dlbench::backend {
namespace {

std::vector<BackendEntry>& entries() {
  static std::vector<BackendEntry> list;
  return list;
}

/// The entry of that name, nullptr if there is none. Requesting "cuda" loads its plug-in.
const BackendEntry* find_entry(std::string_view name) {
  if (name == "cuda") {
    register_cuda();
  }
  const auto& list = entries();
  const auto found = std::find_if(
      list.begin(), list.end(), [&](const BackendEntry& entry) { return entry.name == name; });
  return found == list.end() ? nullptr : &*found;
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
  if (const BackendEntry* entry = find_entry(name); entry != nullptr) {
    return entry->unavailable_reason();
  }
  if (name == "cpu") {
    return "the cpu backend is not part of this build, which has no oneDNN (x86-64 only)";
  }
  return core::unknown_name_message("backend", name, backend_names());
}

std::vector<VisibleDevice> visible_devices(std::string_view name) {
  const BackendEntry* entry = find_entry(name);
  return entry != nullptr && entry->devices ? entry->devices() : std::vector<VisibleDevice>();
}

std::unique_ptr<Backend> create_backend(std::string_view name, const BackendOptions& options) {
  const BackendEntry* entry = find_entry(name);
  if (entry == nullptr) {
    throw core::Error(name == "cpu" ? core::ErrorCode::kUnavailable : core::ErrorCode::kUsage,
                      backend_unavailable_reason(name));
  }
  if (!entry->create) {
    throw core::Error(core::ErrorCode::kUnavailable, entry->unavailable_reason());
  }
  return entry->create(options);
}

}  // namespace dlbench::backend
