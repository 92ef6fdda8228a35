// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/cupti/fake/recorder.h"

#include <cupti.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

namespace dlbench::fake {
namespace {

/// By kind; the last is the innermost.
thread_local std::map<int, std::vector<std::uint64_t>> externals;

std::int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CuptiSetting read_setting() {
  CuptiSetting made;
  const char* text = std::getenv("DLBENCH_FAKE_CUPTI");
  std::istringstream words(text != nullptr ? text : "");
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = std::min(word.find('='), word.size() - 1);
    const std::string name = word.substr(0, equals);
    const std::int64_t value = std::atoll(word.c_str() + equals + 1);
    if (name == "ahead_s") {
      made.ahead_s = value;
    } else if (name == "gain_ppm") {
      made.gain_ppm = value;
    } else if (name == "owned") {
      made.owned = value == 1;
    } else if (name == "version") {
      made.version = static_cast<std::uint32_t>(value);
    } else if (name == "missing") {
      made.missing = value == 1;
    } else if (name == "virtual_gpu") {
      made.virtual_gpu = value == 1;
    } else if (name == "stale_correlations") {
      made.stale_correlations = value == 1;
    } else if (name == "drop_every") {
      made.drop_every = value;
    } else if (name == "untimed_every") {
      made.untimed_every = value;
    } else {
      std::fprintf(stderr, "DLBENCH_FAKE_CUPTI: '%s' is not known\n", word.c_str());
      std::exit(64);
    }
  }
  return made;
}

/// The numbers of a call in CUPTI's tables. `driver`: of the call inside of it; 0: none is told of.
struct CallIds {
  std::string_view name;
  std::uint32_t runtime;
  std::uint32_t driver;
};
constexpr CallIds kCalls[] = {
    {"cudaLaunchKernel",
     CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
     CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel},
    {"cudaLaunchKernelExC",
     CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
     CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx},
    {"cuLaunchKernelEx", 0, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx},
    {"cuCtxSynchronize", 0, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize},
    {"cudaMemcpyAsync",
     CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
     CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2},
    {"cudaMemsetAsync",
     CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
     CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async},
    {"cudaMemset",
     CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020,
     CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async},
    {"cudaGraphLaunch",
     CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
     CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch},
    {"cudaGraphExecEventRecordNodeSetEvent",
     CUPTI_RUNTIME_TRACE_CBID_cudaGraphExecEventRecordNodeSetEvent_v11010,
     0},
    {"cudaStreamSynchronize",
     CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
     CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize},
    {"cudaDeviceSynchronize",
     CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
     CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize},
    {"cudaEventRecord", CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020, 0},
    {"cudaEventSynchronize", CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020, 0},
    {"cudaEventQuery", CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020, 0},
    {"cudaStreamWaitEvent", CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020, 0},
    // Of a run that ends within a window.
    {"cudaFree", CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020, CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2},
    {"cudaFreeHost",
     CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020,
     CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost},
    {"cudaMalloc",
     CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020,
     CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2},
    {"cudaHostAlloc",
     CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020,
     CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc},
    {"cudaMemGetInfo",
     CUPTI_RUNTIME_TRACE_CBID_cudaMemGetInfo_v3020,
     CUPTI_DRIVER_TRACE_CBID_cuMemGetInfo_v2}};

const CallIds& ids_of(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kCalls),
                                         std::end(kCalls),
                                         [name](const CallIds& one) { return one.name == name; });
  if (found == std::end(kCalls)) {
    std::fprintf(stderr, "fake CUPTI: no number of the call %s\n", name.data());
    std::abort();
  }
  return *found;
}

/// All that no one sets is 0.
template <typename Record>
Record empty_record(CUpti_ActivityKind kind) {
  Record record;
  std::memset(&record, 0, sizeof(record));
  record.kind = kind;
  return record;
}

template <typename Record>
RecordBytes bytes_of(const Record& record) {
  RecordBytes bytes(sizeof(record));
  std::memcpy(bytes.data(), &record, sizeof(record));
  return bytes;
}

CUpti_ActivityKind kind_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kCopy:
      return CUPTI_ACTIVITY_KIND_MEMCPY;
    case WorkKind::kMemset:
      return CUPTI_ACTIVITY_KIND_MEMSET;
    default:
      return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  }
}

