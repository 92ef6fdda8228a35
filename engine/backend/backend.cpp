// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The defaults of Backend, for devices that keep the state of a model in row-major order.
#include "engine/backend/backend.h"

#include <cstring>

namespace dlbench::backend {

StateLayout Backend::state_layout(const graph::Value& value) const {
  return {.bytes = value.dense_bytes()};
}

void Backend::pack_state(const graph::Value& /*value*/,
                         const core::HostTensor& logical,
                         std::byte* physical) const {
  std::memcpy(physical, logical.data(), logical.bytes());
}

void Backend::unpack_state(const graph::Value& /*value*/,
                           const std::byte* physical,
                           core::HostTensor& logical) const {
  std::memcpy(logical.data(), physical, logical.bytes());
}

}  // namespace dlbench::backend
