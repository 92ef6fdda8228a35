// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What was found out about a GPU and its libraries, and whether it suffices. The judgement makes no
// CUDA calls, so that all of its messages can be tested without a GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {

/// What the driver and the libraries report. Versions as the libraries number them.
struct DeviceStatus {
  int runtime_error = 0;           ///< from counting the devices; 0: none
  std::string runtime_error_text;  ///< "no CUDA-capable device is detected"
  int driver_version = 0;          ///< newest CUDA the driver supports, 13000 = 13.0; 0: no driver
  int runtime_version = 0;         ///< CUDA of this build
  int devices = 0;
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES, if set
  long cudnn_version = 0;                      ///< loaded, 91900 = 9.19.0
  long cudnn_built_with = 0;
  long cudnn_cuda_version = 0;  ///< CUDA for which the loaded one is built, as runtime_version
  std::string cudnn_path;       ///< file that was loaded; empty: unknown
  std::string cudnn_lacks;      ///< missing or broken part, then not queried; empty: none
  std::string why_lacking;      ///< what is wrong with that part
  int nccl_version = 0;         ///< loaded, 22809 = 2.28.9; 0: not loaded
  int nccl_built_with = 0;
  std::string nccl_path;      ///< as cudnn_path
  std::string architectures;  ///< of this build: "75 80 90"

  int index = 0;  ///< the requested device, which what follows describes
  std::string name;
  std::string address;  ///< PCI, "0000:18:00.0"
  int major = 0;        ///< compute capability
  int minor = 0;
  bool prohibited = false;  ///< compute mode: no process may use it
  int attach_error = 0;     ///< from querying the device or the first call that uses it; 0: none
  std::string attach_error_text;
};

/// How kernels run on a device.
enum class ArchitectureMatch {
  kNone,         ///< not at all
  kPtx,          ///< after compilation by the driver, which must be as new as the toolkit
  kMachineCode,  ///< directly
};

/// How kernels that were compiled for a list like "75-real 80-real 90" run on a device of this
/// compute capability (times ten; CUDA C++ Programming Guide, "Application Compatibility"). Machine
/// code (all but "-virtual") runs on devices of the same major and at least the same minor version,
/// PTX (all but "-real") on all newer ones. Both run only on exactly that architecture with suffix
/// "a" ("90a"), and only within the major version with suffix "f" ("100f"). A list with a word
/// without number, such as "native", is accepted (kMachineCode).
[[nodiscard]] ArchitectureMatch match_architectures(const std::string& architectures,
                                                    int capability);

/// Why the device cannot be used, in one sentence that says what to do; empty if it can.
[[nodiscard]] std::string why_unusable(const DeviceStatus& status);

/// Why the value of NVIDIA_TF32_OVERRIDE, which takes precedence in NVIDIA's libraries over what is
/// requested, contradicts the precision (tf32 or not), in one sentence; empty if they agree.
[[nodiscard]] std::string tf32_override_refusal(const std::optional<std::string>& value, bool tf32);

/// Why sums cannot be bitwise equal in every run given the values of NCCL_NVLS_ENABLE and
/// NCCL_ALGO, in one sentence: they request sums in the switch (NVLS), which may differ from call
/// to call (github.com/NVIDIA/nccl/issues/1497). Empty if they can.
[[nodiscard]] std::string nvls_refusal(const std::optional<std::string>& enable,
                                       const std::optional<std::string>& algorithms);

/// Why the first device cannot be used if none can; empty if one can. `devices`: one status per
/// visible device, or a single one that says why there are none.
[[nodiscard]] std::string why_none_usable(const std::vector<DeviceStatus>& devices);

/// A rank on a host with several devices.
struct RankOnHost {
  int local_rank = 0;
  std::string address;  ///< PCI address of the device assigned to it; empty: none
};

/// The device of a rank if none was requested by number: the one assigned to it, if usable.
/// Otherwise ranks are distributed by local_rank over the usable devices in order, round-robin;
/// over all devices if none is usable.
[[nodiscard]] int choose_device(const std::vector<DeviceStatus>& devices, const RankOnHost& rank);

/// "13.0" for 13000.
[[nodiscard]] std::string cuda_version_text(int version);
/// For versions of cuDNN, NCCL and cuBLASLt: "9.19.0" for 91900.
[[nodiscard]] std::string library_version_text(long version);

}  // namespace dlbench::backend::cuda
