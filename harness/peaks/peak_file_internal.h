// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Files below peaks/ in the cache folder: names, writing, and reading with one message for
// everything that can be wrong with a file.
#pragma once

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "reports/json_reader.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace dlbench::harness {

/// "Intel(R) Xeon(R) Processor" -> "intel-r-xeon-r-processor".
[[nodiscard]] std::string file_name_part(const std::string& text);

/// Reads a finite number above zero. Throws core::Error(kData).
[[nodiscard]] double positive_number(const nlohmann::json& value);

/// Reads a short text of printable characters. Throws core::Error(kData).
[[nodiscard]] std::string printable_text(const nlohmann::json& value);
/// Reads a UTC time as in reports, "2026-01-01T00:00:00Z". Throws core::Error(kData).
[[nodiscard]] std::string utc_text(const nlohmann::json& value);
/// Reads a whole number in [least, most], with least above the smallest one. Throws
/// core::Error(kData).
[[nodiscard]] std::int64_t whole_number(const nlohmann::json& value,
                                        std::int64_t least,
                                        std::int64_t most);
/// Read a whole number above zero. Throw core::Error(kData).
[[nodiscard]] std::int64_t positive_integer(const nlohmann::json& value);
[[nodiscard]] int positive_int(const nlohmann::json& value);

/// Throws core::Error(kData) unless the file has this format and version.
void check_format(const nlohmann::json& file, const char* format, int version);

/// Creates the folder, replaces the file atomically. Throws core::Error(kFile).
void write_peak_file(const std::filesystem::path& path, const nlohmann::json& content);

/// Returns what `parse` reads from the file; nothing if there is none. JSON exceptions and
/// core::Errors from `parse` become a core::Error(kData) with the file's name and a remedy.
template <typename Peaks>
std::optional<Peaks> read_peak_file(const std::filesystem::path& path,
                                    Peaks (*parse)(const nlohmann::json&)) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {  // a pipe would be waited for
    return std::nullopt;
  }
  const auto refuse = [&](const std::string& why) {
    return core::Error(core::ErrorCode::kData,
                       "'" + path.string() + "' does not hold measured peaks (" + why +
                           "); delete it, it is made again");
  };
  const auto file = nlohmann::json::parse(reports::read_text_file(path.string()), nullptr, false);
  if (file.is_discarded()) {
    throw refuse("not JSON");
  }
  try {
    return parse(file);
  } catch (const nlohmann::json::exception&) {
    throw refuse("a member is missing or of another type");
  } catch (const core::Error& inner) {
    throw refuse(inner.what());
  }
}

}  // namespace dlbench::harness
