// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/command_line.h"

#include "engine/core/build_info.h"
#include "engine/core/check.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/commands/command.h"
#include "harness/commands/failure.h"
#include "harness/commands/meeting_watch.h"
#include "harness/commands/parse_error.h"
#include "harness/commands/same_start.h"
#include "harness/commands/standard_streams.h"
#include "harness/faults/fault_watch.h"
#include "harness/ranks.h"
#include "launchers/launch_environment.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

void bind_option(BoundCommand& bound, const OptionSpec& spec) {
  auto* given = &bound.given;
  const std::string name = spec.name;
  if (spec.is_flag) {
    bound.app
        ->add_flag_callback(
            "--" + name, [given, name] { given->emplace_back(name, "true"); }, spec.help)
        ->disable_flag_override();
    return;
  }
  std::string help = spec.help;
  if (const auto value = spec.value(); const auto* text = std::get_if<std::string>(&value.data)) {
    help += text->empty() ? "" : " [" + *text + "]";
  } else if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
    help += " [" + std::to_string(*number) + "]";
  } else if (const auto* real = std::get_if<double>(&value.data)) {
    help += fmt::format(" [{:g}{}]", *real, spec.value_name == "S" ? " s" : "");
  }
  const std::string letter = spec.letter.empty() ? "" : "-" + spec.letter + ",";
  const std::string shown = spec.positional ? name : letter + spec.shown();
  const auto give = [given, name](const std::string& text) { given->emplace_back(name, text); };
  const auto give_all = [give](const std::vector<std::string>& texts) {
    std::for_each(texts.begin(), texts.end(), give);
  };
  CLI::Option* option =
      spec.repeated
          ? bound.app->add_option_function<std::vector<std::string>>(shown, give_all, help)
          : bound.app->add_option_function<std::string>(shown, give, help);
  option->type_name(spec.positional ? "" : spec.value_name)->required(spec.required);
  if (!spec.positional && !spec.repeated) {
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

/// All commands, bound to a parser.
class Parser {
 public:
  Parser() {
    root_.set_version_flag("--version",
                           core::build_info().version + " (" + core::build_info().git_commit + ")");
    root_.require_subcommand(1);
    root_.set_help_all_flag("--help-all", "Help of all commands");
    root_.footer(
        "Environment:\n"
        "  DLBENCH_CACHE_DIR           Folder for tuning, measured peaks and generated data, "
        "instead\n"
        "                              of $XDG_CACHE_HOME/dlbench, ~/.cache/dlbench or, without a\n"
        "                              home, dlbench-cache-UID among the temporary files");
    for (auto& command : command_list()) {
      BoundCommand bound;
      bound.command = std::move(command);
      commands_.push_back(std::move(bound));
    }
    for (BoundCommand& bound : commands_) {
      bound.app = add_subcommand(root_, *bound.command);
      bound.app->footer(bound.command->details());
      bound.command->add_options(*bound.options);
      for (const OptionSpec& spec : bound.options->specs()) {
        bind_option(bound, spec);
      }
    }
  }

  /// Returns the command in `arguments` (the program's name first) with its options set. Throws
  /// Error, and CLI::Success for --help and --version.
  BoundCommand& parse(const std::vector<std::string>& arguments) {
    std::vector<const char*> pointers;
    pointers.reserve(arguments.size());
    for (const std::string& argument : arguments) {
      pointers.push_back(argument.c_str());
    }
    refuse_wrong_values(arguments);
    try {
      root_.parse(static_cast<int>(pointers.size()), pointers.data());
    } catch (const CLI::Success&) {
      throw;
    } catch (const CLI::ParseError& error) {
      throw parse_error(root_, error, commands_);
    }
    for (BoundCommand& bound : commands_) {
      if (bound.app->parsed()) {
        set_options(bound);
        return bound;
      }
    }
    throw Error(ErrorCode::kUsage, "no command given (see dlbench --help)");
  }

  /// Prints what --help or --version requested; returns the exit code.
  int print(const CLI::Success& request) const { return root_.exit(request); }

  /// Whether `arguments` name a command whose ranks work together, or no command at all: then the
  /// other ranks may have one.
  [[nodiscard]] bool parallel(const std::vector<std::string>& arguments) const {
    const auto named = std::ranges::find_if(commands_, [&](const BoundCommand& bound) {
      return arguments.size() > 1 && (bound.command->name() == arguments[1] ||
                                      bound.command->name().starts_with(arguments[1] + " "));
    });
    return named == commands_.end() || named->command->parallel();
  }

  /// Whether "--" in `arguments` starts another command line: "launch slurm", and also "launch
  /// slrm", so that the error is about that word.
  [[nodiscard]] bool launches(const std::vector<std::string>& arguments) const {
    return arguments.size() > 1 &&
           std::any_of(commands_.begin(), commands_.end(), [&](const BoundCommand& bound) {
             return bound.command->launches() &&
                    bound.command->name().starts_with(arguments[1] + " ");
           });
  }

 private:
  // Refuses "--config= --dry-run" and "--config --dry-run", for which CLI11 would take the next
  // argument as the value, and "--strict=no", since a flag takes no value.
  void refuse_wrong_values(const std::vector<std::string>& arguments) const {
    for (std::size_t index = 0; index < arguments.size(); ++index) {
      const std::string& argument = arguments[index];
      const std::size_t equals = argument.find('=');
      const std::string name = long_name(argument);
      const bool known = is_known(name);
      if (equals == std::string::npos) {
        if (known && no_command_has(name, /*is_flag=*/true) && index + 1 < arguments.size() &&
            arguments[index + 1].find('=') == std::string::npos &&
            is_known(long_name(arguments[index + 1]))) {
          throw Error(ErrorCode::kUsage,
                      "--" + name + " wants a value, but '" + arguments[index + 1] +
                          "' follows (see dlbench --help)");
        }
        continue;
      }
      if (known && equals + 1 == argument.size()) {
        throw Error(ErrorCode::kUsage, "--" + name + ": the value is empty (see dlbench --help)");
      }
      if (known && no_command_has(name, /*is_flag=*/false)) {
        throw Error(ErrorCode::kUsage,
                    "--" + name + " takes no value, but was given '" + argument.substr(equals + 1) +
                        "': leave the option out to turn it off");
      }
    }
  }

  [[nodiscard]] bool is_known(const std::string& option) const {
    return std::ranges::any_of(commands_, [&option](const BoundCommand& bound) {
      return bound.options->contains(option);
    });
  }

  /// Whether no command has an option of this name that is a flag, or that is not one.
  [[nodiscard]] bool no_command_has(const std::string& name, bool is_flag) const {
    return std::ranges::none_of(commands_, [&](const BoundCommand& bound) {
      return std::ranges::any_of(bound.options->specs(), [&](const OptionSpec& spec) {
        return spec.name == name && spec.is_flag == is_flag;
      });
    });
  }

  // Launchers pass standard input to rank 0 and let the others wait for its end.
  static void refuse_input_of_one_rank(const std::string& file) {
    if ((file == "-" || file == "/dev/stdin") && of_several_ranks()) {
      throw Error(ErrorCode::kUsage,
                  "--config " + file +
                      ": of several ranks one alone has a standard input; give a file that all can "
                      "read");
    }
  }

  static void set_options(BoundCommand& bound) {
    std::optional<double> timeout_s;
    for (const auto& [name, text] : bound.given) {
      if (name == "timeout") {
        timeout_s = parse_seconds("--timeout", text);
      }
    }
    // The file first, so that its errors are reported even where the command line overrides it.
    for (const auto& [name, text] : bound.given) {
      if (name == "config") {
        refuse_input_of_one_rank(text);
        read_config_file(text, *bound.options, timeout_s);
      }
    }
    for (const auto& [name, text] : bound.given) {
      bound.options->set(name, text, OptionSource::kCommandLine);
    }
    bound.options->check_exclusions();
  }

  CLI::App root_{
      "dlbench: where training time goes, how it scales, what the hardware did.\n"
      "Start with: dlbench run --workload resunetpp"};
  std::vector<BoundCommand> commands_;
};

// Ends all ranks with the error of one. Whatever it is, rank 0 prints and reports it, and the
// others give it time to do so.
void end_launch(comm::Rendezvous& ranks, ErrorCode code, const std::string& message) {
  FaultWatch& watch = fault_watch();
  const Fault fault = watch.declare(own_fault(ranks, code, message));
  if (ranks.rank() != 0) {
    watch.await_rank_0();
  }
  watch.announce([&] {
    const std::string& said = fault.detail == message ? message : fault.text();
    core::log::error(said_by(ranks.rank(), said));
    await_reader(STDERR_FILENO);
  });
  ranks.abort(core::exit_code(fault.code));
}

// Says so if a wrong option value came from the config file.
template <typename Work>
int naming_config_file(const OptionSet& options, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUsage) {
      throw;
    }
    throw Error(error.code(), options.with_origin(error.what()));
  }
}

