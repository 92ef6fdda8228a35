// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// CUPTI, opened at run time and linked by nothing: a machine may have all that computes on a GPU
// and no CUPTI (NVIDIA's container images for running programs), and then its probes alone are
// missing. They call the functions of CUPTI's headers, which cupti_library.cpp defines: each hands
// on to the library's, and returns CUPTI_ERROR_NOT_SUPPORTED where there is none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::probes {

/// A library that was opened for CUPTI's functions. Never closed.
struct CuptiLibrary {
  std::string loader_error;          ///< why it was not opened; empty: it was
  std::vector<std::string> missing;  ///< of the functions that the probes call, where it was opened
  std::vector<void*> functions;      ///< in the order of cupti_library.cpp; null: none
  std::filesystem::path folder;      ///< where its file lies; empty: not known
};

/// `file`: a path, or a name that the loader knows or looks for where the caller's run path says.
[[nodiscard]] CuptiLibrary open_cupti(const std::string& file);

/// The library of the calls: "libcupti.so.13" for the headers of CUDA 13, which the plug-in's
/// loader (engine/backend/cuda_loader.h) has loaded from where it found it. Opened by the first
/// caller, for good; any thread may be that.
[[nodiscard]] const CuptiLibrary& opened_cupti();

}  // namespace dlbench::probes
