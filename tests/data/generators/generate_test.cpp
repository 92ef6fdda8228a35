// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/generate.h"

#include "data/generators/partial_folder.h"
#include "data/inspect.h"
#include "engine/core/error.h"
#include "tests/data/file_bytes.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
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
  const std::filesystem::path pipe = folder.path() / "pipe";  // nobody ever writes to it
  std::filesystem::create_directory(pipe);
  ASSERT_EQ(::mkfifo(generated_marker(pipe).c_str(), 0600), 0);
  EXPECT_FALSE(generated_info(pipe));
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

/// Gives that age to the folder and all in it.
void make_old(const fs::path& folder, std::chrono::hours age) {
  const fs::file_time_type time = fs::file_time_type::clock::now() - age;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    fs::last_write_time(entry.path(), time);
  }
  fs::last_write_time(folder, time);
}

TEST(PartialFolder, OfAnotherHostIsRemovedOnlyOnceItIsADayOld) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "m";
  // Its lock is free here, as that of a living process is where locks are each node's own.
  const fs::path foreign = folder.path() / "m.partial-another-host-0123456789abcdef";
  fs::create_directories(foreign / "train");
  testing::write_bytes(foreign / "train" / "file", "x");
  const auto stays = [&] {
    const PartialFolder next(out);
    return fs::exists(foreign / "train" / "file");
  };
  EXPECT_TRUE(stays()) << "it is new";
  make_old(foreign, std::chrono::hours(23));
  EXPECT_TRUE(stays()) << "it is less than a day old";
  make_old(foreign, std::chrono::hours(25));
  fs::last_write_time(foreign / "train" / "file", fs::file_time_type::clock::now());
  EXPECT_TRUE(stays()) << "a file in it is written";
  make_old(foreign, std::chrono::hours(25));
  EXPECT_FALSE(stays());
  EXPECT_FALSE(fs::exists(foreign));
}

TEST(PartialFolder, LeavesWhatNobodyGenerated) {
  const TemporaryFolder folder;
  std::vector<fs::path> others;
  for (const char* const name :
       {"m.partial-backup", "m.partial-0123456789abcdef", "m.partial-host-0123456789ABCDEF"}) {
    others.push_back(folder.path() / name);
    fs::create_directories(others.back());
    make_old(others.back(), std::chrono::hours(1000));
  }
  const PartialFolder partial(folder.path() / "m");
  for (const fs::path& other : others) {
    EXPECT_TRUE(fs::exists(other)) << other;
  }
}

TEST(Generate, OfTheSameDataSetElsewhereMeanwhileIsUsedWhereTheOwnIsLost) {
  for (const char* const dataset : {"kvasir-seg", "mnist"}) {
    const TemporaryFolder folder;
    GenerateOptions options{.out = folder.path() / "data", .samples = 12, .threads = 1};
    const auto lose_own = [&options, &folder](const fs::path& appears) {
      std::vector<fs::path> own;
      for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
        if (entry.path().filename().string().starts_with("data.partial-")) {
          own.push_back(entry.path());
        }
      }
      ASSERT_EQ(own.size(), 1U);
      fs::remove_all(own[0]);
      fs::rename(appears, options.out);
    };
    const fs::path right = folder.path() / "right";
    const fs::path wrong = folder.path() / "wrong";
    generate(dataset, {.out = right, .samples = 12});
    generate(dataset, {.out = wrong, .samples = 13});
    options.check = [&, asked = 0]() mutable {
      if (++asked == 3) {
        lose_own(right);
      }
    };
    EXPECT_FALSE(generate_once(dataset, options)) << dataset;
    EXPECT_EQ(generated_info(options.out)->samples, 12);
    fs::remove_all(options.out);
    options.check = [&, asked = 0]() mutable {
      if (++asked == 3) {
        lose_own(wrong);
      }
    };
    EXPECT_THROW((void)generate_once(dataset, options), core::Error) << dataset;
  }
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

// The folder is written beside the place that it will have, and could not be renamed onto these.
TEST(Generate, RefusesTheCurrentFolderBeforeItWritesAnything) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  for (const char* out : {".", "./", "./."}) {
    int asked = 0;
    const std::string message = error_of([&] {
      generate("mnist", {.out = out, .samples = 5, .threads = 1, .check = [&asked] { ++asked; }});
    });
    EXPECT_NE(message.find("is the current folder"), std::string::npos) << message;
    EXPECT_EQ(asked, 0);
  }
  fs::current_path(before);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Generate, RefusesAMountPointBeforeItWritesAnything) {
  constexpr int kRefused = 7;
  constexpr int kNoMounts = 8;
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "volume";
  fs::create_directory(out);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        ::mount("none", out.c_str(), "tmpfs", 0, "") != 0) {
      ::_exit(kNoMounts);
    }
    int asked = 0;
    const std::string message = error_of([&] {
      generate("mnist", {.out = out, .samples = 5, .threads = 1, .check = [&asked] { ++asked; }});
    });
    const bool refused = message.find("is a mount point") != std::string::npos && asked == 0;
    ::_exit(refused ? kRefused : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoMounts) {
    GTEST_SKIP() << "nothing may be mounted here";
  }
  EXPECT_EQ(WEXITSTATUS(status), kRefused);
}

TEST(Generate, NamesTheTargetOfALinkBeforeItWritesAnything) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "empty");
  fs::create_directory(folder.path() / "full");
  testing::write_bytes(folder.path() / "full" / "file", "x");
  for (const char* const target : {"empty", "nowhere", "full", "link to full"}) {
    fs::create_symlink(target, folder.path() / (std::string("link to ") + target));
  }
  const auto refusal = [&](const char* out) {
    int asked = 0;
    const GenerateOptions options{
        .out = folder.path() / out, .samples = 5, .threads = 1, .check = [&asked] { ++asked; }};
    const std::string message = error_of([&] { generate("mnist", options); });
    EXPECT_EQ(asked, 0) << out;
    return message;
  };
  const auto wanted = [&](const char* target) {
    return fmt::format(
        "is a symbolic link, which no finished folder can take the place of; give "
        "its target, as --out '{}'",
        (fs::canonical(folder.path()) / target).string());
  };
  for (const char* const out : {"link to empty", "link to empty/", "link to empty/."}) {
    EXPECT_NE(refusal(out).find(wanted("empty")), std::string::npos) << refusal(out);
  }
  for (const char* const out : {"link to nowhere", "link to nowhere/"}) {
    EXPECT_NE(refusal(out).find(wanted("nowhere")), std::string::npos) << refusal(out);
  }
  for (const char* const out : {"link to full", "link to full/", "link to link to full"}) {
    EXPECT_NE(refusal(out).find("no empty folder"), std::string::npos) << refusal(out);
  }
}

TEST(Generate, TakesAFolderHoweverItsEndIsWritten) {
  const TemporaryFolder folder;
  for (const char* tail : {"", "/", "//", "/.", "/./"}) {
    const fs::path out = folder.path() / "out";
    fs::create_directory(out);
    generate("mnist", {.out = out.string() + tail, .samples = 5});
    EXPECT_TRUE(generated_info(out).has_value()) << "'" << tail << "'";
    fs::remove_all(out);
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

TEST(Generate, UnknownDatasetIsNamed) {
  EXPECT_NE(error_of([] { generate("kvasir", {.out = "/tmp/x"}); }).find("kvasir-seg"),
            std::string::npos);
}

}  // namespace
}  // namespace dlbench::data