// With several ranks an error must not leave the others waiting, so it ends the launch here.
int run_on_ranks(const BoundCommand& bound, const Invocation& invocation) {
  try {
    check_same_start(invocation.ranks, bound.command->name(), *bound.options);
    return naming_config_file(*bound.options, [&] {
      bound.command->check();
      bound.command->check_ranks(invocation.ranks.size());
      return bound.command->run(*bound.options, invocation);
    });
  } catch (const Error& error) {
    if (invocation.ranks.size() == 1) {
      throw;
    }
    end_launch(invocation.ranks, error.code(), error.what());
  } catch (const std::exception& failure) {
    if (invocation.ranks.size() == 1) {
      throw;
    }
    const Error error = as_error(failure);
    end_launch(invocation.ranks, error.code(), error.what());
  }
  return 1;
}

// Returns an option in seconds, such as --timeout; nothing if the command lacks it or a value.
std::optional<double> seconds_of(const OptionSet& options, std::string_view name) {
  for (const OptionSpec& spec : options.specs()) {
    const reports::Value value = spec.value();
    if (const auto* seconds = std::get_if<double>(&value.data);
        spec.name == name && seconds != nullptr) {
      return *seconds;
    }
  }
  return std::nullopt;
}

// A command line that is wrong on one rank (a config file that only some nodes have) may be right
// on the others, which wait for this one: all ranks join, and end with the error of the lowest rank
// with one. `run` is for ranks without an error.
int join_and_run(std::optional<Error> wrong,
                 std::optional<double> timeout_s,
                 const std::function<int(comm::Rendezvous&)>& run) {
  try {
    fault_watch().prepare(launchers::detect_launch(core::environment()));
  } catch (const Error& error) {  // a variable that is wrong, on this node say
    wrong = wrong.has_value() ? wrong : error;
  }
  MeetingWatch meeting(timeout_s);  // after the sentinel, which is forked off one thread
  const std::unique_ptr<comm::Rendezvous> ranks = join_launch();
  if (ranks->rank() != 0) {
    core::log::silence();
  }
  fault_watch().join(*ranks);
  meeting.met();
  const auto end_with = [&ranks](int code) {
    fault_watch().leave();
    ranks->note_exit_code(code);
    return code;
  };
  try {
    together(*ranks, [&] {
      if (wrong.has_value()) {
        throw Error(*wrong);
      }
    });
  } catch (const Error& error) {
    if (ranks->size() == 1) {
      throw;
    }
    if (ranks->rank() == 0) {  // all have it, and none waits for another
      core::log::error(error.what());
    }
    return end_with(core::exit_code(error.code()));
  }
  return end_with(run(*ranks));
}

