// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/json_reader.h"

#include "engine/core/error.h"
#include "engine/core/file_descriptor.h"
#include "engine/core/json_defect.h"
#include "reports/json_text_internal.h"
#include "reports/run_fields.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

namespace dlbench::reports {
namespace {

using core::Error;
using core::ErrorCode;
using nlohmann::json;

/// The current place in the file: a chain of the callers' frames, formatted only for an error.
struct Path {
  const Path* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;
  bool is_index = false;

  [[nodiscard]] Path at(std::string_view name) const { return {this, name, 0, false}; }
  [[nodiscard]] Path at(std::size_t position) const { return {this, {}, position, true}; }
  [[nodiscard]] std::string text() const {
    if (parent == nullptr) {
      return {};
    }
    const std::string before = parent->text();
    if (is_index) {
      return fmt::format("{}[{}]", before, index);
    }
    return before.empty() ? printable(key) : fmt::format("{}.{}", before, printable(key));
  }
};

[[noreturn]] void fail(const Path& path, const std::string& problem) {
  const std::string where = path.text();
  throw Error(ErrorCode::kData,
              fmt::format("{} {}", where.empty() ? "the report" : where, problem));
}

[[noreturn]] void wrong_type(const Path& path, const json& value, const char* wanted) {
  fail(path, fmt::format("is {}, expected {}", value.type_name(), wanted));
}

struct ObjectReader;

template <typename T>
concept ReadableRecord = requires(ObjectReader& reader, T& record) {
  fields(reader, record);
};

void read(const json& value, const Path& path, bool& out);
void read(const json& value, const Path& path, double& out);
void read(const json& value, const Path& path, std::int64_t& out);
void read(const json& value, const Path& path, std::uint64_t& out);
void read(const json& value, const Path& path, std::string& out);
void read(const json& value, const Path& path, IntervalRecord& out);
void read(const json& value, const Path& path, Value& out);
template <typename Enum>
requires std::is_enum_v<Enum>
void read(const json& value, const Path& path, Enum& out);
template <typename T>
void read(const json& value, const Path& path, std::optional<T>& out);
template <typename T>
void read(const json& value, const Path& path, std::vector<T>& out);
template <typename T>
void read(const json& value, const Path& path, std::map<std::string, T>& out);
template <ReadableRecord T>
void read(const json& value, const Path& path, T& out);

/// Visitor of the field lists: fills one member from one key.
struct ObjectReader {
  const json& object;
  const Path& path;

  template <typename T>
  void operator()(const char* key, T& member) {
    const auto found = object.find(key);
    if (found == object.end()) {
      fail(path.at(key), "is missing");
    }
    read(*found, path.at(key), member);
  }
  template <typename T>
  void operator()(const char* key, std::optional<T>& member) {
    const auto found = object.find(key);
    if (found != object.end()) {
      read(*found, path.at(key), member);
    }
  }
  template <typename T>
  void operator()(const char* key, Measured<T>& member) {
    (*this)(key, member.value);
    const std::string reason_key = std::string(key) + "_reason";
    const auto found = object.find(reason_key);
    if (found != object.end() && !found->is_null()) {
      read(*found, path.at(reason_key), member.reason);
    }
  }
};

void read(const json& value, const Path& path, bool& out) {
  if (!value.is_boolean()) {
    wrong_type(path, value, "boolean");
  }
  out = value.get<bool>();
}

void read(const json& value, const Path& path, double& out) {
  if (!value.is_number()) {
    wrong_type(path, value, "number");
  }
  out = value.get<double>();
}

/// Reads a whole number within the range of Integer; 3.0 is one, as in JSON Schema.
template <typename Integer>
void read_integer(const json& value, const Path& path, Integer& out) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: every whole double up to it is exact
  if (value.is_number_float()) {
    const double number = value.get<double>();
    const bool whole = std::trunc(number) == number && std::abs(number) <= kExact;
    if (!whole || (std::is_unsigned_v<Integer> && number < 0.0)) {
      fail(path, fmt::format("is {}, expected a whole number", number));
    }
    out = static_cast<Integer>(number);
    return;
  }
  if (!value.is_number_integer()) {
    wrong_type(path, value, "a whole number");
  }
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())) {
      fail(path, fmt::format("is {}, which is too large", number));
    }
    out = static_cast<Integer>(number);
    return;
  }
  const auto number = value.get<std::int64_t>();
  if (std::is_unsigned_v<Integer> && number < 0) {
    fail(path, fmt::format("is {}, expected 0 or more", number));
  }
  out = static_cast<Integer>(number);
}

