// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/cupti/fake_cupti.h"

#include "engine/core/clock.h"

#include <cupti.h>

#include <cstddef>
#include <cstring>
#include <utility>

namespace dlbench::probes {
namespace {

struct Callbacks {
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
};

Callbacks& callbacks() {
  static Callbacks registered;
  return registered;
}

void note(const char* call) {
  std::vector<std::string>& calls = FakeCupti::instance().calls;
  if (calls.empty() || calls.back() != call) {
    calls.emplace_back(call);
  }
}

/// In the place of a kernel's record, which is longer.
CUpti_ActivityKernel10 as_call(const CUpti_ActivityKernel10& kernel) {
  CUpti_ActivityAPI call;
  static_assert(sizeof(call) <= sizeof(kernel));
  std::memset(&call, 0, sizeof(call));
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.start = kernel.start;
  call.end = kernel.end;
  call.correlationId = kernel.correlationId;
  CUpti_ActivityKernel10 place;
  std::memset(&place, 0, sizeof(place));
  std::memcpy(&place, &call, sizeof(call));
  return place;
}

void deliver(const std::vector<FakeKernel>& kernels) {
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0;
  std::size_t most = 0;
  callbacks().request(&buffer, &bytes, &most);
  if (buffer == nullptr) {
    FakeCupti::instance().dropped += kernels.size();
    return;
  }
  std::size_t used = 0;
  for (const FakeKernel& kernel : kernels) {
    CUpti_ActivityKernel10 record;
    std::memset(&record, 0, sizeof(record));
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    const std::int64_t ahead_ns = kernel.begin_ns != 0 ? FakeCupti::instance().clock_ahead_ns : 0;
    record.start = static_cast<std::uint64_t>(kernel.begin_ns + ahead_ns);
    record.end = static_cast<std::uint64_t>(kernel.end_ns + ahead_ns);
    record.graphNodeId = kernel.graph_node;
    record.name = kernel.name;
    record.correlationId = kernel.correlation;
    if (kernel.is_call) {
      record = as_call(record);
    }
    std::memcpy(buffer + used, &record, sizeof(record));
    used += sizeof(record);
  }
  callbacks().complete(nullptr, 0, buffer, bytes, used);
}

}  // namespace

FakeCupti& FakeCupti::instance() {
  static FakeCupti cupti;
  return cupti;
}

const CuptiLibrary& opened_cupti() { return FakeCupti::instance().library; }

}  // namespace dlbench::probes

extern "C" {

using dlbench::probes::FakeCupti;

CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult /*result*/, const char** text) {
  *text = "FAKE";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain /*domain*/,
                                 uint32_t /*id*/,
                                 const char** name) {
  *name = "cudaLaunchKernel";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* now_ns) {
  *now_ns =
      static_cast<uint64_t>(dlbench::core::steady_ns() + FakeCupti::instance().clock_ahead_ns);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                           CUpti_CallbackFunc /*callback*/,
                           void* /*data*/) {
  FakeCupti& cupti = FakeCupti::instance();
  if (cupti.subscribe_status == CUPTI_SUCCESS) {
    cupti.subscribers += 1;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&cupti);
  }
  return static_cast<CUptiResult>(cupti.subscribe_status);
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle /*subscriber*/) {
  FakeCupti::instance().subscribers -= 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  dlbench::probes::callbacks() = {request, complete};
  FakeCupti& cupti = FakeCupti::instance();
  cupti.attributes_at_registration = cupti.attributes;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute,
                                      size_t* bytes,
                                      void* value) {
  if (bytes == nullptr || value == nullptr || *bytes != sizeof(uint8_t)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  FakeCupti& cupti = FakeCupti::instance();
  if (cupti.attribute_status == CUPTI_SUCCESS) {
    cupti.attributes[attribute] = *static_cast<uint8_t*>(value);
  }
  return static_cast<CUptiResult>(cupti.attribute_status);
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind /*kind*/) {
  dlbench::probes::note("enable");
  FakeCupti::instance().enabled_kinds += 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind /*kind*/) {
  dlbench::probes::note("disable");
  FakeCupti& cupti = FakeCupti::instance();
  cupti.enabled_kinds -= 1;
  cupti.dropped += cupti.enabled_kinds == 0 ? std::exchange(cupti.dropped_at_end, 0) : 0;
  for (const auto& kernel : std::exchange(cupti.before_disabled, {})) {
    cupti.waiting.push_back(kernel);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  dlbench::probes::note(flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED ? "forced flush" : "flush");
  FakeCupti& cupti = FakeCupti::instance();
  if (cupti.flush_status == CUPTI_SUCCESS && !cupti.waiting.empty()) {
    dlbench::probes::deliver(std::exchange(cupti.waiting, {}));
  }
  return static_cast<CUptiResult>(cupti.flush_status);
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext /*context*/,
                                              uint32_t /*stream*/,
                                              size_t* dropped) {
  *dropped = std::exchange(FakeCupti::instance().dropped, 0);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  uint8_t* const next = *record == nullptr
                            ? buffer
                            : reinterpret_cast<uint8_t*>(*record) + sizeof(CUpti_ActivityKernel10);
  if (next + sizeof(CUpti_ActivityKernel10) > buffer + valid) {
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  }
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind /*kind*/,
                                                   uint64_t id) {
  FakeCupti::instance().external_ids.push_back(static_cast<std::int64_t>(id));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind /*kind*/,
                                                  uint64_t* last) {
  std::vector<std::int64_t>& ids = FakeCupti::instance().external_ids;
  if (ids.empty()) {
    return CUPTI_ERROR_QUEUE_EMPTY;
  }
  *last = static_cast<uint64_t>(ids.back());
  ids.pop_back();
  return CUPTI_SUCCESS;
}

}  // extern "C"
