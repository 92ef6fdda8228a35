// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/nccl_communicator.h"

#include "engine/backend/cuda/libraries/cuda_call.h"
#include "engine/backend/cuda/libraries/cuda_memory.h"
#include "engine/backend/cuda/libraries/device_status.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

/// How long NCCL may take to finalise a communicator.
constexpr std::chrono::seconds kPatience{5};
/// How long it may take after giving up, with several ranks: a rank that fails is killed soon
/// (docs/faults.md) and must still write a report. NCCL's own threads poll for half a second (its
/// proxy.cc) before they notice; the time of a real abort among several ranks was not measured.
constexpr std::chrono::seconds kPatienceAfterFailure{2};

/// All-reduces in flight at once: more than a step has buckets.
constexpr std::size_t kTickets = 256;

/// Why a call may not end.
constexpr std::string_view kUnreached =
    "a rank is missing or its network interface cannot be reached (NCCL_DEBUG=INFO says more)";

ncclDataType_t nccl_type(core::DType dtype) {
  switch (dtype) {
    case core::DType::kF16:
      return ncclFloat16;
    case core::DType::kBF16:
      return ncclBfloat16;
    case core::DType::kF32:
      return ncclFloat32;
    case core::DType::kF64:
      return ncclFloat64;
    case core::DType::kI32:
      return ncclInt32;
    case core::DType::kI64:
      return ncclInt64;
    default:
      throw core::Error(core::ErrorCode::kUnavailable,
                        "NCCL reduces no elements of dtype " + std::string(core::name(dtype)));
  }
}

ncclRedOp_t operation(comm::ReduceOp op) { return op == comm::ReduceOp::kSum ? ncclSum : ncclMax; }

[[noreturn]] void fail(ncclResult_t result, ncclComm_t communicator, std::string_view call) {
  throw core::Error(core::ErrorCode::kRun,
                    fmt::format("{}: {}: {} (NCCL_DEBUG=INFO says more)",
                                call,
                                ncclGetErrorString(result),
                                ncclGetLastError(communicator)));
}

/// Pauses between two polls of a call that began `elapsed` ago. Most calls end within microseconds,
/// during which a sleeping host would enqueue nothing; connecting takes long.
void pause(std::chrono::nanoseconds elapsed) {
  constexpr auto kSoon = std::chrono::milliseconds(2);
  if (elapsed < kSoon) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void check_nccl(ncclResult_t result, const char* call) {
  if (result != ncclSuccess) {
    fail(result, nullptr, call);
  }
}

/// Turns off sums in NVLink switches (NVLS), whose order may vary. NCCL has no option for that,
/// only an environment variable, which it reads once per process.
void leave_sums_to_the_gpus() {
  if (const std::string refusal = nvls_refusal(core::environment_variable("NCCL_NVLS_ENABLE"),
                                               core::environment_variable("NCCL_ALGO"));
      !refusal.empty()) {
    throw core::Error(core::ErrorCode::kUnavailable, refusal);
  }
  ::setenv("NCCL_NVLS_ENABLE", "0", 1);  // NOLINT(concurrency-mt-unsafe): before NCCL's threads
}

}  // namespace

NcclCommunicator::NcclCommunicator(comm::Rendezvous& ranks, bool repeatable)
    : rank_(ranks.rank()),
      size_(ranks.size()),
      timeout_s_(ranks.timeout_s()),
      forked_(stream_.create_order_event()),
      joined_(stream_.create_order_event()) {
  for (std::size_t i = 0; i < kTickets; ++i) {
    done_.push_back(stream_.create_order_event());
  }
  DLBENCH_CUDA(cudaGetDevice(&device_));
  if (repeatable) {
    leave_sums_to_the_gpus();
  }
  try {
    connect(ranks);
    agree_on_memory(ranks);
  } catch (...) {  // the destructor will not run
    give_up();
    end();
    throw;
  }
}

NcclCommunicator::~NcclCommunicator() { end(); }

// Captured steps are destroyed by now. If the run ends well, no rank leaves before all have
// received what is in flight. Otherwise the abort should wait for nobody, but NCCL's own threads
// have been seen not to end when peers are gone.
void NcclCommunicator::end() {
  watch_.reset();
  if (std::uncaught_exceptions() == 0) {
    leave([](ncclComm_t communicator) { finish(communicator); });
  } else {
    give_up();
  }
  if (!leaving_.joinable()) {
    return;
  }
  const std::chrono::seconds patience =
      given_up_ && size_ > 1 ? kPatienceAfterFailure : 2 * kPatience;
  if (left_.wait_for(patience) == std::future_status::ready) {
    leaving_.join();
  } else {
    core::log::warn(
        fmt::format("[rank {}] NCCL's communicator has not ended within {} s: it is left as it is",
                    rank_,
                    patience.count()));
    leaving_.detach();
  }
}

