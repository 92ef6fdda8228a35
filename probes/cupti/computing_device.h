// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Identifies the GPU that the calling thread computes on, as CUPTI's profilers name it.
#pragma once

#include <cstdint>
#include <string>

struct CUctx_st;  // of cuda.h: CUcontext points to it

namespace dlbench::probes {

struct ComputingDevice {
  CUctx_st* context = nullptr;
  std::uint32_t index = 0;
  std::string chip;  ///< "GH100"
};

/// Throws core::Error(kUnavailable) with one sentence if this thread does not compute on a GPU, or
/// on one whose counters cannot be read because processes share it by MPS.
[[nodiscard]] ComputingDevice computing_device();

}  // namespace dlbench::probes
