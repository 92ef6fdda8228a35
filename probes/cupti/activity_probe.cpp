// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe cupti: every kernel, copy, memset and wait of a repetition, through CUPTI's activity
// interface, on the clock of the host's regions.
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/plugin_part.h"
#include "probes/cupti/activity_buffers.h"
#include "probes/cupti/activity_records.h"
#include "probes/cupti/cupti_clock.h"
#include "probes/cupti/cupti_status.h"
#include "probes/cupti/driver_context.h"
#include "probes/probe.h"
#include "probes/recording_copy.h"
#include "probes/registry.h"

#include <cupti.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

// KERNEL would serialise the kernels; CONCURRENT_KERNEL does not.
constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                            CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMCPY2,
                            CUPTI_ACTIVITY_KIND_MEMSET,
                            CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                            CUPTI_ACTIVITY_KIND_OVERHEAD,
                            CUPTI_ACTIVITY_KIND_RUNTIME,
                            CUPTI_ACTIVITY_KIND_DRIVER,
                            CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};

/// CUPTI's callbacks carry no pointer of ours, so there is one instance per process, which is never
/// destroyed, as a buffer may come back late.
ActivityBuffers& buffers() {
  // Five million kernels, more than a window of three seconds has.
  constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): see above.
  static auto* const all = new ActivityBuffers(kMaxBytes);
  return *all;
}

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = buffers().lend();
  *bytes = *buffer != nullptr ? ActivityBuffers::kBlockBytes : 0;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI complete_buffer(CUcontext /*context*/,
                              std::uint32_t /*stream*/,
                              std::uint8_t* buffer,
                              std::size_t /*size*/,
                              std::size_t valid_bytes) {
  buffers().take(buffer, valid_bytes);
}

void set_attribute(CUpti_ActivityAttribute attribute, std::uint8_t value) {
  std::size_t bytes = sizeof(value);
  static_cast<void>(cuptiActivitySetAttribute(attribute, &bytes, &value));
}

/// Call before the callbacks are registered. By default CUPTI 13 gives each recording thread a
/// buffer, and NCCL starts a thread for each group of collectives: all threads are to share one. By
/// default it also zeroes a buffer on the thread that needs it, which ours need not. If CUPTI
/// refuses either attribute, it still records.
void ask_for_few_buffers() {
  set_attribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0);
  set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1);
}

// A subscriber's callback that is never enabled.
void CUPTIAPI no_callback(void* /*data*/,
                          CUpti_CallbackDomain /*domain*/,
                          CUpti_CallbackId /*id*/,
                          const void* /*call*/) {}

