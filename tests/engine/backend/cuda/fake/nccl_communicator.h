// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands behind a fake ncclComm_t: the state that ncclCommGetAsyncError tells, the thread
// that NCCL works on in the background, and the collectives that run on streams.
#pragma once

#include "tests/engine/backend/cuda/fake/nccl_collective.h"
#include "tests/engine/backend/cuda/fake/nccl_ranks.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace dlbench::fake::nccl {

/// Keeps `text` for ncclGetLastError and prints it, since a test may ask nobody. Returns `result`.
ncclResult_t say(ncclResult_t result, const std::string& text);
/// What the last one said; "" if there was none.
[[nodiscard]] const char* last_text();

/// What DLBENCH_FAKE_NCCL asks for, `name=N` with commas between them.
struct Faults {
  /// The Nth collective, from 1, that this process executes never ends until it is aborted; 0:
  /// none.
  std::int64_t hang = 0;
  /// At the Nth, this rank's communicator meets ncclRemoteError; it does not end either.
  std::int64_t error = 0;
  /// The Nth call of this process that connects or enqueues stays in progress until its
  /// communicator is aborted.
  std::int64_t stuck = 0;
  bool id = true;        ///< 0: ncclGetUniqueId fails with ncclInvalidUsage
  bool memalloc = true;  ///< 0: ncclMemAlloc fails with ncclUnhandledCudaError
  /// 0: collectives on a stream that records are ncclInvalidUsage, and the communicator keeps it.
  bool record = true;
  bool nvls = true;  ///< 0: ranks do not connect unless NCCL_NVLS_ENABLE is 0
};
[[nodiscard]] const Faults& faults();

/// What ncclMemAlloc rounds up to, bytes: the least that devices with switches map at once.
inline constexpr std::size_t kGranularity = std::size_t{2} << 20;

/// Throws Refused where sums in switches shall be off, and are not.
void check_nvls();
/// Whether the call that this process makes now is the one that never ends. To be asked once in
/// each that connects or enqueues.
[[nodiscard]] bool next_is_stuck();

/// Shared by its handle, by threads that are in a call, and by work on streams and in graphs, any
/// of which may be the last. Calls are the API's, one at a time; they throw Refused.
class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  Communicator(std::unique_ptr<Ranks> ranks, int device, bool blocking);

  [[nodiscard]] int rank() const { return ranks_->rank(); }
  [[nodiscard]] int size() const { return ranks_->size(); }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] bool blocking() const { return blocking_; }

  /// What ncclCommGetAsyncError tells.
  [[nodiscard]] ncclResult_t state() const;
  /// An asynchronous error, which stays.
  void fail(ncclResult_t result, const std::string& text);
  /// Unless the communicator connected, did all that was asked of it, and was not ended.
  void require_ready(std::string_view call) const;

  /// Unless finalize() was called.
  void require_open() const;

  /// These three are in progress when they return where the communicator is not blocking.
  void connect();
  void finalize();
  /// `task` in the background, during which the states of this and of `others` are in progress.
  void start(const std::function<void()>& task,
             const std::vector<std::shared_ptr<Communicator>>& others = {});

  /// Without waiting for others after finalize(), else with.
  void destroy();
  void wait_for_abort() const;
  /// Ends all waits of this rank. Returns once no work is left, in graphs neither.
  void abort();

  /// Whether the next enqueuing call is one that returns before it is over: every second.
  [[nodiscard]] bool next_is_late() { return ++calls_ % 2 == 0; }

  /// A collective as work for a stream. The communicator does not end before that is gone.
  [[nodiscard]] std::function<void()> work(const Collective& collective, const Buffers& buffers);

 private:
  class Reference;

  /// On the thread of a stream.
  void run(const Collective& collective, const Buffers& buffers);
  void run_alone(const Collective& collective, const Buffers& buffers);
  void run_finalize();
  void in_background_or_here(const std::function<void()>& task);
  void join_worker();
  void wait_for_work(std::string_view call, const std::atomic<bool>& given_up) const;

  std::unique_ptr<Ranks> ranks_;
  int device_;
  bool blocking_;
  std::atomic<ncclResult_t> error_{ncclSuccess};
  std::atomic<int> in_progress_{0};
  std::atomic<int> references_{0};  ///< work that is not gone
  std::atomic<bool> running_{false};
  std::atomic<bool> given_up_{false};
  std::atomic<bool> finalized_{false};
  std::atomic<int> calls_{0};
  std::mutex worker_mutex_;
  std::thread worker_;
};

}  // namespace dlbench::fake::nccl
