// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver's context of the calling thread. The driver is loaded wherever CUDA computes, but not
// linked.
#pragma once

struct CUctx_st;  // of cuda.h: CUcontext points to it

namespace dlbench::probes {

/// Returns nullptr if this thread does not compute on a GPU.
[[nodiscard]] CUctx_st* current_context();

/// What the driver says about the device of this thread's context; the defaults if there is none or
/// the driver does not say.
struct DriverDevice {
  bool shared_by_mps = false;  ///< by the Multi-Process Service
  int capability_major = 0;    ///< 9 of compute capability 9.0
};
[[nodiscard]] DriverDevice driver_device();

/// Waits for all work of the context, if there is one. Ignores errors of that work, which its owner
/// will see.
void synchronize_context();

}  // namespace dlbench::probes
