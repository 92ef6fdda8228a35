// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/projection.h"

#include "engine/comm/link_model.h"
#include "engine/core/check.h"
#include "engine/core/rng.h"
#include "harness/analysis/projection_internal.h"
#include "reports/bucket_choice.h"
#include "reports/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <set>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::percentile;

constexpr int kReplicates = 400;
constexpr std::uint64_t kBootstrapStream = 2;

/// A measured size with the data that calibrates every replicate.
struct Calibration {
  MeasuredSize measured;
  Target target;
  StepPredictor::Draws draws;
};

/// One draw of everything that is uncertain. The last two are relative to the step.
struct Replicate {
  ModelParameters parameters;
  double measurement_error = 0.0;  ///< error of the measurement that the band predicts
  double rank_scale = 0.0;         ///< times SeriesSpread::rank_error
};

/// Draws a standard deviation that was estimated with `degrees` degrees of freedom: the factor
/// sqrt(degrees / chi^2) turns normal errors into t errors.
double uncertain_scale(std::int64_t degrees, core::RandomStream& random) {
  double squares = 0.0;
  for (std::int64_t degree = 0; degree < degrees; ++degree) {
    const double normal = static_cast<double>(random.normal());
    squares += normal * normal;
  }
  return degrees > 0 ? std::sqrt(static_cast<double>(degrees) / squares) : 1.0;
}

/// Returns the largest part of the step, or "input" if the step waits for the loader: it then takes
/// as long as the loader does, whatever its parts.
const char* limit_of(const ModelledStep& step) {
  if (step.input_s > 0.0) {
    return "input";
  }
  const std::pair<double, const char*> parts[] = {{step.compute_s, "compute"},
                                                  {step.transfer_s, "communication"},
                                                  {step.waiting_s, "straggler"}};
  return std::max_element(std::begin(parts), std::end(parts))->second;
}

/// Whether all measured collectives have the same number of messages, as with a single number of
/// ranks: then the cost of a call and that of a message cannot be distinguished.
bool all_have_as_many_messages(const std::vector<CollectiveTime>& measured,
                               std::int64_t node_ranks) {
  std::set<std::pair<double, double>> messages;
  for (const CollectiveTime& collective : measured) {
    const comm::LinkLoad load =
        comm::link_load(collective.op, collective.bytes, collective.ranks, node_ranks);
    messages.emplace(load.between_messages, load.inside_messages);
  }
  return messages.size() == 1;
}

/// Redistributes the constant time of a call between overhead and messages at random: any division
/// fits the measurements and is equally likely.
void divide_anew(const comm::LinkLoad& load, LinkParameters& link, core::RandomStream& random) {
  const double total_s = link.overhead_s + load.between_messages * link.alpha_s +
                         load.inside_messages * link.inside_alpha_s;
  const auto draw = [&random](double messages) {  // equal shares on the mean
    return messages > 0.0 ? -std::log1p(-static_cast<double>(random.uniform())) : 0.0;
  };
  const double call = draw(1.0);
  const double between = draw(load.between_messages);
  const double inside = draw(load.inside_messages);
  const double unit_s = total_s / std::max(call + between + inside, 1e-12);
  link.overhead_s = call * unit_s;
  link.alpha_s = between > 0.0 ? between * unit_s / load.between_messages : link.alpha_s;
  link.inside_alpha_s = inside > 0.0 ? inside * unit_s / load.inside_messages : link.inside_alpha_s;
}

/// Returns why a projection to `ranks` ranks is unreliable; nothing if there is no known reason.
std::optional<std::string> doubt(std::int64_t ranks,
                                 double load,
                                 const ProjectionInput& input,
                                 double residual,
                                 bool knows_batch,
                                 std::optional<std::int64_t> only_ranks) {
  const std::optional<std::int64_t>& only_node_ranks = input.only_node_ranks;
  std::vector<std::string> reasons;
  if (!input.load.empty() && load <= 1.0 && ranks >= input.load.begin()->first) {
    reasons.push_back(
        "it is for a core for each compute thread, and measured ranks shared their cores");
  }
  if (input.shared_gpu) {
    reasons.push_back("it is for a GPU for each rank, and measured ranks shared one");
  }
  if (input.dealt_out) {
    reasons.emplace_back(
        "it is for ranks that fill one node after the other, and measured ones were dealt out to "
        "nodes in another order");
  }
  if (only_node_ranks.has_value() && ranks > *only_node_ranks) {
    reasons.push_back(fmt::format(
        "no network between nodes was measured, only {} ranks of one node", *only_node_ranks));
  }
  if (only_ranks.has_value() && ranks > *only_ranks) {
    reasons.push_back(fmt::format(
        "all-reduces of {} ranks alone were measured, which do not tell what more ranks cost",
        *only_ranks));
  }
  if (ranks > 1 && input.disturbed) {
    reasons.emplace_back("others disturbed the measurement of all-reduces");
  }
  if (ranks > 1 && residual > reports::kLargestResidual) {
    reasons.push_back(
        fmt::format("the fitted network misses what was measured by {:.0f} %", 100.0 * residual));
  }
  if (!knows_batch) {
    reasons.emplace_back("it is for another local batch, and one alone was measured");
  }
  return reasons.empty() ? std::nullopt
                         : std::optional(fmt::format("{}", fmt::join(reasons, "; ")));
}

}  // namespace

