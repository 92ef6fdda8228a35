// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/node_preset.h"

#include "engine/core/error.h"
#include "engine/core/nearest_name.h"

namespace dlbench::launchers {
namespace {

NodePreset lumi() {
  return {.name = "lumi",
          .description =
              "4 MI250X = 8 GCDs, EPYC 7A53 with 7 usable cores per GCD "
              "(docs.lumi-supercomputer.eu, GPU binding)",
          .cores = 56,
          .gpus = 8,
          .ranks = 8,
          .cores_per_rank = 7,
          .scheduler = "slurm",
          .directives = {"--partition=standard-g", "--exclusive"},
          // GCD 0 is attached to cores 49 to 55, GCD 1 to 57 to 63, GCD 2 to 17 to 23 and so on;
          // the first core of every eight belongs to the system.
          .cpu_bind =
              "mask_cpu:fe000000000000,fe00000000000000,fe0000,fe000000,fe,fe00,fe00000000,"
              "fe0000000000",
          .container_runtime = "singularity",
          .container_gpu_option = "--rocm",
          .gpu_resource = "amd.com/gpu",
          .environment = {{"MPICH_GPU_SUPPORT_ENABLED", "1"}}};
}

NodePreset lumi_c() {
  return {.name = "lumi-c",
          .description =
              "2 EPYC 7763, 128 cores in 8 NUMA nodes, no GPU "
              "(docs.lumi-supercomputer.eu, LUMI-C)",
          .cores = 128,
          .gpus = 0,
          .ranks = 8,
          .cores_per_rank = 16,
          .scheduler = "slurm",
          .directives = {"--partition=standard", "--exclusive"},
          .cpu_bind = "cores",
          .container_runtime = "singularity"};
}

NodePreset perlmutter() {
  return {.name = "perlmutter",
          .description =
              "4 A100, EPYC 7763 with 64 cores, 128 threads "
              "(docs.nersc.gov, Perlmutter)",
          .cores = 64,
          .gpus = 4,
          .ranks = 4,
          .cores_per_rank = 16,
          .cpus_per_core = 2,
          .scheduler = "slurm",
          .directives = {"--constraint=gpu", "--qos=regular", "--gpu-bind=none"},
          .cpu_bind = "cores",
          .container_runtime = "shifter",
          // GPUs are numbered against the NUMA nodes: cores 0 to 15 are nearest to GPU 3. dlbench
          // gives each rank its nearest one itself, and srun resets CUDA_VISIBLE_DEVICES anyway.
          .environment = {{"NCCL_NET_GDR_LEVEL", "PHB"}}};
}

NodePreset perlmutter_cpu() {
  return {.name = "perlmutter-cpu",
          .description =
              "2 EPYC 7763, 128 cores in 8 NUMA nodes, no GPU "
              "(docs.nersc.gov, Perlmutter)",
          .cores = 128,
          .gpus = 0,
          .ranks = 8,
          .cores_per_rank = 16,
          .cpus_per_core = 2,
          .scheduler = "slurm",
          .directives = {"--constraint=cpu", "--qos=regular"},
          .cpu_bind = "cores",
          .container_runtime = "shifter"};
}

NodePreset summit() {
  return {.name = "summit",
          .description =
              "6 V100, 2 POWER9 with 42 usable cores, 168 threads "
              "(docs.olcf.ornl.gov, Summit user guide)",
          .cores = 42,
          .gpus = 6,
          .ranks = 6,
          .cores_per_rank = 7,
          .scheduler = "lsf",
          .directives = {R"(-alloc_flags "gpumps smt4")"},
          .uses_jsrun = true};
}

const std::vector<NodePreset>& presets() {
  static const std::vector<NodePreset> all = {
      lumi(), lumi_c(), perlmutter(), perlmutter_cpu(), summit()};
  return all;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const NodePreset& preset : presets()) {
    names.push_back(preset.name);
  }
  return names;
}

const NodePreset& find_preset(std::string_view name) {
  for (const NodePreset& preset : presets()) {
    if (preset.name == name) {
      return preset;
    }
  }
  throw core::Error(core::ErrorCode::kUsage,
                    core::unknown_name_message("preset", name, preset_names()));
}

}  // namespace dlbench::launchers
