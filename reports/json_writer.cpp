// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/json_writer.h"

#include "engine/core/atomic_file.h"
#include "reports/run_fields.h"
#include "reports/verdict_reason.h"
#include "reports/vocabulary.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dlbench::reports {
namespace {

using Json = nlohmann::ordered_json;

struct ObjectWriter;

template <typename T>
concept WritableRecord = requires(ObjectWriter& writer, const T& record) {
  fields(writer, record);
};

// One overload per kind of member. They call each other, so all are declared first.
Json image(double value);
Json image(const Value& value);
template <typename T>
requires std::is_integral_v<T> Json image(T value);
template <typename Enum>
requires std::is_enum_v<Enum> Json image(Enum value);
Json image(const std::string& value);
Json image(const IntervalRecord& interval);
template <typename T>
Json image(const std::optional<T>& value);
template <typename T>
Json image(const std::vector<T>& list);
template <typename T>
Json image(const std::map<std::string, T>& map);
template <WritableRecord T>
Json image(const T& record);

/// Visitor of the field lists: writes one key for one member.
struct ObjectWriter {
  Json object = Json::object();

  template <typename T>
  void operator()(const char* key, const T& member) {
    object[key] = image(member);
  }
  template <typename T>
  void operator()(const char* key, const Measured<T>& member) {
    object[key] = image(member.value);
    if (!member.value.has_value()) {
      object[std::string(key) + "_reason"] = image(member.reason);
    }
  }
};

Json image(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <typename T>
requires std::is_integral_v<T> Json image(T value) { return value; }

template <typename Enum>
requires std::is_enum_v<Enum> Json image(Enum value) { return std::string(word(value)); }

Json image(const std::string& value) { return value; }

Json image(const IntervalRecord& interval) {
  return Json::array({image(interval[0]), image(interval[1])});
}

template <typename T>
Json image(const std::optional<T>& value) {
  return value.has_value() ? image(*value) : Json(nullptr);
}

template <typename T>
Json image(const std::vector<T>& list) {
  Json result = Json::array();
  for (const T& item : list) {
    result.push_back(image(item));
  }
  return result;
}

template <typename T>
Json image(const std::map<std::string, T>& map) {
  Json result = Json::object();
  for (const auto& [key, item] : map) {
    result[key] = image(item);
  }
  return result;
}

Json image(const Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return image(held);
        }
      },
      value.data);
}

template <WritableRecord T>
Json image(const T& record) {
  ObjectWriter writer;
  fields(writer, record);
  return std::move(writer.object);
}

std::string scalar_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Indents, but keeps lists of plain values on one line: raw step times are long.
void print(const Json& value, std::size_t depth, std::string& out) {
  const auto new_line = [&out](std::size_t level) {
    out += '\n';
    out.append(2 * level, ' ');
  };
  const bool plain_list =
      value.is_array() && std::none_of(value.begin(), value.end(), [](const Json& item) {
        return item.is_structured() && !item.empty();
      });
  if (value.is_object() && !value.empty()) {
    out += '{';
    const char* separator = "";
    for (const auto& [key, item] : value.items()) {
      out += std::exchange(separator, ",");
      new_line(depth + 1);
      out += scalar_text(Json(key));
      out += ": ";
      print(item, depth + 1, out);
    }
    new_line(depth);
    out += '}';
  } else if (value.is_array() && !plain_list) {
    out += '[';
    const char* separator = "";
    for (const Json& item : value) {
      out += std::exchange(separator, ",");
      new_line(depth + 1);
      print(item, depth + 1, out);
    }
    new_line(depth);
    out += ']';
  } else {
    out += scalar_text(value);
  }
}

}  // namespace

std::string to_json(const RunRecord& record) {
  ObjectWriter writer;
  writer("schema", std::string(kSchemaName));
  writer("schema_version", kSchemaVersion);
  fields(writer, record);
  if (!record.attribution.has_value()) {
    writer("attribution_reason", why_no_verdict(record));
  }
  std::string text;
  print(writer.object, 0, text);
  text += '\n';
  return text;
}

void write_report(const RunRecord& record, const std::string& path) {
  core::write_file_atomically(path, to_json(record), "choose another place with --output");
}

}  // namespace dlbench::reports
