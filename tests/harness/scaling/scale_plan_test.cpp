// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/scale_plan.h"

#include "engine/core/error.h"
#include "tests/engine/comm/thread_rendezvous.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using core::ErrorCode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using tests::usage_error;

std::vector<ScaleSeries> weak_and_strong(std::int64_t batch_size) {
  SessionOptions session;
  session.workload = "mnist_cnn";
  session.batch_size = batch_size;
  return {{.mode = "weak", .session = session}, {.mode = "strong", .session = session}};
}

/// Its line; "" where nothing is thrown.
std::string refusal(ErrorCode code, const std::function<void()>& work) {
  try {
    work();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "";
}

TEST(PlanSizes, AllShareDataThatTheLargestBatchFits) {
  for (const ScaleSize& size : plan_sizes(weak_and_strong(6), {1, 2, 8})) {
    EXPECT_EQ(size.session.largest_global_batch, 48) << size.ranks;
    EXPECT_EQ(size.global_batch(), size.series == 0 ? 6 * size.ranks : 48);
  }
  std::vector<ScaleSeries> series = weak_and_strong(6);
  series[1].session.global_batch_size = 100;
  EXPECT_EQ(plan_sizes(series, {1, 2}).front().session.largest_global_batch, 100);
}

TEST(CheckSamples, NamesTheSizeThatNeedsMost) {
  std::vector<ScaleSeries> series = weak_and_strong(6);
  const auto check = [&](const std::vector<int>& ranks, std::int64_t samples) {
    return refusal(ErrorCode::kUsage, [&] {
      check_samples(series, plan_sizes(series, ranks), samples, "split train in 'D'");
    });
  };
  EXPECT_EQ(check({1, 2, 8}, 48), "");
  EXPECT_THAT(
      check({1, 2, 8}, 47),
      AllOf(StartsWith("weak, 8 ranks: a batch of 48 is larger than the 47 samples of split "
                       "train in 'D'; choose a --batch-size of at most 5,"),
            HasSubstr("dlbench data generate")));
  EXPECT_THAT(check({1, 2, 8}, 7), HasSubstr("choose --ranks of at most 7,"));
  series[1].session.global_batch_size = 100;
  EXPECT_THAT(check({1, 2, 8}, 60),
              AllOf(StartsWith("strong, 1 rank: a batch of 100 "),
                    HasSubstr("choose a --global-batch-size of at most 60,")));
}

TEST(TrialsOfSizes, TheSmallestSizeNeedsATrialToo) {
  const std::vector<TrialId> nocomm = parse_trials("synthetic/nocomm", SyntheticTrials::kOne);
  EXPECT_THAT(usage_error([&] {
                (void)impossible_trials(nocomm, {1, 2});
              }),
              HasSubstr("give --ranks without it"));
  EXPECT_TRUE(impossible_trials(nocomm, {2, 4}).empty());
  EXPECT_TRUE(impossible_trials(parse_trials("io,synthetic/nocomm", SyntheticTrials::kOne), {1, 2})
                  .empty());
}

TEST(TrialsOfSizes, ATrialThatNoSizeCanDoHasItsOwnReason) {
  const std::vector<TrialId> wanted =
      parse_trials("io,synthetic/nocomm,interference", SyntheticTrials::kOne);
  const std::vector<reports::SkipRecord> alone = impossible_trials(wanted, {1});
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].what, "trial synthetic/nocomm");
  EXPECT_THAT(alone[0].reason, HasSubstr("there is one rank"));
  EXPECT_EQ(trials_at(wanted, 2), parse_trials("io,synthetic/nocomm", SyntheticTrials::kOne));
  const std::vector<reports::SkipRecord> together = impossible_trials(wanted, {2, 4});
  ASSERT_EQ(together.size(), 2U);
  EXPECT_EQ(together[0].what, "trial interference/step_beside_loader");
  EXPECT_EQ(together[1].what, "trial interference/loader_beside_step");
  for (const reports::SkipRecord& skip : together) {
    EXPECT_THAT(skip.reason, HasSubstr("it runs on one rank"));
  }
  EXPECT_TRUE(impossible_trials(wanted, {1, 2}).empty());
}

TEST(OpenOrLeaveOut, StrongSizesThatDoNotFitAreLeftOut) {
  const std::vector<ScaleSeries> series = weak_and_strong(6);
  dlbench::testing::on_ranks(2, [&](comm::Rendezvous& launch) {
    const auto on_rank_0 = [&](ErrorCode code) {
      return [&launch, code] {
        if (launch.rank() == 0) {
          throw core::Error(code, "the plan needs 2 MiB");
        }
      };
    };
    EXPECT_EQ(open_or_leave_out(series[1], 1, launch, [] {}), "");
    EXPECT_EQ(open_or_leave_out(series[1], 1, launch, on_rank_0(ErrorCode::kMemory)),
              "the plan needs 2 MiB");
    EXPECT_EQ(
        refusal(
            ErrorCode::kMemory,
            [&] { (void)open_or_leave_out(series[0], 2, launch, on_rank_0(ErrorCode::kMemory)); }),
        "weak, 2 ranks: the plan needs 2 MiB");
    EXPECT_EQ(refusal(ErrorCode::kFile,
                      [&] {
                        (void)open_or_leave_out(series[1], 2, launch, on_rank_0(ErrorCode::kFile));
                      }),
              "the plan needs 2 MiB");
  });
}

TEST(TrialsOfSizes, OnesThatOnlySizesLeftOutCouldDoAreLeftOutToo) {
  const std::vector<TrialId> wanted =
      parse_trials("io,synthetic/nocomm,interference", SyntheticTrials::kOne);
  const std::vector<ScaleSize> all = plan_sizes(weak_and_strong(6), {1, 2});
  EXPECT_TRUE(trials_left_out(wanted, all, all).empty());
  const auto without_one = trials_left_out(wanted, all, {all[1], all[3]});
  ASSERT_EQ(without_one.size(), 2U);
  EXPECT_EQ(without_one[0].what, "trial interference/step_beside_loader");
  EXPECT_EQ(without_one[0].reason, "the sizes that can do it were left out");
  EXPECT_EQ(trials_left_out(wanted, all, {all[0]}).front().what, "trial synthetic/nocomm");
  EXPECT_TRUE(trials_left_out(wanted, {all[1]}, {all[1]}).empty()) << "nobody could do it before";
}

TEST(CheckLeftOut, WantsOneSizeOfEachSeries) {
  const std::vector<ScaleSeries> series = weak_and_strong(6);
  const std::vector<ScaleSize> all = plan_sizes(series, {1, 2});
  check_left_out(series, all, {});
  check_left_out(series, {all[0], all[1], all[3]}, {{"strong, 1 rank", "the plan needs 9 MiB"}});
  EXPECT_EQ(refusal(ErrorCode::kMemory,
                    [&] {
                      check_left_out(series,
                                     {all[0], all[1]},
                                     {{"strong, 1 rank", "the plan needs 9 MiB"},
                                      {"strong, 2 ranks", "the plan needs 5 MiB"}});
                    }),
            "strong, 2 ranks: the plan needs 5 MiB");
}

}  // namespace
}  // namespace dlbench::harness
