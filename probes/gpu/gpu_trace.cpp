// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/gpu_trace.h"

#include "engine/core/error.h"
#include "probes/gpu/recorded_file_internal.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace dlbench::probes {
namespace {

using nlohmann::json;

constexpr RecordedFormat kTraceFormat{.name = "dlbench.gpu_trace", .text = "GPU trace"};
constexpr std::array kKinds{GpuActivityKind::kKernel,
                            GpuActivityKind::kCopy,
                            GpuActivityKind::kMemset,
                            GpuActivityKind::kSynchronization,
                            GpuActivityKind::kOverhead,
                            GpuActivityKind::kApiCall};

GpuActivityKind kind_from_name(const std::string& name) {
  for (const GpuActivityKind kind : kKinds) {
    if (activity_name(kind) == name) {
      return kind;
    }
  }
  throw core::Error(core::ErrorCode::kData, "a GPU activity '" + name + "' is not known");
}

// One row per activity: [kind, name, begin, end, stream, bytes, correlation, graph node].
json to_json(const GpuActivity& activity) {
  return {activity_name(activity.kind),
          activity.name,
          activity.begin_ns,
          activity.end_ns,
          activity.stream,
          activity.bytes,
          activity.correlation,
          activity.graph_node};
}

GpuActivity activity_from_json(const json& row) {
  return {.kind = kind_from_name(row.at(0).get<std::string>()),
          .name = row.at(1).get<std::string>(),
          .begin_ns = row.at(2).get<std::int64_t>(),
          .end_ns = row.at(3).get<std::int64_t>(),
          .stream = row.at(4).get<std::int64_t>(),
          .bytes = row.at(5).get<std::int64_t>(),
          .correlation = row.at(6).get<std::int64_t>(),
          .graph_node = row.at(7).get<std::int64_t>()};
}

json pairs(const std::map<std::int64_t, std::int64_t>& map) {
  json rows = json::array();
  for (const auto& [key, value] : map) {
    rows.push_back({key, value});
  }
  return rows;
}

std::map<std::int64_t, std::int64_t> map_from_json(const json& rows) {
  std::map<std::int64_t, std::int64_t> map;
  for (const json& row : rows) {
    map[row.at(0).get<std::int64_t>()] = row.at(1).get<std::int64_t>();
  }
  return map;
}

GpuTrace trace_from_json(const json& object) {
  GpuTrace trace;
  trace.origin = object.at("origin").get<std::string>();
  trace.trial = object.at("trial").get<std::string>();
  trace.begin_ns = object.at("begin_ns").get<std::int64_t>();
  trace.end_ns = object.at("end_ns").get<std::int64_t>();
  trace.steps = object.at("steps").get<std::int64_t>();
  trace.dropped = object.at("dropped").get<std::int64_t>();
  for (const json& row : object.at("activities")) {
    trace.activities.push_back(activity_from_json(row));
  }
  for (const json& row : object.at("regions")) {
    trace.regions.push_back({row.at(0).get<std::string>(),
                             row.at(1).get<std::int64_t>(),
                             row.at(2).get<std::int64_t>()});
  }
  trace.correlation_op = map_from_json(object.at("correlation_op"));
  trace.graph_node_op = map_from_json(object.at("graph_node_op"));
  for (const json& row : object.at("ops")) {
    trace.ops[row.at(0).get<std::int64_t>()] = {row.at(1).get<std::string>(),
                                                row.at(2).get<std::string>()};
  }
  if (const auto nodes = object.find("graph_nodes"); nodes != object.end()) {
    trace.graph_nodes = {.recorded = nodes->at(0).get<std::int64_t>(),
                         .captured = nodes->at(1).get<std::int64_t>(),
                         .in_order = nodes->size() < 3 || nodes->at(2).get<bool>()};
  }
  return trace;
}

}  // namespace

