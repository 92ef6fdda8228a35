// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/generate.h"

#include "data/generators/partial_folder.h"
#include "data/inspect.h"
#include "engine/core/error.h"
#include "tests/data/file_bytes.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;
using tests::error_of;
using tests::TemporaryFolder;

std::map<std::string, std::string> tree(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] = testing::read_bytes(entry.path());
    }
  }
  return files;
}

TEST(Generate, KvasirSegFilesDependOnSeedAlone) {
  const TemporaryFolder folder;
  const auto make = [&](const std::string& name, std::uint64_t seed, int threads) {
    generate("kvasir-seg",
             {.out = folder.path() / name, .samples = 5, .seed = seed, .threads = threads});
    return tree(folder.path() / name);
  };
  const auto one = make("one", 1, 1);
  EXPECT_EQ(one.size(), 11U);  // 5 pairs and the description
  EXPECT_TRUE(one.contains("train/images/000000.jpg"));
  EXPECT_TRUE(one.contains("valid/masks/000003.jpg"));
  EXPECT_TRUE(one.contains("test/images/000004.jpg"));
  EXPECT_EQ(make("three", 1, 3), one);
  EXPECT_NE(make("other", 2, 1), one);
}

TEST(Generate, KvasirSegIsSoundAndHasPolyps) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "k";
  generate("kvasir-seg", {.out = out, .samples = 12});
  const DatasetInspection found = inspect(out);
  EXPECT_EQ(found.dataset, "kvasir-seg");
  EXPECT_TRUE(found.generated);
  EXPECT_EQ(found.problems, std::vector<std::string>{});
  EXPECT_EQ(found.samples, 12);
  EXPECT_EQ(found.files, 24);
  EXPECT_EQ(found.min_width, 332);
  EXPECT_EQ(found.min_height, 487);
  EXPECT_EQ(found.max_width, 1920);
  EXPECT_EQ(found.max_height, 1072);
  EXPECT_GT(found.decode_s, 0.0);
  ASSERT_EQ(found.splits.size(), 3U);
  EXPECT_EQ(found.splits[0].samples, 10);
  const auto dataset = open_dataset("kvasir-seg", out, Split::kTrain, {.image_size = 64});
  std::vector<std::byte> image(64 * 64 * 3);
  std::vector<std::byte> mask(64 * 64);
  WorkerCounters counters;
  LoadContext context(counters, {});
  const std::vector<std::span<std::byte>> rows{image, mask};
  const auto reader = dataset->make_reader();
  for (std::int64_t i = 0; i < dataset->size(); ++i) {
    reader->load(i, context, rows);
    const auto polyp = std::ranges::count(mask, std::byte{1});
    EXPECT_GT(polyp, 64 * 64 / 100) << i;
    EXPECT_LT(polyp, 64 * 64 / 2) << i;
  }
}

TEST(Generate, MnistIsSoundAndBalanced) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "m";
  generate("mnist", {.out = out, .samples = 200});
  const auto train = open_dataset("mnist", out, Split::kTrain);
  EXPECT_EQ(train->size(), 200);
  EXPECT_EQ(open_dataset("mnist", out, Split::kTest)->size(), 33);
  std::vector<std::byte> image(784);
  std::vector<std::byte> label(4);
  WorkerCounters counters;
  LoadContext context(counters, {});
  const std::vector<std::span<std::byte>> rows{image, label};
  const auto reader = train->make_reader();
  std::vector<int> of_class(10);
  for (std::int64_t i = 0; i < train->size(); ++i) {
    reader->load(i, context, rows);
    std::int32_t value = 0;
    std::memcpy(&value, label.data(), sizeof(value));
    ++of_class[static_cast<std::size_t>(value)];
    EXPECT_GT(std::ranges::count_if(image, [](std::byte b) { return b > std::byte{100}; }), 10);
  }
  EXPECT_EQ(of_class, std::vector<int>(10, 20));
}

