// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// MPI as dlbench uses it: groups of ranks, messages between them whose waits leave the processor to
// others, and windows of shared memory. The one place that calls MPI; mpi.h stays in the source.
#pragma once

#include "engine/comm/communicator.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dlbench::comm::mpi {

/// How to wait for the others.
struct Waiting {
  double timeout_s = 1800.0;
  const char* what = "message";  ///< for messages: "barrier 12"
  /// Ready to move data: yields the processor between looks, but never sleeps, since MPI moves data
  /// only while somebody looks. Otherwise it falls asleep, for longer the longer it takes.
  bool moving_data = false;
  const std::atomic<bool>* give_up = nullptr;  ///< ends the wait with an error once true
};

/// Memory that all ranks of a group map; freed with the object, collectively.
class SharedSegments {
 public:
  SharedSegments() = default;
  SharedSegments(const SharedSegments&) = delete;
  SharedSegments& operator=(const SharedSegments&) = delete;
  virtual ~SharedSegments() = default;
  /// By rank, as this process sees them.
  [[nodiscard]] virtual const std::vector<std::byte*>& addresses() const = 0;
};

/// A group of ranks: an MPI communicator. MPI works with MPI_THREAD_MULTIPLE, so that different
/// groups may be used by different threads. All calls are collective.
/// Failed MPI calls throw core::Error(kLibrary), late ranks kTimeout.
class MpiGroup {
 public:
  /// Starts MPI, once per process, and returns the group of all ranks.
  /// Throws core::Error(kUnavailable) if it cannot serve several threads.
  [[nodiscard]] static std::unique_ptr<MpiGroup> start();
  /// Ends MPI if all ranks come to the same point within a few seconds; otherwise leaves it as it
  /// is, because ending it would hang.
  static void finish(MpiGroup& world) noexcept;
  /// Ends all processes.
  [[noreturn]] static void abort(int exit_code);
  /// "MPICH 4.0.2", "Open MPI 4.1.4".
  [[nodiscard]] static std::string library();

  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;
  ~MpiGroup();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// Ranks of equal color, in their order here; nullptr for a negative color.
  [[nodiscard]] std::unique_ptr<MpiGroup> split(int color, const Waiting& waiting) const;
  /// The ranks that can share memory with this one.
  [[nodiscard]] std::unique_ptr<MpiGroup> split_by_memory(const Waiting& waiting) const;

  void barrier(const Waiting& waiting) const;
  void broadcast(std::span<std::byte> bytes, int root, const Waiting& waiting) const;
  /// Every rank's text, by rank, on rank 0; empty elsewhere.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text,
                                                const Waiting& waiting) const;
  void all_reduce(const ReduceRequest& request, const Waiting& waiting) const;
  /// Shares as in communicator.h; not more than 2^31 - 1 elements.
  void reduce_scatter(const ReduceRequest& request, const Waiting& waiting);
  void all_gather(std::byte* data,
                  std::size_t count,
                  core::DType dtype,
                  const Waiting& waiting) const;
  /// One segment of `bytes` per rank, not initialised. Only where all ranks can share memory.
  [[nodiscard]] std::unique_ptr<SharedSegments> allocate_shared(std::size_t bytes,
                                                                const Waiting& waiting) const;

 private:
  struct Handle;
  struct Shares;
  explicit MpiGroup(std::unique_ptr<Handle> handle);

  std::unique_ptr<Handle> handle_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<std::byte> share_;  ///< of reduce_scatter(), kept for the next one
};

}  // namespace dlbench::comm::mpi