std::string_view activity_name(GpuActivityKind kind) {
  switch (kind) {
    case GpuActivityKind::kKernel:
      return "kernel";
    case GpuActivityKind::kCopy:
      return "copy";
    case GpuActivityKind::kMemset:
      return "memset";
    case GpuActivityKind::kSynchronization:
      return "synchronization";
    case GpuActivityKind::kOverhead:
      return "overhead";
    case GpuActivityKind::kApiCall:
      return "api_call";
  }
  return "unknown";
}

bool occupies_device(GpuActivityKind kind) {
  return kind == GpuActivityKind::kKernel || kind == GpuActivityKind::kCopy ||
         kind == GpuActivityKind::kMemset;
}

bool is_collective(const GpuActivity& activity) {
  // "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)", "ncclSymkDevKernel_...".
  return activity.kind == GpuActivityKind::kKernel && activity.name.starts_with("nccl");
}

bool launches_graph(const GpuActivity& activity) {
  // "cudaGraphLaunch_v10000"; the driver's cuGraphLaunch inside it is the same launch.
  return activity.kind == GpuActivityKind::kApiCall && activity.name.starts_with("cudaGraphLaunch");
}

std::string GraphNodes::untied_reason() const {
  if (recorded == 0 || (recorded == captured && in_order)) {
    return "";
  }
  if (recorded == captured) {
    return "the nodes of a graph ran in another order than their numbers have: which op a node "
           "runs "
           "is not known";
  }
  return std::to_string(recorded) + " nodes of a graph were recorded and " +
         std::to_string(captured) + " captured: which op a node runs is not known";
}

bool GpuTrace::in_window(const GpuActivity& activity) const {
  return activity.begin_ns < end_ns &&
         (activity.begin_ns >= begin_ns || activity.end_ns > begin_ns);
}

std::int64_t GpuTrace::device_records() const {
  return std::count_if(activities.begin(), activities.end(), [&](const GpuActivity& activity) {
    return occupies_device(activity.kind) && in_window(activity);
  });
}

std::int64_t GpuTrace::op_of(const GpuActivity& activity) const {
  const bool in_graph = activity.graph_node != 0;
  const auto& ties = in_graph ? graph_node_op : correlation_op;
  const auto tie = ties.find(in_graph ? activity.graph_node : activity.correlation);
  return tie != ties.end() ? tie->second : -1;
}

namespace {

/// Whether, in the first launch of a replayed graph, the nodes of each stream begin in the order of
/// their numbers: it is not documented that the numbers grow in the order of capture. Exceptions
/// occur: a profiler may report the launch's stream for the communicating branch, which runs when
/// it can. Unordered numbers would put half of them before their neighbour.
bool runs_in_order(const GpuTrace& trace) {
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> first;  // node: begin, stream
  for (const GpuActivity& activity : trace.activities) {
    if (!occupies_device(activity.kind) || activity.graph_node == 0) {
      continue;
    }
    const std::pair<std::int64_t, std::int64_t> place{activity.begin_ns, activity.stream};
    const auto [known, is_new] = first.emplace(activity.graph_node, place);
    known->second = std::min(known->second, place);
  }
  constexpr double kMaxShareOutOfOrder = 0.2;
  std::map<std::int64_t, std::int64_t> before;  // begin of the node before, by stream
  double elsewhere = 0.0;
  for (const auto& [node, place] : first) {
    const auto& [begin_ns, stream] = place;
    const auto [neighbour, is_new] = before.emplace(stream, begin_ns);
    elsewhere += begin_ns < neighbour->second ? 1.0 : 0.0;
    neighbour->second = begin_ns;
  }
  return elsewhere <= kMaxShareOutOfOrder * static_cast<double>(first.size());
}

}  // namespace