struct Projector::State {
  ProjectionInput input;
  std::vector<MeasuredSize> sizes;
  SeriesSpread spread;
  StepPredictor predictor;
  LinkFitter fitter;
  LinkFit link;
  std::vector<Calibration> calibrations;  ///< of the sizes above 1 rank
  ModelParameters best;
  double synthetic_correction = 1.0;  ///< measured / modelled step without loader
  std::vector<Replicate> replicates;

  explicit State(ProjectionInput given)
      : input(std::move(given)),
        sizes(measured_sizes(input)),
        spread(spread_of(sizes)),
        predictor(input, sizes),
        fitter(input.collectives, input.node_ranks),
        link(fitter.fits().front()) {
    for (const MeasuredSize& size : sizes) {
      if (size.ranks > 1) {
        const Target target{size.ranks,
                            size.local_batch,
                            size.largest_batch,
                            size.largest_ranks,
                            size.load,
                            size.loader_s};
        calibrations.push_back({size, target, predictor.draws(target)});
      }
    }
    best = {link.link, sizes.back().nocomm_s, 1.0, predictor.batches().curve(), 1.0};
    best.correction = correction_of(best, std::vector<double>(calibrations.size(), 0.0));
    synthetic_correction = synthetic_correction_of(best);
    make_replicates();
  }

  /// Returns the geometric mean over sizes of measured / modelled, with `errors` added to the logs.
  [[nodiscard]] double correction_of(const ModelParameters& parameters,
                                     std::span<const double> errors) const {
    double logs = 0.0;
    for (std::size_t index = 0; index < calibrations.size(); ++index) {
      const Calibration& size = calibrations[index];
      const double modelled_s =
          predictor.step(parameters, input.reduction, size.target, size.draws).total_s();
      logs += std::log(size.measured.step_s / modelled_s) + errors[index];
    }
    return std::exp(logs / static_cast<double>(calibrations.size()));
  }

  /// Does the same for the synthetic trial, which every size has and no loader limits.
  [[nodiscard]] double synthetic_correction_of(const ModelParameters& parameters) const {
    double logs = 0.0;
    for (const Calibration& size : calibrations) {
      Target target = size.target;
      target.loader_s = 0.0;
      const double modelled_s =
          predictor.step(parameters, input.reduction, target, size.draws).total_s();
      logs += std::log(size.measured.synthetic_s / modelled_s);
    }
    return std::exp(logs / static_cast<double>(calibrations.size()));
  }

  void make_replicates() {
    core::RandomStream random(input.seed, kBootstrapStream);
    const auto normal = [&random] { return static_cast<double>(random.normal()); };
    for (int index = 0; index < kReplicates; ++index) {
      Replicate replicate{{random_link(random), sizes.back().nocomm_s, 1.0, {}, 1.0}, 0.0, 0.0};
      const double trial_error =
          spread.trial_error() * uncertain_scale(spread.round_degrees, random);
      replicate.rank_scale = uncertain_scale(spread.rank_degrees, random) * normal();
      replicate.measurement_error = trial_error * normal();
      const double compute_error = trial_error * normal();
      replicate.parameters.compute_s *= 1.0 + compute_error;
      replicate.parameters.curve = random_curve(compute_error, trial_error, random);
      replicate.parameters.waiting_scale =
          std::max(0.0, 1.0 + predictor.waiting_error() * normal());
      std::vector<double> errors;
      for (const Calibration& size : calibrations) {
        errors.push_back(trial_error * normal() +
                         spread.rank_error(size.measured.ranks) * normal());
      }
      replicate.parameters.correction = correction_of(replicate.parameters, errors);
      replicates.push_back(replicate);
    }
  }

