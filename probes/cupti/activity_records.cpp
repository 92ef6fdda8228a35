// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/activity_records.h"

#include <cupti.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dlbench::probes {
namespace {

// Demangles C++ names only: a kernel called f must not become float.
std::string demangled(const char* name) {
  if (!std::string_view(name).starts_with("_Z")) {
    return name;
  }
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

/// Readable names of kernels. CUPTI has one text for all records of a kernel, so its address
/// identifies it, and a library's template is demangled once instead of in every step.
class KernelNames {
 public:
  const std::string& of(const char* name) {
    auto found = known_.find(name);
    if (found == known_.end()) {
      found = known_.emplace(name, name != nullptr ? demangled(name) : "unknown").first;
    }
    return found->second;
  }

 private:
  std::unordered_map<const char*, std::string> known_;
};

const char* copy_name(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return "host_to_device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return "device_to_host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return "device_to_device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "peer_to_peer";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "host_to_host";
    default:
      return "unknown";
  }
}

const char* memset_name(std::uint16_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return "device";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return "pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return "managed";
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return "pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return "array";
    default:
      return "unknown";
  }
}

/// Returns null for a wait that blocks a stream but not the host.
const char* wait_name(CUpti_ActivitySynchronizationType type) {
  switch (type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
      return "event";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
      return "stream";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
      return "context";
    default:
      return nullptr;
  }
}

const char* overhead_name(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return "driver_compiler";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return "buffer_flush";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return "instrumentation";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return "resource";
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
      return "module_loading";
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return "lazy_function_loading";
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL:
      return "command_buffer_full";
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST:
      return "activity_buffer_request";
    default:
      return "other";
  }
}

/// Fills what all records of device work have in common.
template <typename Record>
// NOLINTNEXTLINE(performance-unnecessary-value-param): moved from, not seen in a template.
GpuActivity device_work(GpuActivityKind kind, std::string name, const Record& record) {
  return {.kind = kind,
          .name = std::move(name),
          .begin_ns = static_cast<std::int64_t>(record.start),
          .end_ns = static_cast<std::int64_t>(record.end),
          .stream = record.streamId,
          .correlation = record.correlationId,
          .graph_node = static_cast<std::int64_t>(record.graphNodeId)};
}

template <typename Record>
GpuActivity moved_bytes(GpuActivityKind kind, std::string name, const Record& record) {
  GpuActivity activity = device_work(kind, std::move(name), record);
  activity.bytes = static_cast<std::int64_t>(record.bytes);
  return activity;
}

GpuActivity api_call(const CUpti_ActivityAPI& record) {
  const CUpti_CallbackDomain domain = record.kind == CUPTI_ACTIVITY_KIND_RUNTIME
                                          ? CUPTI_CB_DOMAIN_RUNTIME_API
                                          : CUPTI_CB_DOMAIN_DRIVER_API;
  const char* name = nullptr;
  if (cuptiGetCallbackName(domain, record.cbid, &name) != CUPTI_SUCCESS || name == nullptr) {
    name = "unknown";
  }
  return {.kind = GpuActivityKind::kApiCall,
          .name = name,
          .begin_ns = static_cast<std::int64_t>(record.start),
          .end_ns = static_cast<std::int64_t>(record.end),
          .correlation = record.correlationId};
}

void append_wait(const CUpti_ActivitySynchronization2& record, GpuTrace& trace) {
  if (const char* name = wait_name(record.type); name != nullptr) {
    trace.activities.push_back({.kind = GpuActivityKind::kSynchronization,
                                .name = name,
                                .begin_ns = static_cast<std::int64_t>(record.start),
                                .end_ns = static_cast<std::int64_t>(record.end),
                                .correlation = record.correlationId});
  }
}

void append_overhead(const CUpti_ActivityOverhead3& record, GpuTrace& trace) {
  trace.activities.push_back({.kind = GpuActivityKind::kOverhead,
                              .name = overhead_name(record.overheadKind),
                              .begin_ns = static_cast<std::int64_t>(record.start),
                              .end_ns = static_cast<std::int64_t>(record.end),
                              .correlation = record.correlationId});
}