void NcclCommunicator::finish(ncclComm_t communicator) {
  const auto begin = std::chrono::steady_clock::now();
  ncclResult_t state = ncclCommFinalize(communicator);
  while (state == ncclInProgress && std::chrono::steady_clock::now() - begin < kPatience) {
    pause(std::chrono::steady_clock::now() - begin);
    if (ncclCommGetAsyncError(communicator, &state) != ncclSuccess) {
      state = ncclInternalError;
    }
  }
  if (state == ncclSuccess) {
    static_cast<void>(ncclCommDestroy(communicator));
  } else {
    static_cast<void>(ncclCommAbort(communicator));
  }
}

void NcclCommunicator::connect(comm::Rendezvous& ranks) {
  ncclUniqueId id{};
  if (rank_ == 0) {
    check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  }
  ranks.broadcast(std::as_writable_bytes(std::span(&id, 1)));
  if (const char* blocking = std::getenv("NCCL_COMM_BLOCKING");
      blocking != nullptr && std::string_view(blocking) == "1") {
    core::log::warn_once(
        "NCCL_COMM_BLOCKING=1: a call of NCCL that does not return is not ended, neither by "
        "--timeout nor when a rank is gone; unset it");
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const ncclResult_t started = ncclCommInitRankConfig(&communicator_, size_, id, rank_, &config);
  if (communicator_ == nullptr) {
    fail(started, nullptr, "ncclCommInitRankConfig");
  }
  start_watch();
  try {
    watch_->during([&] {
      call("ncclCommInitRankConfig", [started](ncclComm_t /*communicator*/) { return started; });
    });
  } catch (const core::Error& error) {
    if (error.code() != core::ErrorCode::kTimeout || why_given_up_.has_value()) {
      throw;
    }
    throw core::Error(  // the watch ended the call but does not know which it was
        error.code(),
        fmt::format(
            "{} [rank {}: NCCL has not connected the ranks: {}]", error.what(), rank_, kUnreached));
  }
}

// Some sandboxes refuse memory that other processes can map. If one rank has none, none uses it:
// NCCL needs registered buffers on all ranks or none (its guide, "User Buffer Registration"), and
// registers those of captured collectives by itself.
void NcclCommunicator::agree_on_memory(comm::Rendezvous& ranks) {
  const NcclMemoryAnswer own = NcclMemory::ask();
  const bool given = own.result == ncclSuccess;
  const std::vector<std::uint64_t> all =
      ranks.all_gather<std::uint64_t>(given ? own.granularity : 0);
  if (std::ranges::min(all) > 0) {
    memory_ = NcclMemory::make(std::ranges::max(all));
    return;
  }
  core::log::warn_once(
      fmt::format("ncclMemAlloc: {}: NCCL copies gradients that it could use in place",
                  given ? "refused on another rank" : ncclGetErrorString(own.result)));
}

void NcclCommunicator::start_watch() {
  watch_ = std::make_unique<comm::DeviceWatch>(
      comm::DeviceWatch::Collectives{.check = [this] { check(); },
                                     .abort = [this] { give_up(); },
                                     .rank = rank_,
                                     .timeout_s = timeout_s_});
}

template <typename Use>
auto NcclCommunicator::with_communicator(Use use) {
  const std::scoped_lock lock(mutex_);
  if (communicator_ == nullptr) {
    throw core::Error(why_given_up_.value_or(core::Error(
        core::ErrorCode::kRun, fmt::format("[rank {}] NCCL's communicator was given up", rank_))));
  }
  return use(communicator_);
}

void NcclCommunicator::check() {
  with_communicator([this](ncclComm_t communicator) {
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(communicator, &state);
    const ncclResult_t found = asked != ncclSuccess ? asked : state;
    if (found != ncclSuccess && found != ncclInProgress) {
      fail(found, communicator, fmt::format("[rank {}] a collective of NCCL failed", rank_));
    }
  });
}

template <typename Start>
void NcclCommunicator::call(const char* name, Start start) {
  const auto begin = std::chrono::steady_clock::now();
  bool started = false;
  // The lock is released between two polls, so that others can use the communicator.
  const auto look = [&](ncclComm_t communicator) {
    ncclResult_t state = ncclSuccess;
    ncclResult_t result = ncclSuccess;
    if (!std::exchange(started, true)) {
      state = start(communicator);
    } else {
      result = ncclCommGetAsyncError(communicator, &state);
    }
    if (result != ncclSuccess || (state != ncclSuccess && state != ncclInProgress)) {
      fail(result != ncclSuccess ? result : state, communicator, name);
    }
    return state == ncclSuccess;
  };
  while (!with_communicator(look)) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (elapsed.count() > timeout_s_) {
      const core::Error late(
          core::ErrorCode::kTimeout,
          fmt::format(
              "[rank {}] {} did not end within {:g} s: {}", rank_, name, timeout_s_, kUnreached));
      {
        const std::scoped_lock lock(mutex_);
        why_given_up_ = late;  // for the watch, which may check before this is caught
      }
      give_up();
      throw core::Error(late);
    }
    pause(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed));
  }
}

