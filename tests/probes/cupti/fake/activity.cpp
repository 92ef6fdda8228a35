// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's activity interface, as its header describes it. What it does not have here, the real
// library does, which finds no device.
#include "tests/probes/cupti/fake/recorder.h"

#include <cupti.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dlbench::fake {
namespace {

// KERNEL would do as well, but may not be enabled beside it.
constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                            CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMCPY2,
                            CUPTI_ACTIVITY_KIND_MEMSET,
                            CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                            CUPTI_ACTIVITY_KIND_OVERHEAD,
                            CUPTI_ACTIVITY_KIND_RUNTIME,
                            CUPTI_ACTIVITY_KIND_DRIVER,
                            CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};

bool is_known(CUpti_ActivityKind kind) {
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

/// 0: no record of that kind is written here.
std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default:
      return 0;
  }
}

std::atomic<CUpti_BuffersCallbackRequestFunc> client_request{nullptr};
std::atomic<CUpti_BuffersCallbackCompleteFunc> client_complete{nullptr};

void request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  client_request.load()(buffer, bytes, records);
}
void complete(std::uint8_t* buffer, std::size_t bytes, std::size_t valid) {
  client_complete.load()(nullptr, 0, buffer, bytes, valid);
}

std::atomic<bool> subscribed{false};

}  // namespace
}  // namespace dlbench::fake

// NOLINTNEXTLINE(google-build-using-namespace): all that follows are functions of C, outside of it.
using namespace dlbench::fake;

// NOLINTBEGIN(readability-identifier-naming): CUPTI's names.
extern "C" {

CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp) {
  if (timestamp == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *timestamp = cupti_time(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, std::uint32_t* device) {
  const int found = device_of_context(context);
  if (found < 0) {
    return CUPTI_ERROR_INVALID_CONTEXT;
  }
  *device = static_cast<std::uint32_t>(found);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                           CUpti_CallbackFunc /*callback*/,
                           void* /*data*/) {
  if (subscriber == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  if (cupti_setting().owned || subscribed.exchange(true)) {
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&subscribed);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  if (subscriber != reinterpret_cast<CUpti_SubscriberHandle>(&subscribed) ||
      !subscribed.exchange(false)) {
    refuse_cupti("Unsubscribe", "there is no such subscriber");
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  if (requested == nullptr || completed == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  client_request = requested;
  client_complete = completed;
  Recorder::instance().set_callbacks(request, complete);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute,
                                      std::size_t* bytes,
                                      void* value) {
  if (bytes == nullptr || value == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  if (*bytes < sizeof(std::uint8_t)) {
    return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  }
  const bool on = *static_cast<const std::uint8_t*>(value) != 0;
  switch (attribute) {
    case CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER:
      if (!Recorder::instance().set_per_thread(on)) {
        refuse_cupti("ActivitySetAttribute", "changed while it records, or with callbacks there");
        return CUPTI_ERROR_INVALID_OPERATION;
      }
      return CUPTI_SUCCESS;
    case CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER:
      Recorder::instance().set_client_zeroes(on);
      return CUPTI_SUCCESS;
    default:
      refuse_cupti("ActivitySetAttribute", "an attribute that the fake lacks");
      return CUPTI_ERROR_INVALID_PARAMETER;
  }
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (!is_known(kind)) {
    refuse_cupti("ActivityEnable", "a kind that the fake lacks");
    return CUPTI_ERROR_INVALID_KIND;
  }
  Recorder::instance().enable(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (!is_known(kind)) {
    return CUPTI_ERROR_INVALID_KIND;
  }
  Recorder::instance().disable(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  if (!Recorder::instance().has_callbacks()) {
    refuse_cupti("ActivityFlushAll", "no callbacks are registered");
    return CUPTI_ERROR_INVALID_OPERATION;
  }
  Recorder::instance().flush(flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext /*context*/,
                                              std::uint32_t /*stream*/,
                                              std::size_t* dropped) {
  if (dropped == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *dropped = Recorder::instance().take_dropped();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer,
                                       std::size_t valid,
                                       CUpti_Activity** record) {
  if (buffer == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  std::uint8_t* next = buffer;
  if (*record != nullptr) {
    next = reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
  }
  if (next >= buffer + valid) {
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  }
  auto* const found = reinterpret_cast<CUpti_Activity*>(next);
  if (size_of(found->kind) == 0 || next + size_of(found->kind) > buffer + valid) {
    return CUPTI_ERROR_INVALID_KIND;
  }
  *record = found;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                   std::uint64_t id) {
  if (kind == CUPTI_EXTERNAL_CORRELATION_KIND_INVALID) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  Recorder::instance().push_external(kind, id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                  std::uint64_t* last) {
  if (kind == CUPTI_EXTERNAL_CORRELATION_KIND_INVALID) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  std::uint64_t id = 0;
  if (!Recorder::instance().pop_external(kind, id)) {
    refuse_cupti("ActivityPopExternalCorrelationId", "the thread has pushed none");
    return CUPTI_ERROR_QUEUE_EMPTY;
  }
  if (last != nullptr) {
    *last = id;
  }
  return CUPTI_SUCCESS;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
