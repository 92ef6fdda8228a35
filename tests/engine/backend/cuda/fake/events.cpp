// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/runtime.h"

#include <algorithm>
#include <utility>

namespace dlbench::fake {
namespace {

/// Recorded last inside of a recording, an event has no state that the host could ask for.
bool is_captured(const CUevent_st& event) { return event.capture != nullptr; }

cudaError_t refuse_captured(CUevent_st& event) {
  event.capture->invalid = true;
  return cudaErrorCapturedEvent;
}

/// `stream` records from now on what `event` belongs to, or does so already.
cudaError_t wait_in_capture(CUstream_st& stream, const CUevent_st& event) {
  if (stream.capture != nullptr && stream.capture != event.capture) {
    stream.capture->invalid = true;
    return is_captured(event) ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureIsolation;
  }
  if (event.capture->invalid) {
    return cudaErrorStreamCaptureInvalidated;
  }
  stream.capture = event.capture;
  auto& ends = event.capture->ends[&stream];
  for (const cudaGraphNode_t node : event.after) {
    if (std::find(ends.begin(), ends.end(), node) == ends.end()) {
      ends.push_back(node);
    }
  }
  return cudaSuccess;
}

cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
  const auto lock = lock_runtime();
  if (const cudaError_t failure = device_failure(); failure != cudaSuccess) {
    return failure;
  }
  const cudaStream_t known = known_stream(stream);
  if (known == nullptr || known_event(event) == nullptr || known->device != event->device) {
    return cudaErrorInvalidResourceHandle;
  }
  event->mark.reset();
  event->capture = known->capture;
  if (known->capture != nullptr) {
    if (known->capture->invalid) {
      return cudaErrorStreamCaptureInvalidated;
    }
    event->after = known->capture->ends[known];
    return cudaSuccess;
  }
  event->mark = std::make_shared<Mark>();
  known->queue->push({.work = [mark = event->mark] { mark->reach(); }, .on_failed_device = true});
  return cudaSuccess;
}

cudaError_t wait(cudaStream_t stream, cudaEvent_t event) {
  const auto lock = lock_runtime();
  if (const cudaError_t failure = device_failure(); failure != cudaSuccess) {
    return failure;
  }
  const cudaStream_t known = known_stream(stream);
  if (known == nullptr || known_event(event) == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (known->capture != nullptr || is_captured(*event)) {
    return wait_in_capture(*known, *event);
  }
  if (event->mark != nullptr) {
    known->queue->push({.work = [mark = event->mark] { mark->wait(); }, .on_failed_device = true});
  }
  return cudaSuccess;
}

/// The mark of an event that the host may ask for; success and no mark: it was never recorded.
cudaError_t mark_of(cudaEvent_t event, std::shared_ptr<Mark>& mark) {
  if (const cudaError_t refused = refuse_unsafe_call(); refused != cudaSuccess) {
    return refused;
  }
  const auto lock = lock_runtime();
  if (known_event(event) == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (is_captured(*event)) {
    return refuse_captured(*event);
  }
  mark = event->mark;
  return cudaSuccess;
}

}  // namespace

cudaEvent_t known_event(cudaEvent_t event) {
  auto& events = runtime().events;
  const bool known = std::any_of(
      events.begin(), events.end(), [event](const auto& one) { return one.get() == event; });
  return known ? event : nullptr;
}

}  // namespace dlbench::fake

// NOLINTNEXTLINE(google-build-using-namespace): all that follows are functions of C, outside of it.
using namespace dlbench::fake;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const Call call("cudaEventCreateWithFlags");
  const auto lock = lock_runtime();
  if (device_failure() != cudaSuccess) {
    return answer(device_failure());
  }
  runtime().events.push_back(std::make_unique<CUevent_st>());
  *event = runtime().events.back().get();
  (*event)->device = current_device();
  (*event)->flags = flags;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const auto lock = lock_runtime();
  if (known_event(event) == nullptr) {
    return answer(cudaErrorInvalidResourceHandle);
  }
  std::erase_if(runtime().events, [event](const auto& one) { return one.get() == event; });
  return answer(device_failure());
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Call call("cudaEventRecord");
  return answer(record(event, stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  const Call call("cudaStreamWaitEvent", Wait::kStreamForEvent);
  return answer(wait(stream, event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Call call("cudaEventSynchronize", Wait::kEvent);
  std::shared_ptr<Mark> mark;
  if (const cudaError_t refused = mark_of(event, mark); refused != cudaSuccess) {
    return answer(refused);
  }
  if (mark != nullptr) {
    mark->wait();
  }
  return answer(device_failure());
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  Call call("cudaEventQuery", Wait::kEventQuery);
  std::shared_ptr<Mark> mark;
  if (const cudaError_t refused = mark_of(event, mark); refused != cudaSuccess) {
    return answer(refused);
  }
  if (device_failure() != cudaSuccess) {
    return answer(device_failure());
  }
  const bool reached = mark == nullptr || mark->reached();
  call.set_status(reached ? cudaSuccess : cudaErrorNotReady);
  return answer(reached ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  std::shared_ptr<Mark> marks[2];
  for (int i = 0; i < 2; ++i) {
    const cudaEvent_t event = i == 0 ? begin : end;
    if (const cudaError_t refused = mark_of(event, marks[i]); refused != cudaSuccess) {
      return answer(refused);
    }
    if (marks[i] == nullptr || (event->flags & cudaEventDisableTiming) != 0) {
      return answer(cudaErrorInvalidResourceHandle);
    }
    if (!marks[i]->reached()) {
      return answer(cudaErrorNotReady);
    }
  }
  *milliseconds =
      std::chrono::duration<float, std::milli>(marks[1]->time() - marks[0]->time()).count();
  return answer(device_failure());
}
