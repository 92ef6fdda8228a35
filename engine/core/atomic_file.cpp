// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/atomic_file.h"

#include "engine/core/error.h"
#include "engine/core/parse_number.h"
#include "engine/core/random_token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace dlbench::core {
namespace {

constexpr int kMaxLinks = 40;  // the kernel's own limit

/// What error messages say about the file that the user named.
struct Named {
  const std::string& path;
  std::string_view advice;
};

[[noreturn]] void fail(const Named& file, const char* what, int errno_value) {
  throw Error(ErrorCode::kFile,
              fmt::format("cannot write {}: {}: {}; {}",
                          file.path == "-" ? "standard output" : "'" + file.path + "'",
                          what,
                          errno_text(errno_value),
                          file.advice));
}

/// The descriptor of this process that `path` names, if any. Opening such a name again would start
/// at the beginning of a file to which others write too.
std::optional<int> descriptor_named(std::filesystem::path path) {
  std::error_code ignored;
  for (int link = 0; link < kMaxLinks; ++link) {
    const std::filesystem::path folder = path.parent_path();
    if (folder == "/dev/fd" || folder == "/proc/self/fd") {
      return parse_number<int>(path.filename().string());
    }
    if (!std::filesystem::is_symlink(path, ignored)) {
      return std::nullopt;
    }
    const auto next = std::filesystem::read_symlink(path, ignored);
    path = (next.is_absolute() ? next : folder / next).lexically_normal();
  }
  return std::nullopt;
}

/// As descriptor_named(), and standard output for "-".
std::optional<int> own_descriptor(const std::string& path) {
  return path == "-" ? STDOUT_FILENO : descriptor_named(path);
}

/// Opens a device or pipe for writing. A blocking open of a pipe that nobody reads would hang and
/// ignore signals, hence the polling.
int open_stream(const std::string& path) {
  constexpr auto kPatience = std::chrono::seconds(3);
  constexpr auto kPause = std::chrono::milliseconds(50);
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) {
      ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
      return descriptor;
    }
    if (errno != ENXIO || std::chrono::steady_clock::now() - begin > kPatience) {
      return descriptor;
    }
    std::this_thread::sleep_for(kPause);
  }
}

