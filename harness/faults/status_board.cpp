// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/status_board.h"

#include "engine/core/random_token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

// A value that is written once: claimed by one writer, then ready for all readers.
enum class Once : std::uint32_t { kEmpty, kClaimed, kReady };

bool claim(std::atomic<Once>& state) {
  Once empty = Once::kEmpty;
  return state.compare_exchange_strong(empty, Once::kClaimed);
}

template <std::size_t Bytes>
using Characters = std::array<char, Bytes>;

template <std::size_t Bytes>
void copy(std::string_view text, Characters<Bytes>& characters) {
  characters = {};
  std::memcpy(characters.data(), text.data(), std::min(text.size(), Bytes - 1));
}

struct FaultSlot {
  std::atomic<Once> state;
  std::int32_t rank;
  std::int32_t code;
  std::int32_t told_by_rank;
  std::int64_t collective;
  double noticed_s;
  Characters<256> host;
  Characters<64> phase;
  Characters<64> op;
  Characters<1024> detail;
};

constexpr const char* kFolder = "/dev/shm";  // of shm_open()
constexpr std::string_view kNamesBegin = "dlbench-board.";

Error unavailable(const char* what) {
  return {ErrorCode::kUnavailable,
          fmt::format("{} a board in {}: {}", what, kFolder, core::errno_text(errno))};
}

/// Removes boards of this user that nobody has locked. Their makers, and the sentinels that would
/// have removed them, were killed before the ranks had met.
void remove_left_over() {
  std::error_code failure;
  std::filesystem::directory_iterator entry(kFolder, failure);
  for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kNamesBegin)) {
      continue;
    }
    const core::FileDescriptor file(shm_open(("/" + name).c_str(), O_RDONLY, 0));
    struct stat status {};
    if (file.is_open() && fstat(file.get(), &status) == 0 && status.st_uid == geteuid() &&
        flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      shm_unlink(("/" + name).c_str());
    }
  }
}

/// Makes a new, locked file of that name; none, with errno, on failure.
core::FileDescriptor create_locked(const std::string& name) {
  for (;;) {
    core::FileDescriptor file(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    struct stat status {};
    if (!file.is_open()) {
      return file;
    }
    static_cast<void>(flock(file.get(), LOCK_EX));
    // Before the lock another process may have removed it as left over; then it is made again.
    if (fstat(file.get(), &status) != 0 || status.st_nlink > 0) {
      return file;
    }
  }
}

}  // namespace

struct StatusBoard::Layout {
  std::atomic<Once> node_state;
  std::int32_t ranks;
  std::int32_t first_rank;
  std::int32_t node;
  std::int32_t nodes;
  Characters<256> host;
  std::atomic<Once> meeting_place_state;
  Characters<1024> meeting_place;
  std::atomic<std::int32_t> linked;
  std::atomic<Once> report_state;
  Characters<4096> report;
  std::atomic<std::uint32_t> concluded;
  std::atomic<std::uint32_t> announcing;
  std::atomic<std::uint32_t> announced;
  FaultSlot fault;
  std::array<BoardSeat, kSeats> seats;
};

void* StatusBoard::map(const core::FileDescriptor& file) {
  return mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
}

std::unique_ptr<StatusBoard> StatusBoard::create() {
  remove_left_over();
  const std::string name = fmt::format("/{}{:016x}", kNamesBegin, core::random_token());
  core::FileDescriptor file = create_locked(name);
  if (!file.is_open()) {
    throw unavailable("cannot make");
  }
  void* memory = ftruncate(file.get(), sizeof(Layout)) == 0 ? map(file) : MAP_FAILED;
  if (memory == MAP_FAILED) {
    const Error error = unavailable("cannot map");
    shm_unlink(name.c_str());
    throw Error(error);
  }
  return std::unique_ptr<StatusBoard>(
      new StatusBoard(static_cast<Layout*>(memory), name, std::move(file)));
}

std::unique_ptr<StatusBoard> StatusBoard::open(const std::string& name) {
  const core::FileDescriptor file(shm_open(name.c_str(), O_RDWR, 0));
  if (!file.is_open()) {
    throw unavailable("cannot open");
  }
  struct stat status {};
  const bool ours = fstat(file.get(), &status) == 0 && status.st_uid == geteuid() &&
                    status.st_size == static_cast<off_t>(sizeof(Layout));
  void* memory = ours ? map(file) : MAP_FAILED;
  if (memory == MAP_FAILED) {
    throw unavailable("cannot map");
  }
  return std::unique_ptr<StatusBoard>(new StatusBoard(static_cast<Layout*>(memory), "", {}));
}

