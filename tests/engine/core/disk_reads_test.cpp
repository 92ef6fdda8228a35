// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/disk_reads.h"

#include "engine/core/file_descriptor.h"
#include "tests/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

namespace dlbench::core {
namespace {

TEST(DiskReads, TakesTheStorageLineAndNotTheOneOfSystemCalls) {
  EXPECT_EQ(parse_read_bytes("rchar: 99\nwchar: 8\nread_bytes: 4096\nwrite_bytes: 0\n"), 4096);
  EXPECT_FALSE(parse_read_bytes("rchar: 99\n").has_value());
  EXPECT_FALSE(parse_read_bytes("rchar: 99\nread_bytes: \n").has_value());
  EXPECT_FALSE(parse_read_bytes("").has_value());
}

TEST(DiskReads, GrowByAFileThatIsNotInMemoryAndByNothingElse) {
  const auto begin = process_disk_read_bytes();
  if (!begin) {
    GTEST_SKIP() << "this kernel has no /proc/self/io";
  }
  constexpr std::size_t kBytes = std::size_t{4} << 20U;
  const tests::TemporaryFolder folder;
  const FileDescriptor file(::open(folder.file("f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  std::vector<std::byte> bytes(kBytes, std::byte{1});
  ASSERT_EQ(write_all(file.get(), bytes), 0);
  struct stat status {};
  ASSERT_EQ(::fstat(file.get(), &status), 0);
  if (::fsync(file.get()) != 0 || major(status.st_dev) == 0) {
    GTEST_SKIP() << folder.path() << " is on no block device";
  }
  const auto read_again = [&] {
    EXPECT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
    const auto before = process_disk_read_bytes();
    EXPECT_EQ(read_all(file.get(), bytes).bytes, kBytes);
    return *process_disk_read_bytes() - *before;
  };
  EXPECT_LT(read_again(), static_cast<std::int64_t>(kBytes) / 2) << "it is in memory";
  ASSERT_EQ(::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
  EXPECT_GE(read_again(), static_cast<std::int64_t>(kBytes) * 9 / 10);
}

}  // namespace
}  // namespace dlbench::core