/// `path`, or what it links to. Resolved by hand because the link may lead to a file that does not
/// exist yet.
std::filesystem::path follow_links(std::filesystem::path path) {
  std::error_code ignored;
  for (int link = 0; link < kMaxLinks && std::filesystem::is_symlink(path, ignored); ++link) {
    const auto next = std::filesystem::read_symlink(path, ignored);
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

/// Whether a file of this status is written by renaming another file over it: a regular file, or
/// none yet.
bool is_replaceable(const std::filesystem::file_status& status) {
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

/// The resolved destination of a write; resolve() throws for a folder.
struct Target {
  std::filesystem::path path;
  bool replaceable = true;
};
Target resolve(const Named& named) {
  if (named.path.empty()) {
    throw Error(ErrorCode::kFile, "cannot write a file: its name is empty");
  }
  if (is_stream(named.path)) {
    return {named.path, false};
  }
  Target target{follow_links(named.path), true};
  std::error_code ignored;
  if (std::filesystem::is_directory(target.path, ignored)) {
    fail(named, "open", EISDIR);
  }
  if (std::filesystem::is_symlink(target.path, ignored)) {
    fail(named, "open", ELOOP);
  }
  return target;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// The prefix of the names of temporary files for `file`.
std::string temporary_prefix(const std::filesystem::path& file, std::uint64_t token) {
  return fmt::format(".{}.{:016x}.", file.filename().string(), token);
}

constexpr std::string_view kTemporarySuffix = ".tmp";

struct Temporary {
  FileDescriptor file;
  std::string name;
  int error = 0;  ///< errno where there is no file
};

/// Creates a temporary file for `file`. An existing one is left alone, since a process forked from
/// this one, which has the same token, may be writing it.
Temporary create_temporary(const std::filesystem::path& file) {
  static std::atomic<std::uint64_t> number = 0;
  constexpr mode_t kMode = 0666;  // less the umask
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const std::string prefix = temporary_prefix(file, temporary_token());
  for (;;) {
    const std::string name = fmt::format("{}{}{}", prefix, number++, kTemporarySuffix);
    Temporary temporary{.name = (folder_of(file) / name).string()};
    temporary.file = FileDescriptor(::open(temporary.name.c_str(), kFlags, kMode));
    temporary.error = temporary.file.is_open() ? 0 : errno;
    if (temporary.error != EEXIST) {
      return temporary;
    }
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path, std::string advice)
    : path_(std::move(path)), advice_(std::move(advice)) {
  const Target target = resolve({path_, advice_});
  if (!target.replaceable) {
    open_directly();
    return;
  }
  target_ = target.path;
  Temporary temporary = create_temporary(target_);
  if (!temporary.file.is_open()) {
    fail("create", temporary.error);
  }
  file_ = std::move(temporary.file);
  temporary_ = std::move(temporary.name);
  descriptor_ = file_.get();
}

AtomicFile::~AtomicFile() {
  if (file_.is_open() && !temporary_.empty()) {
    static_cast<void>(file_.close());
    ::unlink(temporary_.c_str());
  }
}

void AtomicFile::open_directly() {
  if (const auto own = own_descriptor(path_); own.has_value()) {
    std::fflush(*own == STDERR_FILENO ? stderr : stdout);
    descriptor_ = *own;
    return;
  }
  file_ = FileDescriptor(open_stream(path_));
  if (!file_.is_open()) {
    fail(errno == ENXIO ? "open: nobody reads this pipe" : "open", errno);
  }
  descriptor_ = file_.get();
}

void AtomicFile::write(std::string_view text) {
  if (reader_left_) {
    return;
  }
  const int error = write_all(descriptor_, std::as_bytes(std::span(text)));
  reader_left_ = error == EPIPE;
  if (error != 0 && !reader_left_) {
    fail("write", error);
  }
}

void AtomicFile::commit() {
  if (temporary_.empty()) {
    return;
  }
  if (::fsync(descriptor_) != 0 && errno != EINVAL) {
    fail("flush", errno);
  }
  const char* step = "close";
  descriptor_ = -1;
  int error = file_.close();
  if (error == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) {
    step = "rename";
    error = errno;
  }
  if (error != 0) {
    ::unlink(temporary_.c_str());
    fail(step, error);
  }
  // Syncing the folder makes the rename durable; if the folder cannot be opened for reading, only
  // that guarantee is lost.
  const FileDescriptor folder(
      ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) {
    static_cast<void>(::fsync(folder.get()));
  }
}

void AtomicFile::fail(const char* what, int errno_value) const {
  core::fail({path_, advice_}, what, errno_value);
}

bool is_standard_output(const std::string& path) { return own_descriptor(path) == STDOUT_FILENO; }

bool is_stream(const std::string& path) {
  if (own_descriptor(path).has_value()) {
    return true;
  }
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return !is_replaceable(status) && !std::filesystem::is_directory(status);
}

void write_file_atomically(const std::string& path,
                           std::string_view text,
                           std::string_view advice) {
  write_file_atomically(path, std::span(&text, 1), advice);
}

void write_file_atomically(const std::string& path,
                           std::span<const std::string_view> parts,
                           std::string_view advice) {
  AtomicFile file(path, std::string(advice));
  for (const std::string_view part : parts) {
    file.write(part);
  }
  file.commit();
}

std::uint64_t temporary_token() {
  static const std::uint64_t token = random_token();
  return token;
}

void remove_temporaries(const std::string& path, std::uint64_t token) {
  if (is_stream(path)) {
    return;
  }
  const std::filesystem::path file = follow_links(path);
  const std::string prefix = temporary_prefix(file, token);
  std::error_code ignored;
  std::filesystem::directory_iterator entry(folder_of(file), ignored);
  for (; entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(kTemporarySuffix)) {
      ::unlink(entry->path().c_str());
    }
  }
}

std::filesystem::path place_of(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(follow_links(std::filesystem::absolute(path, ignored)),
                                           ignored);
}

bool is_same_file(const std::string& one, const std::string& other) {
  if (is_stream(one) || is_stream(other)) {  // a device or pipe overwrites nothing
    return is_standard_output(one) && is_standard_output(other);
  }
  return place_of(one) == place_of(other);
}

void check_writable(const std::string& path, std::string_view advice) {
  const Named named{path, advice};
  const Target target = resolve(named);
  if (!target.replaceable) {
    if (const auto own = own_descriptor(path); own.has_value()) {
      const int flags = ::fcntl(*own, F_GETFL);
      if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        fail(named, "write", EBADF);
      }
    } else if (::access(path.c_str(), W_OK) != 0) {
      fail(named, "open", errno);
    }
    return;
  }
  const Temporary temporary = create_temporary(target.path);
  if (!temporary.file.is_open()) {
    fail(named, "create", temporary.error);
  }
  ::unlink(temporary.name.c_str());
}

}  // namespace dlbench::core
