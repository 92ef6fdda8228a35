// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/recorded_environment.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace dlbench::probes {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({"CUDA_DEVICE_MAX_CONNECTIONS",
                                                         "CUDA_DEVICE_ORDER",
                                                         "CUDA_LAUNCH_BLOCKING",
                                                         "CUDA_MODULE_LOADING",
                                                         "CUDA_VISIBLE_DEVICES",
                                                         "DNNL_CPU_RUNTIME",
                                                         "DNNL_MAX_CPU_ISA",
                                                         "DNNL_PRIMITIVE_CACHE_CAPACITY",
                                                         "GOMP_CPU_AFFINITY",
                                                         "GOMP_SPINCOUNT",
                                                         "KMP_AFFINITY",
                                                         "MALLOC_ARENA_MAX",
                                                         "NVIDIA_TF32_OVERRIDE",
                                                         "OMP_DYNAMIC",
                                                         "OMP_NUM_THREADS",
                                                         "OMP_PLACES",
                                                         "OMP_PROC_BIND",
                                                         "OMP_SCHEDULE",
                                                         "OMP_STACKSIZE",
                                                         "OMP_THREAD_LIMIT",
                                                         "OMP_WAIT_POLICY",
                                                         "ONEDNN_MAX_CPU_ISA",
                                                         "SLURM_CPUS_PER_TASK",
                                                         "SLURM_CPU_BIND"});

/// NCCL, cuBLAS (such as CUBLAS_EMULATE_SINGLE_PRECISION), cuDNN, the daemon that shares a GPU
/// among processes, libfabric, UCX: each has several variables, and every version adds new ones.
constexpr std::array<std::string_view, 7> kFamilies{
    "NCCL_", "CUBLAS_", "CUBLASLT_", "CUDNN_", "CUDA_MPS_", "FI_", "UCX_"};

/// Whole words anywhere in a name. NCCL_IB_PKEY, a number, contains none of them.
constexpr std::array<std::string_view, 5> kSecretParts{
    "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "COOKIE"};
constexpr std::array<std::string_view, 5> kSecretWords{"KEY", "KEYS", "AUTH", "UUID", "JWT"};

/// A name with one word of each list is a place for debug output, which has no effect on speed.
constexpr std::array<std::string_view, 5> kOutputWords{"DEBUG", "DUMP", "LOG", "PROFILE", "STATS"};
constexpr std::array<std::string_view, 5> kPlaceWords{"FILE", "DIR", "DIRECTORY", "PATH", "DEST"};

template <std::size_t Count>
bool has_word(const std::string& name, const std::array<std::string_view, Count>& words) {
  const std::string padded = "_" + name + "_";
  return std::any_of(words.begin(), words.end(), [&padded](std::string_view word) {
    return padded.find("_" + std::string(word) + "_") != std::string::npos;
  });
}

bool is_recorded(const std::string& name) {
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) {
    return true;
  }
  const auto begins = [&name](std::string_view family) { return name.starts_with(family); };
  const auto holds = [&name](std::string_view part) {
    return name.find(part) != std::string::npos;
  };
  return std::any_of(kFamilies.begin(), kFamilies.end(), begins) &&
         std::none_of(kSecretParts.begin(), kSecretParts.end(), holds) &&
         !has_word(name, kSecretWords) &&
         !(has_word(name, kOutputWords) && has_word(name, kPlaceWords));
}

/// Returns "topo.xml" for "/home/ada/topo.xml", also within a list.
std::string without_folders(const std::string& value) {
  constexpr std::string_view kSeparators = ",;:= ";
  std::string text;
  for (std::size_t begin = 0; begin < value.size();) {
    const std::size_t end = std::min(value.find_first_of(kSeparators, begin), value.size());
    std::string part = value.substr(begin, end - begin);
    if (part.starts_with('/') || part.starts_with('~')) {
      part.erase(std::min(part.find_last_not_of('/') + 1, part.size()));
      part.erase(0, part.find_last_of('/') + 1);
    }
    text += part;
    if (end < value.size()) {
      text += value[end];
    }
    begin = end + 1;
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> recorded_environment(
    const std::map<std::string, std::string>& all) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [name, value] : all) {
    if (is_recorded(name)) {
      found.emplace_back(name, without_folders(value));
    }
  }
  return found;
}

}  // namespace dlbench::probes
