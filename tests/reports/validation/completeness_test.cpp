// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Complete reports without something that they were asked for: validation names it.
#include "tests/reports/validation/forgery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

namespace dlbench::reports {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Completeness, TrialsThatWereAskedForAndAreNotThere) {
  const auto with_option = [](RunRecord& r) {
    r.config.effective["trials"] = "io,synthetic/device,full";
    r.config.source["trials"] = "command_line";
  };
  expect_seen({
      {[&](RunRecord& r) {
         with_option(r);
         r.attribution.reset();
         r.scaling.clear();
         r.trials.clear();
       },
       "trials: has no synthetic, which the option trials asks for"},
  });
  RunRecord record = sample_record();
  with_option(record);
  EXPECT_THAT(problems_of(record), IsEmpty());
  record.config.effective["trials"] = "io,interference";
  EXPECT_THAT(problems_of(record), Contains(HasSubstr("trials: has no interference")));
  record.run.skipped.push_back({"trial interference/step_beside_loader", "2 ranks"});
  EXPECT_THAT(problems_of(record), IsEmpty());
}

TEST(Completeness, EpochsThatWereAskedForAndAreNotThere) {
  const auto trained = [](std::size_t epochs) {
    RunRecord record = sample_record();
    record.config.effective["epochs"] = 2;
    record.config.source["epochs"] = "command_line";
    record.history.resize(epochs);
    return record;
  };
  EXPECT_THAT(problems_of(trained(2)), IsEmpty());
  EXPECT_THAT(problems_of(trained(1)),
              Contains(HasSubstr("history: has 1 of 2 epochs, and run.skipped does not say why")));
  RunRecord early = trained(1);
  early.run.skipped.push_back({"epochs 2 to 2", "stopped early: no lower validation loss"});
  EXPECT_THAT(problems_of(early), IsEmpty());
}

TEST(Completeness, LossesThatARunDoesNotGoOnWith) {
  expect_seen({
      {[](RunRecord& r) { r.trials[1].repetitions[0].step_loss[0] = std::nan(""); },
       "trials[1].repetitions[0].step_loss: has one that is not finite, which ends a run"},
      {[](RunRecord& r) { r.history[0].train_loss.reset(); },
       "history[0].train_loss: is null, but a loss that is not finite ends a training"},
  });
}

}  // namespace
}  // namespace dlbench::reports
