// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"
#include "probes/gpu/recorded_file_internal.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

namespace dlbench::probes {

using nlohmann::json;

void read_recorded_file(const std::filesystem::path& path,
                        const RecordedFormat& format,
                        const std::function<void(const json&)>& read) {
  std::ifstream file(path);
  if (!file) {
    throw core::Error(core::ErrorCode::kFile, "cannot read '" + path.string() + "'");
  }
  try {
    const json content = json::parse(file);
    if (content.at("format") != format.name || content.at("version") != format.version) {
      throw core::Error(core::ErrorCode::kData,
                        "'" + path.string() + "' is no " + format.text + " of version " +
                            std::to_string(format.version));
    }
    read(content);
  } catch (const json::exception& error) {
    throw core::Error(core::ErrorCode::kData, "'" + path.string() + "': " + error.what());
  }
}

void write_recorded_file(const std::filesystem::path& path,
                         const RecordedFormat& format,
                         json content,
                         int indent) {
  content["format"] = format.name;
  content["version"] = format.version;
  std::ofstream file(path);
  file << content.dump(indent) << '\n';
  if (!file.flush()) {
    throw core::Error(core::ErrorCode::kFile, "cannot write '" + path.string() + "'");
  }
}

}  // namespace dlbench::probes