TEST(Generate, DescribesWhatItMadeAndReusesIt) {
  const TemporaryFolder folder;
  const GenerateOptions options{.out = folder.path() / "m", .samples = 20, .seed = 3};
  EXPECT_FALSE(generated_info(options.out));
  EXPECT_TRUE(generate_once("mnist", options));
  EXPECT_FALSE(generate_once("mnist", options));
  const auto info = generated_info(options.out);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->dataset, "mnist");
  EXPECT_EQ(info->samples, 20);
  EXPECT_EQ(info->seed, 3U);
  GenerateOptions other = options;
  other.samples = 21;
  EXPECT_NE(error_of([&] { generate_once("mnist", other); }).find("holds something else"),
            std::string::npos);
  EXPECT_NE(error_of([&] { generate("mnist", options); }).find("no empty folder"),
            std::string::npos);
}

/// No file of this process may grow beyond `bytes`: writing fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(Generate, LeavesNothingWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  for (const std::string dataset : {"kvasir-seg", "mnist"}) {
    const std::string message = [&] {
      const FileSizeLimit limit(20'000);
      return error_of([&] { generate(dataset, {.out = folder.path() / "out", .samples = 40}); });
    }();
    EXPECT_NE(message.find("cannot write"), std::string::npos) << message;
    EXPECT_TRUE(fs::is_empty(folder.path())) << dataset;
  }
}

/// Runs `work`, which ends by SIGKILL, in a process of its own.
template <typename Work>
void die_during(const Work& work) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(PartialFolder, OfAKilledProcessIsRemovedByTheNextAndThatOfALivingOneIsNot) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "m";
  const auto folders_of = [&](const std::string& name) {
    return std::ranges::count_if(fs::directory_iterator(folder.path()), [&](const auto& entry) {
      return entry.path().filename().string().starts_with(name + ".partial-");
    });
  };
  for (const fs::path& path : {out, folder.path() / "k"}) {
    die_during([&] {
      const PartialFolder killed(path);
      testing::write_bytes(killed.path() / "file", "x");
      ::raise(SIGKILL);
    });
  }
  ASSERT_EQ(folders_of("m"), 1);
  const PartialFolder living(out);
  EXPECT_EQ(folders_of("m"), 1);
  EXPECT_TRUE(fs::is_empty(living.path()));
  EXPECT_EQ(folders_of("k"), 1) << "of another data set";
  die_during([&] {
    const PartialFolder beside(out);
    ::raise(SIGKILL);
  });
  EXPECT_TRUE(fs::exists(living.path()));
  EXPECT_EQ(folders_of("m"), 2);
}

TEST(Generate, EndsBetweenSamplesAndLeavesNothing) {
  for (const char* const dataset : {"kvasir-seg", "mnist"}) {
    const TemporaryFolder folder;
    std::atomic<int> asked = 0;
    GenerateOptions options{.out = folder.path() / "data", .samples = 1000, .threads = 2};
    options.check = [&asked] {
      if (++asked > 3) {
        throw core::Error(core::ErrorCode::kInterrupted, "enough");
      }
    };
    EXPECT_THROW(generate(dataset, options), core::Error);
    EXPECT_LE(asked, 5) << dataset << ": one more of each thread";
    EXPECT_TRUE(fs::is_empty(folder.path())) << dataset;
  }
}

TEST(Generate, RefusesImpossibleRequests) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of([&] {
              generate("mnist", {.out = folder.path() / "out", .samples = 0});
            }).find("0 samples"),
            std::string::npos);
  testing::write_bytes(folder.path() / "file", "x");
  EXPECT_NE(error_of([&] {
              generate("mnist", {.out = folder.path() / "file" / "out"});
            }).find("cannot create"),
            std::string::npos);
}

TEST(Generate, UnknownDatasetIsNamed) {
  EXPECT_NE(error_of([] { generate("kvasir", {.out = "/tmp/x"}); }).find("kvasir-seg"),
            std::string::npos);
}

}  // namespace
}  // namespace dlbench::data
