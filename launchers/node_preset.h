// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of known machines: how many ranks fit, which cores belong to which GPU, and which options
// the machine's scheduler needs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::launchers {

/// One kind of node.
struct NodePreset {
  std::string name;
  std::string description;  ///< one line, with the source of the numbers
  int cores = 0;            ///< physical cores that jobs may use
  int gpus = 0;             ///< 0: none; a GCD of an MI250X counts as one
  int ranks = 1;            ///< per node: one per GPU, or per NUMA node without GPUs
  int cores_per_rank = 1;
  int cpus_per_core = 1;  ///< hardware threads that the scheduler counts as CPUs

  // The following fields hold for the machine's own scheduler alone.
  std::string scheduler;
  std::vector<std::string> directives;          ///< options of the job: "--constraint=gpu"
  std::string cpu_bind;                         ///< of srun, for `ranks` ranks; empty: its default
  std::string container_runtime;                ///< empty: apptainer
  std::string container_gpu_option = "--nv";    ///< of apptainer and singularity
  std::string gpu_resource = "nvidia.com/gpu";  ///< of Kubernetes
  bool uses_jsrun = false;                      ///< IBM's launcher, and -nnodes instead of slots
  std::vector<std::pair<std::string, std::string>> environment;
};

/// Returns the names of all presets, sorted.
[[nodiscard]] std::vector<std::string> preset_names();

/// Returns the preset of that name. Throws core::Error(kUsage) that suggests the nearest name.
[[nodiscard]] const NodePreset& find_preset(std::string_view name);

}  // namespace dlbench::launchers