template <typename Record>
const Record& as(const CUpti_Activity* record) {
  return *reinterpret_cast<const Record*>(record);
}

void append_record(const CUpti_Activity* record, KernelNames& names, GpuTrace& trace) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = as<CUpti_ActivityKernel10>(record);
      trace.activities.push_back(
          device_work(GpuActivityKind::kKernel, names.of(kernel.name), kernel));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = as<CUpti_ActivityMemcpy6>(record);
      trace.activities.push_back(
          moved_bytes(GpuActivityKind::kCopy, copy_name(copy.copyKind), copy));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = as<CUpti_ActivityMemcpyPtoP4>(record);
      trace.activities.push_back(
          moved_bytes(GpuActivityKind::kCopy, copy_name(copy.copyKind), copy));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = as<CUpti_ActivityMemset4>(record);
      trace.activities.push_back(
          moved_bytes(GpuActivityKind::kMemset, memset_name(fill.memoryKind), fill));
      break;
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      append_wait(as<CUpti_ActivitySynchronization2>(record), trace);
      break;
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      append_overhead(as<CUpti_ActivityOverhead3>(record), trace);
      break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      trace.activities.push_back(api_call(as<CUpti_ActivityAPI>(record)));
      break;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& tie = as<CUpti_ActivityExternalCorrelation>(record);
      trace.correlation_op[tie.correlationId] = static_cast<std::int64_t>(tie.externalId);
      break;
    }
    default:
      break;
  }
}

/// The smallest of the kinds that are recorded.
constexpr std::size_t kLeastRecordBytes = sizeof(CUpti_ActivityExternalCorrelation);
static_assert(kLeastRecordBytes <= sizeof(CUpti_ActivityAPI) &&
              kLeastRecordBytes <= sizeof(CUpti_ActivitySynchronization2) &&
              kLeastRecordBytes <= sizeof(CUpti_ActivityOverhead3) &&
              kLeastRecordBytes <= sizeof(CUpti_ActivityMemset4) &&
              kLeastRecordBytes <= sizeof(CUpti_ActivityMemcpy6) &&
              kLeastRecordBytes <= sizeof(CUpti_ActivityMemcpyPtoP4) &&
              kLeastRecordBytes <= sizeof(CUpti_ActivityKernel10));

}  // namespace

std::int64_t max_records_in(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + kLeastRecordBytes - 1) / kLeastRecordBytes);
}

void append_activity_records(std::uint8_t* buffer, std::size_t bytes, GpuTrace& trace) {
  KernelNames names;
  CUpti_Activity* record = nullptr;
  CUptiResult found = CUPTI_SUCCESS;
  while ((found = cuptiActivityGetNextRecord(buffer, bytes, &record)) == CUPTI_SUCCESS) {
    append_record(record, names, trace);
  }
  if (found != CUPTI_ERROR_MAX_LIMIT_REACHED) {
    // Where the unreadable one begins is not known, only that the last one before it has a size.
    const std::uint8_t* const from =
        record != nullptr ? reinterpret_cast<std::uint8_t*>(record) + kLeastRecordBytes : buffer;
    const std::ptrdiff_t rest = std::max<std::ptrdiff_t>(0, buffer + bytes - from);
    trace.dropped += max_records_in(static_cast<std::size_t>(rest));
  }
}

void keep_launching_calls(GpuTrace& trace) {
  std::set<std::int64_t> launched;
  for (const GpuActivity& activity : trace.activities) {
    if (occupies_device(activity.kind)) {
      launched.insert(activity.correlation);
    }
  }
  std::erase_if(trace.activities, [&](const GpuActivity& activity) {
    return activity.kind == GpuActivityKind::kApiCall && !launches_graph(activity) &&
           !launched.contains(activity.correlation);
  });
}

}  // namespace dlbench::probes
