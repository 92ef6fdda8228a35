// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// MPI as dlbench uses it: groups of ranks, messages between them that wait without occupying the
// processor, and windows of shared memory. The one place that calls MPI; mpi.h stays in the source.
#pragma once

#include "engine/comm/communicator.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dlbench::comm::mpi {

/// How to wait for other ranks.
struct Waiting {
  double timeout_s = 1800.0;
  const char* what = "message";  ///< for messages: "barrier 12"
  /// True if data move: the wait then yields between polls but never sleeps, since MPI moves data
  /// only while it is polled. Otherwise it sleeps, for longer the longer it takes.
  bool moving_data = false;
  const std::atomic<bool>* give_up = nullptr;  ///< ends the wait with an error once true
};

/// Memory that all ranks of a group map; the destructor frees it, collectively.
class SharedSegments {
 public:
  SharedSegments() = default;
  SharedSegments(const SharedSegments&) = delete;
  SharedSegments& operator=(const SharedSegments&) = delete;
  virtual ~SharedSegments() = default;
  /// The segments of all ranks in this process's address space, by rank.
  [[nodiscard]] virtual const std::vector<std::byte*>& addresses() const = 0;
};

/// A group of ranks: an MPI communicator. MPI runs with MPI_THREAD_MULTIPLE, so that different
/// groups may be used by different threads. All calls are collective. A failed MPI call throws
/// core::Error(kLibrary), a late rank kTimeout.
class MpiGroup {
 public:
  /// Starts MPI, once per process, and returns the group of all ranks.
  /// Throws core::Error(kUnavailable) if MPI does not support several threads.
  [[nodiscard]] static std::unique_ptr<MpiGroup> start();
  /// Finalises MPI if all ranks get here within a few seconds; otherwise does not, because that
  /// would hang. Where it hangs all the same, ends the process with `exit_code` and a warning.
  static void finish(MpiGroup& world, int exit_code) noexcept;
  /// Ends all processes of the launch.
  [[noreturn]] static void abort(int exit_code);
  /// "MPICH 4.0.2", "Open MPI 4.1.4".
  [[nodiscard]] static std::string library();

  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;
  ~MpiGroup();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// Makes a group of the ranks with the same `color`, in the same order; nullptr if it is
  /// negative.
  [[nodiscard]] std::unique_ptr<MpiGroup> split(int color, const Waiting& waiting) const;
  /// Makes a group of the ranks that can share memory with this one.
  [[nodiscard]] std::unique_ptr<MpiGroup> split_by_memory(const Waiting& waiting) const;

  void barrier(const Waiting& waiting) const;
  void broadcast(std::span<std::byte> bytes, int root, const Waiting& waiting) const;
  /// Returns every rank's text, by rank, on rank 0; empty on others.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text,
                                                const Waiting& waiting) const;
  void all_reduce(const ReduceRequest& request, const Waiting& waiting) const;
  /// Shares as in communicator.h. Throws core::Error(kUsage) for more than 2^31 - 1 elements.
  void reduce_scatter(const ReduceRequest& request, const Waiting& waiting);
  void all_gather(std::byte* data,
                  std::size_t count,
                  core::DType dtype,
                  const Waiting& waiting) const;
  /// Allocates an uninitialised segment of `bytes` per rank. Only if all ranks can share memory.
  [[nodiscard]] std::unique_ptr<SharedSegments> allocate_shared(std::size_t bytes,
                                                                const Waiting& waiting) const;

 private:
  struct Handle;
  struct Shares;
  explicit MpiGroup(std::unique_ptr<Handle> handle);

  std::unique_ptr<Handle> handle_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<std::byte> share_;  ///< result buffer of reduce_scatter(), kept for reuse
};

}  // namespace dlbench::comm::mpi
