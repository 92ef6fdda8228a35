// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/process_state.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace dlbench::harness {
namespace {

// linux/pidfd.h of Linux 6.15: older headers lack it.
struct PidfdInfo {
  std::uint64_t mask;
  std::uint64_t cgroup_id;
  std::array<std::uint32_t, 11> ids;
  std::int32_t exit_code;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kPidfdInfoExit = 1U << 3U;
constexpr unsigned long kPidfdGetInfo = _IOWR(0xFF, 11, PidfdInfo);

/// Returns the fields of /proc/PID/stat from the third on: the second, a name, may be anything.
std::optional<std::string> fields_after_name(pid_t pid) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(
      std::fopen(fmt::format("/proc/{}/stat", pid).c_str(), "re"), std::fclose);
  std::array<char, 1024> line{};
  if (file == nullptr || std::fgets(line.data(), line.size(), file.get()) == nullptr) {
    return std::nullopt;
  }
  const char* end = std::strrchr(line.data(), ')');
  return end == nullptr ? std::nullopt : std::optional<std::string>(end + 1);
}

/// Returns the status of a process whose parent has taken it.
std::optional<int> status_of_reaped(int handle) {
  PidfdInfo info{};
  info.mask = kPidfdInfoExit;
  if (handle >= 0 && ioctl(handle, kPidfdGetInfo, &info) == 0 &&
      (info.mask & kPidfdInfoExit) != 0) {
    return info.exit_code;
  }
  return std::nullopt;
}

/// Returns the status of a process whose parent has not taken it.
std::optional<int> status_of_zombie(pid_t pid) {
  const std::optional<std::string> fields = fields_after_name(pid);
  if (!fields.has_value()) {
    return std::nullopt;
  }
  std::istringstream words(*fields);
  std::string word;
  words >> word;
  if (word != "Z") {
    return std::nullopt;
  }
  constexpr int kFieldsToExitCode = 49;  // the 52nd of the line
  for (int i = 0; i < kFieldsToExitCode; ++i) {
    words >> word;
  }
  return words.fail() ? std::nullopt : std::optional<int>(std::atoi(word.c_str()));
}

/// Returns the status in wait()'s format, if the process has ended and the kernel reports it. The
/// parent may take it between two looks, so the order matters: first where it is, then where it
/// goes.
std::optional<int> wait_status(int handle, pid_t pid) {
  const std::optional<int> status = status_of_zombie(pid);
  return status.has_value() ? status : status_of_reaped(handle);
}

}  // namespace

int open_process(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

void kill_process(int handle) { syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0); }

ProcessEnd process_end(int handle, pid_t pid) {
  const std::optional<int> status = wait_status(handle, pid);
  if (!status.has_value()) {
    return {.how = "is gone, and its parent took the exit status (SIGKILL leaves no other trace)"};
  }
  if (WIFSIGNALED(*status)) {
    const char* name = sigabbrev_np(WTERMSIG(*status));
    return {.how = fmt::format("was killed by {}",
                               name == nullptr ? fmt::format("signal {}", WTERMSIG(*status))
                                               : "SIG" + std::string(name))};
  }
  const int code = WEXITSTATUS(*status);
  return {.how = fmt::format("exited with code {}", code),
          .code = code == core::exit_code(core::ErrorCode::kTimeout) ? core::ErrorCode::kTimeout
                                                                     : core::ErrorCode::kRun};
}

char process_state(pid_t pid) {
  const std::optional<std::string> fields = fields_after_name(pid);
  return fields.has_value() && fields->size() > 1 ? (*fields)[1] : '?';
}

}  // namespace dlbench::harness
