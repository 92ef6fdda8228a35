// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/capture.h"

#include "engine/core/error.h"
#include "tests/error_message.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

// A device that only notes what a profiler is told.
class MarkedBackend final : public backend::Backend {
 public:
  explicit MarkedBackend(std::string kind) : kind_(std::move(kind)) {}
  [[nodiscard]] std::string_view name() const override { return "marked"; }
  [[nodiscard]] backend::DeviceInfo device() const override { return {.kind = kind_}; }
  [[nodiscard]] bool supports(core::DType /*dtype*/, std::string* /*why*/) const override {
    return false;
  }
  [[nodiscard]] std::unique_ptr<backend::Buffer> allocate(std::size_t /*bytes*/) override {
    return nullptr;
  }
  [[nodiscard]] std::unique_ptr<backend::Stream> create_stream() override { return nullptr; }
  [[nodiscard]] core::HostAllocator& host_allocator() override {
    throw core::Error(core::ErrorCode::kUnavailable, "no memory here");
  }
  [[nodiscard]] bool reads_host_memory() const override { return true; }
  [[nodiscard]] std::unique_ptr<backend::LoweredGraph> lower(
      const graph::Graph& /*graph*/, const backend::LoweringOptions& /*options*/) override {
    return nullptr;
  }
  bool set_profiler_capture(bool on) override {
    capturing = on;
    if (!on && fails_to_end) {
      throw core::Error(core::ErrorCode::kRun, "cudaProfilerStop failed");
    }
    return true;
  }

  bool capturing = false;
  bool fails_to_end = false;

 private:
  std::string kind_;
};

// Notes which of its steps a profiler sees; throws in step `failing`.
class WatchedArm final : public Arm {
 public:
  explicit WatchedArm(const MarkedBackend& backend, std::int64_t failing = -1)
      : Arm({reports::TrialKind::kFull, ""}), backend_(backend), failing_(failing) {}
  void prepare() override {}
  std::optional<StepSample> step() override {
    if (backend_.capturing) {
      captured.push_back(steps);
    }
    if (steps == failing_) {
      throw core::Error(core::ErrorCode::kRun, "the loss is NaN");
    }
    ++steps;
    return StepSample{.samples = 1};
  }
  void finish() override {}

  std::int64_t steps = 0;
  std::vector<std::int64_t> captured;

 private:
  const MarkedBackend& backend_;
  std::int64_t failing_;
};

TEST(CaptureSteps, ShowsTheProfilerTheClosedInterval) {
  MarkedBackend backend("cuda");
  RunGuard guard(std::nullopt);
  WatchedArm arm(backend);
  capture_steps(arm, parse_step_range("20-49"), backend, guard);
  EXPECT_EQ(arm.steps, 50);
  ASSERT_EQ(arm.captured.size(), 30U);
  EXPECT_EQ(arm.captured.front(), 20);
  EXPECT_EQ(arm.captured.back(), 49);
  EXPECT_FALSE(backend.capturing);
}

TEST(CaptureSteps, TellsWhoListensOfTheSameSteps) {
  for (const std::int64_t failing : {-1, 4}) {
    MarkedBackend backend("cuda");
    RunGuard guard(std::nullopt);
    WatchedArm arm(backend, failing);
    std::vector<std::pair<bool, std::int64_t>> heard;
    const auto capture = [&] {
      capture_steps(
          arm, {3, 5}, backend, guard, [&](bool on) { heard.emplace_back(on, arm.steps); });
    };
    if (failing < 0) {
      capture();
    } else {
      EXPECT_THROW(capture(), core::Error);
    }
    const std::int64_t after_last = failing < 0 ? 6 : failing;
    EXPECT_EQ(heard, (std::vector<std::pair<bool, std::int64_t>>{{true, 3}, {false, after_last}}));
  }
}

TEST(CaptureSteps, EndsTheCaptureWhenAStepFails) {
  MarkedBackend backend("cuda");
  RunGuard guard(std::nullopt);
  WatchedArm arm(backend, 2);
  EXPECT_THROW(capture_steps(arm, {1, 5}, backend, guard), core::Error);
  EXPECT_EQ(arm.captured, (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(backend.capturing);
}

TEST(CaptureSteps, ACaptureThatCannotEndIsAnErrorUnlessAStepHasOne) {
  for (const std::int64_t failing : {-1, 2}) {
    MarkedBackend backend("cuda");
    backend.fails_to_end = true;
    RunGuard guard(std::nullopt);
    WatchedArm arm(backend, failing);
    EXPECT_EQ(tests::error_of(
                  [&] {
                    capture_steps(arm, {1, 5}, backend, guard);
                  },
                  core::ErrorCode::kRun),
              failing < 0 ? "cudaProfilerStop failed" : "the loss is NaN");
  }
}

TEST(CaptureSteps, RefusesWhatIsNoRange) {
  for (const char* text : {"", "20", "20-", "-5-9", "49-20", "20-49x", "a-b", "1--2"}) {
    EXPECT_THROW((void)parse_step_range(text), core::Error) << text;
  }
  EXPECT_EQ(parse_step_range("7-7").last, 7);
}

TEST(CaptureSteps, NeedsADeviceWhoseProfilersKnowMarks) {
  EXPECT_NO_THROW(check_capture(MarkedBackend("cuda")));
  try {
    check_capture(MarkedBackend("cpu"));
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_EQ(core::exit_code(error.code()), 2);
  }
}

}  // namespace
}  // namespace dlbench::harness
