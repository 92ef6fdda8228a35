// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Records as the header of CUPTI lays them out, one behind the other in a buffer.
#include "probes/cupti/activity_records.h"

#include "probes/gpu/gpu_trace.h"

#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

template <typename Record>
Record record_of(CUpti_ActivityKind kind) {
  Record record;
  std::memset(&record, 0, sizeof record);
  record.kind = kind;
  return record;
}

class Records {
 public:
  template <typename Record>
  void add(const Record& record) {
    static_assert(sizeof(Record) % sizeof(std::uint64_t) == 0);
    const std::size_t end = words_.size();
    words_.resize(end + sizeof(Record) / sizeof(std::uint64_t));
    std::memcpy(words_.data() + end, &record, sizeof(Record));
  }

  [[nodiscard]] GpuTrace read() {
    GpuTrace trace;
    append_activity_records(reinterpret_cast<std::uint8_t*>(words_.data()),
                            words_.size() * sizeof(std::uint64_t),
                            trace);
    EXPECT_EQ(trace.dropped, 0);
    return trace;
  }

 private:
  std::vector<std::uint64_t> words_;
};

std::vector<std::string> names_in(const GpuTrace& trace) {
  std::vector<std::string> names;
  for (const GpuActivity& activity : trace.activities) {
    names.push_back(activity.name);
  }
  return names;
}

TEST(ActivityRecords, ACopyHasItsBytesAndItsTimes) {
  auto copy = record_of<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  copy.bytes = 4096;
  copy.start = 100;
  copy.end = 250;
  copy.streamId = 7;
  copy.correlationId = 9;
  copy.graphNodeId = 11;
  Records records;
  records.add(copy);
  const GpuTrace trace = records.read();
  ASSERT_THAT(trace.activities, SizeIs(1));
  const GpuActivity& read = trace.activities.front();
  EXPECT_EQ(read.kind, GpuActivityKind::kCopy);
  EXPECT_EQ(read.name, "device_to_host");
  EXPECT_EQ(read.bytes, 4096);
  EXPECT_EQ(read.begin_ns, 100);
  EXPECT_EQ(read.end_ns, 250);
  EXPECT_EQ(read.stream, 7);
  EXPECT_EQ(read.correlation, 9);
  EXPECT_EQ(read.graph_node, 11);
}

TEST(ActivityRecords, CopiesAreNamedByTheirTwoEnds) {
  Records records;
  for (const int kind : {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
                         CUPTI_ACTIVITY_MEMCPY_KIND_DTOH,
                         CUPTI_ACTIVITY_MEMCPY_KIND_DTOD,
                         CUPTI_ACTIVITY_MEMCPY_KIND_PTOP,
                         CUPTI_ACTIVITY_MEMCPY_KIND_HTOH,
                         CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN}) {
    auto copy = record_of<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
    copy.copyKind = static_cast<std::uint8_t>(kind);
    records.add(copy);
  }
  auto between = record_of<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  between.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  between.bytes = 512;
  records.add(between);
  const GpuTrace trace = records.read();
  EXPECT_THAT(names_in(trace),
              ElementsAre("host_to_device",
                          "device_to_host",
                          "device_to_device",
                          "peer_to_peer",
                          "host_to_host",
                          "unknown",
                          "peer_to_peer"));
  EXPECT_EQ(trace.activities.back().bytes, 512);
}

TEST(ActivityRecords, OnlyWaitsOfTheHostAreKept) {
  Records records;
  for (const CUpti_ActivitySynchronizationType type :
       {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE,
        CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT,
        CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE,
        CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE}) {
    auto wait = record_of<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
    wait.type = type;
    records.add(wait);
  }
  EXPECT_THAT(names_in(records.read()), ElementsAre("event", "stream", "context"));
}

TEST(ActivityRecords, AnExternalIdTiesACallToItsOp) {
  auto tie = record_of<CUpti_ActivityExternalCorrelation>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  tie.correlationId = 7;
  tie.externalId = 3;
  auto kernel = record_of<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  kernel.correlationId = 7;
  kernel.name = "kernel";
  Records records;
  records.add(tie);
  records.add(kernel);
  const GpuTrace trace = records.read();
  ASSERT_THAT(trace.activities, SizeIs(1));
  EXPECT_EQ(trace.op_of(trace.activities.front()), 3);
}

// Of a graph's launch the work may have the correlation of another launch.
TEST(LaunchingCalls, OfAGraphAreKeptWithoutWork) {
  GpuTrace trace;
  const auto call = [&](const char* name, std::int64_t correlation) {
    trace.activities.push_back(
        {.kind = GpuActivityKind::kApiCall, .name = name, .correlation = correlation});
  };
  call("cudaLaunchKernel", 1);
  call("cudaEventQuery", 2);
  call("cudaGraphLaunch_v10000", 3);
  trace.activities.push_back({.name = "kernel", .correlation = 1});
  keep_launching_calls(trace);
  EXPECT_THAT(names_in(trace), ElementsAre("cudaLaunchKernel", "cudaGraphLaunch_v10000", "kernel"));
}

TEST(ActivityRecords, WhatIsBehindAnInvalidOneIsLostAndSaidSo) {
  struct Buffer {
    CUpti_ActivityMemset4 first;
    CUpti_ActivityMemset4 second;
  };
  const auto read = [](const auto& prepare) {
    alignas(ACTIVITY_RECORD_ALIGNMENT) Buffer buffer{};
    for (CUpti_ActivityMemset4* fill : {&buffer.first, &buffer.second}) {
      fill->kind = CUPTI_ACTIVITY_KIND_MEMSET;
    }
    prepare(buffer);
    GpuTrace trace;
    append_activity_records(reinterpret_cast<std::uint8_t*>(&buffer), sizeof buffer, trace);
    return trace;
  };
  const GpuTrace whole = read([](Buffer&) {});
  EXPECT_EQ(whole.activities.size(), 2U);
  EXPECT_EQ(whole.dropped, 0);
  const GpuTrace broken =
      read([](Buffer& buffer) { buffer.second.kind = CUPTI_ACTIVITY_KIND_INVALID; });
  EXPECT_EQ(broken.activities.size(), 1U);
  EXPECT_GE(broken.dropped, 1);
  EXPECT_LE(broken.dropped, max_records_in(sizeof(Buffer)));
}

// Else a buffer of which nearly all is lost would count as one that lacks a record.
TEST(ActivityRecords, AreLostAsOftenAsTheRestOfTheBufferMayHaveThem) {
  constexpr std::size_t kTies = 1000;
  std::vector<CUpti_ActivityExternalCorrelation> ties(
      kTies,
      record_of<CUpti_ActivityExternalCorrelation>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
  const auto dropped = [&](std::size_t first_bad) {
    ties[first_bad].kind = CUPTI_ACTIVITY_KIND_INVALID;
    GpuTrace trace;
    append_activity_records(
        reinterpret_cast<std::uint8_t*>(ties.data()), kTies * sizeof(ties[0]), trace);
    return trace.dropped;
  };
  EXPECT_EQ(dropped(kTies - 1), 1);
  EXPECT_EQ(dropped(100), 900);
  EXPECT_EQ(dropped(0), 1000);
}

}  // namespace
}  // namespace dlbench::probes
