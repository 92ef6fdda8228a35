// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/nccl_communicator.h"

#include "engine/backend/cuda/cuda_call.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>

namespace dlbench::backend::cuda {
namespace {

/// All-reduces in flight at once: more than a step has buckets.
constexpr std::size_t kTickets = 256;

ncclDataType_t data_type(core::DType dtype) {
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

[[noreturn]] void fail(ncclResult_t result, ncclComm_t communicator, const char* call) {
  throw core::Error(
      core::ErrorCode::kRun,
      fmt::format("{}: {}: {}", call, ncclGetErrorString(result), ncclGetLastError(communicator)));
}

void check_nccl(ncclResult_t result, const char* call) {
  if (result != ncclSuccess) {
    fail(result, nullptr, call);
  }
}

class NcclBuffer final : public Buffer {
 public:
  explicit NcclBuffer(std::size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    check_nccl(ncclMemAlloc(&memory, std::max<std::size_t>(bytes, 256)), "ncclMemAlloc");
    data_ = static_cast<std::byte*>(memory);
    DLBENCH_CUDA(cudaMemset(data_, 0, bytes_));
    DLBENCH_CUDA(cudaDeviceSynchronize());  // other streams do not wait for the default one
  }
  ~NcclBuffer() override { ncclMemFree(data_); }
  [[nodiscard]] std::byte* data() override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace

NcclCommunicator::NcclCommunicator(comm::Rendezvous& ranks)
    : rank_(ranks.rank()),
      size_(ranks.size()),
      timeout_s_(ranks.timeout_s()),
      forked_(stream_.create_event()),
      joined_(stream_.create_event()) {
  for (std::size_t i = 0; i < kTickets; ++i) {
    done_.push_back(stream_.create_event());
  }
  connect(ranks);
}

void NcclCommunicator::connect(comm::Rendezvous& ranks) {
  ncclUniqueId id{};
  if (rank_ == 0) {
    check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  }
  ranks.broadcast(std::as_writable_bytes(std::span(&id, 1)));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  finish(ncclCommInitRankConfig(&communicator_, size_, id, rank_, &config),
         "ncclCommInitRankConfig");
}

NcclCommunicator::~NcclCommunicator() {
  if (communicator_ != nullptr) {
    ncclCommAbort(communicator_);  // nothing is in flight; unlike destroy it waits for nobody
  }
}

void NcclCommunicator::finish(ncclResult_t started, const char* call) {
  const auto begin = std::chrono::steady_clock::now();
  ncclResult_t state = started;
  while (state == ncclInProgress) {
    const ncclResult_t asked = ncclCommGetAsyncError(communicator_, &state);
    if (asked != ncclSuccess) {
      fail(asked, communicator_, call);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (state == ncclInProgress && elapsed.count() > timeout_s_) {
      give_up();
      throw core::Error(
          core::ErrorCode::kTimeout,
          fmt::format("[rank {}] {} did not end within {:.0f} s: a rank is missing or its network "
                      "interface cannot be reached (NCCL_DEBUG=INFO says more)",
                      rank_,
                      call,
                      timeout_s_));
    }
    if (state == ncclInProgress) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  if (state != ncclSuccess) {
    fail(state, communicator_, call);
  }
}

std::unique_ptr<Buffer> NcclCommunicator::allocate(Backend& /*backend*/, std::size_t bytes) {
  return std::make_unique<NcclBuffer>(bytes);
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
  fork(stream);
  finish(ncclAllReduce(request.data,
                       request.data,
                       request.count,
                       data_type(request.dtype),
                       operation(request.op),
                       communicator_,
                       stream_.handle()),
         "ncclAllReduce");
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
    return all_reduce(request, stream);  // uneven shares: what the others keep may be anything
  }
  const std::size_t share = request.count / ranks;
  const std::size_t offset = share * static_cast<std::size_t>(rank_) * core::size_of(request.dtype);
  fork(stream);
  finish(ncclReduceScatter(request.data,
                           request.data + offset,
                           share,
                           data_type(request.dtype),
                           operation(request.op),
                           communicator_,
                           stream_.handle()),
         "ncclReduceScatter");
  join(stream);
}

void NcclCommunicator::all_gather(std::byte* data,
                                  std::size_t count,
                                  core::DType dtype,
                                  Stream& stream) {
  fork(stream);
  // One broadcast of each share: shares differ by one element where the count does not divide.
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (int root = 0; root < size_; ++root) {
    const std::size_t begin = comm::share_begin(count, root, size_);
    const std::size_t end = comm::share_begin(count, root + 1, size_);
    std::byte* const share = data + begin * core::size_of(dtype);
    const ncclResult_t added = ncclBroadcast(
        share, share, end - begin, data_type(dtype), root, communicator_, stream_.handle());
    if (added != ncclSuccess && added != ncclInProgress) {
      ncclGroupEnd();
      fail(added, communicator_, "ncclBroadcast");
    }
  }
  finish(ncclGroupEnd(), "ncclGroupEnd");
  join(stream);
}

void NcclCommunicator::broadcast(std::byte* data, std::size_t bytes, int root, Stream& stream) {
  fork(stream);
  finish(ncclBroadcast(data, data, bytes, ncclUint8, root, communicator_, stream_.handle()),
         "ncclBroadcast");
  join(stream);
}

void NcclCommunicator::give_up() {
  if (communicator_ != nullptr) {
    ncclCommAbort(communicator_);
    communicator_ = nullptr;
  }
}

}  // namespace dlbench::backend::cuda
