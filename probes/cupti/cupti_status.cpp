// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/cupti_status.h"

#include <cupti.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace dlbench::probes {
namespace {

/// For example 130001 (see cupti_version.h): toolkit 13.0, CUPTI's own patch 1.
std::string version_text(std::uint32_t version) {
  return fmt::format("CUPTI {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// Empty: it cannot be read.
std::string kernel_release() {
  std::string release;
  std::getline(std::ifstream("/proc/sys/kernel/osrelease"), release);
  return release;
}

/// That a build with headers of version `built` works with.
std::uint32_t oldest_cupti(std::uint32_t built) {
  constexpr std::uint32_t kWithoutHangs = 130001;  // see cupti_version_refusal()
  return std::max(built, kWithoutHangs);
}

}  // namespace

std::string cupti_library() {
  std::uint32_t version = 0;
  return cuptiGetVersion(&version) == CUPTI_SUCCESS ? version_text(version) : "";
}

std::string cupti_library_refusal(const CuptiLibrary& library) {
  if (!library.loader_error.empty()) {
    return fmt::format(
        "CUPTI does not load: {}; install it (wheel nvidia-cuda-cupti, package cuda-cupti-{}-{}), "
        "or "
        "set DLBENCH_CUDA_PATH to its folder",
        library.loader_error,
        CUPTI_API_VERSION / 10000,
        CUPTI_API_VERSION / 100 % 100);
  }
  if (library.missing.empty()) {
    return "";
  }
  return fmt::format("the CUPTI that was loaded lacks {}{}, this build needs {} or newer",
                     library.missing.front(),
                     library.missing.size() == 1
                         ? ""
                         : fmt::format(" and {} more functions", library.missing.size() - 1),
                     version_text(oldest_cupti(CUPTI_API_VERSION)));
}

bool is_windows_subsystem(const std::string& kernel) {
  return kernel.find("microsoft") != std::string::npos ||
         kernel.find("Microsoft") != std::string::npos;
}

std::string privilege_refusal(bool below_windows) {
  if (below_windows) {
    return "under the Windows Subsystem for Linux the driver of Windows decides who may read "
           "performance counters: allow it to all users there (NVIDIA Control Panel, Developer, "
           "Manage GPU Performance Counters); some are refused all the same, and root changes "
           "nothing; see https://developer.nvidia.com/ERR_NVGPUCTRPERM";
  }
  return "the driver lets only administrators read performance counters: as root, write "
         "'options nvidia NVreg_RestrictProfilingToAdminUsers=0' to "
         "/etc/modprobe.d/nvidia-profiling.conf and reload the module or reboot (containers: "
         "on the host), or give dlbench CAP_SYS_ADMIN or, with a driver of release 565 or "
         "newer, CAP_PERFMON, ambient as setpriv gives them; see "
         "https://developer.nvidia.com/ERR_NVGPUCTRPERM";
}

std::string cupti_refusal(const std::string& call, int status) {
  const auto result = static_cast<CUptiResult>(status);
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_COMPATIBLE:
      return "another tool owns the profiler of this process (Nsight, ncu, a debugger?): run "
             "dlbench without it, or use that tool's records";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return privilege_refusal(is_windows_subsystem(kernel_release()));
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "another process reads this device's performance counters: one at a time may";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "this virtual GPU does not offer its performance counters: the host's administrator "
             "may enable profiling for the virtual machine";
    default:
      break;
  }
  const char* text = nullptr;
  if (cuptiGetResultString(result, &text) != CUPTI_SUCCESS || text == nullptr) {
    text = "unknown error";
  }
  return fmt::format("{}: {} (CUPTI error {})", call, text, status);
}

std::string mps_counters_refusal(const DriverDevice& device) {
  return device.shared_by_mps ? "processes share this GPU by MPS (Multi-Process Service), under "
                                "which CUPTI reads no counters: run dlbench where no MPS daemon is"
                              : "";
}

std::string mps_recording_refusal(const DriverDevice& device) {
  constexpr int kRecordsUnderMps = 9;
  return device.shared_by_mps && device.capability_major < kRecordsUnderMps
             ? "processes share this GPU by MPS (Multi-Process Service), under which CUPTI may "
               "hang when it records kernels, before compute capability 9.0: run dlbench where no "
               "MPS daemon is"
             : "";
}

std::string counters_refusal(const std::string& call, int status) {
  if (status == CUPTI_ERROR_INVALID_OPERATION ||
      status == CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED) {
    return "another tool in this process reads this GPU's counters already: run dlbench without "
           "it, or use that tool's records";
  }
  return cupti_refusal(call, status);
}

std::string cupti_version_refusal(std::uint32_t loaded, std::uint32_t built) {
  const std::uint32_t oldest = oldest_cupti(built);
  return loaded >= oldest ? ""
                          : fmt::format("{} was loaded, this build needs {} or newer",
                                        version_text(loaded),
                                        version_text(oldest));
}

std::string opened_cupti_refusal() {
  if (std::string why = cupti_library_refusal(opened_cupti()); !why.empty()) {
    return why;
  }
  std::uint32_t version = 0;
  const CUptiResult status = cuptiGetVersion(&version);
  return status == CUPTI_SUCCESS ? cupti_version_refusal(version, CUPTI_API_VERSION)
                                 : cupti_refusal("cuptiGetVersion", status);
}

bool is_for_good(const std::exception& error) {
  const auto* own = dynamic_cast<const core::Error*>(&error);
  return own != nullptr && own->code() == core::ErrorCode::kUnavailable;
}

core::ErrorCode refusal_code(int status) {
  return status == CUPTI_ERROR_HARDWARE_BUSY ? core::ErrorCode::kLibrary
                                             : core::ErrorCode::kUnavailable;
}

void with_start(int started, const std::function<void()>& open) {
  try {
    open();
  } catch (const core::Error& error) {
    if (started == CUPTI_SUCCESS) {
      throw;
    }
    throw core::Error(error.code(),
                      std::string(error.what()) + "; before, " +
                          cupti_refusal("cuptiProfilerInitialize", started));
  }
}

void refuse_counters(const std::string& why) {
  throw core::Error(core::ErrorCode::kUnavailable, why);
}

void check_cupti(int status, const char* call, core::ErrorCode code) {
  if (status != CUPTI_SUCCESS) {
    throw core::Error(code == core::ErrorCode::kUnavailable ? refusal_code(status) : code,
                      cupti_refusal(call, status));
  }
}

}  // namespace dlbench::probes
