// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Named tensors in a file: the safetensors format. Eight bytes of header length (little endian), a
// JSON header of dtype, shape and byte range of each tensor, then the bytes, row-major.
// https://github.com/huggingface/safetensors, section "Format".
#pragma once

#include "engine/exec/model_state.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace dlbench::exec {

/// The tensors in the bytes of a file; `source` names it in messages. Any bytes are safe to pass.
/// Throws core::Error(kData): no or a broken header, a dtype or rank that dlbench does not have,
/// ranges that overlap, leave holes, or do not fit the shape or the file.
[[nodiscard]] TensorMap parse_safetensors(std::span<const std::byte> bytes,
                                          const std::string& source);

/// Reads a file. Throws core::Error(kFile) if it cannot be read, else as parse_safetensors().
[[nodiscard]] TensorMap read_safetensors(const std::filesystem::path& path);

/// Writes a file: a temporary one beside it is renamed when all is on the disk, so that `path`
/// holds the old or the new content, never half of it. `metadata` is free text for people.
/// Throws core::Error(kFile) with the reason (no such folder, disk full, read-only).
void write_safetensors(const std::filesystem::path& path,
                       const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace dlbench::exec