void read(const json& value, const Path& path, std::int64_t& out) {
  read_integer(value, path, out);
}
void read(const json& value, const Path& path, std::uint64_t& out) {
  read_integer(value, path, out);
}

void read(const json& value, const Path& path, std::string& out) {
  if (!value.is_string()) {
    wrong_type(path, value, "text");
  }
  out = value.get<std::string>();
}

void read(const json& value, const Path& path, IntervalRecord& out) {
  if (!value.is_array() || value.size() != out.size()) {
    fail(path, "is not a list of two numbers, [lower, upper]");
  }
  for (std::size_t end = 0; end < out.size(); ++end) {
    read(value[end], path.at(end), out.at(end));
  }
}

template <typename Enum>
requires std::is_enum_v<Enum>
void read(const json& value, const Path& path, Enum& out) {
  std::string text;
  read(value, path, text);
  const std::optional<Enum> known = from_word<Enum>(text);
  if (!known.has_value()) {
    fail(path, fmt::format("is the unknown word '{}'", printable(text)));
  }
  out = *known;
}

template <typename T>
void read(const json& value, const Path& path, std::optional<T>& out) {
  if (value.is_null()) {
    out.reset();
    return;
  }
  read(value, path, out.emplace());
}

template <typename T>
void read(const json& value, const Path& path, std::vector<T>& out) {
  if (!value.is_array()) {
    wrong_type(path, value, "a list");
  }
  out.clear();
  out.reserve(value.size());
  for (const json& item : value) {
    if constexpr (std::is_same_v<T, double>) {
      if (item.is_null()) {
        out.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
    }
    const Path here = path.at(out.size());
    read(item, here, out.emplace_back());
  }
}

template <typename T>
void read(const json& value, const Path& path, std::map<std::string, T>& out) {
  if (!value.is_object()) {
    wrong_type(path, value, "an object");
  }
  out.clear();
  for (const auto& [key, item] : value.items()) {
    if constexpr (std::is_same_v<T, double>) {  // what is no number is written as null
      if (item.is_null()) {
        out[key] = std::numeric_limits<double>::quiet_NaN();
        continue;
      }
    }
    read(item, path.at(key), out[key]);
  }
}

void read(const json& value, const Path& path, Value& out) {
  switch (value.type()) {
    case json::value_t::null:
      out = Value();
      return;
    case json::value_t::boolean:
      out = Value(value.get<bool>());
      return;
    case json::value_t::number_integer:
    case json::value_t::number_unsigned: {
      std::int64_t number = 0;
      read(value, path, number);
      out = Value(number);
      return;
    }
    case json::value_t::number_float:
      out = Value(value.get<double>());
      return;
    case json::value_t::string:
      out = Value(value.get<std::string>());
      return;
    case json::value_t::array: {
      ValueList list;
      read(value, path, list);
      out = Value(std::move(list));
      return;
    }
    case json::value_t::object: {
      ValueMap map;
      read(value, path, map);
      out = Value(std::move(map));
      return;
    }
    case json::value_t::binary:
    case json::value_t::discarded:
      break;
  }
  wrong_type(path, value, "a JSON value");
}

template <ReadableRecord T>
void read(const json& value, const Path& path, T& out) {
  if (!value.is_object()) {
    wrong_type(path, value, "an object");
  }
  ObjectReader reader{value, path};
  fields(reader, out);
}

void check_version(const json& document) {
  const Path root;
  if (!document.is_object()) {
    wrong_type(root, document, "an object");
  }
  const auto schema = document.find("schema");
  if (schema == document.end() || !schema->is_string() ||
      schema->get_ref<const std::string&>() != kSchemaName) {
    fail(root.at("schema"), fmt::format("is not \"{}\": not a report of dlbench", kSchemaName));
  }
  std::int64_t version = 0;
  const auto found = document.find("schema_version");
  if (found == document.end()) {
    fail(root.at("schema_version"), "is missing");
  }
  read(*found, root.at("schema_version"), version);
  if (version != kSchemaVersion) {
    fail(root.at("schema_version"),
         fmt::format("is {}, this program reads version {}; use the dlbench that wrote it",
                     version,
                     kSchemaVersion));
  }
}

/// The time until which a file that is still being written is read; without seconds, no limit.
class Deadline {
 public:
  explicit Deadline(std::optional<double> within_s) {
    if (within_s.has_value()) {
      constexpr double kFarAway = 1e9;  // decades; nanoseconds of much more overflow
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(std::min(*within_s, kFarAway)));
    }
  }

  /// Waits until read() would not block; false if time is over. read() reports other problems.
  [[nodiscard]] bool await_input(int file) const {
    pollfd awaited{file, POLLIN, 0};
    while (end_.has_value()) {
      const Clock::time_point now = Clock::now();
      if (now >= *end_) {
        return false;
      }
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - now).count();
      const int wait_ms = static_cast<int>(std::min<std::int64_t>(left, 1'000'000));
      const int ready = ::poll(&awaited, 1, wait_ms);
      if (ready > 0 || (ready < 0 && errno != EINTR)) {
        return true;
      }
    }
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end_;
};

