// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/pm_sampler.h"

#include "probes/cupti/computing_device.h"
#include "probes/cupti/counter_support.h"
#include "probes/cupti/cupti_clock.h"
#include "probes/cupti/cupti_status.h"
#include "probes/cupti/metric_set.h"
#include "probes/gpu/sample_drain.h"

#include <cupti.h>
#include <cupti_pmsampling.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

using core::ErrorCode;

constexpr std::uint64_t kIntervalNs = 100'000;
constexpr std::uint64_t kIntervalCycles = 100'000;  // of a system clock of 1 to 2 GHz
constexpr std::size_t kHardwareBufferBytes = std::size_t{64} << 20;
// Samples that do not fit into one reading are lost (reported for CUPTI 13.3), so it holds eight
// times the samples of a period. The device's buffer holds more.
constexpr std::uint32_t kSamplesPerReading = 4096;
constexpr std::chrono::milliseconds kDrainPeriod{50};

std::vector<std::uint8_t> counter_availability(std::uint32_t device) {
  constexpr const char* kCall = "cuptiPmSamplingGetCounterAvailability";
  CUpti_PmSampling_GetCounterAvailability_Params params{
      CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE};
  params.deviceIndex = device;
  check_cupti(cuptiPmSamplingGetCounterAvailability(&params), kCall, ErrorCode::kUnavailable);
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  check_cupti(cuptiPmSamplingGetCounterAvailability(&params), kCall, ErrorCode::kUnavailable);
  return image;
}

}  // namespace

/// What is sampled, and with which counters; the same in all windows.
struct PmSampler::Target {
  explicit Target(ComputingDevice computing)
      : device(std::move(computing)),
        plan(device.chip,
             CounterUse::kSampling,
             sampling_metrics(),
             counter_availability(device.index)) {
    if (!plan.reason().empty()) {
      refuse_counters(plan.reason());
    }
  }

  ComputingDevice device;
  MetricPlan plan;
};

