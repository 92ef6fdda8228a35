// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/commands/command_line.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace dlbench::harness {

/// What a call of dlbench came to.
struct CommandLineCall {
  int code = 0;
  std::string out;
  std::string err;
};

/// dlbench with these arguments, in this process.
inline CommandLineCall call_dlbench(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"dlbench"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  CommandLineCall call;
  call.code = run_command_line(static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  call.out = ::testing::internal::GetCapturedStdout();
  call.err = ::testing::internal::GetCapturedStderr();
  return call;
}

}  // namespace dlbench::harness
