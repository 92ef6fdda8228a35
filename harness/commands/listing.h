// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What this build knows, in words: the texts of `dlbench list` and `dlbench data inspect`, made
// from specs and registries.
#pragma once

#include "data/inspect.h"
#include "engine/backend/backend.h"

#include <map>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Name, task, recipe, data and size of each workload, two lines each, and its citation.
[[nodiscard]] std::string list_workloads();
/// Name, purpose, workload, modes, trials and variants of each scaling sweep, and its source.
[[nodiscard]] std::string list_sweeps();
/// Name, summary and usual folder of each data set format.
[[nodiscard]] std::string list_datasets();
/// A backend that was tried here.
struct FoundBackend {
  std::string name;
  std::string reason;  ///< why none of its devices can be used; empty: one can, and is what follows
  std::string passed_over;                       ///< why the devices before that one cannot be
  backend::DeviceInfo device;                    ///< that a run takes first
  std::map<std::string, std::string> libraries;  ///< behind its kernels, with their versions
};

/// Makes each backend once, the CUDA plug-in's included; cpu is named also where a build lacks it.
[[nodiscard]] std::vector<FoundBackend> find_backends();
/// Name of each backend, its device and libraries, or why it cannot be used here; of cuda also what
/// this build was made for and where libraries of NVIDIA were found.
[[nodiscard]] std::string backends_text(const std::vector<FoundBackend>& backends);
[[nodiscard]] std::string list_backends();
/// Name of each probe, what it is, its values with units.
[[nodiscard]] std::string list_probes();

/// What a data folder holds, what is wrong with it, what loading a sample costs.
[[nodiscard]] std::string describe_inspection(const std::string& folder,
                                              const data::DatasetInspection& inspection);

}  // namespace dlbench::harness
