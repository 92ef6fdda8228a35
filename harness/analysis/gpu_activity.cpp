// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/gpu_activity.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace dlbench::harness {
namespace {

using probes::GpuActivity;
using probes::GpuActivityKind;
using probes::GpuTrace;

// Half-open interval of nanoseconds.
struct Span {
  std::int64_t begin;
  std::int64_t end;
};

double seconds(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

Span clip(std::int64_t begin, std::int64_t end, const GpuTrace& trace) {
  return {std::clamp(begin, trace.begin_ns, trace.end_ns),
          std::clamp(end, trace.begin_ns, trace.end_ns)};
}

// A sorted set of disjoint, non-empty spans.
class SpanSet {
 public:
  explicit SpanSet(std::vector<Span> spans) {
    std::sort(spans.begin(), spans.end(), [](const Span& left, const Span& right) {
      return left.begin < right.begin;
    });
    for (const Span& span : spans) {
      if (span.begin >= span.end) {
        continue;
      }
      if (!spans_.empty() && span.begin <= spans_.back().end) {
        spans_.back().end = std::max(spans_.back().end, span.end);
      } else {
        spans_.push_back(span);
      }
    }
  }

  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

  [[nodiscard]] double total_s() const {
    std::int64_t sum = 0;
    for (const Span& span : spans_) {
      sum += span.end - span.begin;
    }
    return seconds(sum);
  }

  [[nodiscard]] SpanSet minus(const SpanSet& other) const {
    std::vector<Span> rest;
    for (const Span& span : spans_) {
      std::int64_t begin = span.begin;
      for (auto next = other.first_after(begin);
           next != other.spans_.end() && next->begin < span.end;
           ++next) {
        rest.push_back({begin, next->begin});
        begin = next->end;
      }
      rest.push_back({begin, span.end});
    }
    return SpanSet(std::move(rest));
  }

  [[nodiscard]] double shared_s(const SpanSet& other) const {
    return total_s() - minus(other).total_s();
  }

 private:
  // Returns the first span that ends after `time`.
  [[nodiscard]] std::vector<Span>::const_iterator first_after(std::int64_t time) const {
    return std::upper_bound(
        spans_.begin(), spans_.end(), time, [](std::int64_t value, const Span& span) {
          return value < span.end;
        });
  }

  std::vector<Span> spans_;
};

template <typename Wanted>
SpanSet activity_spans(const GpuTrace& trace, const Wanted& wanted) {
  std::vector<Span> spans;
  for (const GpuActivity& activity : trace.activities) {
    if (wanted(activity)) {
      spans.push_back(clip(activity.begin_ns, activity.end_ns, trace));
    }
  }
  return SpanSet(std::move(spans));
}

SpanSet spans_of(const GpuTrace& trace, GpuActivityKind kind) {
  return activity_spans(trace,
                        [kind](const GpuActivity& activity) { return kind == activity.kind; });
}

SpanSet data_waits(const GpuTrace& trace) {
  std::vector<Span> spans;
  for (const probes::HostRegion& region : trace.regions) {
    if (region.name == "data_wait") {
      spans.push_back(clip(region.begin_ns, region.end_ns, trace));
    }
  }
  return SpanSet(std::move(spans));
}

// Returns when the host call of an activity returned, by correlation.
std::map<std::int64_t, std::int64_t> call_ends(const GpuTrace& trace) {
  std::map<std::int64_t, std::int64_t> ends;
  for (const GpuActivity& activity : trace.activities) {
    if (activity.kind == GpuActivityKind::kApiCall) {
      ends[activity.correlation] = activity.end_ns;
    }
  }
  return ends;
}

// Returns the device work, ordered by its begin.
std::vector<GpuActivity> device_work(const GpuTrace& trace) {
  std::vector<GpuActivity> work;
  for (const GpuActivity& activity : trace.activities) {
    if (occupies_device(activity.kind)) {
      work.push_back(activity);
    }
  }
  std::sort(work.begin(), work.end(), [](const GpuActivity& left, const GpuActivity& right) {
    return std::tie(left.begin_ns, left.correlation) < std::tie(right.begin_ns, right.correlation);
  });
  return work;
}

// One launch of a graph: its correlation, and how many earlier launches had the same. CUPTI may
// report the correlation of another launch (before CUDA 13.1 Update 1, in every recording but the
// first), so it alone does not identify a launch; that a node runs once per launch does.
using GraphLaunch = std::pair<std::int64_t, std::int64_t>;

// Returns the graph launch of each piece of `work`; nothing for work that was launched alone.
std::vector<std::optional<GraphLaunch>> graph_launches(const std::vector<GpuActivity>& work) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> seen;  // correlation and node
  std::vector<std::optional<GraphLaunch>> launches;
  for (const GpuActivity& activity : work) {
    if (activity.graph_node == 0) {
      launches.emplace_back();
    } else {
      const std::int64_t earlier = seen[{activity.correlation, activity.graph_node}]++;
      launches.emplace_back(GraphLaunch{activity.correlation, earlier});
    }
  }
  return launches;
}

// Returns when the host call of each graph launch returned, matched by the order of calls and
// launches because the correlation may be that of another launch. Empty if their counts differ.
std::map<GraphLaunch, std::int64_t> graph_call_ends(
    const GpuTrace& trace,
    const std::vector<GpuActivity>& work,
    const std::vector<std::optional<GraphLaunch>>& launches) {
  std::vector<GraphLaunch> in_order;
  std::set<GraphLaunch> known;
  for (std::size_t index = 0; index < work.size(); ++index) {
    if (launches[index].has_value() && known.insert(*launches[index]).second) {
      in_order.push_back(*launches[index]);
    }
  }
  std::vector<std::int64_t> ends;
  for (const GpuActivity& activity : trace.activities) {
    if (probes::launches_graph(activity)) {
      ends.push_back(activity.end_ns);
    }
  }
  std::sort(ends.begin(), ends.end());
  std::map<GraphLaunch, std::int64_t> end_of;
  for (std::size_t index = 0; ends.size() == in_order.size() && index < ends.size(); ++index) {
    end_of[in_order[index]] = ends[index];
  }
  return end_of;
}

// Returns when a gap began that is cut off by the window's begin: at the end of the last work
// before it, at the window's begin if no such work was recorded.
std::int64_t idle_since(const std::vector<GpuActivity>& work, const Span& gap) {
  std::optional<std::int64_t> last_end_ns;
  for (const GpuActivity& activity : work) {
    if (activity.begin_ns < gap.begin && activity.end_ns <= gap.begin) {
      last_end_ns = std::max(last_end_ns.value_or(activity.end_ns), activity.end_ns);
    }
  }
  return last_end_ns.value_or(gap.begin);
}

// Returns gaps whose next work was launched before they began, so that the device caused them. With
// work on both sides from one graph launch, the call does not matter.
SpanSet queued_gaps(const GpuTrace& trace, const SpanSet& gaps) {
  const std::vector<GpuActivity> work = device_work(trace);
  const std::vector<std::optional<GraphLaunch>> launches = graph_launches(work);
  std::set<std::pair<std::int64_t, GraphLaunch>> ended;  // when, and what
  for (std::size_t index = 0; index < work.size(); ++index) {
    if (launches[index].has_value()) {
      ended.emplace(work[index].end_ns, *launches[index]);
    }
  }
  const std::map<std::int64_t, std::int64_t> calls = call_ends(trace);
  const std::map<GraphLaunch, std::int64_t> graph_calls = graph_call_ends(trace, work, launches);
  std::vector<Span> queued;
  for (const Span& gap : gaps.spans()) {
    const std::int64_t begin_ns = gap.begin == trace.begin_ns ? idle_since(work, gap) : gap.begin;
    const auto next =
        std::lower_bound(work.begin(), work.end(), gap.end, [](const GpuActivity& one, auto time) {
          return one.begin_ns < time;
        });
    if (next == work.end()) {
      continue;  // nothing followed
    }
    const auto& launch = launches[static_cast<std::size_t>(next - work.begin())];
    std::optional<std::int64_t> returned_ns;
    if (launch.has_value() && graph_calls.contains(*launch)) {
      returned_ns = graph_calls.at(*launch);
    } else if (const auto call = calls.find(next->correlation); call != calls.end()) {
      returned_ns = call->second;
    }
    if ((launch.has_value() && ended.contains({begin_ns, *launch})) ||
        (returned_ns.has_value() && *returned_ns <= begin_ns)) {
      queued.push_back(gap);
    }
  }
  return SpanSet(std::move(queued));
}

IdleSeconds explain_idle(const GpuTrace& trace, const SpanSet& busy) {
  const SpanSet window({{trace.begin_ns, trace.end_ns}});
  const SpanSet gaps = window.minus(busy);
  const SpanSet waits = data_waits(trace);
  const SpanSet synchronizations = spans_of(trace, GpuActivityKind::kSynchronization);
  const SpanSet queued = queued_gaps(trace, gaps);
  IdleSeconds idle;
  // First: a host that is steps ahead may wait for a batch that the device does not need yet.
  idle.queued = gaps.shared_s(queued);
  const SpanSet not_queued = gaps.minus(queued);
  idle.waiting_for_data = not_queued.shared_s(waits);
  const SpanSet after_data = not_queued.minus(waits);
  idle.synchronization = after_data.shared_s(synchronizations);
  idle.launch = after_data.total_s() - idle.synchronization;
  return idle;
}

// Returns the part of an activity inside the window, 0 to 1; nothing if it lies outside. An
// activity without duration is either inside or not.
std::optional<double> part_inside(const GpuActivity& activity, const GpuTrace& trace) {
  if (!trace.in_window(activity)) {
    return std::nullopt;
  }
  if (activity.begin_ns == activity.end_ns) {
    return 1.0;
  }
  const Span span = clip(activity.begin_ns, activity.end_ns, trace);
  return seconds(span.end - span.begin) / seconds(activity.end_ns - activity.begin_ns);
}

// Adds one row for each name and op of each kind.
void add_rows(const GpuTrace& trace, GpuActivitySummary& summary) {
  const std::map<GpuActivityKind, std::vector<ActivityRow>*> tables{
      {GpuActivityKind::kKernel, &summary.kernels},
      {GpuActivityKind::kCopy, &summary.copies},
      {GpuActivityKind::kMemset, &summary.memsets},
      {GpuActivityKind::kSynchronization, &summary.synchronizations},
      {GpuActivityKind::kOverhead, &summary.overheads}};  // host calls only explain gaps
  std::map<std::tuple<GpuActivityKind, std::string, std::int64_t>, ActivityRow> rows;
  for (const GpuActivity& activity : trace.activities) {
    const std::optional<double> part = part_inside(activity, trace);
    if (!part.has_value() || !tables.contains(activity.kind)) {
      continue;
    }
    const std::int64_t op = trace.op_of(activity);
    ActivityRow& row = rows[{activity.kind, activity.name, op}];
    row.name = activity.name;
    if (const auto label = trace.ops.find(op); label != trace.ops.end()) {
      row.op = label->second.name;
      row.phase = label->second.phase;
    }
    row.calls += 1;
    row.bytes += std::llround(*part * static_cast<double>(activity.bytes));
    row.total_s += *part * seconds(activity.end_ns - activity.begin_ns);
    summary.graph_activities += activity.graph_node != 0 ? 1 : 0;
  }
  for (auto& [key, row] : rows) {
    tables.at(std::get<GpuActivityKind>(key))->push_back(std::move(row));
  }
  for (const auto& [kind, table] : tables) {
    std::stable_sort(
        table->begin(), table->end(), [](const ActivityRow& left, const ActivityRow& right) {
          return left.total_s > right.total_s;
        });
  }
}

void sum_kernels(GpuActivitySummary& summary) {
  for (const ActivityRow& row : summary.kernels) {
    summary.kernel_s += row.total_s;
    summary.kernel_without_op_s += row.op.empty() ? row.total_s : 0.0;
    summary.phase_s[row.phase.empty() ? "unknown" : row.phase] += row.total_s;
  }
}

reports::Value optional_text(const std::string& text) {
  return text.empty() ? reports::Value() : reports::Value(text);
}

reports::ValueMap row_record(const ActivityRow& row) {
  return {{"name", row.name},
          {"op", optional_text(row.op)},
          {"phase", optional_text(row.phase)},
          {"calls", row.calls},
          {"total_s", row.total_s}};
}

reports::Value kernel_table(const GpuActivitySummary& summary) {
  reports::ValueList table;
  for (const ActivityRow& row : summary.kernels) {
    reports::ValueMap record = row_record(row);
    record["share"] =
        summary.kernel_s > 0.0 ? reports::Value(row.total_s / summary.kernel_s) : reports::Value();
    table.emplace_back(std::move(record));
  }
  return table;
}

reports::Value moved_table(const std::vector<ActivityRow>& rows) {
  reports::ValueList table;
  for (const ActivityRow& row : rows) {
    reports::ValueMap record = row_record(row);
    record["bytes"] = row.bytes;
    record["bytes_per_s"] = row.total_s > 0.0
                                ? reports::Value(static_cast<double>(row.bytes) / row.total_s)
                                : reports::Value();
    table.emplace_back(std::move(record));
  }
  return table;
}

reports::Value time_table(const std::vector<ActivityRow>& rows) {
  reports::ValueList table;
  for (const ActivityRow& row : rows) {
    table.emplace_back(row_record(row));
  }
  return table;
}

}  // namespace

