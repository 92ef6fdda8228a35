// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The safetensors format for named tensors in a file: eight bytes of header length (little endian),
// a JSON header with dtype, shape and byte range of each tensor, then the bytes, row-major.
// https://github.com/huggingface/safetensors, section "Format".
#pragma once

#include "engine/exec/model_state.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace dlbench::exec {

/// Parses the bytes of a file; `source` names it in messages. Any bytes are safe to pass. Throws
/// core::Error(kData) for a missing or broken header, a dtype or rank that dlbench does not have,
/// and ranges that overlap, leave holes, or do not fit the shape or the file.
[[nodiscard]] TensorMap parse_safetensors(std::span<const std::byte> bytes,
                                          const std::string& source);

/// Reads a file. Throws core::Error(kFile) if it cannot be read, otherwise as parse_safetensors().
[[nodiscard]] TensorMap read_safetensors(const std::filesystem::path& path);

/// Writes a file: a temporary file next to it is renamed once all of it is on disk, so that `path`
/// holds either the old or the new content, never a part. `metadata` is free text for people.
/// Throws core::Error(kFile) with the reason (no such folder, disk full, read-only).
void write_safetensors(const std::filesystem::path& path,
                       const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace dlbench::exec
