// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Recording of streams into graphs, and graphs that run. Each run takes the nodes in another order
// that their edges allow: an edge that is missing shows.
#include "tests/engine/backend/cuda/fake/observer.h"
#include "tests/engine/backend/cuda/fake/runtime.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace dlbench::fake {
namespace {

void add_ancestors(cudaGraphNode_t node, std::set<cudaGraphNode_t>& found) {
  std::vector<cudaGraphNode_t> left{node};
  while (!left.empty()) {
    const cudaGraphNode_t next = left.back();
    left.pop_back();
    if (found.insert(next).second) {
      left.insert(left.end(), next->after.begin(), next->after.end());
    }
  }
}

/// Whether what all streams recorded comes before the end of the origin's.
bool is_joined(const Capture& capture) {
  std::set<cudaGraphNode_t> before;
  for (const cudaGraphNode_t node : capture.ends.at(capture.origin)) {
    add_ancestors(node, before);
  }
  return std::all_of(capture.ends.begin(), capture.ends.end(), [&](const auto& end) {
    return std::all_of(end.second.begin(), end.second.end(), [&](cudaGraphNode_t node) {
      return before.contains(node);
    });
  });
}

/// Frees its streams, and forgets it; the graph is left to the caller.
void end(const std::shared_ptr<Capture>& capture) {
  for (const auto& stream : runtime().streams) {
    if (stream->capture == capture) {
      stream->capture.reset();
    }
  }
  std::erase(runtime().captures, capture);
}

cudaError_t end_capture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  const cudaStream_t known = known_stream(stream);
  if (known == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  const std::shared_ptr<Capture> capture = known->capture;
  if (capture == nullptr) {
    return cudaErrorIllegalState;
  }
  if (capture->origin != stream) {
    return cudaErrorStreamCaptureUnmatched;
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id()) {
    return cudaErrorStreamCaptureWrongThread;
  }
  end(capture);
  if (capture->invalid) {
    return cudaErrorStreamCaptureInvalidated;
  }
  if (!is_joined(*capture)) {
    return cudaErrorStreamCaptureUnjoined;
  }
  *graph = capture->graph.release();
  return cudaSuccess;
}

/// Some order that the edges allow.
std::vector<std::size_t> some_order(const CUgraphExec_st& graph) {
  static std::minstd_rand random(1);
  std::vector<std::size_t> missing(graph.nodes.size());
  std::vector<std::vector<std::size_t>> next(graph.nodes.size());
  std::vector<std::size_t> ready;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    missing[node] = graph.nodes[node].after.size();
    for (const cudaGraphNode_t before : graph.nodes[node].after) {
      next[graph.place.at(before)].push_back(node);
    }
    if (missing[node] == 0) {
      ready.push_back(node);
    }
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const std::size_t node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (const std::size_t behind : next[node]) {
      if (--missing[behind] == 0) {
        ready.push_back(behind);
      }
    }
  }
  return order;
}

