// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast a backend's own memory-bound kernels move their bytes, beside a plain copy: each op in a
// graph of its own, its kernel enqueued many times between two events.
#pragma once

#include "engine/backend/backend.h"
#include "engine/conformance/op_case.h"
#include "tests/gpu/bandwidth_cases.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench {

/// Bytes that a kernel has to move.
struct Traffic {
  std::int64_t operands = 0;  ///< every operand read once, every result written once
  std::int64_t padding = 0;   ///< of these, in lanes that a layout adds: no cost model has them
  std::int64_t model = 0;     ///< by the cost model of the ops, summed over those that it does
  /// operands, and what has to be read a second time where tensors are larger than the caches:
  /// batch norm needs all of x before it can write the first y.
  std::int64_t moved = 0;
};

[[nodiscard]] Traffic traffic_of(const graph::Graph& graph,
                                 const backend::LoweredGraph& lowered,
                                 const backend::LoweredNode& node);

/// Empty, or why the bytes of this kernel cannot be right: the cost model has to be what its
/// operands hold (small ones beside large ones left aside, and padding).
[[nodiscard]] std::string wrong_bytes(const backend::LoweredNode& node, const Traffic& traffic);

/// What sets a kernel apart from the others of its backend, sizes left aside: its name, the ops
/// that it does in one, and the types of its large operands and results, as in
///   own:batch_norm_backward batch_norm_backward+add bf16 -> bf16
/// with "[range]" behind that of a part of another tensor and "[padded]" behind one with lanes more
/// than channels; of a reshape, which is a copy or a transposition, with the layouts.
[[nodiscard]] std::string kernel_kind(const graph::Graph& graph,
                                      const backend::LoweredGraph& lowered,
                                      const backend::LoweredNode& node);

/// The kernels of a case that are measured: those that move its large tensors, less convolutions
/// and products.
[[nodiscard]] std::vector<const backend::LoweredNode*> measured_kernels(
    const graph::Graph& graph, const backend::LoweredGraph& lowered);

/// One kernel, measured.
struct OpBandwidth {
  std::string name;    ///< the case, and the kernel's op behind a slash where it is another one
  std::string dtype;   ///< of the case: "f32", "bf16"
  std::string kernel;  ///< implementation
  std::string kind;    ///< kernel_kind()
  Traffic traffic;
  double seconds = 0.0;  ///< of one call
  [[nodiscard]] double bytes_per_s() const { return static_cast<double>(traffic.moved) / seconds; }
};

/// Times each kernel of a case that moves a large tensor. Throws core::Error(kUnavailable) for what
/// the backend cannot do, kMemory, and core::CheckFailure for wrong_bytes().
[[nodiscard]] std::vector<OpBandwidth> measure_case(backend::Backend& backend,
                                                    const conformance::OpCase& spec,
                                                    core::DType dtype,
                                                    const BandwidthSizes& sizes);

}  // namespace dlbench
