// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver's context of the calling thread. The driver is loaded wherever CUDA computes; nothing
// links it.
#pragma once

struct CUctx_st;  // of cuda.h: CUcontext points to it

namespace dlbench::probes {

/// nullptr where this thread computes on no GPU.
[[nodiscard]] CUctx_st* current_context();

/// What the driver says of the device of this thread's context; as here where there is none, or it
/// does not tell.
struct DriverDevice {
  bool shared_by_mps = false;  ///< by the Multi-Process Service
  int capability_major = 0;    ///< 9 of compute capability 9.0
};
[[nodiscard]] DriverDevice driver_device();

/// Waits for all work of the context; nothing where there is none. That the work failed is for who
/// gave it to find out.
void synchronize_context();

}  // namespace dlbench::probes
