// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives on tensors between ranks. self.h is the communicator of a single rank,
// host_communicator.h that of host memories; MPI and NCCL are plug-ins. Around others
// (forwarding.h): compressed.h, single_root.h, host_staged.h, simulated_link.h. rendezvous.h: how
// ranks find each other; communicator_list.h: which communicator they use.
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/dtype.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace dlbench::comm {

enum class ReduceOp : std::uint8_t { kSum, kMax };

/// What to reduce, in place: `count` elements at `data` on every rank. Supports f32, f64, f16,
/// bf16, i32, i64; f16 and bf16 are added in f32 and rounded once on each rank that adds.
struct ReduceRequest {
  std::byte* data = nullptr;
  std::size_t count = 0;
  core::DType dtype = core::DType::kF32;
  ReduceOp op = ReduceOp::kSum;
  bool lossless = false;  ///< must not be compressed for transfer

  [[nodiscard]] std::size_t bytes() const { return count * core::size_of(dtype); }
};

class DeviceWatch;

/// Identifies an all-reduce that was started and not yet waited for.
using Ticket = std::int64_t;

/// Totals of a communicator on this rank since they were last taken. Times are of the steady clock
/// on the thread that communicates. All zero on devices, whose times the host's clock cannot know.
struct CommunicationTotals {
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;   ///< logical, of this rank's tensors
  double waiting_s = 0.0;   ///< from this rank's arrival until the last rank arrived
  double transfer_s = 0.0;  ///< from then until done
  double exposed_s = 0.0;   ///< the caller was blocked in wait() or in a blocking call

  double exposed_transfer_s = 0.0;  ///< part of exposed_s while data moved; the rest: late ranks
  // The parts of transfer_s and exposed_transfer_s that belong to all-reduces.
  double all_reduce_s = 0.0;
  double exposed_all_reduce_s = 0.0;

  CommunicationTotals& operator+=(const CommunicationTotals& other);
};

/// A group of ranks. Calls are collective, in the same order on all ranks, from one thread. Work is
/// ordered after earlier work of `stream`: on a GPU a call returns once it is enqueued
/// (host_staged.h: once the host has done its part), on the host the stream is always ready. Every
/// call throws core::Error(kRun) if a rank is gone, kTimeout if one does not come; what is detected
/// after a call returned is reported by watch().
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  /// "self", "shared-window", "mpi", "nccl", "shared-window, host-staged".
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Whether these collectives can be captured with a stream's work (CUDA graph): replay then needs
  /// no call for them.
  [[nodiscard]] virtual bool capturable() const { return false; }

  /// The watch that ends the host's waits for the device if a collective there fails or hangs
  /// (device_watch.h). Null if collectives end, or throw, within their own calls.
  [[nodiscard]] virtual DeviceWatch* watch() { return nullptr; }

  /// Allocates memory for gradients: shared with the other ranks of the node, or registered with
  /// the network, if that pays. Collective: all ranks request the same sizes in the same order.
  /// The communicator must outlive the buffer. Collectives accept any other device memory too.
  [[nodiscard]] virtual std::unique_ptr<backend::Buffer> allocate(backend::Backend& backend,
                                                                  std::size_t bytes) {
    return backend.allocate(bytes);
  }

  /// Allocates what start_all_reduce() needs for a request that is repeated every step, so that
  /// even its first start allocates nothing. Collective, as allocate().
  virtual void prepare(const ReduceRequest& /*request*/) {}
  /// Starts an all-reduce that runs once the work now in `stream` is done, concurrently with later
  /// work; the memory belongs to the collective until wait(). Several may be in flight; they run in
  /// the order in which they were started.
  [[nodiscard]] virtual Ticket start_all_reduce(const ReduceRequest& request,
                                                backend::Stream& stream) = 0;
  /// Lets later work of `stream` see the result. Each ticket is waited for exactly once.
  virtual void wait(Ticket ticket, backend::Stream& stream) = 0;

  /// Leaves elements [r * count / size, (r + 1) * count / size) of the sum on rank r, at their
  /// place in `data`; the rest of `data` is undefined afterwards.
  virtual void reduce_scatter(const ReduceRequest& request, backend::Stream& stream) = 0;
  /// The inverse of reduce_scatter(): rank r contributes elements [r * count / size, (r + 1) *
  /// count / size) at their place in `data`; all ranks get all elements.
  virtual void all_gather(std::byte* data,
                          std::size_t count,
                          core::DType dtype,
                          backend::Stream& stream) = 0;
  virtual void broadcast(std::byte* data, std::size_t bytes, int root, backend::Stream& stream) = 0;

  // From and to one rank, for schemes in which one rank does more than the others. Only between the
  // ranks of one node, on the host; otherwise they throw core::Error(kUnavailable).
  /// Reduces to `root` only; on other ranks `data` is undefined afterwards.
  virtual void reduce(const ReduceRequest& request, int root, backend::Stream& stream);
  /// Sends bytes [bounds[r], bounds[r + 1]) of root's `data` to rank r, at the same place; size() +
  /// 1 ascending bounds, the same on all ranks.
  virtual void scatter(std::byte* data,
                       std::span<const std::size_t> bounds,
                       int root,
                       backend::Stream& stream);
  /// The inverse of scatter(): sends bytes [bounds[r], bounds[r + 1]) of rank r's `data` to root's,
  /// at the same place.
  virtual void gather(std::byte* data,
                      std::span<const std::size_t> bounds,
                      int root,
                      backend::Stream& stream);

  /// Called from another thread when this rank gives up: current and later calls that wait for
  /// other ranks throw core::Error(kRun); collectives on a device end, with any result.
  virtual void give_up() {}

  /// Returns the totals since the last call and resets them.
  [[nodiscard]] virtual CommunicationTotals take_totals() { return {}; }
  /// By how much this rank came before the last one to the collectives since the last call, in
  /// seconds on its own clock. The same collectives are listed on all ranks, so the rank with the
  /// smallest values came last. Only a sample, see ArrivalLog; empty if the host cannot know.
  [[nodiscard]] virtual std::vector<double> take_arrivals() { return {}; }

  virtual void all_reduce(const ReduceRequest& request, backend::Stream& stream) {
    wait(start_all_reduce(request, stream), stream);
  }
};

/// The first element of rank `rank`'s share of `count` elements: floor(count * rank / size).
[[nodiscard]] std::size_t share_begin(std::size_t count, int rank, int size);

}  // namespace dlbench::comm
