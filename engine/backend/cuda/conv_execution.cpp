// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/conv_execution.h"

#include "engine/backend/cuda/cuda_call.h"

#include <array>
#include <utility>

namespace dlbench::backend::cuda {

void ConvExecution::bind(const ContractionCall& call) {
  constexpr std::array<std::int64_t, 3> kIds{kConvX, kConvW, kConvY};
  const std::array<void*, 3> addresses{call.x, call.w, call.y};
  pack_ = CudnnDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack_.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, kIds);
  pack_.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
            CUDNN_TYPE_VOID_PTR,
            static_cast<std::int64_t>(addresses.size()),
            addresses.data());
  pack_.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &call.scratch);
  pack_.finalize("cuDNN variant pack");
  bound_ = call;
}

void ConvExecution::run(const ContractionCall& call) {
  if (pack_.raw() == nullptr || call.x != bound_.x || call.w != bound_.w || call.y != bound_.y ||
      call.scratch != bound_.scratch) {
    bind(call);
  }
  DLBENCH_CUDA(cudnnBackendExecute(handles_.cudnn(call.stream), plan_.plan.raw(), pack_.raw()));
}

}  // namespace dlbench::backend::cuda