class ActivityProbe final : public Probe, private core::trace::Sink {
 public:
  ActivityProbe() = default;
  ActivityProbe(const ActivityProbe&) = delete;
  ActivityProbe& operator=(const ActivityProbe&) = delete;
  ~ActivityProbe() override { static_cast<void>(buffers().close()); }

  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec{
        "cupti",
        "every kernel, copy and wait of the GPU, tied to ops; idle time with its reason",
        {{"record", "file that keeps every record of the last window"}},
        {},
        "cuda",
        true,
        true,
        true};
    return spec;
  }

  // CUPTI starts with the first window, so that timed repetitions before it run without CUPTI.
  [[nodiscard]] std::string open(const ProbeOptions& options) override {
    for (const auto& [name, value] : options) {
      record_ = value;
    }
    return opened_cupti_refusal();
  }

  void name_ops(const std::map<std::int64_t, GpuOpLabel>& ops) override {
    ops_ = ops;
    places_.clear();
    for (const auto& [id, label] : ops_) {
      if (label.name.empty()) {
        places_[label.phase] = id;
      }
    }
  }

  [[nodiscard]] std::string library() const override { return cupti_library(); }

  void begin_trial(std::string_view trial) noexcept override {
    try {
      trace_ = GpuTrace{.origin = "recorded", .trial = std::string(trial)};
      host_thread_ = std::this_thread::get_id();
      recording_since_ = read_cupti_clock();
      open_.clear();
      open_ops_.clear();
      open_places_.clear();
      op_spans_.clear();
      reason_ = start();
      records_ = reason_.empty();
      refused_for_good_ = !records_;
    } catch (const std::exception& error) {
      reason_ = error.what();
    }
  }

  void end_trial() noexcept override {
    if (!std::exchange(records_, false)) {
      return;  // begin_trial() was refused, and has said why
    }
    try {
      stop();
      trace_.dropped += std::exchange(lost_regions_, 0);
      window_of_steps();
      const ClockReading recorded_until = read_cupti_clock();
      const ProfilerClock clock(recording_since_, recorded_until);
      if (reason_.empty()) {
        reason_ = clock.refusal();
      }
      move_to_host(trace_, clock);
      drop_foreign_times(trace_, recording_since_.host_ns, recorded_until.host_ns);
      keep_launching_calls(trace_);
      tie_calls_within_ops(trace_, std::exchange(op_spans_, {}));
      static_cast<void>(tie_graph_nodes(trace_, captured_ops_));  // the trace keeps why not
      if (reason_.empty()) {
        reason_ = nothing_recorded();
      }
      trace_.ops.insert(ops_.begin(), ops_.end());
      if (reason_.empty()) {
        keep_recording(record_, [this] { write_gpu_trace(record_, trace_); });
      }
    } catch (const std::exception& error) {
      reason_ = error.what();
    }
  }

  [[nodiscard]] const GpuTrace* device_trace() const override {
    return reason_.empty() ? &trace_ : nullptr;
  }

  [[nodiscard]] ProbeValues collect(std::string_view /*trial*/) const override {
    return ProbeValues{reason_.empty(), reason_, {}};
  }

  [[nodiscard]] bool refused_for_good() const override { return refused_for_good_; }

  [[nodiscard]] core::trace::Sink* sink() override { return this; }

 private:
  /// Returns an empty text, or why nothing can be recorded.
  std::string start() {
    if (std::string shared = mps_recording_refusal(driver_device()); !shared.empty()) {
      return shared;
    }
    // If another tool owns the profiler, this call says so; the calls below would not.
    CUptiResult status = cuptiSubscribe(&subscriber_, no_callback, nullptr);
    if (status != CUPTI_SUCCESS) {
      subscriber_ = nullptr;
      return cupti_refusal("cuptiSubscribe", status);
    }
    ask_for_few_buffers();
    status = cuptiActivityRegisterCallbacks(request_buffer, complete_buffer);
    if (status != CUPTI_SUCCESS) {
      stop();
      return cupti_refusal("cuptiActivityRegisterCallbacks", status);
    }
    // Discards what is left of an earlier window. A refusal would only mean that there is nothing;
    // the flush at the end of this window counts.
    static_cast<void>(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    buffers().open();
    for (const CUpti_ActivityKind kind : kKinds) {
      status = cuptiActivityEnable(kind);
      if (status != CUPTI_SUCCESS) {
        stop();
        return cupti_refusal("cuptiActivityEnable", status);
      }
    }
    return "";
  }

  /// The caller waited for the window's last step, but other threads may keep launching work (the
  /// steps beside a timed loader). A forced flush returns unfinished records without a time, so it
  /// comes after recording has ended and all recorded work is done.
  void stop() {
    synchronize_context();
    flush(0);
    for (const CUpti_ActivityKind kind : kKinds) {
      static_cast<void>(cuptiActivityDisable(kind));
    }
    synchronize_context();
    flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const ActivityBuffers::Content recorded = buffers().close();
    trace_.dropped += recorded.dropped;
    for (const ActivityBuffers::Full& buffer : recorded.buffers) {
      append_activity_records(buffer.memory.get(), buffer.bytes, trace_);
    }
    // Last, because the records refer to names owned by CUPTI.
    if (subscriber_ != nullptr) {
      static_cast<void>(cuptiUnsubscribe(std::exchange(subscriber_, nullptr)));
    }
  }

  void flush(std::uint32_t flag) {
    const CUptiResult flushed = cuptiActivityFlushAll(flag);
    if (flushed != CUPTI_SUCCESS && reason_.empty()) {
      reason_ = cupti_refusal("cuptiActivityFlushAll", flushed);
    }
  }

  /// An idle device looks like a recording that failed silently, but steps do not leave it idle.
  [[nodiscard]] std::string nothing_recorded() const {
    if (trace_.device_records() > 0) {
      return "";
    }
    return "CUPTI recorded no work of the device in " + std::to_string(trace_.steps) + " steps" +
           (trace_.dropped > 0 ? ", and dropped " + std::to_string(trace_.dropped) + " records"
                               : "");
  }

  // From the first step's begin to the last one's end, as the rest is not training.
  void window_of_steps() {
    for (const HostRegion& region : trace_.regions) {
      if (region.name == "step") {
        trace_.begin_ns = trace_.begin_ns == 0 ? region.begin_ns : trace_.begin_ns;
        trace_.end_ns = region.end_ns;
      }
    }
  }

  // Loader threads launch nothing, so only regions of the thread that runs the steps count.
  void begin(const core::trace::RegionInfo& region) noexcept override {
    if (std::this_thread::get_id() != host_thread_.load()) {
      return;
    }
    try {
      if (region.category == core::trace::Category::kOp) {
        if (region.id >= 0) {
          trace_.ops.try_emplace(region.id, GpuOpLabel{std::string(region.name), phase_});
        }
        // Reorders and the like do not belong to an op of the plan.
        const std::int64_t op =
            region.id >= 0 || open_places_.empty() ? region.id : open_places_.back();
        open_ops_.push_back({.op = op, .begin_ns = core::steady_ns()});
        tie_calls_to(op);
        return;
      }
      open_.push_back({std::string(region.name), core::steady_ns(), std::int64_t{0}});
      if (region.category == core::trace::Category::kPhase) {
        phase_ = region.name;
        enter(region.name);
      } else if (region.category == core::trace::Category::kRepetition) {
        enter("other");  // steps before those that count have no region of their own
      }
    } catch (const std::exception&) {
      lost_regions_ += 1;
    }
  }

  void end(const core::trace::RegionInfo& region) noexcept override {
    if (std::this_thread::get_id() != host_thread_.load()) {
      return;
    }
    if (region.category == core::trace::Category::kOp) {
      end_op();
      return;
    }
    if (region.category == core::trace::Category::kPhase) {
      phase_.clear();
    }
    trace_.steps += region.category == core::trace::Category::kStep ? 1 : 0;
    if (open_.empty() || open_.back().name != region.name) {
      return;  // begun before the window
    }
    if (region.category == core::trace::Category::kPhase ||
        region.category == core::trace::Category::kRepetition) {
      leave();
    }
    try {
      HostRegion done = std::move(open_.back());
      open_.pop_back();
      done.end_ns = core::steady_ns();
      trace_.regions.push_back(std::move(done));
    } catch (const std::exception&) {
      lost_regions_ += 1;
    }
  }

  /// Ties this thread's CUDA API calls to the op, until untie_calls().
  static void tie_calls_to(std::int64_t op) {
    static_cast<void>(cuptiActivityPushExternalCorrelationId(
        CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, static_cast<std::uint64_t>(op)));
  }

  static void untie_calls() noexcept {
    std::uint64_t last = 0;
    static_cast<void>(
        cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last));
  }

  /// Ties calls outside the ops of a phase, or outside all phases.
  void enter(std::string_view phase) {
    const auto known = places_.find(phase);
    const std::int64_t place = known != places_.end() ? known->second : new_place();
    places_.try_emplace(std::string(phase), place);
    trace_.ops.try_emplace(place, GpuOpLabel{.name = "", .phase = std::string(phase)});
    open_places_.push_back(place);
    tie_calls_to(place);
  }

  [[nodiscard]] std::int64_t new_place() const {
    std::int64_t lowest = -1;
    for (const auto& [phase, place] : places_) {
      lowest = std::min(lowest, place);
    }
    return lowest - 1;
  }

  void leave() noexcept {
    if (!open_places_.empty()) {
      open_places_.pop_back();
      untie_calls();
    }
  }

  void end_op() noexcept {
    if (open_ops_.empty()) {
      return;  // begun before the window: nothing was pushed
    }
    untie_calls();
    try {
      OpSpan done = open_ops_.back();
      open_ops_.pop_back();
      done.end_ns = core::steady_ns();
      op_spans_.push_back(done);
    } catch (const std::exception&) {
      lost_regions_ += 1;
    }
  }

  void name_thread(std::string_view /*name*/) noexcept override {}

  // Nodes are numbered in the order of capture, see core/trace.h; a new capture starts at 0.
  void map_captured_node(std::uint64_t captured_node, std::int64_t op_id) noexcept override {
    try {
      captured_ops_.resize(captured_node);
      captured_ops_.push_back(op_id);
    } catch (const std::exception&) {
      captured_ops_.clear();
    }
  }

  std::string record_;
  std::string reason_ = "no repetition of its own has run";
  bool refused_for_good_ = false;
  GpuTrace trace_;
  std::atomic<std::thread::id> host_thread_;  ///< regions of other threads are compared with it
  CUpti_SubscriberHandle subscriber_ = nullptr;
  bool records_ = false;
  ClockReading recording_since_;
  std::string phase_;
  std::map<std::int64_t, GpuOpLabel> ops_;
  std::int64_t lost_regions_ = 0;  // for lack of memory
  std::vector<HostRegion> open_;
  std::vector<OpSpan> open_ops_;
  std::vector<OpSpan> op_spans_;
  std::map<std::string, std::int64_t, std::less<>> places_;  // ids of phases, see GpuTrace::ops
  std::vector<std::int64_t> open_places_;
  std::vector<std::int64_t> captured_ops_;
};

const core::PluginPart kCupti([] {
  register_probe("cupti", [] { return std::make_unique<ActivityProbe>(); });
});

}  // namespace
}  // namespace dlbench::probes
