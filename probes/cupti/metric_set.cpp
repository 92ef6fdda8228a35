// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/metric_set.h"

#include "engine/core/error.h"
#include "probes/cupti/cupti_library.h"
#include "probes/cupti/cupti_status.h"

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <dlfcn.h>

#include <algorithm>

namespace dlbench::probes {
namespace {

/// CUPTI reads its tables from libnvperf_host.so, which is next to it in a toolkit and in NVIDIA's
/// wheels, where the loader would not look.
void load_tables() {
  dlopen((opened_cupti().folder / "libnvperf_host.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
}

constexpr double kPercent = 0.01;

}  // namespace

// Without a driver cuptiProfilerInitialize() fails but the host interface works (CUPTI 13.0); calls
// that need a device report their own errors.
int start_profiler() {
  static const int status = [] {
    load_tables();
    CUpti_Profiler_Initialize_Params params{CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    return static_cast<int>(cuptiProfilerInitialize(&params));
  }();
  return status;
}

struct MetricPlan::Host {
  CUpti_Profiler_Host_Object* object = nullptr;

  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() { close(); }

  CUptiResult open(const std::string& chip,
                   CounterUse use,
                   std::span<const std::uint8_t> available) {
    close();
    CUpti_Profiler_Host_Initialize_Params params{CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
    params.profilerType = use == CounterUse::kRange ? CUPTI_PROFILER_TYPE_RANGE_PROFILER
                                                    : CUPTI_PROFILER_TYPE_PM_SAMPLING;
    params.pChipName = chip.c_str();
    params.pCounterAvailabilityImage = available.empty() ? nullptr : available.data();
    const CUptiResult status = cuptiProfilerHostInitialize(&params);
    object = status == CUPTI_SUCCESS ? params.pHostObject : nullptr;
    return status;
  }

  CUptiResult add(const std::vector<const char*>& names) {
    CUpti_Profiler_Host_ConfigAddMetrics_Params params{
        CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
    params.pHostObject = object;
    std::vector<const char*> copy = names;  // CUPTI wants them writable
    params.ppMetricNames = copy.data();
    params.numMetrics = copy.size();
    return cuptiProfilerHostConfigAddMetrics(&params);
  }

  void close() {
    if (object != nullptr) {
      CUpti_Profiler_Host_Deinitialize_Params params{
          CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
      params.pHostObject = object;
      static_cast<void>(cuptiProfilerHostDeinitialize(&params));
      object = nullptr;
    }
  }
};

const std::vector<Metric>& range_metrics() {
  static const std::vector<Metric> metrics{
      {"dram__bytes_read.sum", "dram_read_bytes", "B"},
      {"dram__bytes_write.sum", "dram_written_bytes", "B"},
      {"dram__bytes_op_read.sum", "dram_read_bytes", "B"},  // GB20x has these alone
      {"dram__bytes_op_write.sum", "dram_written_bytes", "B"},
      {"sm__pipe_tensor_cycles_active_v2.avg.pct_of_peak_sustained_elapsed",
       "tensor_active_share",
       "",
       kPercent},
      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
       "tensor_active_share",
       "",
       kPercent},
      {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "sm_active_share", "", kPercent},
      {"sm__warps_active.avg.pct_of_peak_sustained_elapsed", "warps_active_share", "", kPercent},
      {"gpu__time_duration.sum", "gpu_time_seconds", "s", 1e-9}};
  return metrics;
}

const std::vector<Metric>& sampling_metrics() {
  static const std::vector<Metric> metrics{
      {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "sm_active_share", "", kPercent},
      {"dram__bytes_read.sum.per_second", "dram_read_bytes_per_s", "B/s"},
      {"dram__bytes_write.sum.per_second", "dram_written_bytes_per_s", "B/s"},
      {"dram__bytes_op_read.sum.per_second", "dram_read_bytes_per_s", "B/s"},
      {"dram__bytes_op_write.sum.per_second", "dram_written_bytes_per_s", "B/s"},
      {"sm__pipe_tensor_cycles_active_realtime_v2.avg.pct_of_peak_sustained_elapsed",
       "tensor_active_share",
       "",
       kPercent},
      {"sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
       "tensor_active_share",
       "",
       kPercent},
      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
       "tensor_active_share",
       "",
       kPercent},
      {"sm__pipe_shared_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
       "tensor_active_share",
       "",
       kPercent,
       {"TU102", "TU104", "TU106"}},
      {"tpc__warps_active_realtime.avg.pct_of_peak_sustained_elapsed",
       "warps_active_share",
       "",
       kPercent},
      {"sm__warps_active_realtime.avg.pct_of_peak_sustained_elapsed",
       "warps_active_share",
       "",
       kPercent},
      {"sm__warps_active.avg.pct_of_peak_sustained_elapsed", "warps_active_share", "", kPercent}};
  return metrics;
}

bool Metric::is_for(const std::string& chip) const {
  return chips.empty() || std::ranges::find(chips, chip) != chips.end();
}

std::vector<ValueSpec> value_specs(std::span<const Metric> metrics) {
  std::vector<ValueSpec> specs;
  for (const Metric& metric : metrics) {
    const auto is_same = [&](const ValueSpec& other) { return other.name == metric.value; };
    if (std::ranges::none_of(specs, is_same)) {
      specs.push_back({metric.value, metric.unit, metric.counter});
    }
  }
  return specs;
}

MetricPlan::MetricPlan(const std::string& chip,
                       CounterUse use,
                       std::span<const Metric> metrics,
                       std::vector<std::uint8_t> availability)
    : availability_(std::move(availability)), host_(std::make_unique<Host>()) {
  static_cast<void>(start_profiler());  // its tables are enough
  reason_ = configure(chip, use, metrics);
}

MetricPlan::~MetricPlan() = default;

// CUPTI refuses a whole list for one unknown name, so names are tried one by one, each with those
// already accepted, since these determine whether another pass is needed.
std::string MetricPlan::configure(const std::string& chip,
                                  CounterUse use,
                                  std::span<const Metric> metrics) {
  if (const CUptiResult status = host_->open(chip, use, availability_); status != CUPTI_SUCCESS) {
    return cupti_refusal("cuptiProfilerHostInitialize for " + chip, status);
  }
  for (const Metric& metric : metrics) {
    const auto is_same = [&](const Metric& other) { return other.value == metric.value; };
    if (metric.is_for(chip) && std::ranges::none_of(metrics_, is_same) && fits(chip, use, metric)) {
      metrics_.push_back(metric);
    }
  }
  for (const Metric& metric : metrics) {
    const auto is_same = [&](const Metric& other) { return other.value == metric.value; };
    if (metric.is_for(chip) && std::ranges::none_of(metrics_, is_same)) {
      missing_.push_back(metric.counter);
    }
  }
  if (metrics_.empty()) {
    return chip + " has none of the counters, or not in one pass, and only one measures a step";
  }
  return select(chip, use);
}

/// Whether the chip counts it in one pass together with those of metrics_.
bool MetricPlan::fits(const std::string& chip, CounterUse use, const Metric& metric) {
  metrics_.push_back(metric);
  const bool fit = select(chip, use).empty() && passes_ == 1;
  metrics_.pop_back();
  return fit;
}

// Builds the configuration of metrics_.
std::string MetricPlan::select(const std::string& chip, CounterUse use) {
  if (const CUptiResult status = host_->open(chip, use, availability_); status != CUPTI_SUCCESS) {
    return cupti_refusal("cuptiProfilerHostInitialize for " + chip, status);
  }
  if (const CUptiResult status = host_->add(counter_names()); status != CUPTI_SUCCESS) {
    return cupti_refusal("cuptiProfilerHostConfigAddMetrics", status);
  }
  return build_image();
}

std::string MetricPlan::build_image() {
  CUpti_Profiler_Host_GetConfigImageSize_Params size{
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
  size.pHostObject = host_->object;
  if (const CUptiResult status = cuptiProfilerHostGetConfigImageSize(&size);
      status != CUPTI_SUCCESS) {
    return cupti_refusal("cuptiProfilerHostGetConfigImageSize", status);
  }
  config_.resize(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params image{
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
  image.pHostObject = host_->object;
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  if (const CUptiResult status = cuptiProfilerHostGetConfigImage(&image); status != CUPTI_SUCCESS) {
    return cupti_refusal("cuptiProfilerHostGetConfigImage", status);
  }
  CUpti_Profiler_Host_GetNumOfPasses_Params passes{
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE};
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  if (const CUptiResult status = cuptiProfilerHostGetNumOfPasses(&passes);
      status != CUPTI_SUCCESS) {
    return cupti_refusal("cuptiProfilerHostGetNumOfPasses", status);
  }
  passes_ = passes.numOfPasses;
  return "";
}

std::vector<const char*> MetricPlan::counter_names() const {
  std::vector<const char*> names;
  for (const Metric& metric : metrics_) {
    names.push_back(metric.counter.c_str());
  }
  return names;
}

std::vector<double> MetricPlan::evaluate(std::span<const std::uint8_t> counter_data,
                                         std::size_t index) const {
  std::vector<double> values(metrics_.size());
  std::vector<const char*> names = counter_names();
  CUpti_Profiler_Host_EvaluateToGpuValues_Params params{
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE};
  params.pHostObject = host_->object;
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = index;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  if (const CUptiResult status = cuptiProfilerHostEvaluateToGpuValues(&params);
      status != CUPTI_SUCCESS) {
    throw core::Error(core::ErrorCode::kLibrary,
                      cupti_refusal("cuptiProfilerHostEvaluateToGpuValues", status));
  }
  for (std::size_t metric = 0; metric < values.size(); ++metric) {
    values[metric] *= metrics_[metric].factor;
  }
  return values;
}

std::vector<std::string> known_chips() {
  CUpti_Profiler_Host_GetSupportedChips_Params params{
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
  static_cast<void>(start_profiler());
  if (cuptiProfilerHostGetSupportedChips(&params) != CUPTI_SUCCESS) {
    return {};
  }
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

}  // namespace dlbench::probes
