// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams and what is enqueued on them.
#include "tests/engine/backend/cuda/fake/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

namespace dlbench::fake {
namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

cudaError_t wait_for_stream(cudaStream_t stream) {
  std::shared_ptr<Queue> queue;
  {
    const auto lock = lock_runtime();
    const cudaStream_t known = known_stream(stream);
    if (known == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (known->capture != nullptr) {
      known->capture->invalid = true;
      return cudaErrorStreamCaptureUnsupported;
    }
    queue = known->queue;
  }
  queue->drain();
  return device_failure();
}

std::int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CopyKind copy_kind(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return CopyKind::kHostToDevice;
    case cudaMemcpyDeviceToHost:
      return CopyKind::kDeviceToHost;
    default:
      return CopyKind::kDeviceToDevice;
  }
}

/// Whether a copy of that kind may read and write there.
bool fits(cudaMemcpyKind kind, MemoryKind to, MemoryKind from) {
  if (to == MemoryKind::kOutside || from == MemoryKind::kOutside) {
    return false;
  }
  const bool to_device = to == MemoryKind::kDevice;
  const bool from_device = from == MemoryKind::kDevice;
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return to_device && !from_device;
    case cudaMemcpyDeviceToHost:
      return !to_device && from_device;
    case cudaMemcpyDeviceToDevice:
      return to_device && from_device;
    default:
      return false;
  }
}

}  // namespace

void Mark::reach() {
  const std::scoped_lock lock(mutex_);
  time_ = std::chrono::steady_clock::now();
  reached_ = true;
  changed_.notify_all();
}

void Mark::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return reached_; });
}

bool Mark::reached() {
  const std::scoped_lock lock(mutex_);
  return reached_;
}

void Queue::push(Item item) {
  const std::scoped_lock lock(mutex_);
  items_.push_back(std::move(item));
  pushed_ += 1;
  if (!std::exchange(started_, true)) {
    std::thread([self = shared_from_this()] { self->run(); }).detach();
  }
  changed_.notify_all();
}

void Queue::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, wanted = pushed_] { return done_ >= wanted; });
}

bool Queue::idle() {
  const std::scoped_lock lock(mutex_);
  return done_ == pushed_;
}

void Queue::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void Queue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !items_.empty(); });
    if (items_.empty()) {
      return;
    }
    const Item item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    if (item.on_failed_device || device_failure() == cudaSuccess) {
      try {
        item.work();
      } catch (const std::exception& error) {
        fmt::print(stderr, "fake GPU: a kernel failed: {}\n", error.what());
        fail_device(cudaErrorAssert);
      }
    }
    lock.lock();
    done_ += 1;
    changed_.notify_all();
  }
}

cudaStream_t default_stream(int device) {
  static auto* const streams = new std::map<int, CUstream_st>;
  CUstream_st& found = (*streams)[device];
  found.device = device;
  return &found;
}

cudaStream_t known_stream(cudaStream_t stream) {
  if (stream == nullptr) {
    return default_stream(current_device());
  }
  const auto& streams = runtime().streams;
  const bool known = std::any_of(
      streams.begin(), streams.end(), [stream](const auto& one) { return one.get() == stream; });
  return known ? stream : nullptr;
}

void drain_device(int device) {
  std::vector<std::shared_ptr<Queue>> queues;
  {
    const auto lock = lock_runtime();
    queues.push_back(default_stream(device)->queue);
    for (const auto& stream : runtime().streams) {
      if (stream->device == device) {
        queues.push_back(stream->queue);
      }
    }
  }
  for (const auto& queue : queues) {
    queue->drain();
  }
}

Work observed(Work work,
              const WorkLabel& label,
              const CUstream_st& stream,
              int priority,
              std::uint32_t graph,
              std::uint64_t graph_node) {
  const int late_us = label.kind == WorkKind::kKernel ? setting().late_us : 0;
  Observer* const who = label.kind != WorkKind::kNone ? observer() : nullptr;
  if (who == nullptr && late_us == 0) {
    return work;
  }
  ObservedWorkPtr seen;
  if (who != nullptr) {
    seen = std::make_shared<ObservedWork>();
    seen->label = label;
    seen->device = stream.device;
    seen->stream = stream.id;
    seen->correlation = Call::correlation();
    seen->priority = priority;
    seen->graph = graph;
    seen->graph_node = graph_node;
    who->enqueued(seen);
  }
  return [who, seen = std::move(seen), late_us, work = std::move(work)] {
    std::this_thread::sleep_for(std::chrono::microseconds(late_us));
    if (seen == nullptr) {
      return work();
    }
    seen->begin_ns = steady_ns();
    work();
    seen->end_ns = steady_ns();
    who->done(seen);
  };
}

cudaError_t enqueue(cudaStream_t stream, cudaGraphNodeType type, Work work, WorkLabel label) {
  const auto lock = lock_runtime();
  if (const cudaError_t failure = device_failure(); failure != cudaSuccess) {
    return failure;
  }
  const cudaStream_t known = known_stream(stream);
  if (known == nullptr || (type == cudaGraphNodeTypeKernel && known->device != current_device())) {
    return cudaErrorInvalidResourceHandle;
  }
  if (known->capture == nullptr) {
    known->queue->push({.work = observed(std::move(work), label, *known, known->priority)});
    return cudaSuccess;
  }
  Capture& capture = *known->capture;
  if (capture.invalid) {
    return cudaErrorStreamCaptureInvalidated;
  }
  auto node = std::make_unique<CUgraphNode_st>();
  node->type = type;
  node->work = std::move(work);
  node->label = std::move(label);
  node->priority = known->priority;
  node->after = std::exchange(capture.ends[known], {node.get()});
  capture.graph->nodes.push_back(std::move(node));
  return cudaSuccess;
}

