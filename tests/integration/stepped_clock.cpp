// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// To be preloaded into a program: once the file that DLBENCH_TEST_CLOCK_BACK names is there, the
// time of day is an hour behind, as if somebody had set it. Other clocks go on.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  constexpr time_t kHourS = 3600;
  const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  const char* trigger = std::getenv("DLBENCH_TEST_CLOCK_BACK");
  if (clock == CLOCK_REALTIME && trigger != nullptr && ::access(trigger, F_OK) == 0) {
    time->tv_sec -= kHourS;
  }
  return result;
}
