// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/range_counters.h"

#include "engine/core/error.h"
#include "probes/cupti/computing_device.h"
#include "probes/cupti/counter_support.h"
#include "probes/cupti/cupti_status.h"

#include <cupti.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>

#include <utility>

namespace dlbench::probes {
namespace {

std::vector<std::uint8_t> counter_availability(CUcontext context) {
  CUpti_Profiler_GetCounterAvailability_Params params{
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
  params.ctx = context;
  check_cupti(cuptiProfilerGetCounterAvailability(&params),
              "cuptiProfilerGetCounterAvailability",
              core::ErrorCode::kUnavailable);
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  check_cupti(cuptiProfilerGetCounterAvailability(&params),
              "cuptiProfilerGetCounterAvailability",
              core::ErrorCode::kUnavailable);
  return image;
}

}  // namespace

struct RangeCounters::Session {
  explicit Session(const ComputingDevice& device)
      : plan(device.chip,
             CounterUse::kRange,
             range_metrics(),
             counter_availability(device.context)) {
    if (!plan.reason().empty()) {
      refuse_counters(plan.reason());
    }
    CUpti_RangeProfiler_Enable_Params enable{CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
    enable.ctx = device.context;
    const CUptiResult status = cuptiRangeProfilerEnable(&enable);
    if (status != CUPTI_SUCCESS) {
      throw core::Error(refusal_code(status), counters_refusal("cuptiRangeProfilerEnable", status));
    }
    object = enable.pRangeProfilerObject;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (object != nullptr) {
      CUpti_RangeProfiler_Disable_Params params{CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE};
      params.pRangeProfilerObject = object;
      static_cast<void>(cuptiRangeProfilerDisable(&params));
    }
  }

  void make_counter_data() {
    std::vector<const char*> names = plan.counter_names();
    CUpti_RangeProfiler_GetCounterDataSize_Params size{
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
    size.pRangeProfilerObject = object;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    check_cupti(cuptiRangeProfilerGetCounterDataSize(&size),
                "cuptiRangeProfilerGetCounterDataSize",
                core::ErrorCode::kUnavailable);
    data.resize(size.counterDataSize);
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params image{
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE};
    image.pRangeProfilerObject = object;
    image.counterDataSize = data.size();
    image.pCounterData = data.data();
    check_cupti(cuptiRangeProfilerCounterDataImageInitialize(&image),
                "cuptiRangeProfilerCounterDataImageInitialize",
                core::ErrorCode::kUnavailable);
  }

  void configure() {
    CUpti_RangeProfiler_SetConfig_Params params{CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE};
    params.pRangeProfilerObject = object;
    params.configSize = plan.config().size();
    params.pConfig = plan.config().data();
    params.counterDataImageSize = data.size();
    params.pCounterDataImage = data.data();
    params.range = CUPTI_UserRange;
    params.replayMode = CUPTI_UserReplay;  // of one pass: nothing is replayed
    params.maxRangesPerPass = 1;
    params.numNestingLevels = 1;
    params.minNestingLevel = 1;
    params.passIndex = 0;
    params.targetNestingLevel = 1;
    check_cupti(cuptiRangeProfilerSetConfig(&params),
                "cuptiRangeProfilerSetConfig",
                core::ErrorCode::kUnavailable);
  }

  void start() {
    CUpti_RangeProfiler_Start_Params params{CUpti_RangeProfiler_Start_Params_STRUCT_SIZE};
    params.pRangeProfilerObject = object;
    check_cupti(
        cuptiRangeProfilerStart(&params), "cuptiRangeProfilerStart", core::ErrorCode::kUnavailable);
    CUpti_RangeProfiler_PushRange_Params push{CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE};
    push.pRangeProfilerObject = object;
    push.pRangeName = "repetition";
    check_cupti(cuptiRangeProfilerPushRange(&push),
                "cuptiRangeProfilerPushRange",
                core::ErrorCode::kUnavailable);
  }

  void stop() {
    CUpti_RangeProfiler_PopRange_Params pop{CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE};
    pop.pRangeProfilerObject = object;
    check_cupti(
        cuptiRangeProfilerPopRange(&pop), "cuptiRangeProfilerPopRange", core::ErrorCode::kLibrary);
    CUpti_RangeProfiler_Stop_Params stopped{CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE};
    stopped.pRangeProfilerObject = object;
    check_cupti(
        cuptiRangeProfilerStop(&stopped), "cuptiRangeProfilerStop", core::ErrorCode::kLibrary);
    CUpti_RangeProfiler_DecodeData_Params decode{CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE};
    decode.pRangeProfilerObject = object;
    check_cupti(cuptiRangeProfilerDecodeData(&decode),
                "cuptiRangeProfilerDecodeData",
                core::ErrorCode::kLibrary);
    if (decode.numOfRangeDropped != 0) {
      throw core::Error(core::ErrorCode::kLibrary, "CUPTI dropped the counted range");
    }
  }

  MetricPlan plan;
  CUpti_RangeProfiler_Object* object = nullptr;
  std::vector<std::uint8_t> data;
};

RangeCounters::RangeCounters() = default;
RangeCounters::~RangeCounters() = default;

void RangeCounters::begin() {
  session_.reset();  // one session at a time
  const int started = start_profiler();
  const ComputingDevice device = computing_device();
  with_start(started, [&] {
    refuse_obstacles(device.chip, CounterUse::kRange);
    auto session = std::make_unique<Session>(device);
    session->make_counter_data();
    session->configure();
    session->start();
    session_ = std::move(session);
  });
}

std::vector<double> RangeCounters::end() {
  session_->stop();
  return session_->plan.evaluate(session_->data, 0);
}

const std::vector<Metric>& RangeCounters::metrics() const { return session_->plan.metrics(); }

}  // namespace dlbench::probes
