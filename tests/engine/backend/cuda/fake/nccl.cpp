// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL's API where ranks are processes or threads of one machine and devices are fake
// (README.md): what dlbench calls of it, after NVIDIA's documentation. Collectives are work on
// fake streams; they wait there for the other ranks. What the documentation forbids is
// refused, said on stderr and by ncclGetLastError.
//
// A communicator that is not blocking enqueues every second call from a thread of its own, as NCCL
// does whenever it likes, and says ncclInProgress until it has.
//
// Faults: nccl_communicator.h.
#include "engine/core/round_up.h"
#include "tests/engine/backend/cuda/fake/device.h"
#include "tests/engine/backend/cuda/fake/nccl_collective.h"
#include "tests/engine/backend/cuda/fake/nccl_communicator.h"
#include "tests/engine/backend/cuda/fake/nccl_ranks.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nccl.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// Only its address means anything. Never freed, so that a handle that ended is known to have.
struct ncclComm {};

namespace dlbench::fake::nccl {
namespace {

using Handles = std::map<ncclComm_t, std::shared_ptr<Communicator>>;

/// Leaked: communicators that nobody ends may have threads when the process ends.
struct Registry {
  std::mutex mutex;
  std::deque<ncclComm> made;
  Handles alive;
};
Registry& registry() {
  static auto* const registry = new Registry;
  return *registry;
}

ncclComm_t add(std::shared_ptr<Communicator> communicator) {
  const std::scoped_lock lock(registry().mutex);
  registry().made.emplace_back();
  ncclComm_t handle = &registry().made.back();
  registry().alive.emplace(handle, std::move(communicator));
  return handle;
}

std::shared_ptr<Communicator> find(ncclComm_t handle, const char* call) {
  const std::scoped_lock lock(registry().mutex);
  const auto found = registry().alive.find(handle);
  if (found == registry().alive.end()) {
    throw Refused(
        ncclInvalidArgument,
        fmt::format(
            "{}: {} is no communicator, or was destroyed", call, static_cast<const void*>(handle)));
  }
  return found->second;
}

/// The same, after which it is none.
std::shared_ptr<Communicator> take(ncclComm_t handle, const char* call) {
  auto communicator = find(handle, call);
  const std::scoped_lock lock(registry().mutex);
  registry().alive.erase(handle);
  return communicator;
}

struct Call {
  std::shared_ptr<Communicator> communicator;
  Collective collective;
  Buffers buffers;
  cudaStream_t stream = nullptr;
};

/// What this thread collects between ncclGroupStart and ncclGroupEnd.
struct Group {
  int depth = 0;
  std::vector<Call> calls;
  ncclResult_t error = ncclSuccess;  ///< the first one: then nothing is enqueued

  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (depth > 0) {
      static_cast<void>(
          say(ncclInvalidUsage,
              fmt::format("a thread ends in a group: {} calls are not enqueued", calls.size())));
    }
  }
};
Group& group() {
  thread_local Group group;
  return group;
}

/// `call()`, with what it refuses as its result.
template <typename Body>
ncclResult_t answer(const Body& call) {
  try {
    return call();
  } catch (const Refused& refused) {
    return say(refused.result(), refused.what());
  }
}

/// The same for a call on a communicator. One that is not blocking keeps the error.
template <typename Body>
ncclResult_t answer_of(Communicator& communicator, const Body& call) {
  try {
    return call();
  } catch (const Refused& refused) {
    if (communicator.blocking()) {
      return say(refused.result(), refused.what());
    }
    communicator.fail(refused.result(), refused.what());
    return refused.result();
  }
}

void enqueue(const std::vector<Call>& calls) {
  int before = 0;
  static_cast<void>(cudaGetDevice(&before));
  for (const Call& call : calls) {
    static_cast<void>(cudaSetDevice(call.communicator->device()));
    const cudaError_t status = launch(
        call.stream,
        call.communicator->work(call.collective, call.buffers),
        {.kernel = kernel_name(call.collective), .call = "cuLaunchKernelEx", .api = Api::kDriver});
    if (status != cudaSuccess) {
      static_cast<void>(cudaSetDevice(before));
      throw Refused(ncclUnhandledCudaError,
                    fmt::format("{}: {}", text_of(call.collective), cudaGetErrorString(status)));
    }
  }
  static_cast<void>(cudaSetDevice(before));
}

/// The communicators of `calls`, each once.
std::vector<std::shared_ptr<Communicator>> communicators_of(const std::vector<Call>& calls) {
  std::vector<std::shared_ptr<Communicator>> all;
  for (const Call& call : calls) {
    if (std::find(all.begin(), all.end(), call.communicator) == all.end()) {
      all.push_back(call.communicator);
    }
  }
  return all;
}

ncclResult_t submit(std::vector<Call> calls) {
  auto all = communicators_of(calls);
  std::erase_if(calls, [](const Call& call) { return call.collective.count == 0; });
  const std::shared_ptr<Communicator> first = all.front();
  all.erase(all.begin());
  if (next_is_stuck()) {
    first->start([first] { first->wait_for_abort(); }, all);
    return ncclInProgress;
  }
  for (const auto& other : all) {
    if (other->blocking() != first->blocking()) {
      throw Refused(ncclInvalidUsage, "blocking and non-blocking communicators in one group");
    }
  }
  if (!first->blocking() && first->next_is_late()) {
    first->start([calls] { enqueue(calls); }, all);
    return ncclInProgress;
  }
  enqueue(calls);
  return ncclSuccess;
}

ncclResult_t collective(
    const Collective& what, const void* send, void* recv, ncclComm_t handle, cudaStream_t stream) {
  const ncclResult_t result = answer([&] {
    const auto communicator = find(handle, "a collective");
    return answer_of(*communicator, [&] {
      communicator->require_ready("a collective");
      communicator->require_open();
      Call call{.communicator = communicator,
                .collective = what,
                .buffers = {.send = static_cast<const std::byte*>(send),
                            .recv = static_cast<std::byte*>(recv)},
                .stream = stream};
      cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
      static_cast<void>(cudaStreamIsCapturing(stream, &capture));
      call.collective.recorded = capture != cudaStreamCaptureStatusNone;
      if (call.collective.recorded && !faults().record) {
        throw Refused(ncclInvalidUsage, "collectives are not recorded (record=0)");
      }
      check_call(what, call.buffers, communicator->rank(), communicator->size());
      if (group().depth > 0) {
        group().calls.push_back(std::move(call));
        return ncclSuccess;
      }
      return submit({std::move(call)});
    });
  });
  if (group().depth > 0 && result != ncclSuccess && group().error == ncclSuccess) {
    group().error = result;
  }
  return result;
}

/// The device, as all processes of the machine know it.
std::string identity_of(int device) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::istringstream names(visible != nullptr ? visible : "");
  std::string name;
  for (int place = 0; place <= device && visible != nullptr; ++place) {
    if (!std::getline(names, name, ',')) {
      throw Refused(ncclInternalError,
                    fmt::format("device {} is not in CUDA_VISIBLE_DEVICES={}", device, visible));
    }
  }
  return "CUDA device " + (visible != nullptr ? name : std::to_string(device));
}