cudaError_t launch(cudaStream_t stream, Work work, const Launch& launch) {
  static std::atomic<std::int64_t> kernels{0};
  const Call call(launch.call, Wait::kNone, launch.api);
  return answer(enqueue(stream,
                        cudaGraphNodeTypeKernel,
                        [work = std::move(work)] {
                          if (setting().fails_at > 0 && ++kernels >= setting().fails_at) {
                            fail_device(cudaErrorIllegalAddress);
                            return;
                          }
                          work();
                        },
                        {.kind = WorkKind::kKernel,
                         .name = launch.kernel,
                         .copy = CopyKind::kDeviceToDevice,
                         .pinned = false,
                         .bytes = 0}));
}

}  // namespace dlbench::fake

// NOLINTNEXTLINE(google-build-using-namespace): all that follows are functions of C, outside of it.
using namespace dlbench::fake;

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = kLeastPriority;
  *greatest = kGreatestPriority;
  return answer(device_failure());
}

// Others than non-blocking streams wait for the default stream and it for them: the fake does not.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  const Call call("cudaStreamCreateWithPriority");
  const auto lock = lock_runtime();
  if (device_failure() != cudaSuccess || flags != cudaStreamNonBlocking) {
    return answer(device_failure() != cudaSuccess ? device_failure() : cudaErrorNotSupported);
  }
  runtime().streams.push_back(std::make_unique<CUstream_st>());
  *stream = runtime().streams.back().get();
  (*stream)->device = current_device();
  (*stream)->id = ++runtime().last_stream_id;
  (*stream)->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const auto lock = lock_runtime();
  if (stream == nullptr || known_stream(stream) == nullptr) {
    return answer(cudaErrorInvalidResourceHandle);
  }
  if (stream->capture != nullptr) {
    stream->capture->invalid = true;
    stream->capture->ends.erase(stream);
  }
  stream->queue->close();
  std::erase_if(runtime().streams, [stream](const auto& one) { return one.get() == stream; });
  return answer(device_failure());
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Call call("cudaStreamSynchronize", Wait::kStream);
  return answer(wait_for_stream(stream));
}

cudaError_t cudaDeviceSynchronize() {
  const Call call("cudaDeviceSynchronize", Wait::kDevice);
  const int device = current_device();
  if (const cudaError_t refused = refuse_while_device_records(device); refused != cudaSuccess) {
    return answer(refused);
  }
  drain_device(device);
  return answer(device_failure());
}

// Pageable memory is read before the call returns, and written before it does; where the copy is
// recorded, whenever that is replayed.
cudaError_t cudaMemcpyAsync(
    void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call("cudaMemcpyAsync");
  const MemoryKind to_kind = kind_of(to, bytes);
  const MemoryKind from_kind = kind_of(from, bytes);
  if (!fits(kind, to_kind, from_kind)) {
    fmt::print(stderr, "fake GPU: a copy of {} bytes leaves its memory\n", bytes);
    return answer(cudaErrorInvalidValue);
  }
  bool records = false;
  {
    const auto lock = lock_runtime();
    const cudaStream_t known = known_stream(stream);
    records = known != nullptr && known->capture != nullptr;
  }
  std::vector<std::byte> staged;
  if (from_kind == MemoryKind::kPageable && !records) {
    const auto* begin = static_cast<const std::byte*>(from);
    staged.assign(begin, begin + bytes);
  }
  const cudaError_t status =
      enqueue(stream,
              cudaGraphNodeTypeMemcpy,
              [to, from, bytes, staged = std::move(staged)] {
                std::memcpy(to, staged.empty() ? from : staged.data(), bytes);
              },
              {.kind = WorkKind::kCopy,
               .name = "",
               .copy = copy_kind(kind),
               .pinned = to_kind == MemoryKind::kPinned || from_kind == MemoryKind::kPinned,
               .bytes = bytes});
  if (status == cudaSuccess && to_kind == MemoryKind::kPageable && !records) {
    return answer(wait_for_stream(stream));
  }
  return answer(status);
}

cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  const Call call("cudaMemsetAsync");
  if (kind_of(data, bytes) != MemoryKind::kDevice) {
    return answer(cudaErrorInvalidValue);
  }
  return answer(enqueue(stream,
                        cudaGraphNodeTypeMemset,
                        [data, value, bytes] { std::memset(data, value, bytes); },
                        {.kind = WorkKind::kMemset,
                         .name = "",
                         .copy = CopyKind::kDeviceToDevice,
                         .pinned = false,
                         .bytes = bytes}));
}

// On the default stream, for which non-blocking streams do not wait, nor does the host.
cudaError_t cudaMemset(void* data, int value, std::size_t bytes) {
  const Call call("cudaMemset");
  if (const cudaError_t refused = refuse_unsafe_call(); refused != cudaSuccess) {
    return answer(refused);
  }
  return cudaMemsetAsync(data, value, bytes, nullptr);
}