  /// Returns the line in the batch through randomly perturbed compute times. `compute_error` is the
  /// error of the largest size.
  [[nodiscard]] BatchCurve random_curve(double compute_error,
                                        double trial_error,
                                        core::RandomStream& random) const {
    std::vector<double> errors;
    std::vector<double> backward_errors;
    const double backward_error = predictor.batches().backward_error(spread.steps);
    for (std::size_t index = 0; index < sizes.size(); ++index) {
      const double trial = index + 1 < sizes.size()
                               ? trial_error * static_cast<double>(random.normal())
                               : compute_error;
      // Error of the mean of that many ranks.
      const double ranks = spread.ranks / std::sqrt(static_cast<double>(sizes[index].ranks));
      errors.push_back(trial + ranks * static_cast<double>(random.normal()));
      backward_errors.push_back(backward_error * static_cast<double>(random.normal()));
    }
    return predictor.batches().curve(errors, std::move(backward_errors));
  }

  /// Draws a candidate network by weight and refits it to simulated measurements.
  [[nodiscard]] LinkParameters random_link(core::RandomStream& random) const {
    const std::vector<LinkFit>& fits = fitter.fits();
    std::size_t index = 0;
    double left = static_cast<double>(random.uniform()) - fits[0].weight;
    while (left >= 0.0 && index + 1 < fits.size()) {
      left -= fits[++index].weight;
    }
    const LinkFit& fit = fits[index];
    const double error = fit.residual * uncertain_scale(fit.n - fit.free, random);
    std::vector<double> time_s;
    for (const CollectiveTime& collective : fitter.measured()) {
      const double fitted_s =
          collective_s(fit.link, collective.op, collective.bytes, collective.ranks);
      // The network may predict no time for a call that it does not explain.
      const double expected_s = fitted_s > 0.0 ? fitted_s : collective.time_s;
      time_s.push_back(expected_s *
                       std::max(1.0 + error * static_cast<double>(random.normal()), 0.1));
    }
    LinkParameters drawn = fitter.refit(index, time_s).link;
    const CollectiveTime& any = fitter.measured().front();
    if (all_have_as_many_messages(fitter.measured(), drawn.node_ranks)) {
      divide_anew(comm::link_load(any.op, any.bytes, any.ranks, drawn.node_ranks), drawn, random);
    }
    return drawn;
  }

  /// The number of ranks of all measured collectives; nothing if there are several.
  [[nodiscard]] std::optional<std::int64_t> only_ranks() const {
    const std::vector<CollectiveTime>& measured = fitter.measured();
    const std::int64_t ranks = measured.empty() ? 0 : measured.front().ranks;
    const bool all = std::ranges::all_of(
        measured, [ranks](const CollectiveTime& one) { return one.ranks == ranks; });
    return all && ranks > 1 ? std::optional(ranks) : std::nullopt;
  }

  [[nodiscard]] Target target_of(std::int64_t ranks, double load) const {
    const MeasuredSize& anchor = sizes.back();
    Target target{ranks, anchor.largest_batch, anchor.largest_batch, ranks, load, 0.0};
    if (input.series.mode == "strong") {
      target.mean_batch = anchor.global_batch / static_cast<double>(ranks);
      target.largest_batch = std::ceil(target.mean_batch);
      // Divided as in harness::share_batch(): the other ranks have one sample less.
      const std::int64_t more = std::llround(anchor.global_batch) % ranks;
      target.largest_ranks = more == 0 ? ranks : more;
    }
    target.loader_s = anchor.loader_s * target.largest_batch / anchor.largest_batch;
    return target;
  }

  /// Returns the step times of the replicates with a measurement error, ascending.
  [[nodiscard]] std::vector<double> band_of(const Target& target,
                                            const StepPredictor::Draws& draws) const {
    std::vector<double> times;
    const double rank_error = spread.rank_error(target.ranks);
    for (const Replicate& replicate : replicates) {
      const double step_s =
          predictor.step(replicate.parameters, input.reduction, target, draws).total_s() *
          replicate.parameters.correction;
      times.push_back(step_s *
                      std::exp(replicate.measurement_error + rank_error * replicate.rank_scale));
    }
    std::sort(times.begin(), times.end());
    return times;
  }
};

Projector::Projector(ProjectionInput input) : state_(std::make_unique<State>(std::move(input))) {}
Projector::~Projector() = default;
Projector::Projector(Projector&&) noexcept = default;
Projector& Projector::operator=(Projector&&) noexcept = default;

const LinkFit& Projector::link() const { return state_->link; }

