// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// scaling_text and collectives_text of show.h.
#include "reports/bucket_choice.h"
#include "reports/headline.h"
#include "reports/naming.h"
#include "reports/text/show.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace dlbench::reports {
namespace {

/// Formats "21.0 % (3.2 to 28.8)", because these intervals are not symmetric.
std::string share_band(const EstimateRecord& estimate) {
  std::string text = percent_text(estimate.mean);
  if (estimate.ci95.has_value()) {
    text += fmt::format(
        " ({:.1f} to {:.1f})", 100.0 * (*estimate.ci95)[0], 100.0 * (*estimate.ci95)[1]);
  }
  return text;
}

std::string share_cell(const std::optional<EstimateRecord>& estimate) {
  return estimate.has_value() ? share_band(*estimate) : kNone;
}

std::string factor_cell(const std::optional<EstimateRecord>& estimate) {
  return estimate.has_value() ? fmt::format("{:.2f}x", estimate->mean) : kNone;
}

/// Formats a difference of times, which may be negative.
std::string difference_text(double seconds) {
  return seconds < 0.0 ? "-" + seconds_text(-seconds) : seconds_text(seconds);
}

/// Formats "-6.13 ms (+-130 ms)": without the interval, which lies evenly about it, a difference
/// below 0 reads as a finding.
std::string difference_cell(const std::optional<double>& seconds,
                            const std::optional<IntervalRecord>& ci95) {
  if (!seconds.has_value()) {
    return kNone;
  }
  return difference_text(*seconds) +
         (ci95.has_value() ? fmt::format(" (+-{})", seconds_text(0.5 * ((*ci95)[1] - (*ci95)[0])))
                           : "");
}

std::string local_batch_text(const ScalingPointRecord& point) {
  if (point.local_batch_sizes.empty()) {
    return std::to_string(point.batch_size_per_rank);
  }
  const auto [least, most] =
      std::minmax_element(point.local_batch_sizes.begin(), point.local_batch_sizes.end());
  return *least == *most ? std::to_string(*most) : fmt::format("{}-{}", *least, *most);
}

/// Returns the trials of all points in order of appearance, with the headline last, next to its
/// derived columns.
std::vector<std::string> trial_names(const ScalingRecord& scaling) {
  std::vector<std::string> names;
  for (const ScalingPointRecord& point : scaling.points) {
    for (const ScalingTrialRecord& trial : point.trials) {
      if (std::find(names.begin(), names.end(), trial.trial) == names.end()) {
        names.push_back(trial.trial);
      }
    }
  }
  if (!scaling.points.empty()) {
    std::stable_partition(names.begin(), names.end(), [&scaling](const std::string& name) {
      return name != scaling.points.back().headline;
    });
  }
  return names;
}

std::string points_table(const ScalingRecord& scaling) {
  const std::vector<std::string> trials = trial_names(scaling);
  std::vector<std::string> header = {"ranks", "local", "global", "steps", "samples"};
  for (const std::string& trial : trials) {
    header.push_back(trial);
  }
  header.insert(header.end(), {"speedup", "efficiency", "step", "verdict"});
  TextTable table(header, {header.size() - 1});
  for (const ScalingPointRecord& point : scaling.points) {
    const ScalingTrialRecord* headline = find_trial(point.trials, point.headline);
    std::vector<std::string> cells = {
        std::to_string(point.ranks),
        local_batch_text(point),
        std::to_string(point.global_batch_size),
        headline == nullptr ? kNone : std::to_string(headline->steps),
        headline == nullptr ? kNone : std::to_string(headline->samples)};
    for (const std::string& name : trials) {
      const ScalingTrialRecord* trial = find_trial(point.trials, name);
      cells.push_back(trial != nullptr && trial->samples_per_second.has_value()
                          ? number_text(trial->samples_per_second->mean)
                          : kNone);
    }
    cells.push_back(factor_cell(point.speedup));
    cells.push_back(share_cell(point.efficiency));
    cells.push_back(point.step_time_s.has_value() ? seconds_text(point.step_time_s->median)
                                                  : kNone);
    cells.push_back(point.attribution.has_value() ? std::string(word(point.attribution->verdict))
                                                  : kNone);
    table.add(std::move(cells));
  }
  return table.text(2);
}

/// Formats how often a rank is the last, and what that costs: "5 on node2, 98.0 % of the steps, 0.3
/// % of the time lost".
std::string slowest_cell(const ScalingPointRecord& point) {
  if (!point.slowest_rank.has_value()) {
    return kNone;
  }
  return fmt::format(
      "{}{}{}, {} of the steps{}",
      *point.slowest_rank,
      point.slowest_host.has_value() ? " on " : "",
      point.slowest_host.value_or(""),
      cell(point.slowest_share, percent_text),
      point.slowest_lost_share.has_value()
          ? fmt::format(", {} of the time lost", percent_text(*point.slowest_lost_share))
          : "");
}

std::string communication_table(const ScalingRecord& scaling) {
  TextTable table({"ranks", "nocomm", "exposed", "waiting", "transfer", "slowest rank"}, {5});
  bool any = false;
  for (const ScalingPointRecord& point : scaling.points) {
    if (!point.exposed_communication_s.has_value()) {
      continue;
    }
    any = true;
    table.add({std::to_string(point.ranks),
               cell(point.nocomm_s, seconds_text),
               difference_cell(point.exposed_communication_s, point.exposed_communication_ci95),
               difference_cell(point.waiting_s, point.waiting_ci95),
               difference_cell(point.transfer_s, point.transfer_ci95),
               slowest_cell(point)});
  }
  return any ? "  communication, per step\n" + table.text(2) : std::string();
}

/// Says by what the step of the largest size is longer than that of the smallest: where ranks
/// share memory or power, computing may take more than communication does.
std::string growth_line(const ScalingRecord& scaling) {
  if (scaling.mode != "weak" || scaling.points.size() < 2) {
    return {};
  }
  const ScalingPointRecord& first = scaling.points.front();
  const ScalingPointRecord& last = scaling.points.back();
  std::optional<double> computing_s = first.nocomm_s;
  std::optional<double> communication_s = first.exposed_communication_s;
  if (const auto* alone = find_trial(first.trials, "synthetic");
      first.ranks == 1 && alone != nullptr && alone->samples_per_second.has_value()) {
    computing_s = static_cast<double>(first.global_batch_size) / alone->samples_per_second->mean;
    communication_s = 0.0;
  }
  if (!computing_s.has_value() || !communication_s.has_value() || !last.nocomm_s.has_value() ||
      !last.exposed_communication_s.has_value()) {
    return {};
  }
  const double computing = *last.nocomm_s - *computing_s;
  const double communication = *last.exposed_communication_s - *communication_s;
  return fmt::format(
      "  step of synthetic at {}, beyond that at {}: {} = {} of computing + {} of "
      "communication\n",
      count_text(last.ranks, "rank"),
      count_text(first.ranks, "rank"),
      difference_text(computing + communication),
      difference_text(computing),
      difference_text(communication));
}

std::string collectives_table(const ScalingRecord& scaling) {
  TextTable table({"ranks",
                   "all-reduce alone",
                   "in the step",
                   "hidden",
                   "exposed",
                   "waiting",
                   "other collectives",
                   "contention"});
  bool any = false;
  for (const ScalingPointRecord& point : scaling.points) {
    if (!point.in_step.has_value()) {
      continue;
    }
    any = true;
    const StepCollectivesRecord& in_step = *point.in_step;
    table.add({std::to_string(point.ranks),
               cell(point.all_reduce_s, seconds_text),
               seconds_text(in_step.all_reduce_s.mean),
               cell(point.overlap, percent_text),
               seconds_text(in_step.exposed_all_reduce_s.mean),
               seconds_text(in_step.waiting_s.mean),
               seconds_text(in_step.other_collectives_s.mean),
               difference_cell(in_step.contention_s.mean, in_step.contention_s.ci95)});
  }
  return any ? "  collectives by the clock, per step\n" + table.text(2) : std::string();
}

std::string compression_text(const ScalingRecord& scaling) {
  std::string text;
  for (const ScalingPointRecord& point : scaling.points) {
    if (point.compression_relative_error.has_value()) {
      text += fmt::format("  compressed gradients at {} ranks: relative error {:.2e}\n",
                          point.ranks,
                          *point.compression_relative_error);
    }
  }
  return text;
}

std::string link_text(const LinkFitRecord& fit) {
  const auto level = [](double alpha_s, double beta_s_per_byte) {
    std::string text = seconds_text(alpha_s) + " a message";
    if (beta_s_per_byte > 0.0) {
      text += fmt::format(" and {}B/s", decimal_text(1.0 / beta_s_per_byte));
    }
    return text;
  };
  std::string text =
      fmt::format("  network ({}): {}", fit.medium, level(fit.alpha_s, fit.beta_s_per_byte));
  if (fit.inside.has_value() && fit.node_ranks.has_value()) {
    text += fmt::format(" between nodes of {} ranks, {} inside",
                        *fit.node_ranks,
                        level(fit.inside->alpha_s, fit.inside->beta_s_per_byte));
  }
  return text + fmt::format("; fits {} measurements to {}{}\n",
                            fit.n,
                            percent_text(fit.residual),
                            fit.residual > kLargestResidual ? ": it cannot be trusted" : "");
}

/// Returns a line for each reason: "  * 16, 64 ranks: why these projections are unreliable".
std::string doubts_text(const std::vector<ProjectionRecord>& projection) {
  std::vector<std::pair<std::string, std::string>> lines;  // reason, ranks
  for (const ProjectionRecord& point : projection) {
    if (!point.doubt.has_value()) {
      continue;
    }
    if (lines.empty() || lines.back().first != *point.doubt) {
      lines.emplace_back(*point.doubt, "");
    }
    std::string& ranks = lines.back().second;
    ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", point.ranks);
  }
  std::string text;
  for (const auto& [doubt, ranks] : lines) {
    text += fmt::format("  * {} ranks, not to be trusted: {}\n", ranks, doubt);
  }
  return text;
}

std::string band_text(const EstimateRecord& step) {
  std::string text = seconds_text(step.mean);
  if (step.ci95.has_value()) {
    text +=
        fmt::format(" ({} to {})", seconds_text((*step.ci95)[0]), seconds_text((*step.ci95)[1]));
  }
  return text;
}

bool says_nothing(const EstimateRecord& step) {
  return step.ci95.has_value() && !((*step.ci95)[1] <= kWidestBand * (*step.ci95)[0]);
}

std::string projection_text(const ScalingRecord& scaling) {
  std::string text;
  if (scaling.fit.has_value()) {
    text += link_text(*scaling.fit);
  }
  if (!scaling.projection.empty()) {
    TextTable table({"projected",
                     "global",
                     "samples/s",
                     "step (95 % band)",
                     "efficiency",
                     "exposed",
                     "waiting",
                     "limit"},
                    {7});
    for (const ProjectionRecord& point : scaling.projection) {
      table.add({fmt::format("{}{}", point.ranks, point.doubt.has_value() ? " *" : ""),
                 std::to_string(point.global_batch_size),
                 number_text(point.samples_per_second),
                 band_text(point.step_time_s),
                 share_band(point.efficiency),
                 difference_text(point.exposed_communication_s),
                 difference_text(point.waiting_s),
                 point.limit});
    }
    text += table.text(2) + doubts_text(scaling.projection);
  }
  if (scaling.leave_largest_out.has_value()) {
    const LeaveLargestOutRecord& left = *scaling.leave_largest_out;
    text += fmt::format("  {} ranks predicted from fewer{}: {}, measured {}: {:+.1f} %, {}\n",
                        left.ranks,
                        left.doubt.has_value() ? " *" : "",
                        band_text(left.predicted_step_time_s),
                        seconds_text(left.measured_step_time_s),
                        100.0 * left.relative_error,
                        says_nothing(left.predicted_step_time_s) ? "a band too wide to say anything"
                        : left.inside_band                       ? "inside the band"
                                                                 : "outside the band");
    if (left.doubt.has_value()) {
      text += fmt::format("  * the prediction is not to be trusted: {}\n", *left.doubt);
    }
  }
  return text;
}

std::string as_good_text(const std::vector<BucketCapRecord>& caps, double best_mib) {
  std::vector<std::string> others;
  for (const double cap : caps_as_good(caps, best_mib)) {
    others.push_back(number_text(cap));
  }
  return others.empty() ? "" : fmt::format(" ({} within noise)", fmt::join(others, ", "));
}

bool modelled(const std::vector<BucketCapRecord>& caps) {
  return std::ranges::any_of(
      caps, [](const BucketCapRecord& cap) { return cap.modelled_step_time_s.has_value(); });
}

std::int64_t measured(const std::vector<BucketCapRecord>& caps) {
  return std::ranges::count_if(
      caps, [](const BucketCapRecord& cap) { return cap.measured_step_time_s.has_value(); });
}

std::string buckets_text(const ScalingRecord& scaling) {
  if (!scaling.buckets.has_value()) {
    return {};
  }
  const BucketSweepRecord& buckets = *scaling.buckets;
  TextTable table({"bucket cap", "buckets", "step by model", "measured"});
  for (const BucketCapRecord& cap : buckets.caps) {
    table.add(
        {fmt::format("{} MiB", number_text(cap.bucket_cap_mib)),
         std::to_string(cap.buckets),
         cell(cap.modelled_step_time_s, seconds_text),
         cap.measured_step_time_s.has_value() ? band_text(*cap.measured_step_time_s) : kNone});
  }
  std::string text =
      fmt::format("  buckets at {}\n", count_text(buckets.ranks, "rank")) + table.text(2);
  const bool same =
      std::all_of(buckets.caps.begin(), buckets.caps.end(), [&buckets](const BucketCapRecord& cap) {
        return cap.buckets == buckets.caps.front().buckets;
      });
  if (same && !buckets.best_modelled_mib.has_value() && !buckets.best_measured_mib.has_value()) {
    return text + "  all caps give the same buckets\n";
  }
  std::vector<std::string> best;
  if (buckets.best_modelled_mib.has_value()) {
    best.push_back(fmt::format("{} MiB by the model", number_text(*buckets.best_modelled_mib)));
  } else if (modelled(buckets.caps)) {
    best.push_back(fmt::format("by the model none beyond {}", percent_text(kModelTells)));
  }
  if (buckets.best_measured_mib.has_value()) {
    best.push_back(fmt::format("{} MiB measured{}",
                               number_text(*buckets.best_measured_mib),
                               as_good_text(buckets.caps, *buckets.best_measured_mib)));
  } else if (const std::int64_t count = measured(buckets.caps); count > 0) {
    best.emplace_back(count > 1 ? "measured none beyond noise" : "one alone was measured");
  }
  return text + fmt::format("  best cap: {}\n",
                            best.empty() ? "unknown" : fmt::format("{}", fmt::join(best, ", ")));
}

std::string title_of(const ScalingRecord& scaling) {
  std::string title =
      fmt::format("{} scaling, {}",
                  scaling.mode == "weak" ? "Weak" : "Strong",
                  scaling.mode == "weak" ? "batch per rank fixed" : "global batch fixed");
  if (!scaling.sweep.empty()) {
    title += ", sweep " + scaling.sweep;
  }
  if (!scaling.variant.empty()) {
    title += ", " + scaling.variant;
  }
  const std::string headline = scaling.points.empty() ? "" : scaling.points.back().headline;
  return title +
         fmt::format(" (samples/s{}; baseline: {})",
                     headline.empty() ? "" : "; speedup, efficiency and step of " + headline,
                     count_text(scaling.baseline_ranks, "rank"));
}

/// Returns a sweep's variants, a line each, with the headline's rate at each number of ranks.
std::string comparison_table(const std::vector<ScalingRecord>& series,
                             const std::string& sweep,
                             const std::string& mode) {
  std::vector<std::int64_t> ranks;
  for (const ScalingRecord& scaling : series) {
    for (const ScalingPointRecord& point : scaling.points) {
      if (scaling.sweep == sweep && scaling.mode == mode &&
          std::find(ranks.begin(), ranks.end(), point.ranks) == ranks.end()) {
        ranks.push_back(point.ranks);
      }
    }
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::string> header = {"variant"};
  for (const std::int64_t count : ranks) {
    header.push_back(count_text(count, "rank"));
  }
  TextTable table(header);
  std::size_t rows = 0;
  for (const ScalingRecord& scaling : series) {
    if (scaling.sweep != sweep || scaling.mode != mode) {
      continue;
    }
    ++rows;
    std::vector<std::string> cells = {scaling.variant};
    for (const std::int64_t count : ranks) {
      std::string rate = kNone;
      for (const ScalingPointRecord& point : scaling.points) {
        if (point.ranks == count && point.samples_per_second.has_value()) {
          rate = number_text(point.samples_per_second->mean);
        }
      }
      cells.push_back(rate);
    }
    table.add(std::move(cells));
  }
  return rows < 2
             ? std::string()
             : fmt::format("\nSweep {}, {} scaling, samples/s\n{}", sweep, mode, table.text(2));
}

}  // namespace

std::string scaling_text(const RunRecord& record) {
  std::string text;
  std::map<std::pair<std::string, std::string>, bool> compared;
  for (const ScalingRecord& scaling : record.scaling) {
    text += fmt::format("\n{}\n", title_of(scaling)) + points_table(scaling) +
            communication_table(scaling) + growth_line(scaling) + collectives_table(scaling) +
            compression_text(scaling) + projection_text(scaling) + buckets_text(scaling);
    if (!scaling.points.empty() && scaling.points.back().attribution.has_value()) {
      const AttributionRecord& verdict = *scaling.points.back().attribution;
      text += fmt::format("  verdict at {}: {}: {}\n",
                          count_text(scaling.points.back().ranks, "rank"),
                          word(verdict.verdict),
                          verdict.explanation);
    }
    compared[{scaling.sweep, scaling.mode}] = !scaling.sweep.empty();
  }
  for (const auto& [series, is_sweep] : compared) {
    if (is_sweep) {
      text += comparison_table(record.scaling, series.first, series.second);
    }
  }
  return text;
}

std::string collectives_text(const RunRecord& record) {
  if (record.collectives.empty()) {
    return {};
  }
  TextTable table({"collective",
                   "ranks",
                   "transport",
                   "bytes",
                   "type",
                   "in place",
                   "replayed",
                   "median",
                   "p95",
                   "algbw GB/s",
                   "busbw GB/s",
                   "wrong"},
                  {2, 4, 5, 6});
  for (const CollectiveRecord& collective : record.collectives) {
    table.add({collective.op,
               std::to_string(collective.ranks),
               collective.transport,
               std::to_string(collective.bytes),
               collective.dtype,
               collective.in_place ? "yes" : "no",
               collective.replayed.has_value() ? (*collective.replayed ? "yes" : "no") : kNone,
               seconds_text(collective.time_s.median),
               seconds_text(collective.time_s.p95),
               cell(collective.algbw_gb_per_s, number_text),
               cell(collective.busbw_gb_per_s, number_text),
               collective.wrong.has_value() ? std::to_string(*collective.wrong) : kNone});
  }
  return "\nCollectives\n" + table.text(2);
}

}  // namespace dlbench::reports