std::uint64_t time_or_none(std::int64_t steady) { return steady == 0 ? 0 : cupti_time(steady); }

template <typename Record>
void fill_work(const ObservedWork& work, std::uint32_t correlation, bool timed, Record& record) {
  record.start = timed ? time_or_none(work.begin_ns) : 0;
  record.end = timed ? time_or_none(work.end_ns) : 0;
  record.deviceId = static_cast<std::uint32_t>(work.device);
  record.contextId = 1;
  record.streamId = work.stream;
  record.correlationId = correlation;
  record.graphNodeId = work.graph_node;
  record.graphId = work.graph;
}

std::uint8_t copy_kind(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    case CopyKind::kDeviceToHost:
      return CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
    default:
      return CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  }
}

RecordBytes copy_record(const ObservedWork& work, std::uint32_t correlation, bool timed) {
  auto record = empty_record<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  fill_work(work, correlation, timed, record);
  const auto host = static_cast<std::uint8_t>(
      work.label.pinned ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
  constexpr std::uint8_t kDevice = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.copyKind = copy_kind(work.label.copy);
  record.srcKind = work.label.copy == CopyKind::kHostToDevice ? host : kDevice;
  record.dstKind = work.label.copy == CopyKind::kDeviceToHost ? host : kDevice;
  record.bytes = work.label.bytes;
  record.runtimeCorrelationId = correlation;
  record.copyCount = 1;
  return bytes_of(record);
}

RecordBytes memset_record(const ObservedWork& work, std::uint32_t correlation, bool timed) {
  auto record = empty_record<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  fill_work(work, correlation, timed, record);
  record.bytes = work.label.bytes;
  record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  return bytes_of(record);
}

CUpti_ActivitySynchronizationType type_of(Wait wait) {
  switch (wait) {
    case Wait::kEvent:
    case Wait::kEventQuery:  // the header: such records, and no other type for them
      return CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE;
    case Wait::kStream:
      return CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    case Wait::kDevice:
      return CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
    case Wait::kStreamForEvent:
      return CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
    default:
      return CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN;
  }
}

/// A byte in a file for each record that a fault takes away, so that a test knows how many there
/// were.
void note_loss() {
  if (const char* path = std::getenv("DLBENCH_FAKE_LOST"); path != nullptr) {
    std::ofstream(path, std::ios::app) << '.';
  }
}

}  // namespace

const CuptiSetting& cupti_setting() {
  static const CuptiSetting made = read_setting();
  return made;
}

std::uint64_t cupti_time(std::int64_t steady_ns) {
  const std::int64_t gain_ns = steady_ns / 1'000'000 * cupti_setting().gain_ppm;
  return static_cast<std::uint64_t>(steady_ns + gain_ns + cupti_setting().ahead_s * 1'000'000'000);
}

void refuse_cupti(const char* function, const char* why) {
  std::fprintf(stderr, "fake cupti%s: %s\n", function, why);
}

Recorder& Recorder::instance() {
  static auto* const recorder = new Recorder;
  return *recorder;
}

void Recorder::enable(int kind) {
  const std::int64_t begin_ns = steady_ns();
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(has_thread_, true)) {
    std::thread([this] { deliver_when_many(); }).detach();
  }
  if (enabled_.empty()) {
    recordings_ += 1;
    graph_correlations_.clear();
  }
  enabled_.insert(kind);
  set_observer(this);
  append_overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE, begin_ns, steady_ns());
}

void Recorder::disable(int kind) {
  const std::scoped_lock lock(mutex_);
  enabled_.erase(kind);
  if (enabled_.empty()) {
    set_observer(nullptr);
  }
}

void Recorder::push_external(int kind, std::uint64_t id) { externals[kind].push_back(id); }

bool Recorder::pop_external(int kind, std::uint64_t& id) {
  std::vector<std::uint64_t>& pushed = externals[kind];
  if (pushed.empty()) {
    return false;
  }
  id = pushed.back();
  pushed.pop_back();
  return true;
}

