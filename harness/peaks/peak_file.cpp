// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/peak_file_internal.h"

namespace dlbench::harness {

using core::Error;
using core::ErrorCode;

std::string file_name_part(const std::string& text) {
  std::string part;
  for (const char character : text) {
    const bool digit = character >= '0' && character <= '9';
    const bool upper = character >= 'A' && character <= 'Z';
    const bool lower = character >= 'a' && character <= 'z';
    if (upper) {
      part += static_cast<char>(character - 'A' + 'a');
    } else if (lower || digit || character == '_' || character == '.') {
      part += character;
    } else if (!part.empty() && part.back() != '-') {
      part += '-';
    }
  }
  if (part.ends_with('-')) {
    part.pop_back();
  }
  return part;
}

double peak_rate(const nlohmann::json& value) {
  const double number = value.get<double>();
  if (!std::isfinite(number) || number <= 0.0) {
    throw Error(ErrorCode::kData, "a rate is not above zero");
  }
  return number;
}

void check_peak_format(const nlohmann::json& file, const char* format, int version) {
  if (file.at("format") != format || file.at("version") != version) {
    throw Error(ErrorCode::kData, "format or version differ");
  }
}

void write_peak_file(const std::filesystem::path& path, const nlohmann::json& content) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    throw Error(ErrorCode::kFile,
                "cannot create '" + path.parent_path().string() + "': " + error.message() +
                    "; DLBENCH_CACHE_DIR can name another folder");
  }
  core::write_file_atomically(
      path.string(), content.dump(2) + "\n", "DLBENCH_CACHE_DIR can name another folder");
}

}  // namespace dlbench::harness
