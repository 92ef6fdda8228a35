// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/host_name.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace dlbench::core {
namespace {

TEST(HostName, IsOneWordWhateverTheKernelSays) {
  EXPECT_EQ(first_word_or_localhost("node7"), "node7");
  EXPECT_EQ(first_word_or_localhost("node7.example.org"), "node7.example.org");
  EXPECT_EQ(first_word_or_localhost(" node 7\n"), "node");
  EXPECT_EQ(first_word_or_localhost(""), "localhost");
  EXPECT_EQ(first_word_or_localhost(" \t\n"), "localhost");
}

/// Whether host_name() is `wanted` on a machine that is called `name`.
enum class Answer { kYes, kNo, kCannotTell };
Answer is_called(const std::string& name, const std::string& wanted) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUTS) != 0 || ::sethostname(name.data(), name.size()) != 0) {
      ::_exit(static_cast<int>(Answer::kCannotTell));
    }
    ::_exit(static_cast<int>(host_name() == wanted ? Answer::kYes : Answer::kNo));
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return static_cast<Answer>(WEXITSTATUS(status));
}

TEST(BootId, IsOneWord) {
  const std::string id = boot_id();
  EXPECT_EQ(id.find_first_of(" \n/"), std::string::npos) << id;
  EXPECT_EQ(id.empty(), !std::ifstream("/proc/sys/kernel/random/boot_id").is_open());
}

TEST(HostName, OfAMachineWithoutNameIsLocalhost) {
  const Answer named = is_called("node7", "node7");
  if (named == Answer::kCannotTell) {
    GTEST_SKIP() << "no right to a name space of host names";
  }
  EXPECT_EQ(named, Answer::kYes);
  EXPECT_EQ(is_called("", "localhost"), Answer::kYes);
  EXPECT_EQ(is_called("  ", "localhost"), Answer::kYes);
}

}  // namespace
}  // namespace dlbench::core
