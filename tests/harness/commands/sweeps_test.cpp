// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The registered scaling sweeps against the options and trials that the commands know.
#include "harness/commands/listing.h"
#include "harness/commands/option_set.h"
#include "harness/commands/run_options.h"
#include "harness/trials/trial_id.h"
#include "workloads/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::harness {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Sweeps, SetOptionsThatExistToValuesThatTheyTake) {
  for (const std::string& name : workloads::sweep_names()) {
    for (const auto& variant : workloads::expand(workloads::find_sweep(name))) {
      RunOptions run;
      OptionSet options;
      add_workload_options(options, run);
      add_parallel_options(options, run);
      add_loader_options(options, run);
      add_measuring_options(options, run);
      for (const workloads::OptionSetting& setting : variant.settings) {
        EXPECT_NO_THROW(options.set(setting.option, setting.value, OptionSource::kCommandLine))
            << name << ": " << setting.option << "=" << setting.value;
      }
    }
  }
}

TEST(Sweeps, AskForTrialsThatExist) {
  std::vector<std::string> known;
  for (const TrialName& trial : trial_names()) {
    known.push_back(trial.name);
  }
  for (const std::string& name : workloads::sweep_names()) {
    for (const std::string& trial : workloads::find_sweep(name).trials) {
      EXPECT_THAT(known, Contains(trial)) << name;
    }
  }
}

TEST(Sweeps, AreListedWithTheirVariants) {
  const std::string text = list_sweeps();
  EXPECT_THAT(text, HasSubstr("weak-strong"));
  EXPECT_THAT(text, HasSubstr("mnist_cnn, weak and strong, trials io, synthetic"));
  EXPECT_THAT(text, HasSubstr("workers=8"));
}

}  // namespace
}  // namespace dlbench::harness