bool tie_graph_nodes(GpuTrace& trace, const std::vector<std::int64_t>& captured_ops) {
  std::set<std::int64_t> nodes;
  for (const GpuActivity& activity : trace.activities) {
    if (occupies_device(activity.kind) && activity.graph_node != 0) {
      nodes.insert(activity.graph_node);
    }
  }
  trace.graph_nodes = {.recorded = static_cast<std::int64_t>(nodes.size()),
                       .captured = static_cast<std::int64_t>(captured_ops.size()),
                       .in_order = runs_in_order(trace)};
  if (nodes.empty() || !trace.graph_nodes.untied_reason().empty()) {
    return false;
  }
  auto op = captured_ops.begin();
  for (const std::int64_t node : nodes) {
    trace.graph_node_op[node] = *op++;
  }
  return true;
}

void tie_calls_within_ops(GpuTrace& trace, std::vector<OpSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const OpSpan& left, const OpSpan& right) {
    return left.begin_ns < right.begin_ns;
  });
  std::set<std::int64_t> untied;
  for (const GpuActivity& activity : trace.activities) {
    if (activity.kind == GpuActivityKind::kKernel && activity.graph_node == 0 &&
        !trace.correlation_op.contains(activity.correlation)) {
      untied.insert(activity.correlation);
    }
  }
  for (const GpuActivity& activity : trace.activities) {
    if (activity.kind != GpuActivityKind::kApiCall || !untied.contains(activity.correlation)) {
      continue;
    }
    const auto next = std::upper_bound(
        spans.begin(), spans.end(), activity.begin_ns, [](auto time, const OpSpan& span) {
          return time < span.begin_ns;
        });
    if (next != spans.begin() && activity.begin_ns < std::prev(next)->end_ns) {
      trace.correlation_op[activity.correlation] = std::prev(next)->op;
    }
  }
}

void move_to_host(GpuTrace& trace, const ProfilerClock& clock) {
  for (GpuActivity& activity : trace.activities) {
    for (std::int64_t* time_ns : {&activity.begin_ns, &activity.end_ns}) {
      *time_ns = *time_ns != 0 ? clock.to_host(*time_ns) : 0;
    }
  }
}

std::int64_t drop_foreign_times(GpuTrace& trace, std::int64_t begin_ns, std::int64_t end_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t dropped = 0;
  std::erase_if(trace.activities, [&](const GpuActivity& activity) {
    const bool foreign = activity.end_ns < activity.begin_ns ||
                         activity.begin_ns < begin_ns - kSecond ||
                         activity.end_ns > end_ns + kSecond;
    const bool unfinished = activity.begin_ns != 0 && activity.end_ns == 0;
    dropped += foreign && !unfinished && occupies_device(activity.kind) ? 1 : 0;
    return foreign;
  });
  trace.dropped += dropped;
  return dropped;
}

GpuTrace read_gpu_trace(const std::filesystem::path& path) {
  GpuTrace trace;
  read_recorded_file(
      path, kTraceFormat, [&trace](const json& object) { trace = trace_from_json(object); });
  return trace;
}

void write_gpu_trace(const std::filesystem::path& path, const GpuTrace& trace) {
  json object{
      {"origin", trace.origin},
      {"trial", trace.trial},
      {"begin_ns", trace.begin_ns},
      {"end_ns", trace.end_ns},
      {"steps", trace.steps},
      {"dropped", trace.dropped},
      {"activities", json::array()},
      {"regions", json::array()},
      {"correlation_op", pairs(trace.correlation_op)},
      {"graph_node_op", pairs(trace.graph_node_op)},
      {"ops", json::array()},
      {"graph_nodes",
       {trace.graph_nodes.recorded, trace.graph_nodes.captured, trace.graph_nodes.in_order}}};
  for (const GpuActivity& activity : trace.activities) {
    object["activities"].push_back(to_json(activity));
  }
  for (const HostRegion& region : trace.regions) {
    object["regions"].push_back({region.name, region.begin_ns, region.end_ns});
  }
  for (const auto& [op, label] : trace.ops) {
    object["ops"].push_back({op, label.name, label.phase});
  }
  write_recorded_file(path, kTraceFormat, std::move(object), -1);
}

}  // namespace dlbench::probes
