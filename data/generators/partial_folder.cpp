// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/partial_folder.h"

#include "engine/core/error.h"
#include "engine/core/host_name.h"
#include "engine/core/log.h"
#include "engine/core/random_token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kOldAge{24};  // of what another host left
constexpr std::string_view kInfix = ".partial-";
constexpr std::size_t kTokenDigits = 16;

/// Returns the part of the name between the infix and the token.
std::string host_part() {
  std::string host = core::host_name();
  std::ranges::replace(host, '/', '_');
  return host + "-";
}

/// Returns that part of a PartialFolder's name; nullopt for any other name or prefix.
std::optional<std::string_view> host_part_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() < prefix.size() + kTokenDigits) {
    return std::nullopt;
  }
  const std::size_t token = name.size() - kTokenDigits;
  const std::string_view host = name.substr(prefix.size(), token - prefix.size());
  const bool digits =
      name.substr(token).find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return host.ends_with('-') && digits ? std::optional(host) : std::nullopt;
}

core::FileDescriptor open_folder(const fs::path& path) {
  return core::FileDescriptor(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

void remove_folder(const fs::path& path) {
  std::error_code failure;
  fs::remove_all(path, failure);
  if (failure) {
    core::log::warn(fmt::format("cannot remove '{}': {}", path.string(), failure.message()));
  }
}

/// Whether neither the folder nor anything in it was modified within kOldAge. False if it cannot be
/// read completely, for example because its process is renaming or filling it.
bool is_old(const fs::path& folder) {
  const fs::file_time_type since = fs::file_time_type::clock::now() - kOldAge;
  std::error_code failure;
  bool old = fs::last_write_time(folder, failure) < since && !failure;
  fs::recursive_directory_iterator entry(folder, failure);
  while (old && !failure && entry != fs::recursive_directory_iterator()) {
    old = entry->last_write_time(failure) < since && !failure;
    if (old) {
      entry.increment(failure);
    }
  }
  return old && !failure;
}

/// Removes all processes' folders with that prefix, except locked ones and those of other hosts
/// that are not old: their lock may look free here although it is held there.
void remove_abandoned(const fs::path& parent, const std::string& prefix) {
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, failure)) {
    const std::string name = entry.path().filename().string();
    const std::optional<std::string_view> host = host_part_of(name, prefix);
    if (!host) {
      continue;
    }
    const core::FileDescriptor folder = open_folder(entry.path());
    if (folder.is_open() && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 &&
        (*host == host_part() || is_old(entry.path()))) {
      remove_folder(entry.path());
    }
  }
}

}  // namespace

PartialFolder::PartialFolder(const fs::path& out)
    : path_(fmt::format("{}{}{}{:016x}", out.string(), kInfix, host_part(), core::random_token())) {
  const fs::path parent = out.has_parent_path() ? out.parent_path() : fs::path(".");
  remove_abandoned(parent, out.filename().string() + std::string(kInfix));
  // Before the lock another process may take it for abandoned and remove it; then it is made again.
  do {
    std::error_code failure;
    fs::create_directories(path_, failure);
    if (failure) {
      throw core::Error(core::ErrorCode::kFile,
                        fmt::format("cannot create '{}': {}", path_.string(), failure.message()));
    }
    lock_ = open_folder(path_);
    if (lock_.is_open()) {
      static_cast<void>(::flock(lock_.get(), LOCK_EX));
    }
  } while (!fs::exists(path_));
}

PartialFolder::~PartialFolder() {
  if (!path_.empty()) {
    remove_folder(path_);
  }
}

std::error_code PartialFolder::rename_to(const fs::path& out) {
  std::error_code failure;
  fs::rename(path_, out, failure);
  if (!failure) {
    path_.clear();
  }
  return failure;
}

}  // namespace dlbench::data