struct PmSampler::Session {
  explicit Session(const Target& target) : plan(target.plan) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    drain.reset();
    if (object != nullptr) {
      CUpti_PmSampling_Disable_Params params{CUpti_PmSampling_Disable_Params_STRUCT_SIZE};
      params.pPmSamplingObject = object;
      static_cast<void>(cuptiPmSamplingDisable(&params));
    }
  }

  // Not in the constructor, because the destructor must disable what was enabled.
  void open(const ComputingDevice& device) {
    enable(device.index);
    configure(samples_by_time(device.chip));
    make_counter_data();
  }

  void enable(std::uint32_t device) {
    CUpti_PmSampling_Enable_Params params{CUpti_PmSampling_Enable_Params_STRUCT_SIZE};
    params.deviceIndex = device;
    const CUptiResult status = cuptiPmSamplingEnable(&params);
    if (status != CUPTI_SUCCESS) {
      throw core::Error(refusal_code(status), counters_refusal("cuptiPmSamplingEnable", status));
    }
    object = params.pPmSamplingObject;
  }

  void configure(bool by_time) {
    CUpti_PmSampling_SetConfig_Params params{CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE};
    params.pPmSamplingObject = object;
    params.configSize = plan.config().size();
    params.pConfig = plan.config().data();
    params.hardwareBufferSize = kHardwareBufferBytes;
    params.samplingInterval = by_time ? kIntervalNs : kIntervalCycles;
    params.triggerMode = by_time ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL
                                 : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
    // Every architecture has this mode, and it is the only one that reports an overflow.
    params.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
    check_cupti(
        cuptiPmSamplingSetConfig(&params), "cuptiPmSamplingSetConfig", ErrorCode::kUnavailable);
  }

  void make_counter_data() {
    std::vector<const char*> names = plan.counter_names();
    CUpti_PmSampling_GetCounterDataSize_Params params{
        CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE};
    params.pPmSamplingObject = object;
    params.pMetricNames = names.data();
    params.numMetrics = names.size();
    params.maxSamples = kSamplesPerReading;
    check_cupti(cuptiPmSamplingGetCounterDataSize(&params),
                "cuptiPmSamplingGetCounterDataSize",
                ErrorCode::kUnavailable);
    data.resize(params.counterDataSize);
    clear_counter_data(ErrorCode::kUnavailable);
  }

  void clear_counter_data(ErrorCode code) {
    CUpti_PmSampling_CounterDataImage_Initialize_Params params{
        CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE};
    params.pPmSamplingObject = object;
    params.counterDataSize = data.size();
    params.pCounterData = data.data();
    check_cupti(cuptiPmSamplingCounterDataImageInitialize(&params),
                "cuptiPmSamplingCounterDataImageInitialize",
                code);
  }

  void start() {
    clear_counter_data(ErrorCode::kUnavailable);
    started = read_cupti_clock();
    CUpti_PmSampling_Start_Params params{CUpti_PmSampling_Start_Params_STRUCT_SIZE};
    params.pPmSamplingObject = object;
    check_cupti(cuptiPmSamplingStart(&params), "cuptiPmSamplingStart", ErrorCode::kUnavailable);
    drain = std::make_unique<SampleDrain>([this] { return read(); }, kDrainPeriod);
  }

  SampleDrain::Result stop() {
    CUpti_PmSampling_Stop_Params params{CUpti_PmSampling_Stop_Params_STRUCT_SIZE};
    params.pPmSamplingObject = object;
    const CUptiResult status = cuptiPmSamplingStop(&params);
    stopped = read_cupti_clock();
    SampleDrain::Result result = drain->finish();
    // After a final overflow sampling has stopped by itself; the samples before it are valid.
    if (result.overflows == 0) {
      check_cupti(status, "cuptiPmSamplingStop", ErrorCode::kLibrary);
    }
    drain.reset();
    return result;
  }

  // Copies the device's buffer to `data` and decodes it to samples.
  SampleBatch read() {
    CUpti_PmSampling_DecodeData_Params decode{CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE};
    decode.pPmSamplingObject = object;
    decode.pCounterDataImage = data.data();
    decode.counterDataImageSize = data.size();
    const CUptiResult status = cuptiPmSamplingDecodeData(&decode);
    SampleBatch batch;
    // CUPTI's sign of a final overflow of the buffer: sampling would have to be restarted.
    batch.ended = status == CUPTI_ERROR_OUT_OF_MEMORY;
    if (!batch.ended) {
      check_cupti(status, "cuptiPmSamplingDecodeData", ErrorCode::kLibrary);
    }
    batch.overflowed = batch.ended || decode.overflow != 0;
    batch.more = decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
    batch.unfinished = decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_OTHER;
    CUpti_PmSampling_GetCounterDataInfo_Params info{
        CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE};
    info.pCounterDataImage = data.data();
    info.counterDataImageSize = data.size();
    check_cupti(cuptiPmSamplingGetCounterDataInfo(&info),
                "cuptiPmSamplingGetCounterDataInfo",
                ErrorCode::kLibrary);
    for (std::size_t index = 0; index < info.numCompletedSamples; ++index) {
      batch.samples.push_back(sample(index));
    }
    clear_counter_data(ErrorCode::kLibrary);
    return batch;
  }

  [[nodiscard]] CounterSample sample(std::size_t index) const {
    CUpti_PmSampling_CounterData_GetSampleInfo_Params info{
        CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE};
    info.pPmSamplingObject = object;
    info.pCounterDataImage = data.data();
    info.counterDataImageSize = data.size();
    info.sampleIndex = index;
    check_cupti(cuptiPmSamplingCounterDataGetSampleInfo(&info),
                "cuptiPmSamplingCounterDataGetSampleInfo",
                ErrorCode::kLibrary);
    return {static_cast<std::int64_t>(info.startTimestamp),
            static_cast<std::int64_t>(info.endTimestamp),
            plan.evaluate(data, index)};
  }

  const MetricPlan& plan;
  CUpti_PmSampling_Object* object = nullptr;
  std::vector<std::uint8_t> data;
  ClockReading started;
  ClockReading stopped;
  std::unique_ptr<SampleDrain> drain;
};

PmSampler::PmSampler() = default;
PmSampler::~PmSampler() = default;

void PmSampler::begin() {
  session_.reset();  // one at a time
  const int started = start_profiler();
  const ComputingDevice device = computing_device();
  with_start(started, [&] {
    if (target_ == nullptr) {
      refuse_obstacles(device.chip, CounterUse::kSampling);
      target_ = std::make_unique<Target>(device);
    }
    auto session = std::make_unique<Session>(*target_);
    session->open(device);
    session->start();
    session_ = std::move(session);
  });
}

GpuSamples PmSampler::end() {
  const std::unique_ptr<Session> session = std::move(session_);  // ends with the window
  SampleDrain::Result drained = session->stop();
  GpuSamples samples{.origin = "recorded",
                     .started_ns = session->started.host_ns,
                     .stopped_ns = session->stopped.host_ns,
                     .overflows = drained.overflows,
                     .missing = session->plan.missing(),
                     .samples = std::move(drained.samples)};
  std::vector<std::string> names;
  for (const Metric& metric : session->plan.metrics()) {
    samples.counters.push_back(metric.value);
    names.push_back(metric.counter);
  }
  put_in_order(samples);
  const ProfilerClock clock(session->started, session->stopped);
  if (const std::string refusal = clock.refusal(); !refusal.empty()) {
    refuse_counters(refusal);
  }
  move_to_host(samples, clock);
  drop_first_sample(samples);
  leave_out_empty(samples, names);
  return samples;
}

}  // namespace dlbench::probes
