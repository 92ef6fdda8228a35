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

/// Waits for all work of the context, if there is one. Ignores failed work, which its submitter
/// will detect.
void synchronize_context();

}  // namespace dlbench::probes
