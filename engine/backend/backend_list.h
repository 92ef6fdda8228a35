// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The backends known to this process. ref and cpu register themselves when libdlbench is loaded,
// plug-ins register theirs when they are loaded.
#pragma once

#include "engine/backend/backend.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::backend {

/// One of several devices of a backend.
struct VisibleDevice {
  int index = 0;        ///< its BackendOptions::device_index
  std::string address;  ///< PCI, "0000:18:00.0"
};

/// How to create one kind of backend.
struct BackendEntry {
  std::string name;
  int priority = 0;  ///< the highest is tried first by `--device auto`
  /// Why the backend cannot be created on this machine, in one sentence; empty if it can be for at
  /// least one device.
  std::function<std::string()> unavailable_reason;
  /// Creates it. Throws core::Error(kUnavailable) with the reason if the device of the options
  /// cannot be used. Empty: it can never be created, for the reason above.
  std::function<std::unique_ptr<Backend>(const BackendOptions&)> create;
  /// The devices that this process can use, in order, as far as that is known before they are used.
  /// Empty: there is nothing to choose from.
  std::function<std::vector<VisibleDevice>()> devices = nullptr;
};

/// Highest of all: a GPU is tried before the processor.
inline constexpr int kCudaPriority = 20;

/// The devices that the backend's entry lists; none if it cannot be created here.
[[nodiscard]] std::vector<VisibleDevice> visible_devices(std::string_view name);

/// Adds a backend; two of the same name are a programmer error.
void register_backend(BackendEntry entry);

/// Registers at load time: a file-scope object in the backend's own file.
class BackendRegistration {
 public:
  explicit BackendRegistration(BackendEntry entry) { register_backend(std::move(entry)); }
};

}  // namespace dlbench::backend
