// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the ranks of a fake communicator share: a mapping of anonymous memory of the process
// that made the id, opened through /proc, so that nothing is left behind however processes end.
#pragma once

#include <nccl.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

namespace dlbench::fake::nccl {

/// More than tests have.
constexpr int kMaxRanks = 64;
/// What each rank shows the others at once of a collective's data.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// A call that NCCL would refuse, and what it would say.
class Refused : public std::runtime_error {
 public:
  Refused(ncclResult_t result, const std::string& text)
      : std::runtime_error(text), result_(result) {}
  [[nodiscard]] ncclResult_t result() const { return result_; }

 private:
  ncclResult_t result_;
};

/// A wait for other ranks that this one has given up.
struct GivenUp {};

/// Looks until `done()`; sleeps in between, as there are more waiting threads than cores. False if
/// `given_up` came first.
template <typename Done>
[[nodiscard]] bool wait_until(const Done& done, const std::atomic<bool>& given_up) {
  constexpr int kSoon = 20;
  for (int look = 0; !done(); ++look) {
    if (given_up.load(std::memory_order_acquire)) {
      return false;
    }
    if (look < kSoon) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  return true;
}

/// One rank's view of them. All waits end only by the other ranks or by `given_up`, for which they
/// throw GivenUp: a rank that is gone is waited for, as by NCCL.
class Ranks {
 public:
  using Description = std::array<std::byte, 64>;

  /// New shared memory, by a text for ncclUniqueId. The process keeps it until all have come.
  [[nodiscard]] static std::string create();

  /// Opens what create() named in this process or another. Throws Refused.
  Ranks(std::string id, int rank, int size, const std::string& device);
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// Until all ranks have come. Throws Refused where two have the same device.
  void connect(const std::atomic<bool>& given_up);
  /// Until all ranks are here; what each wrote before is visible to all after.
  void meet(const std::atomic<bool>& given_up);
  /// Until all ranks say that they have finished.
  void finish(const std::atomic<bool>& given_up);

  /// Room for kChunkBytes that all ranks see; written by its rank only.
  [[nodiscard]] std::byte* slot(int rank) const;
  /// What a rank says of the collective that it is in.
  [[nodiscard]] Description& description(int rank) const;

 private:
  struct Cell;

  [[nodiscard]] Cell& cell(int rank) const;
  void refuse_duplicates() const;

  std::string id_;
  int rank_;
  int size_;
  std::uint64_t phase_ = 0;  ///< how often it met the others
  std::byte* memory_ = nullptr;
};

}  // namespace dlbench::fake::nccl
