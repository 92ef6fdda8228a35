// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/device_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sstream>

namespace dlbench::backend::cuda {
namespace {

/// cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorDevicesUnavailable.
constexpr int kNoDevice = 100;
constexpr int kInsufficientDriver = 35;
constexpr int kDevicesUnavailable = 46;

std::string why_none_is_visible(const DeviceStatus& status) {
  if (!status.visible_devices.has_value()) {
    return "the NVIDIA driver shows no device";
  }
  if (status.visible_devices->empty()) {
    return "CUDA_VISIBLE_DEVICES is empty, which hides all devices: unset it, or set it to 0";
  }
  return fmt::format(
      "CUDA_VISIBLE_DEVICES='{}' names no device of this machine: unset it, or set it to 0",
      *status.visible_devices);
}

/// "cuDNN 9.10.2 was loaded from /usr/lib/libcudnn.so.9". Wheels, toolkits and packages of one
/// machine may each bring a copy, and the first one found is used.
std::string loaded(const std::string& library, const std::string& path) {
  return library + " was loaded" + (path.empty() ? "" : " from " + path);
}

constexpr const char* kPointToAnother = ": set DLBENCH_CUDA_PATH to the folder of such a one";

/// Why a library's version does not fit; empty if it is not older than that of the build and has
/// the same major version. cuDNN and NCCL number versions alike: 91900 is 9.19.0.
std::string why_version_does_not_fit(const std::string& name,
                                     long version,
                                     long built_with,
                                     const std::string& path) {
  const long needed = built_with / 100 * 100;
  if (version / 10000 == built_with / 10000 && version >= needed) {
    return "";
  }
  return fmt::format("{}, this build needs {} or a newer one of its major version{}",
                     loaded(name + " " + library_version_text(version), path),
                     library_version_text(needed),
                     kPointToAnother);
}

std::string why_libraries_do_not_fit(const DeviceStatus& status) {
  if (!status.cudnn_lacks.empty()) {
    return fmt::format("{}, without the {} that belongs to it ({}){}",
                       loaded("cuDNN", status.cudnn_path),
                       status.cudnn_lacks,
                       status.why_lacking,
                       kPointToAnother);
  }
  if (std::string why = why_version_does_not_fit(
          "cuDNN", status.cudnn_version, status.cudnn_built_with, status.cudnn_path);
      !why.empty()) {
    return why;
  }
  // The file name libcudnn.so.9 is the same for every CUDA version.
  if (status.cudnn_cuda_version / 1000 != status.runtime_version / 1000) {
    return fmt::format(
        "{}, which is for CUDA {}, this build needs one for CUDA {}{}",
        loaded("cuDNN " + library_version_text(status.cudnn_version), status.cudnn_path),
        status.cudnn_cuda_version / 1000,
        status.runtime_version / 1000,
        kPointToAnother);
  }
  return why_version_does_not_fit(
      "NCCL", status.nccl_version, status.nccl_built_with, status.nccl_path);
}

std::string why_device_does_not_fit(const DeviceStatus& status) {
  if (status.name.empty() && status.attach_error != 0) {
    return fmt::format("device {} does not say what it is: {} (CUDA error {})",
                       status.index,
                       status.attach_error_text,
                       status.attach_error);
  }
  const int capability = 10 * status.major + status.minor;
  const ArchitectureMatch match = match_architectures(status.architectures, capability);
  const std::string mismatch =
      fmt::format("device {} ({}) has compute capability {}.{}; this build is for architectures {}",
                  status.index,
                  status.name,
                  status.major,
                  status.minor,
                  status.architectures);
  if (match == ArchitectureMatch::kNone) {
    return mismatch;
  }
  if (match == ArchitectureMatch::kPtx && status.driver_version < status.runtime_version) {
    return fmt::format(
        "{}, and a driver for CUDA {} does not compile what CUDA {} made for others: a driver for "
        "that, or a build for architecture {} is wanted",
        mismatch,
        cuda_version_text(status.driver_version),
        cuda_version_text(status.runtime_version),
        capability);
  }
  if (status.prohibited) {
    return fmt::format(
        "device {} ({}) is in compute mode 'prohibited': nvidia-smi -c DEFAULT allows "
        "its use",
        status.index,
        status.name);
  }
  if (status.attach_error == kDevicesUnavailable) {
    return fmt::format("device {} ({}) is in exclusive use by another process{}",
                       status.index,
                       status.name,
                       status.devices > 1 ? ": --device cuda:N asks for another one" : "");
  }
  if (status.attach_error != 0) {
    return fmt::format("device {} ({}) cannot be used: {} (CUDA error {})",
                       status.index,
                       status.name,
                       status.attach_error_text,
                       status.attach_error);
  }
  return "";
}

}  // namespace

ArchitectureMatch match_architectures(const std::string& architectures, int capability) {
  std::istringstream stream(architectures);
  ArchitectureMatch best = ArchitectureMatch::kNone;
  bool any = false;
  for (std::string word; stream >> word;) {
    if (word.front() < '0' || word.front() > '9') {
      return ArchitectureMatch::kMachineCode;
    }
    any = true;
    std::size_t digits = 0;
    const int number = std::stoi(word, &digits);
    const bool same_major = capability >= number && capability / 10 == number / 10;
    const bool of_one = word.compare(digits, 1, "a") == 0;
    const bool of_family = word.compare(digits, 1, "f") == 0;
    const bool compiles = !word.ends_with("-virtual");
    if (compiles && (of_one ? capability == number : same_major)) {
      return ArchitectureMatch::kMachineCode;
    }
    if (!word.ends_with("-real") &&
        (of_one ? capability == number : capability >= number && (!of_family || same_major))) {
      best = ArchitectureMatch::kPtx;
    }
  }
  return any ? best : ArchitectureMatch::kMachineCode;
}

std::string why_unusable(const DeviceStatus& status) {
  if (status.runtime_error == kInsufficientDriver) {
    return status.driver_version == 0
               ? "no NVIDIA driver answers"
               : fmt::format("the NVIDIA driver serves CUDA {} at most, this build needs {}",
                             cuda_version_text(status.driver_version),
                             cuda_version_text(status.runtime_version));
  }
  if (status.runtime_error == kNoDevice || (status.runtime_error == 0 && status.devices == 0)) {
    return why_none_is_visible(status);
  }
  if (status.runtime_error != 0) {
    return fmt::format("the NVIDIA driver fails: {} (CUDA error {}){}",
                       status.runtime_error_text,
                       status.runtime_error,
                       status.visible_devices.has_value()
                           ? ", with CUDA_VISIBLE_DEVICES='" + *status.visible_devices + "'"
                           : "");
  }
  if (std::string why = why_libraries_do_not_fit(status); !why.empty()) {
    return why;
  }
  if (status.index >= status.devices) {
    return fmt::format("there is no device {}: {} {} visible, counted from 0",
                       status.index,
                       status.devices,
                       status.devices == 1 ? "is" : "are");
  }
  return why_device_does_not_fit(status);
}

std::string tf32_override_refusal(const std::optional<std::string>& value, bool tf32) {
  if (!value.has_value() || value->empty() || (*value == "0") != tf32) {
    return "";
  }
  return fmt::format(
      "NVIDIA_TF32_OVERRIDE={}: NVIDIA's libraries would {} TF32 whatever --precision says; unset "
      "it",
      *value,
      tf32 ? "not use" : "use");
}

std::string nvls_refusal(const std::optional<std::string>& enable,
                         const std::optional<std::string>& algorithms) {
  const auto refusal = [](const char* name, const std::string& value) {
    return fmt::format(
        "{}={}: NCCL would add in NVLink's switch, with other bits in every run, against "
        "--deterministic; unset it",
        name,
        value);
  };
  if (enable.has_value() && !enable->empty() && *enable != "0") {
    return refusal("NCCL_NVLS_ENABLE", *enable);
  }
  // "ring;allreduce:^nvls": lists for all functions or one, of allowed or (with ^) excluded ones.
  std::istringstream lists(algorithms.value_or(""));
  for (std::string list; std::getline(lists, list, ';');) {
    const std::string allowed = list.substr(list.find(':') + 1);  // npos + 1 is 0
    if (!allowed.starts_with('^') && strcasestr(allowed.c_str(), "nvls") != nullptr) {
      return refusal("NCCL_ALGO", *algorithms);
    }
  }
  return "";
}

std::string why_none_usable(const std::vector<DeviceStatus>& devices) {
  std::string first;
  for (const DeviceStatus& device : devices) {
    const std::string why = why_unusable(device);
    if (why.empty()) {
      return "";
    }
    first = first.empty() ? why : first;
  }
  return first;
}

int choose_device(const std::vector<DeviceStatus>& devices, const RankOnHost& rank) {
  std::vector<int> candidates;
  for (const DeviceStatus& device : devices) {
    if (why_unusable(device).empty()) {
      if (!rank.address.empty() && device.address == rank.address) {
        return device.index;
      }
      candidates.push_back(device.index);
    }
  }
  if (candidates.empty()) {
    for (const DeviceStatus& device : devices) {
      candidates.push_back(device.index);
    }
  }
  return candidates.empty()
             ? 0
             : candidates[static_cast<std::size_t>(rank.local_rank) % candidates.size()];
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string library_version_text(long version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace dlbench::backend::cuda
