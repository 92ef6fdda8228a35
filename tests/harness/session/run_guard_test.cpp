// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/run_guard.h"

#include "engine/backend/tuning.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "tests/temporary_folder.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace dlbench::harness {
namespace {

using core::ErrorCode;

bool blocked(int signal_number) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal_number) == 1;
}

// What check() throws, once it does.
std::optional<core::Error> awaited_end(RunGuard& guard) {
  for (int i = 0; i < 1000; ++i) {
    try {
      guard.check();
    } catch (const core::Error& error) {
      return error;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::nullopt;
}

// While kernels are chosen nobody asks between steps.
TEST(RunGuard, EndsAlsoTheChoiceOfKernels) {
  EXPECT_NO_THROW(RunGuard::check_current()) << "without a guard";
  backend::LoweringOptions options{.check = &RunGuard::check_current};
  backend::Choices choices(options, "machine");
  const std::vector<std::string> names{"direct", "winograd"};
  int measured = 0;
  const auto choose = [&](const std::string& problem) {
    return choices.choose({"node|forward", problem}, names, "direct", [&] {
      ++measured;
      return std::size_t{1};
    });
  };
  RunGuard guard(std::nullopt);
  EXPECT_EQ(choose("first"), 1U);
  kill(getpid(), SIGTERM);
  ASSERT_TRUE(awaited_end(guard).has_value());
  EXPECT_THROW(static_cast<void>(choose("second")), core::Error);
  EXPECT_EQ(measured, 1);
}

TEST(RunGuard, EndsTheRunOnASignal) {
  RunGuard guard(std::nullopt);
  EXPECT_NO_THROW(guard.check());
  kill(getpid(), SIGTERM);
  const std::optional<core::Error> end = awaited_end(guard);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->code(), ErrorCode::kTimeout);
  EXPECT_NE(std::string(end->what()).find("SIGTERM"), std::string::npos) << end->what();
}

TEST(RunGuard, TellsCtrlCFromAWalltime) {
  RunGuard guard(std::nullopt);
  kill(getpid(), SIGINT);
  const std::optional<core::Error> end = awaited_end(guard);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->code(), ErrorCode::kInterrupted);
}

TEST(RunGuard, EndsTheRunWhenTheTerminalIsGone) {
  std::signal(SIGHUP, SIG_DFL);  // below nohup it is ignored
  RunGuard guard(std::nullopt);
  kill(getpid(), SIGHUP);
  const std::optional<core::Error> end = awaited_end(guard);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->code(), ErrorCode::kTimeout);
  EXPECT_NE(std::string(end->what()).find("SIGHUP (terminal closed?)"), std::string::npos);
}

// As batch systems warn of a limit.
TEST(RunGuard, EndsTheRunWithTheNameOfTheLimit) {
  for (const auto& [signal_number, name] :
       {std::pair{SIGUSR2, "SIGUSR2 (walltime?)"}, {SIGXCPU, "SIGXCPU (limit of CPU time?)"}}) {
    RunGuard guard(std::nullopt);
    kill(getpid(), signal_number);
    const std::optional<core::Error> end = awaited_end(guard);
    ASSERT_TRUE(end.has_value()) << name;
    EXPECT_EQ(end->code(), ErrorCode::kTimeout);
    EXPECT_NE(std::string(end->what()).find(name), std::string::npos) << end->what();
  }
}

TEST(RunGuard, LeavesAnIgnoredHangUpIgnored) {
  std::signal(SIGHUP, SIG_IGN);  // as nohup does
  {
    RunGuard guard(std::nullopt);
    kill(getpid(), SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_NO_THROW(guard.check());
  }
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

TEST(RunGuard, KeepsSignalsAwayFromTheThreadsThatCompute) {
  {
    RunGuard guard(1000.0);
    EXPECT_TRUE(blocked(SIGINT) && blocked(SIGTERM) && blocked(SIGUSR1));
    std::thread([] { EXPECT_TRUE(blocked(SIGTERM)); }).join();
    EXPECT_FALSE(blocked(SIGSEGV));
  }
  EXPECT_FALSE(blocked(SIGINT) || blocked(SIGTERM) || blocked(SIGUSR1));
}

TEST(RunGuard, EndsTheRunAtItsDeadline) {
  RunGuard guard(0.0);
  const std::optional<core::Error> end = awaited_end(guard);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->code(), ErrorCode::kTimeout);
}

// `timeout` signals its child and then the child's group.
TEST(RunGuard, OneSignalThatComesTwiceIsOne) {
  for (const int signal_number : {SIGINT, SIGTERM, SIGUSR2}) {
    RunGuard guard(std::nullopt);
    kill(getpid(), signal_number);
    ASSERT_TRUE(awaited_end(guard).has_value());
    kill(getpid(), signal_number);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST(RunGuardDeathTest, TheSecondCtrlCEndsTheProcess) {
  EXPECT_EXIT(
      {
        RunGuard guard(std::nullopt);
        kill(getpid(), SIGINT);
        static_cast<void>(awaited_end(guard));
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(getpid(), SIGINT);
        std::this_thread::sleep_for(std::chrono::seconds(10));
      },
      ::testing::KilledBySignal(SIGINT),
      "");
}

// As with a library on a file system that is dead: whoever opens it holds the dynamic loader, and
// then no thread can be started.
TEST(RunGuardDeathTest, AHangOfTheDynamicLoaderIsEndedByForce) {
  const tests::TemporaryFolder folder;
  const std::string pipe = folder.file("libnever_written.so");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        RunGuard guard(0.0);
        RunGuard::set_last_words([](const core::Error& end) {
          core::log::warn(std::string("last words: ") + end.what());
        });
        static_cast<void>(dlopen(pipe.c_str(), RTLD_NOW));
      },
      ::testing::ExitedWithCode(core::exit_code(ErrorCode::kTimeout)),
      "last words: ended by force");
}

constexpr int kStarted = 10;
constexpr int kRefused = 11;
constexpr int kRefusedWithBlockedSignals = 12;
constexpr int kCannotBeTried = 13;

// As a user of whom no other process is: the limit counts all that one has.
[[noreturn]] void start_where_one_more_thread_is_allowed() {
  constexpr uid_t kNobodyElse = 54321;
  const rlimit two{.rlim_cur = 2, .rlim_max = 2};
  if (setrlimit(RLIMIT_NPROC, &two) != 0 || setuid(kNobodyElse) != 0) {
    std::_Exit(kCannotBeTried);
  }
  try {
    std::thread([] {}).join();
  } catch (const std::system_error&) {
    std::_Exit(kCannotBeTried);
  }
  try {
    RunGuard guard(std::nullopt);
  } catch (const std::system_error&) {
    std::_Exit(blocked(SIGTERM) ? kRefusedWithBlockedSignals : kRefused);
  }
  std::_Exit(kStarted);
}

// The guard has two.
TEST(RunGuard, ALimitThatAllowsOneThreadOfTwoIsAnError) {
  if (getuid() != 0) {
    GTEST_SKIP() << "only root can become a user without other processes";
  }
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    start_where_one_more_thread_is_allowed();
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == kCannotBeTried) {
    GTEST_SKIP() << "no such user, or no room for a thread";
  }
  EXPECT_EQ(WEXITSTATUS(status), kRefused);
}

}  // namespace
}  // namespace dlbench::harness