int run_parsed(const BoundCommand& bound,
               const std::vector<std::string>& arguments,
               const std::vector<std::string>& launched) {
  if (!bound.command->parallel()) {
    if (const int rank = announced_rank(); rank != 0) {
      // A left-over variable looks the same, so a user with a single process gets an explanation.
      core::log::info("dlbench " + bound.command->name() + ": left to rank 0; this is rank " +
                      std::to_string(rank) + " by its environment (see `dlbench info`)");
      return 0;
    }
    comm::LoneRank alone;
    return naming_config_file(*bound.options, [&] {
      bound.command->check();
      return bound.command->run(*bound.options, {arguments, launched, alone});
    });
  }
  return join_and_run(
      std::nullopt, seconds_of(*bound.options, "timeout"), [&](comm::Rendezvous& ranks) {
        return run_on_ranks(bound, {arguments, launched, ranks});
      });
}

int parse_and_run(int argc, const char* const* argv) {
  Parser parser;
  const std::vector<std::string> arguments(argv, argv + argc);
  std::vector<std::string> own = arguments;
  std::vector<std::string> launched;
  if (const auto dashes = std::find(own.begin(), own.end(), "--");
      dashes != own.end() && parser.launches(own)) {
    launched.assign(dashes + 1, own.end());
    own.erase(dashes, own.end());
  }
  const BoundCommand* bound = nullptr;
  try {
    bound = &parser.parse(own);
  } catch (const CLI::Success& request) {
    return parser.print(request);
  } catch (const Error& wrong) {
    if (!of_several_ranks() || !parser.parallel(own)) {
      throw;
    }
    return join_and_run(wrong, std::nullopt, [](comm::Rendezvous& /*ranks*/) { return 0; });
  }
  return run_parsed(*bound, arguments, launched);
}

}  // namespace

