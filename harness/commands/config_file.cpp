// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"
#include "harness/commands/option_set.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

// The text that the command line would have carried for this value.
std::string option_text(const std::string& path,
                        const std::string& key,
                        const nlohmann::json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_array()) {
    std::string joined;
    for (const auto& element : value) {
      if (element.is_array()) {  // lists do not nest; following them could exhaust the stack
        throw Error(ErrorCode::kUsage,
                    "config file '" + path + "': the list of '" + key + "' holds another list");
      }
      joined += (joined.empty() ? "" : ",") + option_text(path, key, element);
    }
    return joined;
  }
  if (value.is_number() || value.is_boolean()) {
    return value.dump();
  }
  throw Error(ErrorCode::kUsage,
              "config file '" + path + "': the value of '" + key +
                  "' must be a text, a number, true, false or a list of them");
}

}  // namespace

void read_config_file(const std::string& path, OptionSet& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(ErrorCode::kUsage,
                "cannot read config file '" + path + "': " + core::errno_text(errno));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const nlohmann::json config = nlohmann::json::parse(text, nullptr, false);
  if (config.is_discarded() || !config.is_object()) {
    throw Error(ErrorCode::kUsage,
                "config file '" + path + "' is no JSON object of option names and values");
  }
  for (const auto& [key, value] : config.items()) {
    if (value.is_null() || key == "config") {
      continue;
    }
    try {
      options.set(key, option_text(path, key, value), OptionSource::kFile);
    } catch (const Error& error) {
      throw Error(error.code(), "config file '" + path + "': " + error.what());
    }
  }
}

}  // namespace dlbench::harness
