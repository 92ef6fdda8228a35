// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/peak_file_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

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

double positive_number(const nlohmann::json& value) {
  const double number = value.get<double>();
  if (!std::isfinite(number) || number <= 0.0) {
    throw Error(ErrorCode::kData, "a rate is not above zero");
  }
  return number;
}

std::string printable_text(const nlohmann::json& value) {
  constexpr std::size_t kLongest = 64;
  auto word = value.get<std::string>();
  const bool printable =
      std::ranges::all_of(word, [](char letter) { return letter >= ' ' && letter <= '~'; });
  if (word.empty() || word.size() > kLongest || !printable) {
    throw Error(ErrorCode::kData, "a name is no short text");
  }
  return word;
}

std::string utc_text(const nlohmann::json& value) {
  auto text = value.get<std::string>();
  constexpr std::string_view kPattern = "0000-00-00T00:00:00Z";
  const bool fits = std::ranges::equal(text, kPattern, [](char letter, char wanted) {
    return wanted == '0' ? letter >= '0' && letter <= '9' : letter == wanted;
  });
  if (!fits) {
    throw Error(ErrorCode::kData, "a time is not like 2026-01-01T00:00:00Z");
  }
  return text;
}

std::int64_t whole_number(const nlohmann::json& value, std::int64_t least, std::int64_t most) {
  const std::int64_t number = value.is_number_integer() ? value.get<std::int64_t>() : least - 1;
  if (number < least || number > most) {
    throw Error(ErrorCode::kData,
                fmt::format("a number is not a whole one from {} to {}", least, most));
  }
  return number;
}

std::int64_t positive_integer(const nlohmann::json& value) {
  return whole_number(value, 1, std::numeric_limits<std::int64_t>::max());
}

int positive_int(const nlohmann::json& value) {
  return static_cast<int>(whole_number(value, 1, std::numeric_limits<int>::max()));
}

void check_format(const nlohmann::json& file, const char* format, int version) {
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
