// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/command.h"

#include <utility>

namespace dlbench::harness {

std::vector<std::unique_ptr<Command>> command_list() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_run_command());
  commands.push_back(make_train_command());
  commands.push_back(make_comm_command());
  commands.push_back(make_scale_command());
  commands.push_back(make_verify_command());
  commands.push_back(make_data_generate_command());
  commands.push_back(make_data_inspect_command());
  commands.push_back(make_list_command());
  commands.push_back(make_report_show_command());
  commands.push_back(make_report_validate_command());
  commands.push_back(make_report_compare_command());
  commands.push_back(make_report_plot_command());
  for (auto& launch : make_launch_commands()) {
    commands.push_back(std::move(launch));
  }
  commands.push_back(make_info_command());
  return commands;
}

}  // namespace dlbench::harness
