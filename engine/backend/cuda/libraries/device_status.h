// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What was found of a GPU and its libraries, and whether that will do. The judgement knows no CUDA
// call, so that every sentence of it is tested where there is no GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {

/// What the driver and the libraries say. Versions as the libraries number them.
struct DeviceStatus {
  int runtime_error = 0;           ///< of counting the devices; 0: none
  std::string runtime_error_text;  ///< "no CUDA-capable device is detected"
  int driver_version = 0;          ///< newest CUDA the driver serves, 13000 = 13.0; 0: no driver
  int runtime_version = 0;         ///< CUDA of this build
  int devices = 0;
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES, if set
  long cudnn_version = 0;                      ///< loaded, 91900 = 9.19.0
  long cudnn_built_with = 0;
  long cudnn_cuda_version = 0;  ///< CUDA that the loaded one is for, as runtime_version
  std::string cudnn_path;       ///< file that was loaded; empty: unknown
  std::string cudnn_lacks;      ///< part that is missing or broken: it was not asked; empty: none
  std::string why_lacking;      ///< what the file or the loader says of that part
  int nccl_version = 0;         ///< loaded, 22809 = 2.28.9; 0: not loaded
  int nccl_built_with = 0;
  std::string nccl_path;      ///< as cudnn_path
  std::string architectures;  ///< of this build: "75 80 90"

  int index = 0;  ///< the device asked for; what follows is its
  std::string name;
  std::string address;  ///< PCI, "0000:18:00.0"
  int major = 0;        ///< compute capability
  int minor = 0;
  bool prohibited = false;  ///< compute mode: no process may use it
  int attach_error = 0;     ///< of asking the device, or of the first call that uses it; 0: none
  std::string attach_error_text;
};

/// How kernels run on a device.
enum class ArchitectureMatch {
  kNone,         ///< not at all
  kPtx,          ///< once the driver has compiled them, which must be as new as the toolkit is
  kMachineCode,  ///< as they are
};

/// How kernels that were compiled for a list like "75-real 80-real 90" run on a device of that
/// compute capability, times ten (CUDA C++ Programming Guide, "Application Compatibility"). Machine
/// code (all but "-virtual") runs on devices of its major version from its minor one on, PTX (all
/// but "-real") on whatever is newer; both of an architecture ("90a") on that one alone, of a
/// family ("100f") on its major version. Words without a number, as "native", promise nothing and
/// refuse nothing.
[[nodiscard]] ArchitectureMatch match_architectures(const std::string& architectures,
                                                    int capability);

/// Empty if the device can be used, else why not, in one sentence that says what to do.
[[nodiscard]] std::string why_unusable(const DeviceStatus& status);

/// `value`: of NVIDIA_TF32_OVERRIDE, which NVIDIA's libraries heed above what they are asked for;
/// `tf32`: the precision. Empty if both fit, else why not, in one sentence.
[[nodiscard]] std::string tf32_override_refusal(const std::optional<std::string>& value, bool tf32);

/// `enable`, `algorithms`: of NCCL_NVLS_ENABLE and NCCL_ALGO. Empty if sums can have the same bits
/// in every run, else why not, in one sentence: they ask for sums in the switch (NVLS), which may
/// differ from call to call (github.com/NVIDIA/nccl/issues/1497).
[[nodiscard]] std::string nvls_refusal(const std::optional<std::string>& enable,
                                       const std::optional<std::string>& algorithms);

/// Empty if one of the devices can be used, else why the first cannot. `devices`: one status of
/// each visible device, or a single one that says why there are none.
[[nodiscard]] std::string why_none_usable(const std::vector<DeviceStatus>& devices);

/// A rank on a host with several devices.
struct RankOnHost {
  int local_rank = 0;
  std::string address;  ///< PCI, of the device that it was placed at; empty: none
};

/// The device of a rank, where none was asked for by number: the one that it was placed at, if it
/// can be used. Else ranks are dealt by number to the devices that can be used, in their order, and
/// begin again at the first one beyond the last; to all devices alike if none can be used.
[[nodiscard]] int choose_device(const std::vector<DeviceStatus>& devices, const RankOnHost& rank);

/// "13.0" of 13000.
[[nodiscard]] std::string cuda_version_text(int version);
/// Of cuDNN, NCCL and cuBLASLt: "9.19.0" of 91900.
[[nodiscard]] std::string library_version_text(long version);

}  // namespace dlbench::backend::cuda
