// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/command.h"
#include "harness/commands/listing.h"
#include "harness/trials/trial_id.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace dlbench::harness {
namespace {

std::string list_trials() {
  std::string text = "trials\n";
  for (const TrialName& trial : trial_names()) {
    text += fmt::format("  {:<16} {}\n", trial.name, trial.description);
  }
  return text;
}

class ListCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "list"; }
  [[nodiscard]] std::string summary() const override {
    return "show workloads, data sets, backends, probes, trials and scaling sweeps of this build";
  }
  void add_options(OptionSet& options) override {
    options.add_choice("topic",
                       "one of them only",
                       topic_,
                       {"all", "workloads", "datasets", "backends", "probes", "trials", "sweeps"});
    options.positional(false);
  }
  int run(const OptionSet& /*options*/, const Invocation& /*invocation*/) override {
    std::string text;
    add(text, "workloads", list_workloads);
    add(text, "datasets", list_datasets);
    add(text, "backends", list_backends);
    add(text, "probes", list_probes);
    add(text, "trials", list_trials);
    add(text, "sweeps", list_sweeps);
    std::fputs(text.c_str(), stdout);
    return 0;
  }

 private:
  void add(std::string& text, const std::string& topic, std::string (*list)()) const {
    if (topic_ == "all" || topic_ == topic) {
      text += (text.empty() ? "" : "\n") + list();
    }
  }

  std::string topic_ = "all";
};

}  // namespace

std::unique_ptr<Command> make_list_command() { return std::make_unique<ListCommand>(); }

}  // namespace dlbench::harness
