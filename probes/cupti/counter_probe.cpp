// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe cupti_counters: memory traffic and how busy tensor pipes, multiprocessors and warps
// were over a repetition of its own.
#include "engine/core/error.h"
#include "probes/cupti/range_counters.h"
#include "probes/probe.h"
#include "probes/registry.h"

#include <exception>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace dlbench::probes {
namespace {

class CounterProbe final : public Probe {
 public:
  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec = [] {
      ProbeSpec result{
          "cupti_counters",
          "counters of the GPU over a repetition: memory bytes, shares of active cycles",
          {},
          {},
          "cuda",
          true,
          false,
          true};
      for (const Metric& metric : range_metrics()) {
        result.values.push_back({metric.value, metric.unit, metric.counter});
      }
      return result;
    }();
    return spec;
  }

  // Whether counters may be read shows when a session begins; until then CUPTI stays idle.
  [[nodiscard]] std::string open(const ProbeOptions& /*options*/) override { return {}; }

  void begin_trial(std::string_view trial) noexcept override {
    trial_ = trial;
    reason_.clear();
  }

  void begin_steps() noexcept override {  // the counters are sums over them
    try {
      counters_ = std::make_unique<RangeCounters>();
      counters_->begin();
    } catch (const std::exception& error) {
      reason_ = error.what();
    }
  }

  void end_trial() noexcept override {
    if (!reason_.empty()) {
      return;
    }
    try {
      const std::vector<double> values = counters_->end();
      auto& kept = values_[trial_];
      for (std::size_t index = 0; index < values.size(); ++index) {
        kept[counters_->metrics()[index].value] = values[index];
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
      const bool counted = number != found->second.end();
      result.values.push_back({value.name,
                               counted ? std::optional(number->second) : std::nullopt,
                               counted ? "" : "this GPU does not count " + value.description});
    }
    return result;
  }

 private:
  std::string trial_;
  std::string reason_;
  std::unique_ptr<RangeCounters> counters_;
  std::map<std::string, std::map<std::string, double>> values_;
};

const ProbeRegistrar kCuptiCountersRegistrar("cupti_counters",
                                             [] { return std::make_unique<CounterProbe>(); });

}  // namespace
}  // namespace dlbench::probes
