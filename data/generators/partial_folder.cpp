// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/partial_folder.h"

#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;

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

/// Removes the folders of that name and any process, but those whose process holds the lock.
void remove_abandoned(const fs::path& parent, const std::string& prefix) {
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, failure)) {
    if (!entry.path().filename().string().starts_with(prefix)) {
      continue;
    }
    const core::FileDescriptor folder = open_folder(entry.path());
    if (folder.is_open() && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0) {
      remove_folder(entry.path());
    }
  }
}

}  // namespace

PartialFolder::PartialFolder(const fs::path& out)
    : path_(out.string() + fmt::format(".partial-{}", ::getpid())) {
  const fs::path parent = out.has_parent_path() ? out.parent_path() : fs::path(".");
  remove_abandoned(parent, out.filename().string() + ".partial-");
  // Between creation and lock another process may take it for abandoned: then it is made again.
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
