// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"
#include "harness/commands/option_set.h"
#include "reports/json_reader.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <set>
#include <string>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

// Returns the text that this value would have on the command line.
std::string option_text(const std::string& key, const nlohmann::json& value) {
  if (value.is_string() && value.get_ref<const std::string&>().find('\0') != std::string::npos) {
    throw Error(ErrorCode::kUsage, key + " in the config file has a zero byte");
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_array()) {
    std::string joined;
    for (const auto& element : value) {
      if (element.is_array()) {  // lists do not nest; following them could exhaust the stack
        throw Error(ErrorCode::kUsage, "the list of '" + key + "' holds another list");
      }
      joined += (joined.empty() ? "" : ",") + option_text(key, element);
    }
    return joined;
  }
  if (value.is_number() || value.is_boolean()) {
    return value.dump();
  }
  throw Error(ErrorCode::kUsage,
              "the value of '" + key +
                  "' must be a text, a number, true, false, a list of them, or null: not set");
}

// Throws Error(kUsage), since the options of the command are wrong, not the data it works on.
nlohmann::json read_object(const std::string& path, std::optional<double> timeout_s) {
  std::string text;
  try {
    text = reports::read_text_file(path, timeout_s);
    reports::check_json(text, path);
  } catch (const Error& error) {
    const bool late = error.code() == ErrorCode::kTimeout;
    throw Error(late ? error.code() : ErrorCode::kUsage,
                std::string("config file: ") + error.what() +
                    (late ? "; close it, or raise --timeout (nothing was measured)" : ""));
  }
  nlohmann::json config = nlohmann::json::parse(text);
  if (!config.is_object()) {
    throw Error(ErrorCode::kUsage,
                "config file '" + path + "' is no JSON object of option names and values");
  }
  std::set<std::string> names;
  for (const auto& [key, value] : config.items()) {
    if (!names.insert(option_name(key)).second) {
      throw Error(ErrorCode::kUsage,
                  "config file '" + path + "': " + nlohmann::json(key).dump() +
                      " sets an option that is set there already");
    }
  }
  return config;
}

}  // namespace

void read_config_file(const std::string& path,
                      OptionSet& options,
                      std::optional<double> timeout_s) {
  const nlohmann::json config =
      read_object(path, timeout_s);  // outlives the loop, which only refers to it
  for (const auto& [key, value] : config.items()) {
    try {
      if (value.is_null() && options.contains(option_name(key))) {
        continue;  // not set, as a report's config.effective says it
      }
      if (key == "config") {
        throw Error(ErrorCode::kUsage, "'config' cannot be set here: files do not include others");
      }
      if (key.starts_with('-')) {
        throw Error(ErrorCode::kUsage,
                    "'" + key + "': options are named without dashes here, as in \"threads\": 2");
      }
      // A null that gets here has an unknown name: set() says which one was meant.
      options.set(key, value.is_null() ? "" : option_text(key, value), OptionSource::kFile);
    } catch (const Error& error) {
      throw Error(error.code(), "config file '" + path + "': " + error.what());
    }
  }
}

}  // namespace dlbench::harness
