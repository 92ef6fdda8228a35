// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/same_start.h"

#include "engine/core/build_info.h"
#include "engine/core/error.h"
#include "harness/ranks.h"
#include "reports/value.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

bool names_a_place(const OptionSpec& spec) {
  return spec.value_name == "FILE" || spec.value_name == "DIR";
}

std::map<std::string, std::string> start_of(const std::string& command, const OptionSet& options) {
  std::map<std::string, std::string> start;
  start["build"] = core::build_info().version + " " + core::build_info().git_commit;
  start["command"] = command;
  for (const OptionSpec& spec : options.specs()) {
    const reports::Value value = spec.value();
    // A node may have its own paths, but all ranks or none write a trace or a checkpoint.
    const bool own = names_a_place(spec) && !(value == reports::Value());
    start["--" + spec.name] = own ? "given" : reports::text_of(value);
  }
  return start;
}

}  // namespace

void check_same_start(comm::Rendezvous& ranks,
                      const std::string& command,
                      const OptionSet& options) {
  using Start = std::map<std::string, std::string>;
  // Invalid UTF-8 is replaced, in the same way on all ranks.
  const std::string text = nlohmann::json(start_of(command, options))
                               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto own = nlohmann::json::parse(text).get<Start>();
  const auto first = nlohmann::json::parse(ranks.broadcast_text(text)).get<Start>();
  together(ranks, [&] {
    // Compared first, since another build or command may have other options.
    for (const std::string& what : {std::string("build"), std::string("command")}) {
      if (own.at(what) != first.at(what)) {
        throw Error(ErrorCode::kUnavailable,
                    fmt::format("{} {}, but rank 0 has {}: start the same on all ranks",
                                what,
                                own.at(what),
                                first.at(what)));
      }
    }
    for (const auto& [option, value] : own) {
      if (value != first.at(option)) {
        throw Error(ErrorCode::kUnavailable,
                    fmt::format("{} {}, but rank 0 has {}: give all ranks the same options",
                                option,
                                value,
                                first.at(option)));
      }
    }
  });
}

}  // namespace dlbench::harness