GpuActivitySummary summarize_activity(const GpuTrace& trace) {
  GpuActivitySummary summary;
  const SpanSet busy = activity_spans(
      trace, [](const GpuActivity& activity) { return occupies_device(activity.kind); });
  const SpanSet collectives = activity_spans(trace, probes::is_collective);
  const SpanSet compute = activity_spans(trace, [](const GpuActivity& activity) {
    return activity.kind == GpuActivityKind::kKernel && !is_collective(activity);
  });
  const SpanSet copies = spans_of(trace, GpuActivityKind::kCopy);
  summary.window_s = seconds(trace.end_ns - trace.begin_ns);
  summary.busy_s = busy.total_s();
  summary.compute_s = compute.total_s();
  summary.copy_s = copies.total_s();
  summary.copy_beside_compute_s = copies.shared_s(compute);
  summary.collective_s = collectives.total_s();
  summary.collective_beside_compute_s = collectives.shared_s(compute);
  summary.idle = explain_idle(trace, busy);
  summary.steps = trace.steps;
  summary.dropped = trace.dropped;
  summary.device_records = trace.device_records();
  summary.graph_nodes = trace.graph_nodes;
  add_rows(trace, summary);
  sum_kernels(summary);
  return summary;
}

std::optional<UntracedShares> untraced_shares(const GpuActivitySummary& summary,
                                              std::optional<double> timed_step_s) {
  constexpr double kMaxLost = 0.03;
  const auto records = static_cast<double>(summary.device_records);
  const auto dropped = static_cast<double>(summary.dropped);
  if (timed_step_s.value_or(0.0) <= 0.0 || summary.steps == 0 || !(summary.window_s > 0.0) ||
      summary.device_records == 0 || dropped > kMaxLost * (records + dropped)) {
    return std::nullopt;
  }
  UntracedShares shares;
  const auto steps = static_cast<double>(summary.steps);
  const double step_s = std::min(*timed_step_s, summary.window_s / steps);
  shares.busy = std::min(1.0, summary.busy_s / steps / step_s);
  const double idle_s = summary.window_s - summary.busy_s;
  if (idle_s > 0.0) {
    shares.launch_idle =
        (1.0 - shares.busy) * (summary.idle.launch + summary.idle.synchronization) / idle_s;
  }
  shares.replayed = 2 * summary.graph_activities > summary.device_records;
  return shares;
}

