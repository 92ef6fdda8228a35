// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/load_context.h"

#include "data/loader/storage_model.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/file_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

namespace dlbench::data {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30U;
// Decoders and the resizer may read a vector register past the end.
constexpr std::size_t kPaddingBytes = 64;

[[noreturn]] void throw_read_error(const std::filesystem::path& path, int errno_value) {
  throw core::Error(core::ErrorCode::kFile,
                    "cannot read '" + path.string() + "': " + core::errno_text(errno_value));
}

std::size_t regular_file_bytes(int fd, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    throw_read_error(path, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    throw core::Error(core::ErrorCode::kFile,
                      "cannot read '" + path.string() + "': not a regular file");
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes == 0) {
    throw core::Error(core::ErrorCode::kData, "'" + path.string() + "' is empty (0 bytes)");
  }
  if (bytes > kMaxFileBytes) {
    throw core::Error(core::ErrorCode::kData,
                      "'" + path.string() + "' has " + std::to_string(bytes) +
                          " bytes; a sample file may have at most " +
                          std::to_string(kMaxFileBytes));
  }
  return bytes;
}

}  // namespace

std::string_view name(Stage stage) {
  switch (stage) {
    case Stage::kRead:
      return "read";
    case Stage::kDecode:
      return "decode";
    case Stage::kTransform:
      return "transform";
    case Stage::kCollate:
      return "collate";
  }
  return "?";
}

void sleep_until_or_stop(Clock::time_point deadline, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_until(lock, stop, deadline, [] { return false; });
}

LoadContext::LoadContext(WorkerCounters& counters, Options options)
    : counters_(counters),
      options_(std::move(options)),
      has_delays_(std::ranges::any_of(options_.delays, [](const StageDelay& delay) {
        return delay.sleep_s > 0.0 || delay.busy_s > 0.0;
      })) {}

LoadContext::StageTimer::~StageTimer() {
  context_.counters_.stage_ns[static_cast<std::size_t>(stage_)].fetch_add(
      core::nanoseconds_since(start_), std::memory_order_relaxed);
}

std::span<const std::byte> LoadContext::read_file(const std::filesystem::path& path) {
  const StageTimer timer(*this, Stage::kRead);
  // O_NONBLOCK: opening a named pipe would otherwise wait for a writer.
  const core::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) {
    throw_read_error(path, errno);
  }
  const std::size_t bytes = regular_file_bytes(file.get(), path);
  std::byte* buffer = reserve(bytes + kPaddingBytes);
  const core::ReadResult read = core::read_all(file.get(), {buffer, bytes});
  if (read.error != 0) {
    throw_read_error(path, read.error);
  }
  if (read.bytes < bytes) {
    throw core::Error(core::ErrorCode::kData,
                      "'" + path.string() + "' shrank to " + std::to_string(read.bytes) + " of " +
                          std::to_string(bytes) + " bytes while it was read");
  }
  std::memset(buffer + bytes, 0, kPaddingBytes);
  wait_for_storage(static_cast<std::int64_t>(bytes));
  return {buffer, bytes};
}

void LoadContext::account_read(std::int64_t bytes) {
  if (options_.storage == nullptr) {
    counters_.bytes_read.fetch_add(bytes, std::memory_order_relaxed);
    return;
  }
  const StageTimer timer(*this, Stage::kRead);
  wait_for_storage(bytes);
}

void LoadContext::wait_for_storage(std::int64_t bytes) {
  counters_.bytes_read.fetch_add(bytes, std::memory_order_relaxed);
  if (options_.storage != nullptr) {
    options_.storage->read(bytes, options_.stop);
  }
}

std::byte* LoadContext::reserve(std::size_t bytes) {
  if (bytes > buffer_bytes_) {
    // Grows by half, so that files of increasing size do not reallocate each time.
    buffer_bytes_ = bytes + bytes / 2;
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(buffer_bytes_);
  }
  return buffer_.get();
}

void LoadContext::apply_delays() {
  if (!has_delays_) {
    return;
  }
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    const StageDelay& delay = options_.delays[stage];
    if (delay.sleep_s <= 0.0 && delay.busy_s <= 0.0) {
      continue;
    }
    const StageTimer timer(*this, static_cast<Stage>(stage));
    const auto start = Clock::now();
    const auto busy_end = start + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(delay.busy_s));
    while (Clock::now() < busy_end && !options_.stop.stop_requested()) {
    }
    if (delay.sleep_s > 0.0) {
      sleep_until_or_stop(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(delay.sleep_s)),
                          options_.stop);
    }
  }
}

}  // namespace dlbench::data
