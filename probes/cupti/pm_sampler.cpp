// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/pm_sampler.h"

#include "probes/cupti/computing_device.h"
#include "probes/cupti/cupti_status.h"
#include "probes/cupti/host_clock.h"
#include "probes/cupti/metric_set.h"
#include "probes/cupti/sampling_support.h"
#include "probes/sample_drain.h"

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_target.h>

#include <chrono>
#include <utility>

namespace dlbench::probes {
namespace {

using core::ErrorCode;

constexpr std::uint64_t kIntervalNs = 100'000;
constexpr std::uint64_t kIntervalCycles = 100'000;  // of a system clock of 1 to 2 GHz
constexpr std::size_t kHardwareBufferBytes = std::size_t{64} << 20;
constexpr std::uint32_t kSamplesPerReading = 1024;  // ten times what a period brings
constexpr std::chrono::milliseconds kDrainPeriod{10};

[[noreturn]] void refuse(const std::string& why) {
  throw core::Error(ErrorCode::kUnavailable, why);
}

bool in_the_way(CUpti_Profiler_Support_Level level) {
  return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
         level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
}

SamplingObstacles obstacles_of_current_device() {
  CUpti_Profiler_DeviceSupported_Params params{CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE};
  params.api = CUPTI_PROFILER_PM_SAMPLING;  // no cuDevice: that of the current context
  check_cupti(cuptiProfilerDeviceSupported(&params),
              "cuptiProfilerDeviceSupported",
              ErrorCode::kUnavailable);
  return {.any = in_the_way(params.isSupported),
          .architecture = in_the_way(params.architecture),
          .virtual_gpu = in_the_way(params.vGpu),
          .confidential_computing = in_the_way(params.confidentialCompute),
          .linked_gpus = in_the_way(params.sli),
          .mining_card = in_the_way(params.cmp),
          .windows_subsystem = in_the_way(params.wsl)};
}

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

struct PmSampler::Session {
  explicit Session(const ComputingDevice& device)
      : plan(device.chip,
             CounterUse::kSampling,
             sampling_metrics(),
             counter_availability(device.index)) {
    if (!plan.reason().empty()) {
      refuse(plan.reason());
    }
  }
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

  // Not in the constructor: what fails here must be disabled again, by the destructor.
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
      refuse(counters_refusal("cuptiPmSamplingEnable", status));
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
    // Every architecture has this mode, and only this one tells of an overflow.
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
    started_ns = host_clock_ns();
    CUpti_PmSampling_Start_Params params{CUpti_PmSampling_Start_Params_STRUCT_SIZE};
    params.pPmSamplingObject = object;
    check_cupti(cuptiPmSamplingStart(&params), "cuptiPmSamplingStart", ErrorCode::kUnavailable);
    drain = std::make_unique<SampleDrain>([this] { return read(); }, kDrainPeriod);
  }

  SampleDrain::Result stop() {
    CUpti_PmSampling_Stop_Params params{CUpti_PmSampling_Stop_Params_STRUCT_SIZE};
    params.pPmSamplingObject = object;
    check_cupti(cuptiPmSamplingStop(&params), "cuptiPmSamplingStop", ErrorCode::kLibrary);
    stopped_ns = host_clock_ns();
    SampleDrain::Result result = drain->finish();
    drain.reset();
    return result;
  }

  // From the device's buffer into `data`, from there into samples.
  SampleBatch read() {
    CUpti_PmSampling_DecodeData_Params decode{CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE};
    decode.pPmSamplingObject = object;
    decode.pCounterDataImage = data.data();
    decode.counterDataImageSize = data.size();
    const CUptiResult status = cuptiPmSamplingDecodeData(&decode);
    SampleBatch batch;
    // How CUPTI says that the buffer overflowed for good: sampling must be started anew.
    batch.ended = status == CUPTI_ERROR_OUT_OF_MEMORY;
    if (!batch.ended) {
      check_cupti(status, "cuptiPmSamplingDecodeData", ErrorCode::kLibrary);
    }
    batch.overflowed = batch.ended || decode.overflow != 0;
    // Also where decoding stopped for another reason: what it had not come to would be lost at the
    // end.
    batch.more = decode.decodeStopReason != CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
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

  MetricPlan plan;
  CUpti_PmSampling_Object* object = nullptr;
  std::vector<std::uint8_t> data;
  std::int64_t started_ns = 0;
  std::int64_t stopped_ns = 0;
  std::unique_ptr<SampleDrain> drain;
};

PmSampler::PmSampler() = default;
PmSampler::~PmSampler() = default;

void PmSampler::begin() {
  if (session_ == nullptr) {
    start_profiler();
    const ComputingDevice device = computing_device();
    if (const std::string refusal = set_host_clock(); !refusal.empty()) {
      refuse(refusal);
    }
    if (const std::string refusal = sampling_refusal(device.chip, obstacles_of_current_device());
        !refusal.empty()) {
      refuse(refusal);
    }
    auto session = std::make_unique<Session>(device);
    session->open(device);
    session_ = std::move(session);
  }
  session_->start();
}

GpuSamples PmSampler::end() {
  std::unique_ptr<Session> session = std::move(session_);  // a failure ends it
  SampleDrain::Result drained = session->stop();
  GpuSamples samples{.origin = "recorded",
                     .started_ns = session->started_ns,
                     .stopped_ns = session->stopped_ns,
                     .overflows = drained.overflows,
                     .missing = session->plan.missing(),
                     .samples = std::move(drained.samples)};
  for (const Metric& metric : session->plan.metrics()) {
    samples.counters.push_back(metric.value);
  }
  if (drained.overflows == 0) {  // after an overflow sampling must be configured anew
    session_ = std::move(session);
  }
  return samples;
}

}  // namespace dlbench::probes
