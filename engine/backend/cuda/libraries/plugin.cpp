// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA plug-in's one exported function.
#include "engine/core/plugin.h"

#include "engine/backend/backend_list.h"
#include "engine/backend/cuda/libraries/cuda_backend.h"
#include "engine/backend/cuda/libraries/device_probe.h"
#include "engine/backend/cuda/libraries/nccl_communicator.h"
#include "engine/comm/communicator_list.h"
#include "engine/comm/rendezvous.h"
#include "engine/core/plugin_part.h"

#include "build_id.h"

#include <memory>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

std::vector<VisibleDevice> usable_devices() {
  std::vector<VisibleDevice> usable;
  for (const DeviceStatus& device : read_all_devices()) {
    if (why_unusable(device).empty()) {
      usable.push_back({.index = device.index, .address = device.address});
    }
  }
  return usable;
}

void register_all() {
  register_backend({.name = "cuda",
                    .priority = kCudaPriority,
                    .unavailable_reason = [] { return why_none_usable(read_all_devices()); },
                    .create = [](const BackendOptions& options) -> std::unique_ptr<Backend> {
                      return std::make_unique<CudaBackend>(options);
                    },
                    .devices = usable_devices});
  comm::register_communicator(
      {.device_kind = "cuda",
       .create = [](comm::Rendezvous& ranks, const comm::CommunicatorOptions& options)
           -> std::unique_ptr<comm::Communicator> {
         return std::make_unique<NcclCommunicator>(ranks, options.repeatable);
       }});
  core::PluginPart::add_all();
}

}  // namespace
}  // namespace dlbench::backend::cuda

extern "C" __attribute__((visibility("default"))) const dlbench::core::PluginInfo*
dlbench_plugin() {
  static const dlbench::core::PluginInfo info{.build_id = DLBENCH_BUILD_ID,
                                              .name = "cuda",
                                              .register_all = dlbench::backend::cuda::register_all};
  return &info;
}