reports::ValueMap activity_record(const GpuActivitySummary& summary) {
  const auto share = [&](double part_s) {
    return summary.window_s > 0.0 ? reports::Value(part_s / summary.window_s) : reports::Value();
  };
  reports::ValueMap record{
      {"available", true},
      {"window_s", summary.window_s},
      {"steps", summary.steps},
      {"dropped_records", summary.dropped},
      {"busy_share", share(summary.busy_s)},
      {"compute_share", share(summary.compute_s)},
      {"idle_share", share(summary.window_s - summary.busy_s)},
      {"idle",
       reports::ValueMap{{"waiting_for_data_share", share(summary.idle.waiting_for_data)},
                         {"synchronization_share", share(summary.idle.synchronization)},
                         {"launch_share", share(summary.idle.launch)},
                         {"queued_share", share(summary.idle.queued)}}},
      {"copy_share", share(summary.copy_s)},
      {"copy_beside_compute_share", share(summary.copy_beside_compute_s)},
      {"collective_share", share(summary.collective_s)},
      {"collective_beside_compute_share", share(summary.collective_beside_compute_s)},
      {"graph_activities", summary.graph_activities},
      {"kernels", kernel_table(summary)},
      {"copies", moved_table(summary.copies)},
      {"memsets", moved_table(summary.memsets)},
      {"synchronizations", time_table(summary.synchronizations)},
      {"overheads", time_table(summary.overheads)}};
  record["kernel_without_op_share"] =
      summary.kernel_s > 0.0 ? reports::Value(summary.kernel_without_op_s / summary.kernel_s)
                             : reports::Value();
  if (summary.graph_nodes.recorded > 0) {
    const std::string reason = summary.graph_nodes.untied_reason();
    reports::ValueMap nodes{{"recorded", summary.graph_nodes.recorded},
                            {"captured", summary.graph_nodes.captured},
                            {"tied_to_ops", reason.empty()}};
    if (!reason.empty()) {
      nodes["reason"] = reason;
    }
    record["graph_nodes"] = std::move(nodes);
  }
  reports::ValueMap phases;
  for (const auto& [phase, total_s] : summary.phase_s) {
    phases[phase + "_s"] = total_s;
  }
  record["kernel_phases"] = std::move(phases);
  return record;
}

reports::ValueMap untraced_record(const std::optional<UntracedShares>& shares) {
  if (!shares.has_value()) {
    return {{"busy_share", reports::Value()}, {"launch_idle_share", reports::Value()}};
  }
  return {{"busy_share", shares->busy}, {"launch_idle_share", shares->launch_idle}};
}

}  // namespace dlbench::harness
