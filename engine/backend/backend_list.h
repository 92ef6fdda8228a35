// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The backends known to this process. ref and cpu register themselves when libdlbench is loaded, a
// plug-in when it is.
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
  int index = 0;        ///< BackendOptions::device_index of it
  std::string address;  ///< PCI, "0000:18:00.0"
};

/// How to make one kind of backend.
struct BackendEntry {
  std::string name;
  int priority = 0;  ///< the highest is tried first by `--device auto`
  /// Empty if it can be made on this machine, for one of its devices at least, else the reason why
  /// not in one sentence.
  std::function<std::string()> unavailable_reason;
  /// Throws core::Error(kUnavailable) with the reason if the device of the options cannot be used.
  /// Empty: it can never be made, for the reason above.
  std::function<std::unique_ptr<Backend>(const BackendOptions&)> create;
  /// The devices of this process that can be used, as far as that is known before they are, in
  /// their order. Empty: there is nothing to choose from.
  std::function<std::vector<VisibleDevice>()> devices = nullptr;
};

/// The GPU is tried before the processor.
inline constexpr int kCudaPriority = 20;

/// What the backend's entry says of its devices; none if it cannot be made here.
[[nodiscard]] std::vector<VisibleDevice> visible_devices(std::string_view name);

/// Adds a backend; two of one name are a programmer error.
void register_backend(BackendEntry entry);

/// Registers at load time: a file-scope object in the backend's own file.
class BackendRegistration {
 public:
  explicit BackendRegistration(BackendEntry entry) { register_backend(std::move(entry)); }
};

}  // namespace dlbench::backend
