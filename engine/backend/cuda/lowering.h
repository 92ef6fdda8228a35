// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Lowering to own kernels and contractions; touches no device.
#pragma once

#include "engine/backend/cuda/contractions.h"
#include "engine/backend/lowering.h"

#include <memory>

namespace dlbench::backend::cuda {

/// What turns a stream of the interface into what kernels are enqueued on.
using StreamHandleOf = StreamHandle (*)(Stream& stream);

/// Throws core::Error(kUnavailable), naming the node, for what this backend cannot do.
/// `contractions` outlives the result.
[[nodiscard]] std::unique_ptr<LoweredGraph> lower_graph(const graph::Graph& graph,
                                                        const LoweringOptions& options,
                                                        Contractions& contractions,
                                                        StreamHandleOf stream_handle);

}  // namespace dlbench::backend::cuda
