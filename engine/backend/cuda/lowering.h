// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Lowering to own kernels and contractions; does not use a device.
#pragma once

#include "engine/backend/cuda/contractions.h"
#include "engine/backend/lowering.h"

#include <memory>

namespace dlbench::backend::cuda {

/// Converts a Stream to the handle on which kernels are enqueued.
using StreamHandleOf = StreamHandle (*)(Stream& stream);

/// Lowers a graph. Throws core::Error(kUnavailable) naming the node for what this backend does not
/// support. `contractions` must outlive the result.
[[nodiscard]] std::unique_ptr<LoweredGraph> lower_graph(const graph::Graph& graph,
                                                        const LoweringOptions& options,
                                                        Contractions& contractions,
                                                        StreamHandleOf stream_handle);

}  // namespace dlbench::backend::cuda
