// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/device_fault.h"

#include "harness/faults/non_finite_loss.h"
#include "harness/trials/trial_runner.h"
#include "tests/engine/comm/thread_rendezvous.h"

#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

RunnerOptions options() {
  RunnerOptions options;
  options.stopping.min_repetitions = 3;
  options.stopping.max_time_s = 0.001;
  options.steps = 4;
  return options;
}

enum class FailsIn { kWarmUp, kPreparation, kWindow };

// Steps until the device fails, in a window or before one.
class FailingArm final : public Arm {
 public:
  explicit FailingArm(core::ErrorCode code, FailsIn where = FailsIn::kWindow)
      : Arm({reports::TrialKind::kSynthetic, ""}), code_(code), where_(where) {}
  void prepare() override {
    if (where_ == FailsIn::kPreparation && ++prepared_ > 1) {  // the first one is the warm-up's
      throw core::Error(code_, "a kernel failed");
    }
  }
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(std::chrono::microseconds(10));  // more than a tick of any clock
    if ((watched || where_ == FailsIn::kWarmUp) && ++steps_ > 2) {
      throw core::Error(code_, "a kernel failed");
    }
    return StepSample{.samples = 2};
  }
  void finish() override {}

  bool watched = false;  ///< a window is open

 private:
  core::ErrorCode code_;
  FailsIn where_;
  int steps_ = 0;
  int prepared_ = 0;
};

TEST(TrialRunner, AFailedStepNamesWhatTheDriverReported) {
  struct Case {
    core::ErrorCode thrown;
    std::string fault;
    core::ErrorCode code;
    std::string what;
  };
  for (const Case& example :
       {Case{core::ErrorCode::kRun, "Xid 79", core::ErrorCode::kRun, "a kernel failed; Xid 79"},
        Case{core::ErrorCode::kLibrary, "Xid 79", core::ErrorCode::kRun, "a kernel failed; Xid 79"},
        Case{core::ErrorCode::kTimeout,
             "Xid 8",
             core::ErrorCode::kTimeout,
             "a kernel failed; Xid 8"},
        Case{core::ErrorCode::kLibrary, "", core::ErrorCode::kLibrary, "a kernel failed"},
        Case{core::ErrorCode::kInterrupted,
             "Xid 79",
             core::ErrorCode::kInterrupted,
             "a kernel failed"}}) {
    RunGuard guard(std::nullopt);
    comm::LoneRank alone;
    RankGroup group(alone);
    TrialRunner runner(options(), group, guard);
    auto failing = std::make_unique<FailingArm>(example.thrown);
    runner.hooks().begin_window = [arm = failing.get()](const TrialId& /*id*/) {
      arm->watched = true;
    };
    runner.hooks().end_window = [&] {
      return probes::DeviceConditions{.reported = {.possible_cause = example.fault}};
    };
    std::vector<std::unique_ptr<Arm>> arms;
    arms.push_back(std::move(failing));
    try {
      runner.run(arms);
      FAIL() << "no error";
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), example.code);
      EXPECT_EQ(error.what(), example.what);
    }
  }
}

TEST(TrialRunner, AFailureOutsideOfAWindowNamesWhatTheDriverReportedToo) {
  for (const FailsIn where : {FailsIn::kWarmUp, FailsIn::kPreparation}) {
    RunGuard guard(std::nullopt);
    comm::LoneRank alone;
    RankGroup group(alone);
    TrialRunner runner(options(), group, guard);
    runner.hooks().failure.device_fault = [] { return "Xid 79"; };
    std::string declared;
    runner.hooks().failure.on_failure = [&](const core::Error& error) { declared = error.what(); };
    std::vector<std::unique_ptr<Arm>> arms;
    arms.push_back(std::make_unique<FailingArm>(core::ErrorCode::kLibrary, where));
    try {
      runner.run(arms);
      FAIL() << "no error";
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kRun);
      EXPECT_STREQ(error.what(), "a kernel failed; Xid 79");
    }
    EXPECT_EQ(declared, "a kernel failed; Xid 79");
  }
}

// What a caller knows by its class stays that.
TEST(NamingDeviceFaults, ThrowsWhatWasThrownWhereNothingIsToBeSaid) {
  struct Special : core::Error {
    using core::Error::Error;
  };
  const auto fail = [] { throw Special(core::ErrorCode::kRun, "NaN"); };
  EXPECT_THROW(naming_device_faults(fail, nullptr), Special);
  EXPECT_THROW(naming_device_faults(fail, [] { return ""; }), Special);
}

// Another rank's next loss is its consequence, and must not be known before it.
TEST(NamingDeviceFaults, OfALossThatIsNotFiniteAsksNobody) {
  bool asked = false;
  const auto fault = [&] {
    asked = true;
    return "Xid 79";
  };
  try {
    naming_device_faults([] { throw NonFiniteLoss("the loss is nan"); }, fault);
    FAIL() << "no error";
  } catch (const NonFiniteLoss& error) {
    EXPECT_STREQ(error.what(), "the loss is nan");
    EXPECT_EQ(error.code(), core::ErrorCode::kRun);
  }
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace dlbench::harness