reports::ProjectionRecord Projector::project(std::int64_t ranks, double load) const {
  DLBENCH_CHECK(ranks >= 1 && load >= 1.0) << ranks << " ranks, load " << load;
  const State& state = *state_;
  const Target target = state.target_of(ranks, load);
  const StepPredictor::Draws draws = state.predictor.draws(target);
  const ModelledStep step = state.predictor.step(state.best, state.input.reduction, target, draws);
  const std::vector<double> band = state.band_of(target, draws);
  const double step_s = step.total_s() * state.best.correction;
  const double lower_s = std::min(step_s, percentile(band, 0.025));
  const double upper_s = std::max(step_s, percentile(band, 0.975));
  const MeasuredSize& baseline = state.sizes.front();
  const double global_batch = state.input.series.mode == "strong"
                                  ? state.sizes.back().global_batch
                                  : target.mean_batch * static_cast<double>(ranks);
  const double perfect_s = global_batch / static_cast<double>(ranks) /
                           (baseline.samples_per_s / static_cast<double>(baseline.ranks));
  reports::ProjectionRecord record;
  record.ranks = ranks;
  record.global_batch_size = std::llround(global_batch);
  record.step_time_s = {step_s, reports::IntervalRecord{lower_s, upper_s}};
  record.samples_per_second = global_batch / step_s;
  record.ci95 = {global_batch / upper_s, global_batch / lower_s};
  record.efficiency = {perfect_s / step_s,
                       reports::IntervalRecord{perfect_s / upper_s, perfect_s / lower_s}};
  record.exposed_communication_s = (step.waiting_s + step.transfer_s) * state.best.correction;
  record.waiting_s = step.waiting_s * state.best.correction;
  record.limit = limit_of(step);
  const bool knows_batch = state.predictor.batches().knows_batches() ||
                           target.largest_batch == state.sizes.back().largest_batch;
  record.doubt =
      doubt(ranks, load, state.input, state.link.residual, knows_batch, state.only_ranks());
  return record;
}

reports::BucketSweepRecord Projector::bucket_sweep(std::int64_t ranks,
                                                   std::span<const double> caps_mib) const {
  const State& state = *state_;
  Target target = state.target_of(ranks, state.sizes.back().load);
  target.loader_s = 0.0;
  const StepPredictor::Draws draws = state.predictor.draws(target);
  reports::BucketSweepRecord record;
  record.ranks = ranks;
  std::vector<double> caps(caps_mib.begin(), caps_mib.end());
  std::sort(caps.begin(), caps.end());
  for (const double cap : caps) {
    ReductionModel reduction = state.input.reduction;
    reduction.bucket_cap_mib = cap;
    const std::size_t buckets =
        bucket_schedule(state.input.timelines.begin()->second, reduction).size();
    const double step_s = state.predictor.step(state.best, reduction, target, draws).total_s() *
                          state.synthetic_correction;
    record.caps.push_back({cap, static_cast<std::int64_t>(buckets), step_s, std::nullopt});
  }
  record.best_modelled_mib = reports::best_modelled_cap(record.caps);
  return record;
}

std::optional<reports::LeaveLargestOutRecord> leave_largest_out(const ProjectionInput& input) {
  if (input.series.sizes.size() < kMinSizes) {
    return std::nullopt;
  }
  const MeasuredSize largest = measured_sizes(input).back();
  ProjectionInput smaller = input;
  std::erase_if(smaller.series.sizes, [&largest](const ScalingSize& size) {
    return static_cast<std::int64_t>(size.local_batch_sizes.size()) >= largest.ranks;
  });
  std::erase_if(smaller.collectives, [&largest](const CollectiveTime& collective) {
    return collective.ranks >= largest.ranks;
  });
  std::erase_if(smaller.timelines,
                [&largest](const auto& timeline) { return timeline.first >= largest.ranks; });
  const reports::ProjectionRecord projection =
      Projector(smaller).project(largest.ranks, largest.load);
  reports::LeaveLargestOutRecord record;
  record.ranks = largest.ranks;
  for (const MeasuredSize& size : measured_sizes(smaller)) {
    record.from_ranks.push_back(size.ranks);
  }
  record.measured_step_time_s = largest.step_s;
  record.predicted_step_time_s = projection.step_time_s;
  record.relative_error = projection.step_time_s.mean / largest.step_s - 1.0;
  const auto [lower, upper] = *projection.step_time_s.ci95;
  record.inside_band = lower <= largest.step_s && largest.step_s <= upper;
  record.doubt = projection.doubt;
  return record;
}

}  // namespace dlbench::harness
