// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes the frame of a recorded JSON file: its format and version.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>

namespace dlbench::probes {

struct RecordedFormat {
  const char* name;  ///< "dlbench.gpu_trace": the member "format"
  const char* text;  ///< "GPU trace": for messages
  int version = 1;
};

/// Calls `read` with the file's content. Throws core::Error: kFile if it cannot be read, kData if
/// it has another format or version or if `read` throws nlohmann::json::exception.
void read_recorded_file(const std::filesystem::path& path,
                        const RecordedFormat& format,
                        const std::function<void(const nlohmann::json&)>& read);

/// Writes `content` with format and version; `indent` as for json::dump, -1: one line. Throws
/// core::Error(kFile) if it cannot be written.
void write_recorded_file(const std::filesystem::path& path,
                         const RecordedFormat& format,
                         nlohmann::json content,
                         int indent);

}  // namespace dlbench::probes
