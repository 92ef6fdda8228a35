// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// RunRecord: everything one run claims. The JSON report is its image, member for key; what was not
// measured is empty here and null there, with a reason beside it where one is due. Filling it is
// the harness's work, writing and reading it json_writer.h's and json_reader.h's.
#pragma once

#include "reports/analysis_record.h"
#include "reports/scaling_record.h"
#include "reports/trial_record.h"
#include "reports/value.h"
#include "reports/vocabulary.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {

inline constexpr const char* kSchemaName = "dlbench.report";
inline constexpr std::int64_t kSchemaVersion = 1;

struct BuildRecord {
  std::string type;      ///< CMake's build type
  std::string compiler;  ///< id and version
  std::map<std::string, bool> features;
};

struct ToolRecord {
  std::string version;
  std::string git_commit;  ///< "unknown" when built outside a repository
  BuildRecord build;
};

struct FailureRecord {
  std::int64_t rank = 0;
  std::string host;
  std::string phase;                       ///< e.g. "trial full, repetition 3, step 17"
  std::string op;                          ///< node, call or file; may be empty
  std::optional<std::int64_t> collective;  ///< number of the last one it entered, on several ranks
  std::string detail;
};

/// A trial, probe or validation that belonged to the run and could not be done.
struct SkipRecord {
  std::string what;
  std::string reason;
};

struct RunInfoRecord {
  std::string id;  ///< unique; not derived from host or user names
  std::vector<std::string> command;
  std::string started_at;                  ///< RFC 3339, UTC: 2026-01-31T12:00:00Z
  std::optional<std::string> finished_at;  ///< null while it runs
  RunStatus status = RunStatus::kPartial;
  std::optional<std::int64_t> exit_code;  ///< of the program; null while it runs
  std::uint64_t seed = 1;
  std::optional<FailureRecord> failure;
  std::vector<TaintRecord> taints;
  std::vector<SkipRecord> skipped;
};

struct CpuRecord {
  std::string model;
  std::optional<std::int64_t> sockets;
  std::optional<std::int64_t> cores;    ///< physical, of the host
  std::optional<std::int64_t> threads;  ///< logical, of the host
  std::string isa;                      ///< e.g. avx512_core_bf16
  std::int64_t usable_cores = 0;        ///< that affinity and cgroup leave to the job here
  std::optional<double> cpu_quota;      ///< CPUs' worth of time by cgroup; null: no quota
};

struct GpuRecord {
  std::int64_t index = 0;
  std::string name;
  std::string uuid;
  std::optional<std::int64_t> memory_bytes;
  std::string driver;
  std::string compute_capability;
};

struct HostRecord {
  std::string hostname;
  std::vector<std::int64_t> ranks;
  CpuRecord cpu;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> numa_nodes;
  std::string os;
  std::string kernel;
  std::vector<GpuRecord> gpus;
};

struct SchedulerRecord {
  std::string name;
  std::string job_id;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> tasks;
};

/// The fastest a device goes. Never a default: measured here, or its datasheet's figure.
struct PeakRecord {
  std::string device;
  std::string precision;
  std::optional<double> flop_per_s;
  std::optional<double> memory_bytes_per_s;
  std::string source;                      ///< measured or datasheet
  std::optional<std::string> measured_at;  ///< RFC 3339, UTC; null for a datasheet
  std::optional<std::string> method;       ///< by which loops, with how many threads
};

struct SystemRecord {
  std::vector<HostRecord> hosts;
  std::map<std::string, std::string> libraries;    ///< name -> version
  std::map<std::string, std::string> environment;  ///< allow-listed variables only
  std::optional<SchedulerRecord> scheduler;
  std::vector<PeakRecord> peaks;
};

struct ConfigRecord {
  ValueMap effective;                         ///< every option with its value
  std::map<std::string, std::string> source;  ///< option -> default, file or command_line
};

struct InputRecord {
  std::string name;
  std::string role;  ///< e.g. image, mask, label
  std::string dtype;
  std::vector<std::int64_t> shape;
};

struct OutputRecord {
  std::string name;
  std::vector<std::int64_t> shape;
};

struct PlanRecord {
  std::string mode;  ///< train or evaluate
  std::int64_t batch_size = 0;
  std::string hash;
  std::int64_t nodes = 0;
  std::map<std::string, std::string> conv_algorithms;  ///< node and direction -> algorithm
};

/// Per rank, of one plan: of rank 0's. Null: not planned or not measured.
struct MemoryRecord {
  std::optional<std::int64_t> parameters_bytes;
  std::optional<std::int64_t> gradients_bytes;
  std::optional<std::int64_t> optimizer_bytes;
  std::optional<std::int64_t> activations_bytes;  ///< and, on a device, where inputs are copied to
  std::optional<std::int64_t> workspace_bytes;
  std::optional<std::int64_t> loader_buffers_bytes;
  std::optional<std::int64_t> saved_state_bytes;   ///< the copy that repetitions start from
  std::optional<std::int64_t> planned_peak_bytes;  ///< the sum of all of these
  std::optional<std::int64_t> planned_host_bytes;
  std::optional<std::int64_t> planned_device_bytes;  ///< of it; 0: the step computes on the host
  Measured<std::int64_t> measured_rss_bytes;         ///< resident set after minus before allocation
};

struct WorkloadRecord {
  std::string name;
  std::string task;
  std::string citation;
  ValueMap parameters;
  std::int64_t trainable_parameters = 0;
  std::int64_t buffers = 0;
  std::optional<double> forward_macs_per_sample;
  std::optional<double> training_flop_per_sample;  ///< of a step of all ranks / global_batch_size
  std::vector<InputRecord> inputs;
  std::vector<OutputRecord> outputs;
  std::string loss;
  ValueMap optimizer;  ///< with its "name"
  std::string precision;
  std::int64_t batch_size_per_rank = 0;
  std::int64_t global_batch_size = 0;
  std::string device;
  std::string backend;
  std::vector<PlanRecord> plans;
  MemoryRecord memory;
};

struct DatasetRecord {
  std::string name;
  std::string path;
  std::string origin;  ///< generated or files
  std::string format;
  std::int64_t samples = 0;
  std::optional<std::int64_t> bytes;
  std::string split;
};

struct RunRecord {
  ToolRecord tool;
  RunInfoRecord run;
  SystemRecord system;
  ConfigRecord config;
  std::optional<WorkloadRecord> workload;  ///< null: a command without one, such as comm
  std::optional<DatasetRecord> dataset;
  std::vector<TrialRecord> trials;
  std::optional<AttributionRecord> attribution;  ///< null: the trials it needs did not run
  std::vector<OperatorRecord> operators;
  ValueMap probes;  ///< by name, each with "available" and, where not, "reason"
  std::optional<JobRecord> job;
  std::vector<EpochRecord> history;  ///< of train
  std::vector<ScalingRecord> scaling;
  std::vector<CollectiveRecord> collectives;
};

}  // namespace dlbench::reports
