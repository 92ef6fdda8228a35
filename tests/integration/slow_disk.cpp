// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// To be preloaded into a program: each renaming of a file takes half a second longer, as on a busy
// file system.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

extern "C" int rename(const char* from, const char* to) noexcept {
  constexpr timespec kDelay{0, 500'000'000};
  ::nanosleep(&kDelay, nullptr);
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