int run_command_line(int argc, const char* const* argv) noexcept {
  try {
    fill_closed_descriptors();
    block_on_standard_streams();
    keep_failed_writes_alive();
    return deliver_results(parse_and_run(argc, argv));
  } catch (const BrokenLaunch& error) {
    core::log::error(error.what());
    return core::exit_code(error.code());
  } catch (const Error& error) {
    if (announced_rank() == 0) {  // the others say the same
      core::log::error(error.what());
    }
    return core::exit_code(error.code());
  } catch (const std::exception& failure) {
    core::log::error(as_error(failure).what());
  }
  return 1;
}

CheckedCommandLine check_command_line(const std::vector<std::string>& arguments, int ranks) {
  Parser parser;
  std::vector<std::string> with_program = {"dlbench"};
  with_program.insert(with_program.end(), arguments.begin(), arguments.end());
  try {
    const BoundCommand& bound = parser.parse(with_program);
    if (bound.command->launches()) {
      throw Error(ErrorCode::kUsage, "a job that launches a job: give the inner command alone");
    }
    bound.command->check();
    bound.command->check_ranks(ranks);
    CheckedCommandLine checked;
    constexpr std::array<std::string_view, 6> kWritten{
        "output", "trace", "benchy", "checkpoint", "record-probes", "dump"};
    for (const OptionSpec& spec : bound.options->specs()) {
      if (const reports::Value value = spec.value(); spec.name == "device") {
        checked.device = std::get<std::string>(value.data);
      }
      if (spec.source == OptionSource::kDefault) {
        checked.unset.push_back(spec.name);
        continue;
      }
      checked.set.push_back(spec.name);
      const reports::Value value = spec.value();
      if (const auto* file = std::get_if<std::string>(&value.data);
          file != nullptr && std::ranges::find(kWritten, spec.name) != kWritten.end()) {
        checked.written.emplace_back(spec.name, *file);
      }
    }
    checked.timeout_s = seconds_of(*bound.options, "timeout");
    checked.time_budget_s = seconds_of(*bound.options, "time-budget");
    return checked;
  } catch (const CLI::Success&) {
    throw Error(ErrorCode::kUsage, "there is nothing to launch: the command only prints its help");
  }
}

}  // namespace dlbench::harness
