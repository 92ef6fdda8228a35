// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/conv_execution.h"

#include "engine/backend/cuda/layout.h"
#include "engine/backend/cuda/libraries/cuda_call.h"

#include <array>
#include <span>
#include <utility>

namespace dlbench::backend::cuda {

ConvExecution::ConvExecution(LibraryHandles& handles, const ConvProblem& problem, ConvPlan plan)
    : handles_(handles),
      plan_(std::move(plan)),
      fused_bias_(plan_.fuses_epilogue && problem.epilogue.bias),
      behind_(plan_.fuses_epilogue ? Epilogue{} : problem.epilogue),
      dtype_(problem.dtype),
      result_(channels_last(core::Shape(problem.y))) {}

void ConvExecution::bind(const ContractionCall& call) {
  constexpr std::array<std::int64_t, 4> kIds{kConvX, kConvW, kConvY, kConvBias};
  const std::array<const void*, 4> addresses{call.x, call.w, call.y, call.bias};
  const std::size_t count = fused_bias_ ? 4 : 3;
  pack_ = CudnnDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack_.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, std::span(kIds).first(count));
  pack_.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
            CUDNN_TYPE_VOID_PTR,
            static_cast<std::int64_t>(count),
            addresses.data());
  pack_.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &call.scratch);
  pack_.finalize("cuDNN variant pack");
  bound_ = call;
}

void ConvExecution::run(const ContractionCall& call) {
  if (pack_.raw() == nullptr || call.x != bound_.x || call.w != bound_.w || call.y != bound_.y ||
      call.bias != bound_.bias || call.scratch != bound_.scratch) {
    bind(call);
  }
  DLBENCH_CUDA(cudnnBackendExecute(handles_.cudnn(call.stream), plan_.plan.raw(), pack_.raw()));
  launch_epilogue(behind_, call.bias, call.y, dtype_, result_, call.stream);
}

}  // namespace dlbench::backend::cuda