/// Whether the communicator is a blocking one.
bool read_config(const ncclConfig_t* config) {
  if (config == nullptr) {
    return true;
  }
  const ncclConfig_t initial = NCCL_CONFIG_INITIALIZER;
  if (config->size != initial.size || config->magic != initial.magic ||
      config->version != initial.version) {
    throw Refused(ncclInvalidArgument, "ncclConfig_t without NCCL_CONFIG_INITIALIZER");
  }
  if (config->blocking != NCCL_CONFIG_UNDEF_INT && config->blocking != 0 && config->blocking != 1) {
    throw Refused(ncclInvalidArgument, fmt::format("config: blocking {}", config->blocking));
  }
  return config->blocking != 0;
}

ncclResult_t connect(
    ncclComm_t* handle, int size, const ncclUniqueId& id, int rank, const ncclConfig_t* config) {
  if (handle == nullptr) {
    throw Refused(ncclInvalidArgument, "ncclCommInitRankConfig: comm is null");
  }
  *handle = nullptr;
  if (size < 1 || size > kMaxRanks || rank < 0 || rank >= size) {
    throw Refused(ncclInvalidArgument,
                  fmt::format("ncclCommInitRankConfig: rank {} of {} (the fake has at most {})",
                              rank,
                              size,
                              kMaxRanks));
  }
  if (group().depth > 0) {
    throw Refused(ncclInvalidUsage, "the fake lacks ncclCommInitRankConfig in a group");
  }
  static_cast<void>(faults());  // a wrong word is said now
  const bool blocking = read_config(config);
  check_nvls();
  int device = 0;
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) {
    throw Refused(ncclUnhandledCudaError, cudaGetErrorString(status));
  }
  const std::string name(id.internal, strnlen(id.internal, sizeof(id.internal)));
  const auto communicator = std::make_shared<Communicator>(
      std::make_unique<Ranks>(name, rank, size, identity_of(device)), device, blocking);
  if (next_is_stuck()) {
    communicator->start([communicator] { communicator->wait_for_abort(); });
    *handle = add(communicator);
    return ncclInProgress;
  }
  communicator->connect();  // where it is not blocking, it is known before it has connected
  *handle = add(communicator);
  return blocking ? ncclSuccess : ncclInProgress;
}

}  // namespace
}  // namespace dlbench::fake::nccl

namespace fake_nccl = dlbench::fake::nccl;

