// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/nccl_ranks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace dlbench::fake::nccl {

/// What a rank tells the others. All zero in new memory.
struct Ranks::Cell {
  alignas(64) std::atomic<std::uint32_t> taken;  ///< by a rank, which fills it
  std::atomic<std::uint32_t> present;            ///< size and device are there
  std::atomic<std::uint32_t> finished;
  std::atomic<std::uint64_t> phase;
  std::int32_t size;
  std::array<char, 128> device;
  Description description;
};

namespace {

constexpr std::size_t kCellsBytes = std::size_t{1} << 16;
constexpr std::size_t kSharedBytes = kCellsBytes + kMaxRanks * kChunkBytes;
constexpr const char* kIdFormat = "fake NCCL %d %d %llu";

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Descriptors of memory that this process made and that ranks may still have to open, by id.
/// Leaked: ranks may connect while the process ends.
struct Made {
  std::mutex mutex;
  std::map<std::string, int> descriptors;
};
Made& made() {
  static auto* const made = new Made;
  return *made;
}

void forget(const std::string& id) {
  const std::scoped_lock lock(made().mutex);
  const auto found = made().descriptors.find(id);
  if (found != made().descriptors.end()) {
    ::close(found->second);
    made().descriptors.erase(found);
  }
}

[[noreturn]] void refuse_system(const char* call) {
  throw Refused(
      ncclSystemError,
      fmt::format("{}: {} (the process that made the unique id has ended, or all ranks came)",
                  call,
                  std::strerror(errno)));
}

/// The memory behind `id`, opened.
int open_shared(const std::string& id) {
  int process = 0;
  int number = 0;
  unsigned long long inode = 0;
  if (std::sscanf(id.c_str(), kIdFormat, &process, &number, &inode) != 3) {
    throw Refused(ncclInvalidArgument, "the unique id is not one of ncclGetUniqueId");
  }
  const int opened =
      ::open(fmt::format("/proc/{}/fd/{}", process, number).c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) {
    refuse_system("open");
  }
  struct stat status {};
  if (::fstat(opened, &status) != 0 || status.st_ino != inode) {
    ::close(opened);
    throw Refused(ncclInvalidUsage, "the unique id was used up: all its ranks came");
  }
  return opened;
}

}  // namespace

std::string Ranks::create() {
  const int descriptor = ::memfd_create("dlbench-fake-nccl", MFD_CLOEXEC);
  struct stat status {};
  if (descriptor < 0 || ::ftruncate(descriptor, static_cast<off_t>(kSharedBytes)) != 0 ||
      ::fstat(descriptor, &status) != 0) {
    refuse_system("memfd_create");
  }
  const std::string id = fmt::format("fake NCCL {} {} {}",
                                     static_cast<int>(::getpid()),
                                     descriptor,
                                     static_cast<unsigned long long>(status.st_ino));
  const std::scoped_lock lock(made().mutex);
  made().descriptors.emplace(id, descriptor);
  return id;
}

Ranks::Ranks(std::string id, int rank, int size, const std::string& device)
    : id_(std::move(id)), rank_(rank), size_(size) {
  static_assert(sizeof(Cell) * kMaxRanks <= kCellsBytes);
  const int opened = open_shared(id_);
  void* const memory = ::mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  ::close(opened);
  if (memory == MAP_FAILED) {
    refuse_system("mmap");
  }
  memory_ = static_cast<std::byte*>(memory);
  Cell& own = cell(rank);
  if (own.taken.exchange(1) != 0) {
    ::munmap(memory_, kSharedBytes);
    throw Refused(ncclInvalidUsage,
                  fmt::format("rank {} came twice, or the unique id was used before", rank));
  }
  own.size = size;
  own.device.fill('\0');
  device.copy(own.device.data(), own.device.size() - 1);
  own.present.store(1, std::memory_order_release);
}

Ranks::~Ranks() { ::munmap(memory_, kSharedBytes); }

Ranks::Cell& Ranks::cell(int rank) const { return reinterpret_cast<Cell*>(memory_)[rank]; }

std::byte* Ranks::slot(int rank) const {
  return memory_ + kCellsBytes + static_cast<std::size_t>(rank) * kChunkBytes;
}

Ranks::Description& Ranks::description(int rank) const { return cell(rank).description; }

void Ranks::connect(const std::atomic<bool>& given_up) {
  for (int rank = 0; rank < size_; ++rank) {
    const Cell& other = cell(rank);
    if (!wait_until([&] { return other.present.load(std::memory_order_acquire) != 0; }, given_up)) {
      throw GivenUp();
    }
    if (other.size != size_) {
      throw Refused(
          ncclInvalidArgument,
          fmt::format("rank {} says {} ranks, rank {} says {}", rank_, size_, rank, other.size));
    }
  }
  forget(id_);
  refuse_duplicates();
}

void Ranks::refuse_duplicates() const {
  for (int first = 0; first < size_; ++first) {
    for (int second = first + 1; second < size_; ++second) {
      if (cell(first).device == cell(second).device) {
        throw Refused(ncclInvalidUsage,
                      fmt::format("Duplicate GPU detected : rank {} and rank {} both on {}",
                                  first,
                                  second,
                                  cell(first).device.data()));
      }
    }
  }
}

void Ranks::meet(const std::atomic<bool>& given_up) {
  cell(rank_).phase.store(++phase_, std::memory_order_release);
  for (int rank = 0; rank < size_; ++rank) {
    const Cell& other = cell(rank);
    if (!wait_until([&] { return other.phase.load(std::memory_order_acquire) >= phase_; },
                    given_up)) {
      throw GivenUp();
    }
  }
}

void Ranks::finish(const std::atomic<bool>& given_up) {
  cell(rank_).finished.store(1, std::memory_order_release);
  for (int rank = 0; rank < size_; ++rank) {
    const Cell& other = cell(rank);
    if (!wait_until([&] { return other.finished.load(std::memory_order_acquire) != 0; },
                    given_up)) {
      throw GivenUp();
    }
  }
}

}  // namespace dlbench::fake::nccl
