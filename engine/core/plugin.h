// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plug-ins: shared libraries next to libdlbench.so that need what not every machine has (CUDA,
// MPI). A loaded plug-in adds its backends, communicators, probes and workloads to the registries;
// for one that does not load, the reason is kept. Never unloaded.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::core {

/// Changes when PluginInfo or the meaning of one of its members does.
inline constexpr int kPluginAbi = 1;

/// What a plug-in reports about itself. Its one exported function is
///   extern "C" const dlbench::core::PluginInfo* dlbench_plugin();
struct PluginInfo {
  int abi = kPluginAbi;
  const char* build_id = nullptr;  ///< DLBENCH_BUILD_ID of build_id.h: hash of headers and compiler
  const char* name = nullptr;      ///< "mpi_mpich", "cuda"
  /// Adds the plug-in's items to the registries. If it throws, the plug-in counts as not loaded.
  void (*register_all)() = nullptr;
};

/// The result of one attempt to load a plug-in.
struct PluginStatus {
  std::string name;
  std::filesystem::path path;
  bool loaded = false;
  std::string reason;  ///< why not, in one sentence; empty if loaded
};

/// Loads libdlbench_<name>.so from the folder of libdlbench.so, once; later calls return the first
/// result. Does not throw for a plug-in that is missing, broken or from another build.
PluginStatus load_plugin(std::string_view name);

/// The folder of libdlbench.so and its plug-ins.
[[nodiscard]] std::filesystem::path plugin_folder();

/// As load_plugin(), from a given file: for third-party plug-ins and tests.
PluginStatus load_plugin_file(const std::filesystem::path& path);

/// The dynamic loader's message for the last dlopen() or dlsym() that failed.
[[nodiscard]] std::string last_loader_error();

/// Why the last dlopen(), of NVIDIA driver library `library`, failed: there is no driver on this
/// machine, or the reason why it does not load.
[[nodiscard]] std::string driver_refusal(const std::string& library);

/// All attempts to load plug-ins so far, in order.
[[nodiscard]] std::vector<PluginStatus> plugin_attempts();

}  // namespace dlbench::core
