// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The only interface to oneDNN: descriptors and primitives in terms of this backend. All that
// differs between versions of the library is in onednn_versions_internal.h.
#pragma once

#include "engine/backend/cpu/layout.h"
#include "engine/backend/lowering.h"
#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/graph/attributes.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::backend::cpu {

using MemoryDesc = dnnl::memory::desc;

/// The engine and stream of the host's processor, created once per process.
[[nodiscard]] const dnnl::engine& onednn_engine();
[[nodiscard]] dnnl::stream& onednn_stream();
/// "2.6.3"
[[nodiscard]] std::string onednn_version();
/// The instruction set that the library uses, by its name there: "avx512_core_bf16".
[[nodiscard]] std::string onednn_isa();

/// The descriptor of a tensor in a layout of this backend.
[[nodiscard]] MemoryDesc activation_desc(const core::Shape& shape,
                                         core::DType dtype,
                                         Layout layout);
/// As activation_desc(), with the channels innermost (nhwc).
[[nodiscard]] MemoryDesc channels_last_desc(const core::Shape& shape, core::DType dtype);
/// Row-major, of any rank; with groups > 1 the first axis is split into (groups, K / groups).
[[nodiscard]] MemoryDesc plain_desc(const core::Shape& shape,
                                    core::DType dtype,
                                    std::int64_t groups = 1);
/// As plain_desc(), with the layout left to the library.
[[nodiscard]] MemoryDesc any_desc(const core::Shape& shape,
                                  core::DType dtype,
                                  std::int64_t groups = 1);

/// A primitive with what is needed to run it. Descriptors of missing operands are empty.
struct Primitive {
  dnnl::primitive handle;
  std::string implementation;  ///< "jit_wino_4x3:avx512_core"
  MemoryDesc x;                ///< or its gradient
  MemoryDesc weights;          ///< or their gradient
  MemoryDesc bias;
  MemoryDesc y;        ///< or its gradient
  int x_argument = 0;  ///< the library's index of each operand
  int weights_argument = 0;
  int bias_argument = 0;
  int y_argument = 0;
  std::size_t scratch_bytes = 0;
};

enum class ContractionDirection : std::uint8_t { kForward, kBackwardData, kBackwardWeights };

/// A convolution in one direction. The descriptors of x, y and weights may be `any`; that of bias
/// is empty without bias.
struct ConvRequest {
  ContractionDirection direction = ContractionDirection::kForward;
  MemoryDesc x;
  MemoryDesc weights;
  MemoryDesc bias;
  MemoryDesc y;
  graph::ConvAttributes attributes;
  std::size_t spatial_rank = 2;
  bool winograd = false;
  bool accumulate = false;  ///< forward: y += result
  bool no_brgemm = false;   ///< forward: do not use batch-reduce GEMM kernels
};

/// Makes the library's first implementation; nullopt if it has none for this request.
[[nodiscard]] std::optional<Primitive> make_convolution(const ConvRequest& request);

/// A fully connected layer in one direction; operands as in ConvRequest.
struct DenseRequest {
  ContractionDirection direction = ContractionDirection::kForward;
  MemoryDesc x;
  MemoryDesc weights;
  MemoryDesc bias;
  MemoryDesc y;
};
[[nodiscard]] std::optional<Primitive> make_inner_product(const DenseRequest& request);

/// Makes a copy between two descriptors of one shape. x: source, y: destination.
[[nodiscard]] Primitive make_reorder(const MemoryDesc& from, const MemoryDesc& to);

/// Whether an implementation is one of the library's slow fallbacks.
[[nodiscard]] bool is_reference(const std::string& implementation);

/// One operand of a primitive: library argument index, descriptor, slot.
struct PrimitiveArgument {
  int index = 0;
  MemoryDesc desc;
  SlotId slot = kNoSlot;
};

/// Runs one primitive. bind() makes the memory objects and the argument array; run() only executes.
class PrimitiveKernel final : public Kernel {
 public:
  /// `moving`: slots whose address may change between steps (inputs).
  PrimitiveKernel(Primitive primitive,
                  std::vector<PrimitiveArgument> arguments,
                  std::vector<SlotId> moving);
  void bind(const SlotTable& slots, std::byte* scratch) override;
  void run(Stream& stream) override;

 private:
  Primitive primitive_;
  std::vector<PrimitiveArgument> arguments_;
  std::vector<SlotId> moving_slots_;
  const SlotTable* slots_ = nullptr;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> execute_arguments_;
  std::vector<std::size_t> moving_;  ///< indices into memories_
};

/// Throws core::Error(kLibrary, or kMemory if out of memory) naming `what` if a library call
/// failed.
void check_onednn(dnnl_status_t status, const char* what);

}  // namespace dlbench::backend::cpu
