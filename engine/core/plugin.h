// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plug-ins: shared libraries beside libdlbench.so that need what not every machine has (CUDA, MPI).
// One that loads adds its backends, communicators, probes and workloads to the registries; one that
// does not says why. Never unloaded.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::core {

/// Changes when PluginInfo or the meaning of one of its members does.
inline constexpr int kPluginAbi = 1;

/// What a plug-in says of itself. Its one exported function is
///   extern "C" const dlbench::core::PluginInfo* dlbench_plugin();
struct PluginInfo {
  int abi = kPluginAbi;
  const char* build_id = nullptr;  ///< DLBENCH_BUILD_ID of build_id.h: hash of headers and compiler
  const char* name = nullptr;      ///< "mpi_mpich", "cuda"
  /// Adds what the plug-in has to the registries. May throw; then the plug-in counts as not loaded.
  void (*register_all)() = nullptr;
};

/// The result of one attempt.
struct PluginStatus {
  std::string name;
  std::filesystem::path path;
  bool loaded = false;
  std::string reason;  ///< why not, in one sentence; empty if loaded
};

/// Loads libdlbench_<name>.so from the folder of libdlbench.so, once; later calls return the first
/// result. Never throws for a plug-in that is missing, broken or of another build.
PluginStatus load_plugin(std::string_view name);

/// The folder of libdlbench.so, where its plug-ins lie.
[[nodiscard]] std::filesystem::path plugin_folder();

/// load_plugin() from a named file, for plug-ins of others and for tests.
PluginStatus load_plugin_file(const std::filesystem::path& path);

/// Why dlopen() or dlsym() refused last, in the dynamic loader's words.
[[nodiscard]] std::string last_loader_error();

/// The same of a library of NVIDIA's driver, which dlopen() refused last: there is none on this
/// machine, or why it does not load.
[[nodiscard]] std::string driver_refusal(const std::string& library);

/// All attempts so far, in order.
[[nodiscard]] std::vector<PluginStatus> plugin_attempts();

}  // namespace dlbench::core
