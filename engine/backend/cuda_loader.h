// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads the CUDA plug-in with the libraries of NVIDIA that it needs. Those may lie beside dlbench,
// in a CUDA toolkit or in the wheels of a Python environment: they are found without
// LD_LIBRARY_PATH, and what is missing costs one sentence.
#pragma once

#include "engine/core/environment.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::backend {

/// Folders in which NVIDIA's libraries may lie, in the order of the search, those that exist, each
/// once: $DLBENCH_CUDA_PATH itself, `own_folders` (of dlbench and its libraries) and the toolkit
/// ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda), of the first and the last lib64, lib and
/// extras/CUPTI/lib64; then nvidia/*/lib in the Python packages of $VIRTUAL_ENV, of $CONDA_PREFIX,
/// of the first python3 on $PATH and its link's end, of $HOME/.local, of /usr/local.
[[nodiscard]] std::vector<std::filesystem::path> cuda_library_folders(
    const core::EnvironmentLookup& environment,
    const std::vector<std::filesystem::path>& own_folders);

/// One library that the plug-in needs, or one that it opens if it is there: libcupti.so.13.
struct CudaLibrary {
  std::string file;            ///< "libcudnn.so.9"
  std::filesystem::path path;  ///< empty: in none of the folders; the loader may still know it
  bool loaded = false;         ///< by this process, from there
};

/// Where the libraries lie, in the order in which they have to be loaded. Loads nothing.
[[nodiscard]] std::vector<CudaLibrary> find_cuda_libraries(
    const std::vector<std::filesystem::path>& folders);

/// What load_cuda() works on; tests put other things in.
struct CudaSetup {
  std::string driver = "libcuda.so.1";
  std::filesystem::path plugin;  ///< the plug-in's file
  std::vector<std::filesystem::path> folders;
};
[[nodiscard]] CudaSetup default_cuda_setup();

/// Driver, libraries, plug-in, in this order. Empty if the plug-in is loaded, else why not in one
/// sentence. Without a driver nothing else is touched. Warns of a CUPTI that was found and does
/// not load, where the plug-in was loaded without it.
[[nodiscard]] std::string load_cuda(const CudaSetup& setup);

/// What the plug-in may use of NVIDIA: of what this process has loaded the files it came from, of
/// the rest where it lies. Nothing where there is no plug-in.
[[nodiscard]] std::vector<CudaLibrary> cuda_libraries(const CudaSetup& setup);

/// Sees to it, once, that a backend "cuda" is registered: the plug-in's, or one that cannot be made
/// for the reason that load_cuda() gives.
void register_cuda();

}  // namespace dlbench::backend