void Recorder::enqueued(const ObservedWorkPtr& work) {
  const std::scoped_lock lock(mutex_);
  if (!enabled_.contains(kind_of(work->label.kind))) {
    return;
  }
  std::uint32_t correlation = work->correlation;
  if (work->graph != 0) {
    if (graph_correlations_.empty() || graph_correlations_.back() != correlation) {
      graph_correlations_.push_back(correlation);
    }
    // As CUPTI before CUDA 13.1 Update 1 in every recording but the first: of an earlier launch.
    if (cupti_setting().stale_correlations && recordings_ > 1 && work->graph_node % 3 == 0) {
      correlation = graph_correlations_.front();
    }
  }
  in_flight_.push_back({work, correlation});
}

void Recorder::done(const ObservedWorkPtr& work) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const Flight& flight) {
    return flight.work == work;
  });
  if (found != in_flight_.end()) {  // else a flush took it
    append_work(*found);
    in_flight_.erase(found);
  }
}

void Recorder::called(const HostCall& call) {
  if (is_in_callback()) {
    refuse_cupti("callback", "calls CUDA");
  }
  const CallIds& ids = ids_of(call.name);
  const std::scoped_lock lock(mutex_);
  // The driver's call returns before the runtime's that made it, and has its number.
  if (ids.driver != 0) {
    append_api(call, CUPTI_ACTIVITY_KIND_DRIVER, ids.driver);
  }
  if (call.wait != Wait::kNone && enabled_.contains(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) {
    auto record = empty_record<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
    record.type = type_of(call.wait);
    record.start = cupti_time(call.begin_ns);
    record.end = cupti_time(call.end_ns);
    record.correlationId = call.correlation;
    record.contextId = 1;
    record.returnValue = static_cast<std::uint32_t>(call.status);
    append(bytes_of(record));
  }
  if (ids.runtime != 0) {
    append_api(call, CUPTI_ACTIVITY_KIND_RUNTIME, ids.runtime);
  }
}

void Recorder::append(RecordBytes record) {
  pending_bytes_ += record.size();
  pending_.push_back({std::this_thread::get_id(), std::move(record)});
  changed_.notify_all();
}

void Recorder::append_work(const Flight& flight) {
  const ObservedWork& work = *flight.work;
  const auto every = [this](std::int64_t count) {
    return count != 0 && device_records_ % count == 0;
  };
  device_records_ += 1;
  if (every(cupti_setting().drop_every)) {
    dropped_ += 1;
    note_loss();
    return;
  }
  const bool timed = !every(cupti_setting().untimed_every);
  if (!timed) {
    note_loss();
  }
  if (work.label.kind == WorkKind::kCopy) {
    return append(copy_record(work, flight.correlation, timed));
  }
  if (work.label.kind == WorkKind::kMemset) {
    return append(memset_record(work, flight.correlation, timed));
  }
  auto record = empty_record<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  fill_work(work, flight.correlation, timed, record);
  record.name = names_.insert(work.label.name).first->c_str();
  append(bytes_of(record));
}

void Recorder::append_api(const HostCall& call, int kind, std::uint32_t cbid) {
  if (!enabled_.contains(kind)) {
    return;
  }
  if (enabled_.contains(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) {
    for (const auto& [external, ids] : externals) {
      if (!ids.empty()) {
        auto record = empty_record<CUpti_ActivityExternalCorrelation>(
            CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
        record.externalKind = static_cast<CUpti_ExternalCorrelationKind>(external);
        record.externalId = ids.back();
        record.correlationId = call.correlation;
        append(bytes_of(record));
      }
    }
  }
  auto record = empty_record<CUpti_ActivityAPI>(static_cast<CUpti_ActivityKind>(kind));
  record.cbid = cbid;
  record.start = cupti_time(call.begin_ns);
  record.end = cupti_time(call.end_ns);
  record.correlationId = call.correlation;
  append(bytes_of(record));
}

void Recorder::append_overhead(int overhead, std::int64_t begin_ns, std::int64_t end_ns) {
  if (!enabled_.contains(CUPTI_ACTIVITY_KIND_OVERHEAD)) {
    return;
  }
  auto record = empty_record<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  record.overheadKind = static_cast<CUpti_ActivityOverheadKind>(overhead);
  record.start = cupti_time(begin_ns);
  record.end = cupti_time(end_ns);
  append(bytes_of(record));
}

}  // namespace dlbench::fake
