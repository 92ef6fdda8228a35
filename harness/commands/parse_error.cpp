// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/parse_error.h"

#include "engine/core/nearest_name.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

std::string deepest_name(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? std::string() : app.get_subcommands().front()->get_name();
}

// Returns the names that would be valid at the point where parsing stopped.
std::vector<std::string> candidates(const CLI::App& root,
                                    const std::vector<BoundCommand>& commands,
                                    bool option) {
  for (const BoundCommand& bound : commands) {
    if (bound.app->parsed() && option) {
      return bound.options->names();
    }
  }
  std::vector<std::string> names;
  const CLI::App* level = &root;
  if (const std::string group = deepest_name(root); !group.empty()) {
    level = root.get_subcommand(group);
  }
  if (option) {
    for (const CLI::Option* own : level->get_options()) {
      names.push_back(own->get_name());
    }
    return names;
  }
  for (const CLI::App* sub : level->get_subcommands(nullptr)) {
    names.push_back(sub->get_name());
  }
  return names;
}

// Returns the command with this option: among several the one that was given, else the first.
const BoundCommand* command_with(const std::string& option,
                                 const std::vector<BoundCommand>& commands) {
  const BoundCommand* first = nullptr;
  for (const BoundCommand& bound : commands) {
    if (bound.options->contains(option)) {
      if (bound.app->parsed()) {
        return &bound;
      }
      first = first == nullptr ? &bound : first;
    }
  }
  return first;
}

// "dlbench run resunetpp".
std::string extra_argument_message(const BoundCommand& bound, const std::string& extra) {
  const std::string call = "dlbench " + bound.command->name();
  const std::vector<OptionSpec>& specs = bound.options->specs();
  const bool takes_some = std::any_of(
      specs.begin(), specs.end(), [](const OptionSpec& spec) { return spec.positional; });
  std::string message =
      "'" + extra + "' is too much: `" + call + "` takes no " + (takes_some ? "further " : "");
  message += takes_some ? "argument" : "arguments";
  if (bound.options->contains("workload")) {
    message += "; a workload is named with --workload";
  }
  return message + " (see " + call + " --help)";
}

// Returns the command line up to where it was understood: "dlbench report show".
std::string call_so_far(const CLI::App& root) {
  std::string call = "dlbench";
  for (const CLI::App* level = &root; !level->get_subcommands().empty();) {
    level = level->get_subcommands().front();
    call += " " + level->get_name();
  }
  return call;
}

// After "dlbench" or "dlbench report" a word is missing, after "dlbench report show" an argument.
std::string missing_message(const CLI::App& root,
                            const CLI::ParseError& error,
                            const std::vector<BoundCommand>& commands) {
  const std::string call = call_so_far(root);
  const std::string help = " (see " + call + " --help)";
  const bool complete =
      std::ranges::any_of(commands, [](const BoundCommand& bound) { return bound.app->parsed(); });
  if (complete) {
    return call.substr(call.find(' ') + 1) + ": " + error.what() + help;
  }
  return "`" + call + "` is no whole command: it wants one of " +
         fmt::format("{}", fmt::join(candidates(root, commands, false), ", ")) + help;
}

}  // namespace

std::string long_name(const std::string& argument) {
  return argument.starts_with("--") ? argument.substr(2, argument.find('=') - 2) : "";
}

Error parse_error(const CLI::App& root,
                  const CLI::ParseError& error,
                  const std::vector<BoundCommand>& commands) {
  const std::vector<std::string> extras = root.remaining(true);
  if (extras.empty()) {
    return {ErrorCode::kUsage, missing_message(root, error, commands)};
  }
  const std::string& extra = extras.front();
  const bool option = extra.starts_with("-");
  const bool before_command = !root.remaining(false).empty();
  if (const BoundCommand* taker = command_with(long_name(extra), commands);
      option && before_command && taker != nullptr) {
    return {ErrorCode::kUsage,
            "'" + extra + "' stands before the command: options come after it, as in `dlbench " +
                taker->command->name() + " " + extra + "` (see dlbench --help)"};
  }
  for (const BoundCommand& bound : commands) {
    if (!option && bound.app->parsed()) {
      return {ErrorCode::kUsage, extra_argument_message(bound, extra)};
    }
  }
  return {ErrorCode::kUsage,
          core::unknown_name_message(
              option ? "option" : "command", extra, candidates(root, commands, option)) +
              " (see dlbench --help)"};
}

}  // namespace dlbench::harness
