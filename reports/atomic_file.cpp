// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/atomic_file.h"

#include "engine/core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace dlbench::reports {
namespace {

using core::Error;
using core::ErrorCode;

/// What the messages say of the file that the user named.
struct Named {
  const std::string& path;
  std::string_view advice;
};

[[noreturn]] void fail(const Named& file, const char* what, int errno_value) {
  throw Error(ErrorCode::kFile,
              fmt::format("cannot write '{}': {}: {}; {}",
                          file.path,
                          what,
                          core::errno_text(errno_value),
                          file.advice));
}

/// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) {
      ::close(value_);
    }
  }
  [[nodiscard]] int get() const { return value_; }
  /// Closes now and returns close's result: some file systems report a full disk only here.
  int close() {
    const int result = ::close(value_);
    value_ = -1;
    return result;
  }

 private:
  int value_;
};

/// Returns 0 or the errno of the first write that failed.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno;
    }
    if (written == 0) {
      return ENOSPC;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void write_directly(const Named& named, std::string_view text) {
  const Descriptor file(::open(named.path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) {
    fail(named, "open", errno);
  }
  if (const int error = write_all(file.get(), text); error != 0) {
    fail(named, "write", error);
  }
}

void write_standard_output(std::string_view text, std::string_view advice) {
  std::fflush(stdout);
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) {  // who closed the pipe has read enough
    fail({"standard output", advice}, "write", error);
  }
}

/// `path`, or what it links to. By hand, because the link may lead to a file that is yet to be
/// written.
std::filesystem::path follow_links(std::filesystem::path path) {
  std::error_code ignored;
  constexpr int kMaxLinks = 40;  // as the kernel has it
  for (int link = 0; link < kMaxLinks && std::filesystem::is_symlink(path, ignored); ++link) {
    const auto next = std::filesystem::read_symlink(path, ignored);
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

/// Whether a file of this status is written by renaming another one to its place: a regular file or
/// nothing yet.
bool is_replaceable(const std::filesystem::file_status& status) {
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

/// Where the bytes go. Throws for a folder.
struct Target {
  std::filesystem::path path;
  bool replaceable = true;
};
Target resolve(const Named& named) {
  if (named.path.empty()) {
    throw Error(ErrorCode::kFile, "cannot write a file: its name is empty");
  }
  Target target{follow_links(named.path), true};
  std::error_code ignored;
  const auto status = std::filesystem::status(target.path, ignored);
  if (std::filesystem::is_directory(status)) {
    fail(named, "open", EISDIR);
  }
  target.replaceable = is_replaceable(status);
  return target;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

std::string temporary_name(const std::filesystem::path& file, int pid) {
  return (folder_of(file) / fmt::format(".{}.{}.tmp", file.filename().string(), pid)).string();
}

/// Creates the temporary file; a left-over of a killed process with this id is replaced.
int create_temporary(const std::string& name) {
  constexpr mode_t kMode = 0666;  // less the umask
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int descriptor = ::open(name.c_str(), flags, kMode);
  if (descriptor < 0 && errno == EEXIST && ::unlink(name.c_str()) == 0) {
    descriptor = ::open(name.c_str(), flags, kMode);
  }
  return descriptor;
}

}  // namespace

void write_file_atomically(const std::string& path,
                           std::string_view text,
                           std::string_view advice) {
  if (path == "-") {
    write_standard_output(text, advice);
    return;
  }
  const Named named{path, advice};
  const Target target = resolve(named);
  if (!target.replaceable) {
    write_directly(named, text);
    return;
  }
  const std::string temporary = temporary_name(target.path, ::getpid());
  Descriptor file(create_temporary(temporary));
  if (file.get() < 0) {
    fail(named, "create", errno);
  }
  const char* step = "write";
  int error = write_all(file.get(), text);
  if (error == 0 && ::fsync(file.get()) != 0 && errno != EINVAL) {
    step = "flush";
    error = errno;
  }
  if (file.close() != 0 && error == 0) {
    step = "close";
    error = errno;
  }
  if (error == 0 && ::rename(temporary.c_str(), target.path.c_str()) != 0) {
    step = "rename";
    error = errno;
  }
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(named, step, error);
  }
  // The rename itself reaches the disk with the folder; a folder that cannot be opened for reading
  // loses only that guarantee.
  const Descriptor folder(
      ::open(folder_of(target.path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) {
    static_cast<void>(::fsync(folder.get()));
  }
}

void remove_temporary(const std::string& path, int pid) {
  const std::filesystem::path target = follow_links(path);
  std::error_code ignored;
  if (is_replaceable(std::filesystem::status(target, ignored))) {
    ::unlink(temporary_name(target, pid).c_str());
  }
}

bool is_same_file(const std::string& one, const std::string& other) {
  if (one == "-" || other == "-") {
    return one == other;
  }
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    const auto target = follow_links(std::filesystem::absolute(path, ignored));
    return is_replaceable(std::filesystem::status(target, ignored))
               ? std::filesystem::weakly_canonical(target, ignored)
               : std::filesystem::path();  // a device or pipe takes all that comes
  };
  const std::filesystem::path first = place(one);
  return !first.empty() && first == place(other);
}

void check_writable(const std::string& path, std::string_view advice) {
  if (path == "-") {
    return;
  }
  const Named named{path, advice};
  const Target target = resolve(named);
  if (!target.replaceable) {
    if (::access(target.path.c_str(), W_OK) != 0) {
      fail(named, "open", errno);
    }
    return;
  }
  const std::string temporary = temporary_name(target.path, ::getpid());
  const Descriptor file(create_temporary(temporary));
  if (file.get() < 0) {
    fail(named, "create", errno);
  }
  ::unlink(temporary.c_str());
}

}  // namespace dlbench::reports
