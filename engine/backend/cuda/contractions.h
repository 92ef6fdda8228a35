// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What lowering needs from the vendor's libraries: convolutions and matrix products. An interface,
// so that lowering also runs without a device (and is tested there with host loops).
#pragma once

#include "engine/backend/cuda/conv_problem.h"
#include "engine/backend/cuda/epilogue.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/core/dtype.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace dlbench::backend::cuda {

/// Row-major y (rows, columns) = a b with a (rows, inner), b (inner, columns); a transposed operand
/// is stored with its axes swapped. One dtype, sums in f32. The epilogue's channels are columns.
struct MatrixProduct {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  bool transpose_a = false;  ///< a is stored as (inner, rows)
  bool transpose_b = false;  ///< b is stored as (columns, inner)
  core::DType dtype = core::DType::kF32;
  bool allow_tf32 = false;
  Epilogue epilogue;
};

/// Device addresses of one call. The operands of a convolution are x, w, y in every direction;
/// those of a product are a, b, y. bias: only if the epilogue has one. scratch begins at a multiple
/// of 256 bytes (exec::kArenaAlignment), operands at a multiple of 16.
struct ContractionCall {
  void* x = nullptr;
  void* w = nullptr;
  void* y = nullptr;
  const void* bias = nullptr;
  void* scratch = nullptr;
  StreamHandle stream = nullptr;
};

/// A chosen implementation, including the epilogue. The first call with new addresses may allocate,
/// later ones do not.
struct Contraction {
  std::string kernel_name;  ///< "cudnn:eng38{2=1}"
  std::string decision;     ///< the choice among several; empty: there was no choice
  std::size_t scratch_bytes = 0;
  bool repeatable = true;  ///< false: results may differ between runs
  std::function<void(const ContractionCall&)> run;
};

class Contractions {
 public:
  Contractions() = default;
  Contractions(const Contractions&) = delete;
  Contractions& operator=(const Contractions&) = delete;
  virtual ~Contractions() = default;

  /// `decision`: the node's key in LoweringOptions::decisions.
  [[nodiscard]] virtual Contraction convolution(const ConvProblem& problem,
                                                const std::string& decision) = 0;
  [[nodiscard]] virtual Contraction product(const MatrixProduct& product) = 0;
};

}  // namespace dlbench::backend::cuda
