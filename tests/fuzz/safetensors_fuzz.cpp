// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: either tensors whose data lies in the file, or core::Error(kData).
#include "engine/core/error.h"
#include "engine/exec/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const dlbench::exec::TensorMap tensors =
        dlbench::exec::parse_safetensors(bytes, "fuzz.safetensors");
    std::size_t total = 0;
    for (const auto& [name, tensor] : tensors) {
      total += tensor.bytes();
    }
    if (total > size) {
      std::abort();
    }
  } catch (const dlbench::core::Error& error) {
    if (error.code() != dlbench::core::ErrorCode::kData) {
      std::abort();
    }
  }
  return 0;
}
