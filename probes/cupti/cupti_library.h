// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// CUPTI, opened at run time rather than linked: a machine may have everything needed to compute on
// a GPU but no CUPTI (NVIDIA's runtime container images), and then only its probes are missing. The
// probes call the functions of CUPTI's headers; cupti_library.cpp defines them to forward to the
// opened library, or to return CUPTI_ERROR_NOT_SUPPORTED without one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::probes {

/// A library opened for CUPTI's functions. Never closed.
struct CuptiLibrary {
  std::string loader_error;          ///< why it was not opened; empty if it was
  std::vector<std::string> missing;  ///< functions that the probes call but an opened library lacks
  std::vector<void*> functions;      ///< in the order of cupti_library.cpp; null: missing
  std::filesystem::path folder;      ///< of its file; empty: unknown
};

/// Opens `file`: a path, or a name that the loader knows or finds on the caller's run path.
[[nodiscard]] CuptiLibrary open_cupti(const std::string& file);

/// Returns the library behind the calls: "libcupti.so.13" for the headers of CUDA 13, as loaded by
/// the plug-in's loader (engine/backend/cuda_loader.h). Opened by the first caller, on any thread,
/// and never closed.
[[nodiscard]] const CuptiLibrary& opened_cupti();

}  // namespace dlbench::probes
