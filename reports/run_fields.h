// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The second part of the keys of the report: run, system, configuration, workload and the root.
// record_fields.h has those of trials and conclusions and explains the list, scaling_fields.h has
// those of scaling.
#pragma once

#include "reports/record_fields.h"
#include "reports/scaling_fields.h"

namespace dlbench::reports {

template <typename V, MaybeConst<BuildRecord> R>
void fields(V& visit, R& record) {
  visit("type", record.type);
  visit("compiler", record.compiler);
  visit("features", record.features);
}

template <typename V, MaybeConst<ToolRecord> R>
void fields(V& visit, R& record) {
  visit("version", record.version);
  visit("git_commit", record.git_commit);
  visit("build", record.build);
}

template <typename V, MaybeConst<FailureRecord> R>
void fields(V& visit, R& record) {
  visit("rank", record.rank);
  visit("host", record.host);
  visit("phase", record.phase);
  visit("op", record.op);
  visit("collective", record.collective);
  visit("detail", record.detail);
}

template <typename V, MaybeConst<TaintRecord> R>
void fields(V& visit, R& record) {
  visit("code", record.code);
  visit("where", record.where);
  visit("detail", record.detail);
}

template <typename V, MaybeConst<SkipRecord> R>
void fields(V& visit, R& record) {
  visit("what", record.what);
  visit("reason", record.reason);
}

template <typename V, MaybeConst<RunInfoRecord> R>
void fields(V& visit, R& record) {
  visit("id", record.id);
  visit("command", record.command);
  visit("started_at", record.started_at);
  visit("finished_at", record.finished_at);
  visit("status", record.status);
  visit("exit_code", record.exit_code);
  visit("seed", record.seed);
  visit("failure", record.failure);
  visit("taints", record.taints);
  visit("skipped", record.skipped);
}

template <typename V, MaybeConst<CpuRecord> R>
void fields(V& visit, R& record) {
  visit("model", record.model);
  visit("sockets", record.sockets);
  visit("cores", record.cores);
  visit("threads", record.threads);
  visit("isa", record.isa);
  visit("usable_cores", record.usable_cores);
  visit("cpu_quota", record.cpu_quota);
}

template <typename V, MaybeConst<GpuRecord> R>
void fields(V& visit, R& record) {
  visit("index", record.index);
  visit("name", record.name);
  visit("uuid", record.uuid);
  visit("address", record.address);
  visit("memory_bytes", record.memory_bytes);
  visit("driver", record.driver);
  visit("compute_capability", record.compute_capability);
}

template <typename V, MaybeConst<HostRecord> R>
void fields(V& visit, R& record) {
  visit("hostname", record.hostname);
  visit("ranks", record.ranks);
  visit("cpu", record.cpu);
  visit("memory_bytes", record.memory_bytes);
  visit("numa_nodes", record.numa_nodes);
  visit("os", record.os);
  visit("kernel", record.kernel);
  visit("gpus", record.gpus);
}

template <typename V, MaybeConst<SchedulerRecord> R>
void fields(V& visit, R& record) {
  visit("name", record.name);
  visit("job_id", record.job_id);
  visit("nodes", record.nodes);
  visit("tasks", record.tasks);
}

template <typename V, MaybeConst<PeakRecord> R>
void fields(V& visit, R& record) {
  visit("device", record.device);
  visit("precision", record.precision);
  visit("flop_per_s", record.flop_per_s);
  visit("memory_bytes_per_s", record.memory_bytes_per_s);
  visit("source", record.source);
  visit("measured_at", record.measured_at);
  visit("method", record.method);
}

template <typename V, MaybeConst<SystemRecord> R>
void fields(V& visit, R& record) {
  visit("hosts", record.hosts);
  visit("libraries", record.libraries);
  visit("environment", record.environment);
  visit("scheduler", record.scheduler);
  visit("peaks", record.peaks);
}

template <typename V, MaybeConst<ConfigRecord> R>
void fields(V& visit, R& record) {
  visit("effective", record.effective);
  visit("source", record.source);
}

template <typename V, MaybeConst<InputRecord> R>
void fields(V& visit, R& record) {
  visit("name", record.name);
  visit("role", record.role);
  visit("dtype", record.dtype);
  visit("shape", record.shape);
}

template <typename V, MaybeConst<OutputRecord> R>
void fields(V& visit, R& record) {
  visit("name", record.name);
  visit("shape", record.shape);
}

template <typename V, MaybeConst<PlanRecord> R>
void fields(V& visit, R& record) {
  visit("mode", record.mode);
  visit("batch_size", record.batch_size);
  visit("hash", record.hash);
  visit("nodes", record.nodes);
  visit("conv_algorithms", record.conv_algorithms);
}

template <typename V, MaybeConst<MemoryRecord> R>
void fields(V& visit, R& record) {
  visit("parameters_bytes", record.parameters_bytes);
  visit("gradients_bytes", record.gradients_bytes);
  visit("optimizer_bytes", record.optimizer_bytes);
  visit("activations_bytes", record.activations_bytes);
  visit("workspace_bytes", record.workspace_bytes);
  visit("planned_peak_bytes", record.planned_peak_bytes);
  visit("planned_host_bytes", record.planned_host_bytes);
  visit("planned_device_bytes", record.planned_device_bytes);
  visit("loader_buffers_bytes", record.loader_buffers_bytes);
  visit("saved_state_bytes", record.saved_state_bytes);
  visit("measured_rss_bytes", record.measured_rss_bytes);
}

template <typename V, MaybeConst<WorkloadRecord> R>
void fields(V& visit, R& record) {
  visit("name", record.name);
  visit("task", record.task);
  visit("citation", record.citation);
  visit("parameters", record.parameters);
  visit("trainable_parameters", record.trainable_parameters);
  visit("buffers", record.buffers);
  visit("forward_macs_per_sample", record.forward_macs_per_sample);
  visit("training_flop_per_sample", record.training_flop_per_sample);
  visit("inputs", record.inputs);
  visit("outputs", record.outputs);
  visit("loss", record.loss);
  visit("optimizer", record.optimizer);
  visit("precision", record.precision);
  visit("batch_size_per_rank", record.batch_size_per_rank);
  visit("global_batch_size", record.global_batch_size);
  visit("device", record.device);
  visit("device_address", record.device_address);
  visit("device_uuid", record.device_uuid);
  visit("backend", record.backend);
  visit("plans", record.plans);
  visit("memory", record.memory);
}

template <typename V, MaybeConst<DatasetRecord> R>
void fields(V& visit, R& record) {
  visit("name", record.name);
  visit("path", record.path);
  visit("origin", record.origin);
  visit("format", record.format);
  visit("samples", record.samples);
  visit("bytes", record.bytes);
  visit("split", record.split);
}

template <typename V, MaybeConst<RunRecord> R>
void fields(V& visit, R& record) {
  visit("tool", record.tool);
  visit("run", record.run);
  visit("attribution", record.attribution);
  visit("attribution_reason", record.attribution_reason);
  visit("system", record.system);
  visit("config", record.config);
  visit("workload", record.workload);
  visit("dataset", record.dataset);
  visit("trials", record.trials);
  visit("operators", record.operators);
  visit("probes", record.probes);
  visit("job", record.job);
  visit("history", record.history);
  visit("scaling", record.scaling);
  visit("collectives", record.collectives);
}

}  // namespace dlbench::reports
