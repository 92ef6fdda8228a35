// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/computing_device.h"

#include "probes/cupti/cupti_status.h"
#include "probes/cupti/driver_context.h"

#include <cupti.h>
#include <cupti_target.h>

namespace dlbench::probes {

ComputingDevice computing_device() {
  ComputingDevice device;
  device.context = current_context();
  if (device.context == nullptr) {
    throw core::Error(core::ErrorCode::kUnavailable, "this thread computes on no GPU");
  }
  if (const std::string shared = mps_counters_refusal(driver_device()); !shared.empty()) {
    refuse_counters(shared);
  }
  check_cupti(cuptiGetDeviceId(device.context, &device.index),
              "cuptiGetDeviceId",
              core::ErrorCode::kUnavailable);
  CUpti_Device_GetChipName_Params params{CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  params.deviceIndex = device.index;
  check_cupti(
      cuptiDeviceGetChipName(&params), "cuptiDeviceGetChipName", core::ErrorCode::kUnavailable);
  device.chip = params.pChipName;
  return device;
}

}  // namespace dlbench::probes
