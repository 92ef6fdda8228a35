// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/command_line.h"

#include "engine/core/build_info.h"
#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/nearest_name.h"
#include "harness/commands/command.h"
#include "harness/ranks.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

// A command with its options and its place in the parser.
struct Bound {
  std::unique_ptr<Command> command;
  std::unique_ptr<OptionSet> options = std::make_unique<OptionSet>();
  CLI::App* app = nullptr;
  std::vector<std::pair<std::string, std::string>> given;  // option, text: in order
};

void bind_option(Bound& bound, const OptionSpec& spec) {
  auto* given = &bound.given;
  const std::string name = spec.name;
  if (spec.is_flag) {
    bound.app->add_flag_callback(
        "--" + name, [given, name] { given->emplace_back(name, "true"); }, spec.help);
    return;
  }
  std::string help = spec.help;
  if (const auto value = spec.value(); const auto* text = std::get_if<std::string>(&value.data)) {
    help += " [" + *text + "]";
  } else if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
    help += " [" + std::to_string(*number) + "]";
  }
  CLI::Option* option = bound.app->add_option_function<std::string>(
      spec.positional ? name : "--" + name,
      [given, name](const std::string& text) { given->emplace_back(name, text); },
      help);
  option->type_name(spec.positional ? "" : spec.value_name)->required(spec.required);
  if (!spec.positional) {
    option->take_last();
  }
}

// "data generate" becomes the subcommand "generate" of the subcommand "data".
CLI::App* add_subcommand(CLI::App& root, const Command& command) {
  const std::string name = command.name();
  const std::size_t space = name.find(' ');
  if (space == std::string::npos) {
    return root.add_subcommand(name, command.summary());
  }
  const std::string group = name.substr(0, space);
  const auto found = root.get_subcommands([&](CLI::App* sub) { return sub->get_name() == group; });
  CLI::App* parent = found.empty() ? nullptr : found.front();
  if (parent == nullptr) {
    parent = root.add_subcommand(group, "see dlbench " + group + " --help");
    parent->require_subcommand(1);
  }
  return parent->add_subcommand(name.substr(space + 1), command.summary());
}

std::string deepest_name(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? std::string() : app.get_subcommands().front()->get_name();
}

// The names that could have been meant at the point where parsing stopped.
std::vector<std::string> candidates(const CLI::App& root,
                                    const std::vector<Bound>& commands,
                                    bool option) {
  for (const Bound& bound : commands) {
    if (bound.app->parsed() && option) {
      return bound.options->names();
    }
  }
  std::vector<std::string> names;
  const CLI::App* level = &root;
  if (const std::string group = deepest_name(root); !group.empty()) {
    level = root.get_subcommand(group);
  }
  for (const CLI::App* sub : level->get_subcommands(nullptr)) {
    names.push_back(sub->get_name());
  }
  return names;
}

int parse_failed(const CLI::App& root,
                 const CLI::ParseError& error,
                 const std::vector<Bound>& commands) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    return root.exit(error);  // --help, --version
  }
  std::string message = error.what();
  const std::vector<std::string> extras = root.remaining(true);
  if (!extras.empty()) {
    const bool option = extras.front().starts_with("--");
    message = core::unknown_name_message(
        option ? "option" : "command", extras.front(), candidates(root, commands, option));
  }
  throw Error(ErrorCode::kUsage, message + " (see dlbench --help)");
}

void print_error(const std::string& message) {
  core::log::progress("");
  std::fputs(("dlbench: " + message + "\n").c_str(), stderr);
}

// Ends all ranks with the error of one. An error that all have (a bad option) is rank 0's to print:
// the others give it time for that.
void end_launch(comm::Rendezvous& ranks, const std::string& message, int code) {
  if (ranks.rank() != 0) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  print_error(ranks.rank() == 0 ? message
                                : "[rank " + std::to_string(ranks.rank()) + "] " + message);
  ranks.abort(code);
}

// On several ranks an error must not leave the others waiting, so it ends the launch right here.
int run_on_ranks(Bound& bound, const Invocation& invocation) {
  try {
    return bound.command->run(*bound.options, invocation);
  } catch (const Error& error) {
    if (invocation.ranks.size() == 1) {
      throw;
    }
    end_launch(invocation.ranks, error.what(), core::exit_code(error.code()));
  } catch (const std::exception& error) {
    if (invocation.ranks.size() == 1) {
      throw;
    }
    end_launch(invocation.ranks, error.what(), 1);
  }
  return 1;
}

int run_parsed(Bound& bound, const std::vector<std::string>& arguments) {
  for (const auto& [name, text] : bound.given) {
    bound.options->set(name, text, OptionSource::kCommandLine);
  }
  for (const auto& [name, text] : bound.given) {
    if (name == "config") {
      read_config_file(text, *bound.options);
    }
  }
  if (!bound.command->parallel()) {
    comm::LoneRank alone;
    return announced_rank() == 0 ? bound.command->run(*bound.options, {arguments, alone}) : 0;
  }
  const std::unique_ptr<comm::Rendezvous> ranks = join_launch();
  if (ranks->rank() != 0) {
    core::log::set_level(core::log::Level::kQuiet);
  }
  return run_on_ranks(bound, {arguments, *ranks});
}

int parse_and_run(int argc, const char* const* argv) {
  CLI::App root{
      "dlbench: where training time goes, how it scales, what the hardware did.\n"
      "Start with: dlbench run --workload resunetpp"};
  root.set_version_flag("--version",
                        core::build_info().version + " (" + core::build_info().git_commit + ")");
  root.require_subcommand(1);
  root.set_help_all_flag("--help-all", "Help of all commands");
  std::vector<Bound> commands;
  for (auto& command : command_list()) {
    Bound bound;
    bound.command = std::move(command);
    commands.push_back(std::move(bound));
  }
  for (Bound& bound : commands) {
    bound.app = add_subcommand(root, *bound.command);
    bound.app->footer(bound.command->details());
    bound.command->add_options(*bound.options);
    for (const OptionSpec& spec : bound.options->specs()) {
      bind_option(bound, spec);
    }
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_failed(root, error, commands);
  }
  for (Bound& bound : commands) {
    if (bound.app->parsed()) {
      return run_parsed(bound, {argv, argv + argc});
    }
  }
  throw Error(ErrorCode::kUsage, "no command given (see dlbench --help)");
}

}  // namespace

int run_command_line(int argc, const char* const* argv) noexcept {
  try {
    return parse_and_run(argc, argv);
  } catch (const Error& error) {
    if (announced_rank() == 0) {  // the others say the same
      print_error(error.what());
    }
    return core::exit_code(error.code());
  } catch (const core::CheckFailure& failure) {
    print_error(std::string("internal error, please report it: ") + failure.what());
  } catch (const std::bad_alloc&) {
    print_error("out of memory; a smaller --batch-size or --image-size needs less");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return 1;
}

}  // namespace dlbench::harness
