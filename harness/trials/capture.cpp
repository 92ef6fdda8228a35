// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/capture.h"

#include "engine/core/error.h"
#include "engine/core/trace.h"
#include "harness/trials/step_loop.h"

#include <charconv>
#include <exception>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

// An arm that notifies the profiler before its first wanted step and after its last. A step's
// region surrounds step(); so that the capture contains each wanted one completely, it begins after
// the previous step and ends when the last step has left the device.
class CapturedArm final : public Arm {
 public:
  CapturedArm(Arm& arm,
              const StepRange& range,
              backend::Backend& backend,
              const std::function<void(bool)>& listener)
      : Arm(arm.id()), arm_(arm), range_(range), backend_(backend), listener_(listener) {}
  ~CapturedArm() override {
    if (capturing_) {  // a step threw, whose error is the one to report
      try {
        end();
      } catch (const std::exception&) {
      }
    }
  }

  void prepare() override {
    arm_.prepare();
    begin_before(step_);
  }
  std::optional<StepSample> step() override {
    std::optional<StepSample> sample = arm_.step();
    begin_before(++step_);
    return sample;
  }
  std::optional<StepSample> drain() override {
    std::optional<StepSample> sample = arm_.drain();
    if (!sample.has_value() && capturing_) {
      end();
    }
    return sample;
  }
  void finish() override { arm_.finish(); }

 private:
  void begin_before(std::int64_t step) {
    if (step != range_.first) {
      return;
    }
    capturing_ = backend_.set_profiler_capture(true);
    if (!capturing_) {
      throw Error(ErrorCode::kUnavailable,
                  "--capture-steps: the backend '" + std::string(backend_.name()) +
                      "' cannot tell a profiler of its steps");
    }
    if (listener_) {
      listener_(true);
    }
  }

  void end() {
    capturing_ = false;
    backend_.set_profiler_capture(false);
    if (listener_) {
      listener_(false);
    }
  }

  Arm& arm_;
  StepRange range_;
  backend::Backend& backend_;
  const std::function<void(bool)>& listener_;
  std::int64_t step_ = 0;
  bool capturing_ = false;
};

}  // namespace

StepRange parse_step_range(const std::string& text) {
  constexpr std::int64_t kMax = std::int64_t{1} << 20;
  StepRange range;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first);
  if (first.ec == std::errc{} && first.ptr != end && *first.ptr == '-') {
    const auto last = std::from_chars(first.ptr + 1, end, range.last);
    if (last.ec == std::errc{} && last.ptr == end && range.first >= 0 &&
        range.last >= range.first && range.last < kMax) {
      return range;
    }
  }
  throw Error(ErrorCode::kUsage,
              "--capture-steps: '" + text +
                  "' is no range of steps; wanted FIRST-LAST, both included and counted from 0: "
                  "20-49");
}

void check_capture(const backend::Backend& backend) {
  if (backend.device().kind != "cuda") {
    throw Error(ErrorCode::kUnavailable,
                "--capture-steps marks steps for NVIDIA's profilers, and this run computes on " +
                    backend.device().kind + ": choose --device cuda, or --trace for a timeline");
  }
}

void capture_steps(Arm& arm,
                   const StepRange& range,
                   backend::Backend& backend,
                   RunGuard& guard,
                   const std::function<void(bool)>& listener) {
  const std::string trial = arm.id().to_string();
  CapturedArm captured(arm, range, backend, listener);
  const core::trace::Region trial_region(core::trace::Category::kTrial, trial);
  captured.prepare();
  {
    const core::trace::Region region(core::trace::Category::kRepetition, "captured repetition");
    static_cast<void>(time_steps(captured, RepetitionLength::exactly(range.last + 1), &guard));
  }
  captured.finish();
}

TrialId captured_trial(const std::string& name) {
  const std::vector<TrialId> trials = parse_trials(name, SyntheticTrials::kByMemory);
  if (trials.size() != 1) {
    throw Error(ErrorCode::kUsage,
                "--capture-trial: '" + name +
                    "' is more than one trial; choose one, such as synthetic/device or full");
  }
  if (!trials.front().trains()) {
    throw Error(ErrorCode::kUsage,
                "--capture-trial: '" + name +
                    "' has no step of the network for a profiler to see; choose one that has, such "
                    "as synthetic/device or full");
  }
  return trials.front();
}

}  // namespace dlbench::harness
