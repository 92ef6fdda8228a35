// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe cupti_counters: memory traffic, and how busy tensor pipes, multiprocessors and warps
// were, over a separate repetition.
#include "engine/core/error.h"
#include "engine/core/plugin_part.h"
#include "probes/cupti/cupti_status.h"
#include "probes/cupti/driver_context.h"
#include "probes/cupti/range_counters.h"
#include "probes/probe.h"
#include "probes/registry.h"
#include "probes/step_window.h"

#include <cmath>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {
namespace {

constexpr const char* kSteps = "steps";
constexpr const char* kBytes = "B";
constexpr const char* kPerStep = "_per_step";

class CounterProbe final : public Probe {
 public:
  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec = [] {
      ProbeSpec result{
          .name = "cupti_counters",
          .description =
              "counters of the GPU over a repetition: memory bytes, shares of active cycles",
          .options = {},
          .values = {},
          .device = "cuda",
          .own_repetition = true,
          .needs_profiler = true,
          .counts_all_work = true};
      result.values.push_back({kSteps, "", "steps that were counted"});
      for (const ValueSpec& value : value_specs(range_metrics())) {
        result.values.push_back(value);
        if (value.unit == kBytes) {
          result.values.push_back({value.name + kPerStep, value.unit, value.description});
        }
      }
      return result;
    }();
    return spec;
  }

  // Only at the begin of a session it turns out whether counters may be read; CUPTI is idle before.
  [[nodiscard]] std::string open(const ProbeOptions& /*options*/) override {
    return opened_cupti_refusal();
  }

  [[nodiscard]] std::string library() const override { return cupti_library(); }

  void begin_trial(std::string_view trial) noexcept override {
    trial_ = trial;
    reason_.clear();
  }

  // No step is in flight; waits for other device work (such as the copy of a batch).
  void begin_steps() noexcept override {
    try {
      synchronize_context();
      steps_.restart();
      counters_ = std::make_unique<RangeCounters>();
      counters_->begin();
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
      const std::vector<double> values = counters_->end();
      if (steps_.count() == 0) {
        throw core::Error(core::ErrorCode::kRun, "the repetition ended before its first step");
      }
      auto& kept = values_[trial_] = {};
      kept[kSteps] = static_cast<double>(steps_.count());
      for (std::size_t index = 0; index < values.size(); ++index) {
        const Metric& metric = counters_->metrics()[index];
        if (!std::isfinite(values[index])) {
          without_number_[trial_].insert({metric.value, metric.value + kPerStep});
          continue;
        }
        kept[metric.value] = values[index];
        if (metric.unit == kBytes) {
          kept[metric.value + kPerStep] = values[index] / static_cast<double>(steps_.count());
        }
      }
    } catch (const std::exception& error) {
      reason_ = error.what();
    }
    counters_.reset();
  }

  [[nodiscard]] ProbeValues collect(std::string_view trial) const override {
    const auto found = values_.find(std::string(trial));
    if (found == values_.end()) {
      return ProbeValues{false, reason_.empty() ? "no repetition of its own has run" : reason_, {}};
    }
    ProbeValues result{true, {}, {}};
    for (const ValueSpec& value : spec().values) {
      const auto number = found->second.find(value.name);
      if (number != found->second.end()) {
        result.values.push_back({value.name, number->second, ""});
      } else {
        result.values.push_back({value.name, std::nullopt, why_not_counted(found->first, value)});
      }
    }
    return result;
  }

  [[nodiscard]] bool refused_for_good() const override { return refused_for_good_; }

  [[nodiscard]] core::trace::Sink* sink() override { return &steps_; }

 private:
  [[nodiscard]] std::string why_not_counted(const std::string& trial,
                                            const ValueSpec& value) const {
    const auto found = without_number_.find(trial);
    if (found != without_number_.end() && found->second.contains(value.name)) {
      return "CUPTI gives no number of " + value.description +
             " here: so it is where a slice of a GPU (MIG) shares that unit with others";
    }
    return "this GPU does not count " + value.description;
  }

  std::string trial_;
  std::string reason_;
  bool refused_for_good_ = false;
  StepWindow steps_;
  std::unique_ptr<RangeCounters> counters_;
  std::map<std::string, std::map<std::string, double>> values_;
  std::map<std::string, std::set<std::string>> without_number_;  ///< by trial
};

const core::PluginPart kCuptiCounters([] {
  register_probe("cupti_counters", [] { return std::make_unique<CounterProbe>(); });
});

}  // namespace
}  // namespace dlbench::probes