cudaError_t run(const CUgraphExec_st& graph, CUstream_st& stream) {
  if (stream.capture != nullptr) {
    stream.capture->invalid = true;
    return cudaErrorNotSupported;  // a graph inside of a recording
  }
  if (graph.device != stream.device) {
    return cudaErrorInvalidResourceHandle;
  }
  for (const std::size_t index : some_order(graph)) {
    const CUgraphNode_st& node = graph.nodes[index];
    if (node.type != cudaGraphNodeTypeEventRecord) {
      const std::uint64_t id = (std::uint64_t{graph.id} << 32) | (index + 1);
      const int priority = graph.keeps_priorities ? node.priority : stream.priority;
      stream.queue->push({.work = observed(node.work, node.label, stream, priority, graph.id, id)});
      continue;
    }
    if (known_event(node.event) == nullptr) {
      return cudaErrorInvalidValue;
    }
    auto mark = std::make_shared<Mark>();
    node.event->mark = mark;
    node.event->capture.reset();
    stream.queue->push({.work = [mark] { mark->reach(); }, .on_failed_device = true});
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t refuse_unsafe_call() {
  const auto lock = lock_runtime();
  cudaError_t status = cudaSuccess;
  for (const auto& capture : runtime().captures) {
    if (capture->mode == cudaStreamCaptureModeGlobal ||
        (capture->mode == cudaStreamCaptureModeThreadLocal &&
         capture->thread == std::this_thread::get_id())) {
      capture->invalid = true;
      status = cudaErrorStreamCaptureUnsupported;
    }
  }
  return status;
}

cudaError_t refuse_while_device_records(int device) {
  const auto lock = lock_runtime();
  cudaError_t status = refuse_unsafe_call();
  for (const auto& capture : runtime().captures) {
    if (capture->origin->device == device) {
      capture->invalid = true;
      status = cudaErrorStreamCaptureUnsupported;
    }
  }
  return status;
}

}  // namespace dlbench::fake

// NOLINTNEXTLINE(google-build-using-namespace): all that follows are functions of C, outside of it.
using namespace dlbench::fake;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const Call call("cudaStreamBeginCapture");
  const auto lock = lock_runtime();
  if (device_failure() != cudaSuccess) {
    return answer(device_failure());
  }
  if (stream == nullptr) {
    return answer(cudaErrorStreamCaptureUnsupported);
  }
  if (known_stream(stream) == nullptr || stream->capture != nullptr) {
    return answer(stream->capture != nullptr ? cudaErrorIllegalState
                                             : cudaErrorInvalidResourceHandle);
  }
  auto capture = std::make_shared<Capture>();
  capture->graph = std::make_unique<CUgraph_st>();
  ++runtime().last_graph_id;
  capture->origin = stream;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->ends[stream] = {};
  stream->capture = capture;
  runtime().captures.push_back(std::move(capture));
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const auto lock = lock_runtime();
  return answer(end_capture(stream, graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     cudaStreamCaptureStatus* status,
                                     unsigned long long* id,
                                     cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
  const auto lock = lock_runtime();
  const cudaStream_t known = known_stream(stream);
  if (known == nullptr || (edges != nullptr && dependencies == nullptr)) {
    return answer(cudaErrorInvalidValue);
  }
  *status = cudaStreamCaptureStatusNone;
  if (known->capture == nullptr) {
    return answer(device_failure());
  }
  Capture& capture = *known->capture;
  *status = capture.invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  const std::vector<cudaGraphNode_t>& ends = capture.ends[known];
  if (id != nullptr) {
    *id = reinterpret_cast<std::uintptr_t>(&capture);
  }
  if (graph != nullptr) {
    *graph = capture.graph.get();
  }
  if (dependencies != nullptr) {
    *dependencies = ends.data();
  }
  if (edges != nullptr) {
    static const std::vector<cudaGraphEdgeData> plain(1024);
    *edges = plain.data();
  }
  if (count != nullptr) {
    *count = ends.size();
  }
  return answer(device_failure());
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* /*edges*/,
                                                std::size_t count,
                                                unsigned flags) {
  const auto lock = lock_runtime();
  const cudaStream_t known = known_stream(stream);
  if (known == nullptr || known->capture == nullptr || known->capture->invalid) {
    return answer(cudaErrorIllegalState);
  }
  auto& ends = known->capture->ends[known];
  if (flags == cudaStreamSetCaptureDependencies) {
    ends.clear();
  }
  ends.insert(ends.end(), dependencies, dependencies + count);
  return cudaSuccess;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node,
                             cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData* /*edges*/,
                             std::size_t count,
                             cudaGraphNodeParams* parameters) {
  const auto lock = lock_runtime();
  if (parameters->type != cudaGraphNodeTypeEventRecord) {
    return answer(cudaErrorNotSupported);
  }
  if (known_event(parameters->eventRecord.event) == nullptr) {
    return answer(cudaErrorInvalidValue);
  }
  auto made = std::make_unique<CUgraphNode_st>();
  made->type = parameters->type;
  made->event = parameters->eventRecord.event;
  made->after.assign(dependencies, dependencies + count);
  *node = made.get();
  graph->nodes.push_back(std::move(made));
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const auto lock = lock_runtime();
  if (nodes != nullptr) {
    *count = std::min(*count, graph->nodes.size());
    std::transform(graph->nodes.begin(),
                   graph->nodes.begin() + static_cast<std::ptrdiff_t>(*count),
                   nodes,
                   [](const auto& node) { return node.get(); });
  } else {
    *count = graph->nodes.size();
  }
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = node->type;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made,
                                 cudaGraph_t graph,
                                 unsigned long long flags) {
  const Call call("cudaGraphInstantiate");
  const auto lock = lock_runtime();
  if (device_failure() != cudaSuccess || refuse_unsafe_call() != cudaSuccess) {
    return answer(device_failure() != cudaSuccess ? device_failure()
                                                  : cudaErrorStreamCaptureUnsupported);
  }
  if (!setting().graphs) {
    return answer(cudaErrorNotSupported);
  }
  *made = new CUgraphExec_st;
  (*made)->device = current_device();
  (*made)->id = ++runtime().last_graph_id;
  (*made)->keeps_priorities = (flags & cudaGraphInstantiateFlagUseNodePriority) != 0;
  for (const auto& node : graph->nodes) {
    (*made)->place[node.get()] = (*made)->nodes.size();
    (*made)->nodes.push_back(*node);
  }
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t /*graph*/, cudaStream_t stream) {
  const Call call("cudaGraphUpload");
  const auto lock = lock_runtime();
  return answer(known_stream(stream) == nullptr ? cudaErrorInvalidResourceHandle
                                                : device_failure());
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t graph,
                                                 cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  const Call call("cudaGraphExecEventRecordNodeSetEvent");
  const auto lock = lock_runtime();
  const auto found = graph->place.find(node);
  if (found == graph->place.end() || known_event(event) == nullptr ||
      graph->nodes[found->second].type != cudaGraphNodeTypeEventRecord) {
    return answer(cudaErrorInvalidValue);
  }
  graph->nodes[found->second].event = event;
  return answer(device_failure());
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  const Call call("cudaGraphLaunch");
  const auto lock = lock_runtime();
  if (device_failure() != cudaSuccess) {
    return answer(device_failure());
  }
  const cudaStream_t known = known_stream(stream);
  return answer(known == nullptr ? cudaErrorInvalidResourceHandle : run(*graph, *known));
}

// What is on its way keeps all that it needs.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
