// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A subcommand: a name, its options, and what it does. command_line.h finds and runs it.
#pragma once

#include "engine/comm/rendezvous.h"
#include "harness/commands/option_set.h"

#include <memory>
#include <string>
#include <vector>

namespace dlbench::harness {

/// What main() was called with, for the report.
struct Invocation {
  std::vector<std::string> arguments;  ///< argv, the program's name included
  std::vector<std::string> launched;   ///< what followed "--"; see Command::launches()
  comm::Rendezvous& ranks;             ///< the ranks of this launch; a single one unless parallel()
};

/// One subcommand. add_options() binds members of the command; run() reads them.
class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /// "run", or with a space for a nested one: "data generate".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Returns one line for the list of commands.
  [[nodiscard]] virtual std::string summary() const = 0;
  /// Returns the text after the options in --help: examples, exit codes. May be empty.
  [[nodiscard]] virtual std::string details() const { return {}; }
  /// Whether all ranks of a launch run this together. Other commands run on rank 0 only.
  [[nodiscard]] virtual bool parallel() const { return false; }
  /// Whether "--" ends this command's own options and another dlbench command follows.
  [[nodiscard]] virtual bool launches() const { return false; }
  virtual void add_options(OptionSet& options) = 0;
  /// Throws what run() would throw for the options alone, before anything is opened or measured.
  virtual void check() const {}
  /// Throws what run() would throw for these options on the number of ranks that the launch has, or
  /// will have.
  virtual void check_ranks(int /*available*/) const {}
  /// Runs the command. Returns the exit code, or throws core::Error.
  [[nodiscard]] virtual int run(const OptionSet& options, const Invocation& invocation) = 0;
};

// One factory per file of this folder; command_list() has them all, in the order of --help.
[[nodiscard]] std::unique_ptr<Command> make_run_command();
[[nodiscard]] std::unique_ptr<Command> make_train_command();
[[nodiscard]] std::unique_ptr<Command> make_comm_command();
[[nodiscard]] std::unique_ptr<Command> make_scale_command();
[[nodiscard]] std::unique_ptr<Command> make_verify_command();
[[nodiscard]] std::unique_ptr<Command> make_data_generate_command();
[[nodiscard]] std::unique_ptr<Command> make_data_inspect_command();
[[nodiscard]] std::unique_ptr<Command> make_list_command();
[[nodiscard]] std::unique_ptr<Command> make_report_show_command();
[[nodiscard]] std::unique_ptr<Command> make_report_validate_command();
[[nodiscard]] std::unique_ptr<Command> make_report_compare_command();
[[nodiscard]] std::unique_ptr<Command> make_report_plot_command();
[[nodiscard]] std::unique_ptr<Command> make_info_command();
/// Makes one command per launcher of launchers/.
[[nodiscard]] std::vector<std::unique_ptr<Command>> make_launch_commands();

[[nodiscard]] std::vector<std::unique_ptr<Command>> command_list();

}  // namespace dlbench::harness
