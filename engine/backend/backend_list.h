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

namespace dlbench::backend {

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
};

/// The GPU is tried before the processor.
inline constexpr int kCudaPriority = 20;

/// Adds a backend; two of one name are a programmer error.
void register_backend(BackendEntry entry);

/// Registers at load time: a file-scope object in the backend's own file.
class BackendRegistrar {
 public:
  explicit BackendRegistrar(BackendEntry entry) { register_backend(std::move(entry)); }
};

}  // namespace dlbench::backend