StatusBoard::~StatusBoard() {
  unlink();
  munmap(layout_, sizeof(Layout));
}

void StatusBoard::unlink() {
  if (!name_.empty()) {
    shm_unlink(name_.c_str());
    name_.clear();
    static_cast<void>(lock_.close());
  }
}

BoardSeat& StatusBoard::seat(int index) const {
  return layout_->seats.at(static_cast<std::size_t>(index));
}

bool StatusBoard::earlier_loss_unseen(int index) const {
  const std::int64_t own = seat(index).progress.unseen_loss.load(std::memory_order_relaxed);
  return std::any_of(layout_->seats.begin(), layout_->seats.end(), [&](const BoardSeat& other) {
    const std::int64_t unseen = other.progress.unseen_loss.load(std::memory_order_relaxed);
    return other.state.load() == SeatState::kRunning && 0 < unseen && unseen < own;
  });
}

void StatusBoard::describe_node(const NodeFacts& facts) {
  if (claim(layout_->node_state)) {
    copy(facts.host, layout_->host);
    layout_->ranks = facts.ranks;
    layout_->first_rank = facts.first_rank;
    layout_->node = facts.node;
    layout_->nodes = facts.nodes;
    layout_->node_state.store(Once::kReady);
  }
}

std::optional<NodeFacts> StatusBoard::node() const {
  if (layout_->node_state.load() != Once::kReady) {
    return std::nullopt;
  }
  return NodeFacts{.host = layout_->host.data(),
                   .ranks = layout_->ranks,
                   .first_rank = layout_->first_rank,
                   .node = layout_->node,
                   .nodes = layout_->nodes};
}

void StatusBoard::set_meeting_place(const std::string& place) {
  if (claim(layout_->meeting_place_state)) {
    copy(place, layout_->meeting_place);
    layout_->meeting_place_state.store(Once::kReady);
  }
}

std::string StatusBoard::meeting_place() const {
  return layout_->meeting_place_state.load() == Once::kReady ? layout_->meeting_place.data() : "";
}

void StatusBoard::set_linked(int nodes) { layout_->linked.store(nodes); }

int StatusBoard::linked() const { return layout_->linked.load(); }

void StatusBoard::set_report(const std::string& path) {
  if (path.size() < layout_->report.size() && claim(layout_->report_state)) {
    copy(path, layout_->report);
    layout_->report_state.store(Once::kReady);
  }
}

std::string StatusBoard::report() const {
  return layout_->report_state.load() == Once::kReady ? layout_->report.data() : "";
}

Fault StatusBoard::post(const Fault& fault) {
  FaultSlot& slot = layout_->fault;
  if (claim(slot.state)) {
    slot.rank = fault.rank;
    slot.code = static_cast<std::int32_t>(fault.code);
    slot.told_by_rank = fault.told_by_rank ? 1 : 0;
    slot.collective = fault.collective;
    slot.noticed_s = fault.noticed_s > 0.0 ? fault.noticed_s : Fault::now_s();
    copy(fault.host, slot.host);
    copy(fault.phase, slot.phase);
    copy(fault.op, slot.op);
    copy(fault.detail, slot.detail);
    slot.state.store(Once::kReady);
  }
  return this->fault().value_or(fault);
}

std::optional<Fault> StatusBoard::fault() const {
  const FaultSlot& slot = layout_->fault;
  if (slot.state.load() != Once::kReady) {
    return std::nullopt;
  }
  return Fault{.rank = slot.rank,
               .host = slot.host.data(),
               .phase = slot.phase.data(),
               .op = slot.op.data(),
               .collective = slot.collective,
               .detail = slot.detail.data(),
               .code = static_cast<ErrorCode>(slot.code),
               .told_by_rank = slot.told_by_rank != 0,
               .noticed_s = slot.noticed_s};
}

void StatusBoard::conclude() { layout_->concluded.store(1); }

bool StatusBoard::concluded() const { return layout_->concluded.load() != 0; }

bool StatusBoard::may_announce() { return layout_->announcing.exchange(1) == 0; }

void StatusBoard::set_announced() { layout_->announced.store(1); }

bool StatusBoard::announced() const { return layout_->announced.load() != 0; }

}  // namespace dlbench::harness
