// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/device_status.h"

#include <gtest/gtest.h>

#include <vector>

namespace dlbench::backend::cuda {
namespace {

DeviceStatus usable() {
  return {.driver_version = 13000,
          .runtime_version = 13000,
          .devices = 1,
          .cudnn_version = 91900,
          .cudnn_built_with = 91900,
          .cudnn_cuda_version = 13010,
          .nccl_version = 22809,
          .nccl_built_with = 22809,
          .architectures = "75 80 90",
          .name = "NVIDIA H200",
          .major = 9,
          .minor = 0};
}

TEST(DeviceStatus, AUsableDeviceHasNoReasonAgainstIt) {
  EXPECT_EQ(why_unusable(usable()), "");
  DeviceStatus newer = usable();
  newer.cudnn_version = 92100;
  newer.nccl_version = 23000;
  newer.driver_version = 13020;
  EXPECT_EQ(why_unusable(newer), "");
}

TEST(DeviceStatus, NamesADriverThatIsMissingOrTooOld) {
  DeviceStatus status = usable();
  status.runtime_error = 35;
  status.driver_version = 0;
  EXPECT_EQ(why_unusable(status), "no NVIDIA driver answers");
  status.driver_version = 12040;
  EXPECT_EQ(why_unusable(status),
            "the NVIDIA driver serves CUDA 12.4 at most, this build needs 13.0");
}

TEST(DeviceStatus, TellsHiddenDevicesFromNone) {
  DeviceStatus status = usable();
  status.runtime_error = 100;
  status.devices = 0;
  EXPECT_EQ(why_unusable(status), "the NVIDIA driver shows no device");
  status.visible_devices = "";
  EXPECT_EQ(why_unusable(status),
            "CUDA_VISIBLE_DEVICES is empty, which hides all devices: unset it, or set it to 0");
  status.visible_devices = "7";
  EXPECT_EQ(why_unusable(status),
            "CUDA_VISIBLE_DEVICES='7' names no device of this machine: unset it, or set it to 0");
}

TEST(DeviceStatus, PassesOtherErrorsOfTheDriverOn) {
  DeviceStatus status = usable();
  status.runtime_error = 803;
  status.runtime_error_text = "system has unsupported display driver / cuda driver combination";
  EXPECT_EQ(why_unusable(status),
            "the NVIDIA driver fails: system has unsupported display driver / cuda driver "
            "combination (CUDA error 803)");
  status.runtime_error = 101;
  status.runtime_error_text = "invalid device ordinal";
  status.visible_devices = "GPU-7";
  EXPECT_EQ(why_unusable(status),
            "the NVIDIA driver fails: invalid device ordinal (CUDA error 101), with "
            "CUDA_VISIBLE_DEVICES='GPU-7'");
}

TEST(DeviceStatus, RefusesLibrariesOlderThanTheBuildOrOfAnotherMajorVersion) {
  DeviceStatus status = usable();
  status.cudnn_version = 91002;
  EXPECT_EQ(why_unusable(status),
            "cuDNN 9.10.2 was loaded, this build needs 9.19.0 or a newer one of its major version: "
            "set DLBENCH_CUDA_PATH to the folder of such a one");
  status.cudnn_path = "/usr/lib/x86_64-linux-gnu/libcudnn.so.9";
  EXPECT_EQ(why_unusable(status),
            "cuDNN 9.10.2 was loaded from /usr/lib/x86_64-linux-gnu/libcudnn.so.9, this build "
            "needs 9.19.0 or a newer one of its major version: set DLBENCH_CUDA_PATH to the folder "
            "of such a one");
  status.cudnn_lacks = "libcudnn_graph.so.9";
  status.why_lacking = "libz.so.1: cannot open shared object file";
  EXPECT_EQ(why_unusable(status),
            "cuDNN was loaded from /usr/lib/x86_64-linux-gnu/libcudnn.so.9, without the "
            "libcudnn_graph.so.9 that belongs to it (libz.so.1: cannot open shared object file): "
            "set DLBENCH_CUDA_PATH to the folder of such a one");
  status.cudnn_lacks.clear();
  status.cudnn_version = 100000;
  EXPECT_NE(why_unusable(status), "");
  status = usable();
  status.nccl_version = 22703;
  status.nccl_path = "/opt/libnccl.so.2";
  EXPECT_EQ(why_unusable(status),
            "NCCL 2.27.3 was loaded from /opt/libnccl.so.2, this build needs 2.28.0 or a newer one "
            "of its major version: set DLBENCH_CUDA_PATH to the folder of such a one");
}

TEST(DeviceStatus, RefusesACudnnForAnotherCuda) {
  DeviceStatus status = usable();
  status.cudnn_version = 92000;
  status.cudnn_cuda_version = 12090;
  status.cudnn_path = "/venv/nvidia/cudnn/lib/libcudnn.so.9";
  EXPECT_EQ(why_unusable(status),
            "cuDNN 9.20.0 was loaded from /venv/nvidia/cudnn/lib/libcudnn.so.9, which is for CUDA "
            "12, this build needs one for CUDA 13: set DLBENCH_CUDA_PATH to the folder of such a "
            "one");
}

TEST(DeviceStatus, RefusesAnIndexBeyondTheLastDevice) {
  DeviceStatus status = usable();
  status.index = 1;
  EXPECT_EQ(why_unusable(status), "there is no device 1: 1 is visible, counted from 0");
}

TEST(DeviceStatus, RefusesADeviceThatTheBuildDoesNotServe) {
  DeviceStatus status = usable();
  status.name = "Tesla V100-SXM2-32GB";
  status.major = 7;
  EXPECT_EQ(why_unusable(status),
            "device 0 (Tesla V100-SXM2-32GB) has compute capability 7.0; this build is for "
            "architectures 75 80 90");
}

TEST(DeviceStatus, NamesComputeModesAndTheErrorOfTheFirstCall) {
  DeviceStatus status = usable();
  status.prohibited = true;
  EXPECT_EQ(why_unusable(status),
            "device 0 (NVIDIA H200) is in compute mode 'prohibited': nvidia-smi -c DEFAULT allows "
            "its use");
  status = usable();
  status.attach_error = 46;
  EXPECT_EQ(why_unusable(status), "device 0 (NVIDIA H200) is in exclusive use by another process");
  status.devices = 2;
  EXPECT_EQ(
      why_unusable(status),
      "device 0 (NVIDIA H200) is in exclusive use by another process: --device cuda:N asks for "
      "another one");
  status.attach_error = 2;
  status.attach_error_text = "out of memory";
  EXPECT_EQ(why_unusable(status),
            "device 0 (NVIDIA H200) cannot be used: out of memory (CUDA error 2)");
}

TEST(DeviceStatus, ArchitecturesServeWhatTheirCodeRunsOn) {
  using enum ArchitectureMatch;
  EXPECT_EQ(match_architectures("90", 90), kMachineCode);
  EXPECT_EQ(match_architectures("90", 120), kPtx);
  EXPECT_EQ(match_architectures("90-virtual", 90), kPtx);
  EXPECT_EQ(match_architectures("90-virtual", 100), kPtx);
  EXPECT_EQ(match_architectures("90", 89), kNone);
  EXPECT_EQ(match_architectures("75 90", 86), kPtx) << "of 75";
  EXPECT_EQ(match_architectures("75 80", 86), kMachineCode);
  EXPECT_EQ(match_architectures("80-real", 86), kMachineCode);
  EXPECT_EQ(match_architectures("75-real 90-real", 86), kNone) << "of another major version";
  EXPECT_EQ(match_architectures("86-real", 80), kNone);
  EXPECT_EQ(match_architectures("90-real", 100), kNone);
  EXPECT_EQ(match_architectures("90a", 90), kMachineCode);
  EXPECT_EQ(match_architectures("90a", 100), kNone);
  EXPECT_EQ(match_architectures("90a-real", 91), kNone);
  EXPECT_EQ(match_architectures("100f", 103), kMachineCode);
  EXPECT_EQ(match_architectures("100f", 120), kNone);
  EXPECT_EQ(match_architectures("native", 75), kMachineCode);
  EXPECT_EQ(match_architectures("all-major", 75), kMachineCode);
  EXPECT_EQ(match_architectures("", 75), kMachineCode);
}

TEST(DeviceStatus, NamesTheErrorOfADeviceThatDoesNotSayWhatItIs) {
  DeviceStatus lost = usable();
  lost.name = "";
  lost.major = lost.minor = 0;
  lost.attach_error = 700;
  lost.attach_error_text = "an illegal memory access was encountered";
  EXPECT_EQ(
      why_unusable(lost),
      "device 0 does not say what it is: an illegal memory access was encountered (CUDA error "
      "700)");
}

// Two devices of which the first is too old for the build.
std::vector<DeviceStatus> old_and_new() {
  DeviceStatus old = usable();
  old.devices = 2;
  old.name = "Tesla V100-SXM2-32GB";
  old.major = 7;
  DeviceStatus good = usable();
  good.devices = 2;
  good.index = 1;
  return {old, good};
}

TEST(DeviceStatus, OneUsableDeviceIsEnough) {
  std::vector<DeviceStatus> devices = old_and_new();
  EXPECT_EQ(why_none_usable(devices), "");
  EXPECT_EQ(why_unusable(devices[1]), "");
  EXPECT_NE(why_unusable(devices[0]), "") << "asked for by number it is refused";
  devices[1].prohibited = true;
  EXPECT_EQ(why_none_usable(devices),
            "device 0 (Tesla V100-SXM2-32GB) has compute capability 7.0; this build is for "
            "architectures 75 80 90");
  EXPECT_EQ(why_unusable(devices[1]),
            "device 1 (NVIDIA H200) is in compute mode 'prohibited': nvidia-smi -c DEFAULT allows "
            "its use")
      << "its own reason, not the first device's";
}

TEST(DeviceStatus, WhatHoldsForAllDevicesIsSaidOfAll) {
  DeviceStatus none = usable();
  none.runtime_error = 100;
  none.devices = 0;
  EXPECT_EQ(why_none_usable({none}), "the NVIDIA driver shows no device");
  none.index = 3;  // asked for by number
  EXPECT_EQ(why_unusable(none), "the NVIDIA driver shows no device");
}

TEST(DeviceStatus, RanksAreDealtToTheDevicesThatCanBeUsed) {
  std::vector<DeviceStatus> devices = old_and_new();
  EXPECT_EQ(choose_device(devices, {.local_rank = 0}), 1);
  EXPECT_EQ(choose_device(devices, {.local_rank = 1}), 1);
  devices[0] = usable();
  devices[0].devices = 2;
  EXPECT_EQ(choose_device(devices, {.local_rank = 0}), 0);
  EXPECT_EQ(choose_device(devices, {.local_rank = 1}), 1);
  EXPECT_EQ(choose_device(devices, {.local_rank = 2}), 0) << "counted round";
  devices[0].prohibited = devices[1].prohibited = true;
  EXPECT_EQ(choose_device(devices, {.local_rank = 1}), 1) << "whose reason is then said";
  EXPECT_EQ(choose_device({}, {.local_rank = 5}), 0);
}

TEST(DeviceStatus, ARankComputesOnTheDeviceThatItWasPlacedAt) {
  std::vector<DeviceStatus> devices(2, usable());
  devices[1].index = 1;
  devices[0].devices = devices[1].devices = 2;
  devices[0].address = "0000:18:00.0";
  devices[1].address = "0000:af:00.0";
  const RankOnHost rank{.local_rank = 0, .address = "0000:af:00.0"};
  EXPECT_EQ(choose_device(devices, rank), 1);
  EXPECT_EQ(choose_device(devices, {.local_rank = 1, .address = "0000:3b:00.0"}), 1)
      << "which is hidden: by number";
  devices[0].prohibited = true;
  EXPECT_EQ(choose_device(devices, rank), 1) << "the only one that can be used";
  devices[0].prohibited = false;
  devices[1].prohibited = true;
  EXPECT_EQ(choose_device(devices, rank), 0) << "by number among those that can be used";
}

// A driver compiles the PTX of its own CUDA and of older ones alone.
TEST(DeviceStatus, NamesADriverThatCannotCompileForTheDevice) {
  DeviceStatus status = usable();
  status.name = "NVIDIA B200";
  status.major = 10;
  EXPECT_EQ(why_unusable(status), "") << "of the same CUDA";
  status.runtime_version = 13010;
  EXPECT_EQ(why_unusable(status),
            "device 0 (NVIDIA B200) has compute capability 10.0; this build is for architectures "
            "75 80 90, and a driver for CUDA 13.0 does not compile what CUDA 13.1 made for others: "
            "a driver for that, or a build for architecture 100 is wanted");
  status.major = 9;
  EXPECT_EQ(why_unusable(status), "") << "has its machine code";
}

TEST(Nvls, IsRefusedWhereSumsShallBeRepeatable) {
  EXPECT_EQ(nvls_refusal(std::nullopt, std::nullopt), "");
  EXPECT_EQ(nvls_refusal("0", "^NVLS"), "");
  EXPECT_EQ(nvls_refusal("", "Ring,Tree"), "");
  EXPECT_EQ(nvls_refusal("2", std::nullopt),
            "NCCL_NVLS_ENABLE=2: NCCL would add in NVLink's switch, with other bits in every run, "
            "against --deterministic; unset it");
  EXPECT_EQ(nvls_refusal(std::nullopt, "ring,tree;allreduce:^nvls,nvlstree"), "");
  for (const char* algorithms : {"NVLS", "allreduce:nvlstree,ring", "^ring;allreduce:nvls"}) {
    EXPECT_NE(nvls_refusal(std::nullopt, algorithms), "") << algorithms;
  }
}

TEST(Tf32Override, IsRefusedWhereItContradictsThePrecision) {
  EXPECT_EQ(tf32_override_refusal(std::nullopt, true), "");
  EXPECT_EQ(tf32_override_refusal("", false), "");
  EXPECT_EQ(tf32_override_refusal("0", false), "");
  EXPECT_EQ(tf32_override_refusal("1", true), "");
  EXPECT_EQ(tf32_override_refusal("0", true),
            "NVIDIA_TF32_OVERRIDE=0: NVIDIA's libraries would not use TF32 whatever --precision "
            "says; unset it");
  EXPECT_EQ(tf32_override_refusal("1", false),
            "NVIDIA_TF32_OVERRIDE=1: NVIDIA's libraries would use TF32 whatever --precision says; "
            "unset it");
}

}  // namespace
}  // namespace dlbench::backend::cuda
