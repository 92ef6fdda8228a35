// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The physical layout of activations on the device.
#pragma once

#include <cstdint>

namespace dlbench::backend::cuda {

using Index = std::int64_t;

/// A tensor (N, C, S...), with any number of spatial axes S taken as one, channels last: element
/// (n, c, s) is at offset (n * spatial + s) * stride + c. Lanes from `channels` to `stride` are
/// zero: every kernel may rely on that and preserves it. Matrices (N, C) have spatial 1. Accesses
/// are 16 bytes wide if `stride` and all addresses allow it, otherwise single elements.
struct ChannelsLast {
  Index batch = 1;
  Index spatial = 1;
  Index channels = 1;
  Index stride = 1;

  [[nodiscard]] Index positions() const { return batch * spatial; }
  /// The number of elements, padding included.
  [[nodiscard]] Index elements() const { return positions() * stride; }
};

}  // namespace dlbench::backend::cuda