ncclResult_t ncclGetVersion(int* version) {
  return fake_nccl::answer([&] {
    if (version == nullptr) {
      throw fake_nccl::Refused(ncclInvalidArgument, "ncclGetVersion: version is null");
    }
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
  });
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return fake_nccl::answer([&] {
    if (id == nullptr) {
      throw fake_nccl::Refused(ncclInvalidArgument, "ncclGetUniqueId: id is null");
    }
    if (!fake_nccl::faults().id) {
      throw fake_nccl::Refused(ncclInvalidUsage, "Bootstrap : no socket interface found");
    }
    const std::string name = fake_nccl::Ranks::create();
    *id = {};
    name.copy(id->internal, sizeof(id->internal) - 1);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRankConfig(
    ncclComm_t* comm, int nranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  return fake_nccl::answer([&] { return fake_nccl::connect(comm, nranks, id, rank, config); });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  return fake_nccl::answer([&] {
    const auto communicator = fake_nccl::find(comm, "ncclCommGetAsyncError");
    if (state == nullptr) {
      throw fake_nccl::Refused(ncclInvalidArgument, "ncclCommGetAsyncError: state is null");
    }
    *state = communicator->state();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return fake_nccl::answer([&] {
    const auto communicator = fake_nccl::find(comm, "ncclCommFinalize");
    return fake_nccl::answer_of(*communicator, [&] {
      communicator->finalize();
      return communicator->blocking() ? ncclSuccess : ncclInProgress;
    });
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return fake_nccl::answer([&] {
    if (comm == nullptr) {
      return ncclSuccess;
    }
    fake_nccl::find(comm, "ncclCommDestroy")->destroy();
    static_cast<void>(fake_nccl::take(comm, "ncclCommDestroy"));
    return ncclSuccess;
  });
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return fake_nccl::answer([&] {
    if (comm != nullptr) {
      fake_nccl::take(comm, "ncclCommAbort")->abort();
    }
    return ncclSuccess;
  });
}

ncclResult_t ncclAllReduce(const void* sendbuff,
                           void* recvbuff,
                           size_t count,
                           ncclDataType_t datatype,
                           ncclRedOp_t op,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  return fake_nccl::collective(
      {.kind = fake_nccl::Kind::kAllReduce, .dtype = datatype, .op = op, .count = count},
      sendbuff,
      recvbuff,
      comm,
      stream);
}

ncclResult_t ncclReduceScatter(const void* sendbuff,
                               void* recvbuff,
                               size_t recvcount,
                               ncclDataType_t datatype,
                               ncclRedOp_t op,
                               ncclComm_t comm,
                               cudaStream_t stream) {
  return fake_nccl::collective(
      {.kind = fake_nccl::Kind::kReduceScatter, .dtype = datatype, .op = op, .count = recvcount},
      sendbuff,
      recvbuff,
      comm,
      stream);
}

ncclResult_t ncclAllGather(const void* sendbuff,
                           void* recvbuff,
                           size_t sendcount,
                           ncclDataType_t datatype,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  return fake_nccl::collective(
      {.kind = fake_nccl::Kind::kAllGather, .dtype = datatype, .count = sendcount},
      sendbuff,
      recvbuff,
      comm,
      stream);
}

ncclResult_t ncclBroadcast(const void* sendbuff,
                           void* recvbuff,
                           size_t count,
                           ncclDataType_t datatype,
                           int root,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  return fake_nccl::collective(
      {.kind = fake_nccl::Kind::kBroadcast, .dtype = datatype, .root = root, .count = count},
      sendbuff,
      recvbuff,
      comm,
      stream);
}

ncclResult_t ncclGroupStart() {
  ++fake_nccl::group().depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  return fake_nccl::answer([] {
    fake_nccl::Group& group = fake_nccl::group();
    if (group.depth == 0) {
      throw fake_nccl::Refused(ncclInvalidUsage, "ncclGroupEnd: not in a group call");
    }
    if (--group.depth > 0) {
      return ncclSuccess;
    }
    const auto calls = std::exchange(group.calls, {});
    const ncclResult_t error = std::exchange(group.error, ncclSuccess);
    if (error != ncclSuccess || calls.empty()) {
      return error;
    }
    return fake_nccl::answer_of(*calls.front().communicator,
                                [&] { return fake_nccl::submit(calls); });
  });
}

ncclResult_t ncclMemAlloc(void** ptr, size_t size) {
  return fake_nccl::answer([&] {
    if (ptr == nullptr || size == 0) {
      throw fake_nccl::Refused(ncclInvalidArgument, "ncclMemAlloc: no pointer or no size");
    }
    *ptr = nullptr;
    const std::size_t taken = dlbench::core::round_up(size, fake_nccl::kGranularity);
    if (!fake_nccl::faults().memalloc || cudaMalloc(ptr, taken) != cudaSuccess) {
      throw fake_nccl::Refused(ncclUnhandledCudaError,
                               fmt::format("ncclMemAlloc: no memory of {} bytes", size));
    }
    return ncclSuccess;
  });
}

ncclResult_t ncclMemFree(void* ptr) {
  return fake_nccl::answer([&] {
    if (const cudaError_t status = cudaFree(ptr); status != cudaSuccess) {
      throw fake_nccl::Refused(ncclUnhandledCudaError,
                               fmt::format("ncclMemFree: {}", cudaGetErrorString(status)));
    }
    return ncclSuccess;
  });
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInternalError:
      return "internal error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t /*comm*/) { return fake_nccl::last_text(); }