/// Whether reading would wait: a named pipe for a writer, a terminal for its end. What the shell
/// opened ("<(...)") ends with its writer.
bool waits_for_a_writer(const std::string& path) {
  const bool open_already = path == "-" || path == "/dev/stdin" || path.starts_with("/dev/fd/") ||
                            path.starts_with("/proc/self/fd/");
  std::error_code ignored;  // reading says better what is wrong with a file that is not there
  return !open_already && std::filesystem::is_other(std::filesystem::status(path, ignored));
}

}  // namespace

void check_is_report(const nlohmann::json& document, const std::string& name) {
  try {
    check_version(document);
  } catch (const Error& error) {
    throw Error(ErrorCode::kData, fmt::format("{}: {}", name, error.what()));
  }
}

nlohmann::json parse_json(std::string_view text, const std::string& name) {
  if (const auto defect = core::json_defect(text, kMaxJsonDepth); defect.has_value()) {
    throw Error(
        ErrorCode::kData,
        defect->too_deep
            ? fmt::format("{}: nested deeper than {} levels", name, kMaxJsonDepth)
            : fmt::format("{}: an object has '{}' twice", name, printable(defect->twice_key)));
  }
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, ...": the part after the bracket.
    std::string_view what = error.what();
    if (const auto bracket = what.find("] "); bracket != std::string_view::npos) {
      what.remove_prefix(bracket + 2);
    }
    throw Error(ErrorCode::kData, fmt::format("{}: not JSON: {}", name, printable(what)));
  }
}

void check_json(std::string_view text, const std::string& name) {
  static_cast<void>(parse_json(text, name));
}

std::string printable(std::string_view text) {
  constexpr std::size_t kMaxLength = 120;
  std::string result(text.substr(0, kMaxLength));
  for (char& character : result) {
    if (character < 0x20 || character > 0x7e) {
      character = '?';
    }
  }
  if (text.size() > kMaxLength) {
    result += "...";
  }
  return result;
}

RunRecord parse_report(std::string_view text, const std::string& name) {
  const json document = parse_json(text, name);
  check_is_report(document, name);
  try {
    RunRecord record;
    read(document, Path{}, record);
    return record;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", name, error.what()));
  }
}

std::string read_text_file(const std::string& path, std::optional<double> within_s) {
  constexpr std::size_t kMaxBytes = std::size_t{512} << 20U;
  const auto cannot_read = [&path](int error) {
    return Error(ErrorCode::kFile,
                 fmt::format("cannot read '{}': {}", path, core::errno_text(error)));
  };
  core::FileDescriptor opened;
  if (waits_for_a_writer(path)) {
    throw Error(
        ErrorCode::kFile,
        fmt::format("'{}' is a pipe or a device; give a regular file, or - for the standard "
                    "input",
                    path));
  }
  if (path != "-") {
    opened = core::FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened.is_open()) {
      throw cannot_read(errno);
    }
  }
  const int file = path == "-" ? STDIN_FILENO : opened.get();
  const Deadline deadline(within_s);
  std::string text;
  std::array<char, 1 << 16> block{};
  for (;;) {
    if (!deadline.await_input(file)) {
      throw Error(ErrorCode::kTimeout,
                  fmt::format("'{}' has not ended within {:g} s: who writes it has not closed it",
                              path,
                              *within_s));
    }
    const ssize_t count = ::read(file, block.data(), block.size());
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      throw cannot_read(errno);
    }
    text.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (text.size() > kMaxBytes) {
      throw Error(ErrorCode::kData,
                  fmt::format("'{}' is larger than 512 MiB, the most that is read", path));
    }
  }
}

RunRecord read_report(const std::string& path) { return parse_report(read_text_file(path), path); }

}  // namespace dlbench::reports
