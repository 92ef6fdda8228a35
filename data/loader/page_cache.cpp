// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/page_cache.h"

#include "data/loader/sample_substitution.h"
#include "engine/core/error.h"
#include "engine/core/file_descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

std::string file_error(const char* what, const fs::path& path) {
  return fmt::format("cannot {} '{}': {}", what, path.string(), core::errno_text(errno));
}

[[noreturn]] void throw_file_error(const char* what, const fs::path& path) {
  throw Error(ErrorCode::kFile, file_error(what, path));
}

/// An open file and its size.
class OpenFile {
 public:
  explicit OpenFile(const fs::path& path)
      : path_(path),
        // O_NONBLOCK does not wait for named pipes.
        file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (!file_.is_open()) {
      throw_file_error("open", path);
    }
    if (::fstat(fd(), &status_) != 0) {
      throw_file_error("examine", path);
    }
  }

  [[nodiscard]] int fd() const { return file_.get(); }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(status_.st_size); }
  /// Whether mincore() tells this process which pages are resident. For others the kernel reports
  /// all pages as resident (since Linux 5.2; can_do_mincore() in mm/mincore.c). Asks the kernel's
  /// own two questions: being root proves nothing, as a user namespace's root has no power over
  /// other users' files.
  [[nodiscard]] bool mincore_is_truthful() const {
    // O_NOATIME also requires ownership or a capability over the owner.
    return ::fcntl(fd(), F_SETFL, O_NONBLOCK | O_NOATIME) == 0 ||
           ::faccessat(fd(), "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0;
  }
  [[nodiscard]] bool on_network() const {
    // Magic numbers of statfs(2): NFS, SMB, CIFS, SMB2, Lustre, AFS, Ceph, GPFS, BeeGFS, FUSE.
    constexpr std::array<std::uint32_t, 10> kNetwork{0x6969,
                                                     0x517B,
                                                     0xFF534D42,
                                                     0xFE534D42,
                                                     0x0BD00BD0,
                                                     0x5346414F,
                                                     0x00C36400,
                                                     0x47504653,
                                                     0x19830326,
                                                     0x65735546};
    struct statfs system {};
    return ::fstatfs(fd(), &system) == 0 &&
           std::ranges::find(kNetwork, static_cast<std::uint32_t>(system.f_type)) != kNetwork.end();
  }

 private:
  const fs::path& path_;
  core::FileDescriptor file_;
  struct stat status_ {};
};

struct Residency {
  std::int64_t pages = 0;
  std::int64_t resident = 0;
};

Residency count_resident(const OpenFile& file) {
  if (file.bytes() == 0) {
    return {};
  }
  void* memory = ::mmap(nullptr, file.bytes(), PROT_READ, MAP_SHARED, file.fd(), 0);
  if (memory == MAP_FAILED) {
    throw_file_error("map", file.path());
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> present((file.bytes() + page - 1) / page);
  const int status = ::mincore(memory, file.bytes(), present.data());
  const int failure = errno;
  ::munmap(memory, file.bytes());
  if (status != 0) {
    errno = failure;
    throw_file_error("query the page cache for", file.path());
  }
  const auto resident =
      std::ranges::count_if(present, [](unsigned char p) { return (p & 1) != 0; });
  return {static_cast<std::int64_t>(present.size()), resident};
}

void read_to_end(const OpenFile& file,
                 std::span<std::byte> buffer,
                 const std::function<void()>& check) {
  core::ReadResult read;
  do {
    if (check) {
      check();
    }
    read = core::read_all(file.fd(), buffer);
    if (read.error != 0) {
      errno = read.error;
      throw_file_error("read", file.path());
    }
  } while (read.bytes == buffer.size());
}

void drop(const OpenFile& file) {
  // Dirty pages cannot be dropped: write them back first. A read-only file system has none.
  if (::fsync(file.fd()) != 0 && errno != EROFS && errno != EINVAL) {
    throw_file_error("sync", file.path());
  }
  if (const int failure = ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED); failure != 0) {
    errno = failure;
    throw_file_error("drop the cached pages of", file.path());
  }
}

/// Cold and warm allow for pages that others touch meanwhile, or that the kernel keeps.
constexpr double kColdLimit = 0.01;
constexpr double kWarmLimit = 0.99;

std::string describe(const CacheState& state) {
  const auto percent = [](const std::optional<double>& part) {
    return part ? fmt::format("{:.1f} %", 100.0 * *part) : std::string("an unknown part");
  };
  std::string text;
  switch (state.mode) {
    case CacheMode::kAsIs:
      text = fmt::format("{} of the pages were in the page cache", percent(state.resident_before));
      break;
    case CacheMode::kWarm:
      text = fmt::format("all files read once; then {} of the pages were in the page cache",
                         percent(state.resident_after));
      break;
    case CacheMode::kCold:
      text = fmt::format("pages written back and dropped: {} resident before, {} after",
                         percent(state.resident_before),
                         percent(state.resident_after));
      break;
  }
  if (!state.resident_after) {
    text += "; mincore tells the truth only to who owns the files or may write them";
  }
  if (state.network_file_system) {
    text += "; network file system: this client's cache only";
  }
  return text;
}

}  // namespace

std::optional<double> resident_fraction(std::span<const fs::path> files) {
  Residency sum;
  for (const fs::path& path : files) {
    const OpenFile file(path);
    if (!file.mincore_is_truthful()) {
      return std::nullopt;
    }
    const Residency one = count_resident(file);
    sum.pages += one.pages;
    sum.resident += one.resident;
  }
  if (sum.pages == 0) {
    return std::nullopt;
  }
  return static_cast<double>(sum.resident) / static_cast<double>(sum.pages);
}

CacheState prepare_page_cache(CacheMode mode,
                              std::span<const fs::path> files,
                              const std::function<void()>& check) {
  constexpr std::size_t kReadBytes = std::size_t{1} << 20U;
  CacheState state;
  state.mode = mode;
  state.files = static_cast<std::int64_t>(files.size());
  state.resident_before = resident_fraction(files);
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(kReadBytes);
  for (const fs::path& path : files) {
    const OpenFile file(path);
    state.bytes += static_cast<std::int64_t>(file.bytes());
    state.network_file_system = state.network_file_system || file.on_network();
    if (mode == CacheMode::kWarm) {
      read_to_end(file, {buffer.get(), kReadBytes}, check);
    } else if (mode == CacheMode::kCold) {
      drop(file);
    }
  }
  state.resident_after =
      mode == CacheMode::kAsIs ? state.resident_before : resident_fraction(files);
  if (state.resident_after && !state.network_file_system) {
    state.verified = mode == CacheMode::kAsIs ||
                     (mode == CacheMode::kCold && *state.resident_after <= kColdLimit) ||
                     (mode == CacheMode::kWarm && *state.resident_after >= kWarmLimit);
  }
  state.proof = describe(state);
  return state;
}

CacheState prepare_page_cache(CacheMode mode,
                              const Dataset& dataset,
                              const LoaderOptions& options,
                              const std::function<void()>& check) {
  if (dataset.spec().held_in_memory) {
    return {.mode = mode,
            .verified = true,
            .proof = "the data set was read into memory before the trials"};
  }
  std::vector<fs::path> files = dataset.files();
  std::erase_if(files, [&options](const fs::path& file) {
    if (::access(file.c_str(), R_OK) == 0) {
      return false;
    }
    if (!options.skip_corrupt) {
      throw Error(ErrorCode::kFile,
                  detail::with_advice(file_error("open", file), options.corrupt_advice));
    }
    return true;
  });
  return prepare_page_cache(mode, files, check);
}

}  // namespace dlbench::data
