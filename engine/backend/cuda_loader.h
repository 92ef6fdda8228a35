// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads the CUDA plug-in and the NVIDIA libraries that it needs. Those may be next to dlbench, in a
// CUDA toolkit or in the wheels of a Python environment: they are found without LD_LIBRARY_PATH,
// and what is missing is reported in one sentence.
#pragma once

#include "engine/core/environment.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::backend {

/// Returns the existing folders that may contain NVIDIA's libraries, each once, in search order:
/// $DLBENCH_CUDA_PATH itself, `own_folders` (of dlbench and its libraries) and the toolkit
/// ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda), of the first and the last also lib64, lib and
/// extras/CUPTI/lib64; then nvidia/*/lib in the Python packages of $VIRTUAL_ENV, $CONDA_PREFIX, the
/// first python3 on $PATH (also with its link resolved), $HOME/.local and /usr/local.
[[nodiscard]] std::vector<std::filesystem::path> cuda_library_folders(
    const core::EnvironmentLookup& environment,
    const std::vector<std::filesystem::path>& own_folders);

/// A library that the plug-in needs, or one that it opens if present: libcupti.so.13.
struct CudaLibrary {
  std::string file;            ///< "libcudnn.so.9"
  std::filesystem::path path;  ///< empty: in none of the folders, but the loader may find it
  bool loaded = false;         ///< this process has loaded it from `path`
};

/// Finds the libraries, in the order in which they must be loaded. Loads nothing.
[[nodiscard]] std::vector<CudaLibrary> find_cuda_libraries(
    const std::vector<std::filesystem::path>& folders);

/// The inputs of load_cuda(), which tests replace.
struct CudaSetup {
  std::string driver = "libcuda.so.1";
  std::filesystem::path plugin;  ///< the plug-in's file
  std::vector<std::filesystem::path> folders;
};
[[nodiscard]] CudaSetup default_cuda_setup();

/// Loads driver, libraries and plug-in, in this order. Returns why it failed in one sentence, empty
/// if the plug-in is loaded. Without a driver nothing else is loaded. Warns if CUPTI was found but
/// does not load while the plug-in does.
[[nodiscard]] std::string load_cuda(const CudaSetup& setup);

/// The NVIDIA libraries that the plug-in may use: with the files from which this process loaded
/// them, otherwise where they would be found. Empty if there is no plug-in.
[[nodiscard]] std::vector<CudaLibrary> cuda_libraries(const CudaSetup& setup);

/// Ensures, once, that a backend "cuda" is registered: the plug-in's, or one that cannot be created
/// for the reason that load_cuda() returns.
void register_cuda();

}  // namespace dlbench::backend