std::unique_ptr<Buffer> NcclCommunicator::allocate(Backend& /*backend*/, std::size_t bytes) {
  if (memory_ == nullptr) {
    return std::make_unique<CudaBuffer>(bytes);
  }
  return memory_->allocate(std::max<std::size_t>(bytes, 1));
}

void NcclCommunicator::fork(Stream& stream) {
  stream.record(*forked_);
  stream_.wait_for(*forked_);
}

void NcclCommunicator::join(Stream& stream) {
  stream_.record(*joined_);
  stream.wait_for(*joined_);
}

comm::Ticket NcclCommunicator::start_all_reduce(const comm::ReduceRequest& request,
                                                Stream& stream) {
  const ncclDataType_t type = nccl_type(request.dtype);  // throws before anything is enqueued
  fork(stream);
  call("ncclAllReduce", [&](ncclComm_t communicator) {
    return ncclAllReduce(request.data,
                         request.data,
                         request.count,
                         type,
                         operation(request.op),
                         communicator,
                         stream_.handle());
  });
  const comm::Ticket ticket = next_ticket_++;
  stream_.record(*done_[static_cast<std::size_t>(ticket) % kTickets]);
  return ticket;
}

void NcclCommunicator::wait(comm::Ticket ticket, Stream& stream) {
  stream.wait_for(*done_[static_cast<std::size_t>(ticket) % kTickets]);
}

void NcclCommunicator::reduce_scatter(const comm::ReduceRequest& request, Stream& stream) {
  const auto ranks = static_cast<std::size_t>(size_);
  if (request.count % ranks != 0) {
    return all_reduce(request, stream);  // uneven shares; other elements may have any value
  }
  const ncclDataType_t type = nccl_type(request.dtype);
  const std::size_t share = request.count / ranks;
  const std::size_t offset = share * static_cast<std::size_t>(rank_) * core::size_of(request.dtype);
  fork(stream);
  call("ncclReduceScatter", [&](ncclComm_t communicator) {
    return ncclReduceScatter(request.data,
                             request.data + offset,
                             share,
                             type,
                             operation(request.op),
                             communicator,
                             stream_.handle());
  });
  join(stream);
}

// Data that are not reduced are sent as bytes, for any dtype.
void NcclCommunicator::all_gather(std::byte* data,
                                  std::size_t count,
                                  core::DType dtype,
                                  Stream& stream) {
  const auto begin_of = [&](int rank) {
    return data + comm::share_begin(count, rank, size_) * core::size_of(dtype);
  };
  const auto bytes_of = [&](int rank) {
    return static_cast<std::size_t>(begin_of(rank + 1) - begin_of(rank));
  };
  fork(stream);
  if (count % static_cast<std::size_t>(size_) == 0) {
    call("ncclAllGather", [&](ncclComm_t communicator) {  // in place
      return ncclAllGather(
          begin_of(rank_), data, bytes_of(rank_), ncclUint8, communicator, stream_.handle());
    });
    return join(stream);
  }
  // One broadcast per share, since shares differ by one element.
  call("a group of ncclBroadcast", [&](ncclComm_t communicator) {
    ncclResult_t state = ncclGroupStart();
    for (int root = 0; root < size_ && (state == ncclSuccess || state == ncclInProgress); ++root) {
      state = ncclBroadcast(begin_of(root),
                            begin_of(root),
                            bytes_of(root),
                            ncclUint8,
                            root,
                            communicator,
                            stream_.handle());
    }
    const ncclResult_t ended = ncclGroupEnd();
    return state == ncclSuccess || state == ncclInProgress ? ended : state;
  });
  join(stream);
}

void NcclCommunicator::broadcast(std::byte* data, std::size_t bytes, int root, Stream& stream) {
  fork(stream);
  call("ncclBroadcast", [&](ncclComm_t communicator) {
    return ncclBroadcast(data, data, bytes, ncclUint8, root, communicator, stream_.handle());
  });
  join(stream);
}

void NcclCommunicator::give_up() {
  given_up_ = true;
  leave([](ncclComm_t communicator) { static_cast<void>(ncclCommAbort(communicator)); });
}

template <typename End>
void NcclCommunicator::leave(End end) {
  const std::scoped_lock lock(mutex_);
  if (communicator_ == nullptr) {
    return;
  }
  std::packaged_task<void()> task(
      [end, device = device_, communicator = communicator_, memory = memory_] {
        static_cast<void>(cudaSetDevice(device));
        end(communicator);  // NCCL uses the memory until then
      });
  left_ = task.get_future();
  leaving_ = std::thread(std::move(task));
  communicator_ = nullptr;
}

}  // namespace dlbench::backend::cuda
