// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The texts of `dlbench list` and `dlbench data inspect`, made from specs and registries.
#pragma once

#include "data/inspect.h"
#include "engine/backend/backend.h"

#include <map>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Lists name, task, recipe, data and size of each workload in two lines, and its citation.
[[nodiscard]] std::string list_workloads();
/// Lists name, purpose, workload, modes, trials, variants and source of each scaling sweep.
[[nodiscard]] std::string list_sweeps();
/// Lists name, summary and usual folder of each data set format.
[[nodiscard]] std::string list_datasets();
/// A backend that was tried on this machine.
struct FoundBackend {
  std::string name;
  std::string reason;  ///< why none of its devices can be used; empty: one can, and is what follows
  std::string passed_over;                       ///< why devices tried before it cannot be used
  backend::DeviceInfo device;                    ///< the one that a run takes first
  std::map<std::string, std::string> libraries;  ///< that its kernels use, with versions
};

/// Opens each backend once, including the CUDA plug-in's; lists cpu even if the build lacks it.
[[nodiscard]] std::vector<FoundBackend> find_backends();
/// Lists each backend with its device and libraries, or why it cannot be used here; for cuda also
/// what this build targets and where NVIDIA's libraries were found.
[[nodiscard]] std::string backends_text(const std::vector<FoundBackend>& backends);
[[nodiscard]] std::string list_backends();
/// Lists each probe with its description and its values with units.
[[nodiscard]] std::string list_probes();

/// Describes what a data folder holds, its problems, and the cost of loading a sample.
[[nodiscard]] std::string describe_inspection(const std::string& folder,
                                              const data::DatasetInspection& inspection);

}  // namespace dlbench::harness
