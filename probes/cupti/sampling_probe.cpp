// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe cupti_sampling: memory traffic, and how busy multiprocessors, tensor pipes and warps
// were, over the time of a separate repetition.
#include "engine/core/error.h"
#include "engine/core/plugin_part.h"
#include "probes/cupti/cupti_status.h"
#include "probes/cupti/metric_set.h"
#include "probes/cupti/pm_sampler.h"
#include "probes/probe.h"
#include "probes/recording_copy.h"
#include "probes/registry.h"
#include "probes/step_window.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>

namespace dlbench::probes {
namespace {

class SamplingProbe final : public Probe {
 public:
  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec = [] {
      ProbeSpec result{
          .name = "cupti_sampling",
          .description =
              "counters of the GPU over time: memory bytes per second, shares of active cycles",
          .options = {{"record", "file that keeps every sample of the last window"}},
          .values = {},
          .device = "cuda",
          .own_repetition = true,
          .on_timeline = true,
          .needs_profiler = true};
      result.values = value_specs(sampling_metrics());
      return result;
    }();
    return spec;
  }

  // Only at the begin of sampling it turns out whether counters may be read; CUPTI is idle before.
  [[nodiscard]] std::string open(const ProbeOptions& options) override {
    for (const auto& [name, value] : options) {
      record_ = value;
    }
    return opened_cupti_refusal();
  }

  [[nodiscard]] std::string library() const override { return cupti_library(); }

  void begin_trial(std::string_view trial) noexcept override {
    try {
      trial_ = trial;
      steps_.restart();
      sampler_.begin();
      reason_.clear();
    } catch (const std::exception& error) {
      reason_ = error.what();
      refused_for_good_ = is_for_good(error);
    }
  }

  void end_trial() noexcept override {
    if (!reason_.empty()) {
      return;
    }
    try {
      samples_ = sampler_.end();
      samples_.trial = trial_;
      samples_.begin_ns = steps_.begin_ns();
      samples_.end_ns = steps_.end_ns();
      samples_.steps = steps_.count();
      keep_recording(record_, [this] { write_gpu_samples(record_, samples_); });
    } catch (const std::exception& error) {
      reason_ = error.what();
    }
  }

  [[nodiscard]] const GpuSamples* device_samples() const override {
    return reason_.empty() ? &samples_ : nullptr;
  }

  [[nodiscard]] ProbeValues collect(std::string_view /*trial*/) const override {
    return ProbeValues{reason_.empty(), reason_, {}};
  }

  [[nodiscard]] bool refused_for_good() const override { return refused_for_good_; }

  [[nodiscard]] core::trace::Sink* sink() override { return &steps_; }

 private:
  std::string record_;
  std::string trial_;
  std::string reason_ = "no repetition of its own has run";
  bool refused_for_good_ = false;
  StepWindow steps_;
  PmSampler sampler_;
  GpuSamples samples_;
};

const core::PluginPart kCuptiSampling([] {
  register_probe("cupti_sampling", [] { return std::make_unique<SamplingProbe>(); });
});

}  // namespace
}  // namespace dlbench::probes
