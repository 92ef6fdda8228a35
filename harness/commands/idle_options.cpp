// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/idle_options.h"

#include "data/loader/page_cache.h"
#include "engine/core/log.h"
#include "engine/core/round_up.h"
#include "reports/naming.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlbench::harness {

namespace {

using Sources = std::map<std::string, std::string>;

bool on_command_line(const Sources& sources, const std::string& option) {
  const auto source = sources.find(option);
  return source != sources.end() && source->second == name(OptionSource::kCommandLine);
}

void warn_idle_workers(const SessionPlan& plan) {
  const std::int64_t busy = plan.most_busy_workers();
  if (plan.workers() <= busy) {
    return;
  }
  const std::int64_t prefetch = plan.options().prefetch;
  core::log::warn(
      fmt::format("--workers {}: no more than {} can work at a time, for --prefetch {} asks for {} "
                  "of up to {}; --prefetch {} has work for all",
                  plan.workers(),
                  busy,
                  prefetch,
                  reports::count_text(busy, "part"),
                  reports::count_text(plan.dataset().spec().samples_per_ticket, "sample"),
                  core::ceil_divide(plan.workers(), busy / prefetch)));
}

void warn_idle_loader_options(const SessionPlan& plan, data::CacheMode cache) {
  warn_idle_workers(plan);
  const data::DatasetSpec& data = plan.dataset().spec();
  if (cache == data::CacheMode::kCold && data.held_in_memory) {
    core::log::warn("--cache cold has no effect: " + data.name + " is read into memory first");
  }
  if (plan.options().decode == data::DecodeMode::kScaled && !data.scaled_decoding) {
    core::log::warn(
        fmt::format("--decode scaled has no effect: no file in '{}' is named as a JPEG, and no "
                    "other format can be decoded smaller",
                    plan.source().folder.string()));
  }
}

void warn_idle_step_options(const SessionPlan& plan) {
  const SessionOptions& options = plan.options();
  const workloads::WorkloadSpec& workload = plan.workload().spec();
  const bool ratio = workload.loss_reduction == workloads::LossReduction::kBatchRatio;
  if (options.sync_loss && (!ratio || plan.ranks().size() == 1)) {
    core::log::warn("--sync-loss has no effect: " +
                    (ratio ? std::string("there is one rank")
                           : "the loss of " + workload.name + " is no ratio"));
  }
  if (options.share_gpu && plan.shared_device().empty()) {
    core::log::warn("--share-gpu has no effect: no two ranks compute on one GPU");
  }
  const graph::BucketOptions usual;
  const bool buckets_given =
      !options.buckets.overlap || options.buckets.cap_bytes != usual.cap_bytes;
  if (buckets_given && plan.single_root()) {
    core::log::warn(
        "--bucket-cap-mib and --no-overlap have no effect with --strategy data-parallel: a single "
        "root gets all gradients after the backward pass");
  }
}

void warn_unused_loader_options(const Sources& sources) {
  std::vector<std::string> given;
  for (const std::string& option : loader_option_names()) {
    // The batch that all steps share is loaded too, of good samples.
    if (option != "skip-corrupt" && on_command_line(sources, option)) {
      given.push_back("--" + option);
    }
  }
  if (!given.empty()) {
    core::log::warn(
        fmt::format("{} {} no effect on what is measured: none of the trials loads data",
                    fmt::join(given, ", "),
                    given.size() == 1 ? "has" : "have"));
  }
}

}  // namespace

void warn_idle_link(const std::optional<comm::LinkModel>& link, int ranks) {
  const std::string why = link.has_value() ? comm::idle_reason(*link, ranks) : std::string();
  if (!why.empty()) {
    core::log::warn("--link simulates nothing here: " + why);
  }
}

void warn_idle_options(const SessionPlan& plan,
                       const RunOptions& run,
                       const std::map<std::string, std::string>& sources) {
  if (loads_data(run)) {
    warn_idle_loader_options(plan, run.cache);
  } else {
    warn_unused_loader_options(sources);
  }
  warn_idle_step_options(plan);
  if (run.session.deterministic && run.session.autotune && on_command_line(sources, "autotune")) {
    core::log::warn(
        "--autotune has no effect with --deterministic, which takes kernels by rule and times "
        "none");
  }
}

}  // namespace dlbench::harness
