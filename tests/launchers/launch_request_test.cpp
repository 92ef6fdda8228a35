// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/launch_request.h"

#include "engine/core/error.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>

#include <string>

namespace dlbench::launchers {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;
using testing::ThrowsMessage;
using tests::usage_error;

TEST(ParseWalltime, TakesUnitsAndClockTimes) {
  EXPECT_EQ(parse_walltime("90s"), 90);
  EXPECT_EQ(parse_walltime("30min"), 1800);
  EXPECT_EQ(parse_walltime("30m"), 1800);
  EXPECT_EQ(parse_walltime("2h"), 7200);
  EXPECT_EQ(parse_walltime("1d"), 86400);
  EXPECT_EQ(parse_walltime("00:30:00"), 1800);
  EXPECT_EQ(parse_walltime("36:00:01"), 36 * 3600 + 1);
  EXPECT_EQ(parse_walltime("1-12:00:00"), 36 * 3600);
}

TEST(ParseWalltime, RefusesWhatSchedulersReadDifferently) {
  for (const char* text : {"30",
                           "10:00",
                           "",
                           "h",
                           "-5min",
                           "1.5h",
                           "00:61:00",
                           "00:00:60",
                           "1-2",
                           "tomorrow",
                           "9999999min",
                           "1:-1:00",
                           "-1:00:00"}) {
    EXPECT_THAT(usage_error([&] { (void)parse_walltime(text); }),
                HasSubstr("'" + std::string(text) + "' is no time"))
        << text;
  }
  EXPECT_THAT(usage_error([] { (void)parse_walltime("59s"); }), HasSubstr("below one minute"));
  EXPECT_THAT(usage_error([] { (void)parse_walltime("0min"); }), HasSubstr("below one minute"));
}

TEST(CompleteRequest, OneRankPerGpuOrOne) {
  LaunchRequest plain;
  complete_request(plain);
  EXPECT_THAT(plain.ranks_per_node, Optional(1));
  EXPECT_THAT(plain.gpus_per_node, Optional(0));
  EXPECT_EQ(plain.cpus_per_rank, std::nullopt);
  LaunchRequest gpus{.nodes = 3, .gpus_per_node = 4};
  complete_request(gpus);
  EXPECT_EQ(total_ranks(gpus), 12);
}

TEST(CompleteRequest, APresetFillsTheNode) {
  LaunchRequest summit{.nodes = 2, .preset = find_preset("summit")};
  complete_request(summit);
  EXPECT_EQ(total_ranks(summit), 12);
  EXPECT_THAT(summit.gpus_per_node, Optional(6));
  EXPECT_THAT(summit.cpus_per_rank, Optional(7));
  LaunchRequest perlmutter{.preset = find_preset("perlmutter")};
  complete_request(perlmutter);
  EXPECT_THAT(perlmutter.cpus_per_rank, Optional(32));  // hardware threads
  EXPECT_EQ(perlmutter.container_runtime, "shifter");
  LaunchRequest counted{.counts_cores = true, .preset = find_preset("perlmutter")};
  complete_request(counted);
  EXPECT_THAT(counted.cpus_per_rank, Optional(16));
}

TEST(CompleteRequest, MoreRanksShareThePresetsCores) {
  LaunchRequest request{.ranks_per_node = 14, .preset = find_preset("summit")};
  complete_request(request);
  EXPECT_THAT(request.cpus_per_rank, Optional(3));  // 42 / 14
}

TEST(CompleteRequest, ARuntimeRunsAContainer) {
  EXPECT_EQ(usage_error([] {
              LaunchRequest request{.container_runtime = "pyxis"};
              complete_request(request);
            }),
            "--container-runtime pyxis needs --container IMAGE");
}

TEST(CompleteRequest, RefusesMoreThanANodeHas) {
  EXPECT_THAT(usage_error([] {
                LaunchRequest request{.gpus_per_node = 9, .preset = find_preset("lumi")};
                complete_request(request);
              }),
              HasSubstr("--gpus-per-node 9 is more than the 8 GPUs of a lumi node"));
  EXPECT_THAT(usage_error([] {
                LaunchRequest request{.cpus_per_rank = 20, .preset = find_preset("lumi")};
                complete_request(request);
              }),
              HasSubstr("160 is more than the 56 CPUs"));
  EXPECT_THAT(usage_error([] {
                LaunchRequest request{
                    .cpus_per_rank = 32, .counts_cores = true, .preset = find_preset("perlmutter")};
                complete_request(request);
              }),
              HasSubstr("128 is more than the 64 cores"));
}

TEST(CompleteRequest, RefusesMoreRanksThanAnIntCounts) {
  LaunchRequest request{.nodes = 1'000'000, .ranks_per_node = 4096};
  EXPECT_THAT(usage_error([&] { complete_request(request); }),
              HasSubstr("1000000 nodes with 4096 ranks each are 4096000000 ranks, more than"));
  LaunchRequest most{.nodes = 1'000'000, .ranks_per_node = 2147};
  complete_request(most);
  EXPECT_EQ(total_ranks(most), 2'147'000'000);
}

TEST(MissingCpusHint, IsOfGpusWithoutCpusForTheirRanks) {
  LaunchRequest request{.gpus_per_node = 4};
  complete_request(request);
  EXPECT_THAT(missing_cpus_hint(request),
              AllOf(HasSubstr("--gpus-per-node 4 without --cpus-per-task"),
                    HasSubstr("through its 4 rank(s)")));
  for (LaunchRequest enough : {LaunchRequest{.gpus_per_node = 4, .cpus_per_rank = 1},
                               {.gpus_per_node = 0},
                               {.preset = find_preset("perlmutter")},
                               {.gpus_per_node = 4, .directives = {"--cpus-per-gpu=8"}}}) {
    complete_request(enough);
    EXPECT_EQ(missing_cpus_hint(enough), "");
  }
}

TEST(CompleteRequest, RefusesTextThatWouldBreakADirective) {
  for (const char* text : {"a b", "a\"b", "$x", "a;b"}) {
    LaunchRequest request{.account = text};
    EXPECT_THAT(usage_error([&] { complete_request(request); }), HasSubstr("--account")) << text;
  }
  // These messages show the line break that they are about.
  LaunchRequest account{.account = "a\nrm -rf x"};
  EXPECT_THAT([&] { complete_request(account); },
              ThrowsMessage<core::Error>(HasSubstr("--account")));
  LaunchRequest directive{.directives = {"--mem=0\necho"}};
  EXPECT_THAT([&] { complete_request(directive); },
              ThrowsMessage<core::Error>(HasSubstr("--directives")));
}

TEST(CompleteRequest, RefusesPatternsInNamesOfFiles) {
  for (LaunchRequest request :
       {LaunchRequest{.output_folder = "out-%x"}, {.job_name = "50%"}, {.output_folder = "%J"}}) {
    EXPECT_THAT(usage_error([&] { complete_request(request); }),
                HasSubstr("has a %, which schedulers and nsys replace"));
  }
  LaunchRequest request{.container = "images/a%2Fb.sif"};
  EXPECT_NO_THROW(complete_request(request));
}

TEST(CompleteRequest, RefusesAJobNameThatIsAPathOrAnOption) {
  for (const char* name : {"a/b", "/tmp/x", "x/"}) {
    LaunchRequest request{.job_name = name};
    EXPECT_THAT(usage_error([&] { complete_request(request); }),
                HasSubstr("--job-name '" + std::string(name) + "' has a slash"));
  }
  for (const char* name : {"-x", "--wrap=id"}) {
    LaunchRequest request{.job_name = name};
    EXPECT_THAT(usage_error([&] { complete_request(request); }),
                HasSubstr("--job-name '" + std::string(name) + "' begins with '-'"));
  }
  LaunchRequest request{.job_name = "two-nodes_1", .output_folder = "a/b"};
  EXPECT_NO_THROW(complete_request(request));
}

TEST(Presets, AreConsistent) {
  for (const std::string& name : preset_names()) {
    const NodePreset& preset = find_preset(name);
    EXPECT_LE(preset.ranks * preset.cores_per_rank, preset.cores) << name;
    EXPECT_TRUE(preset.gpus == 0 || preset.gpus == preset.ranks) << name;
  }
}

TEST(Presets, AnUnknownOneGetsTheNearest) {
  EXPECT_THAT(usage_error([] { (void)find_preset("sumit"); }), HasSubstr("did you mean 'summit'"));
}

}  // namespace
}  // namespace dlbench::launchers
