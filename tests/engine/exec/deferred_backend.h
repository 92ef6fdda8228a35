// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The ref backend behind streams that run nothing when it is enqueued, as a GPU's do. Work runs at
// the last moment, when somebody waits for it; on a stream that only copies, at the first one or at
// the last: each shows other waits that were forgotten. Recording and replay work as CUDA graphs
// do. Several threads may wait, as ranks that are threads and their communication do: one works at
// a time.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/host_stream.h"
#include "engine/backend/ref/ref_backend.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::exec::testing {

/// When streams that only copy do so.
enum class Copies : std::uint8_t { kAtFirst, kAtLast };

class DeferredStream final : public backend::Stream {
 public:
  explicit DeferredStream(Copies when = Copies::kAtFirst);

  /// A place in a stream's order.
  struct Point {
    DeferredStream* stream = nullptr;
    bool reached = false;
    std::chrono::steady_clock::time_point time{};
  };
  using Work = std::function<void()>;

  /// Lets the calling thread use streams; it who makes one may. Others are refused.
  static void attach_thread();
  /// Of all streams since the process began.
  [[nodiscard]] static std::int64_t copies_to_device();

  [[nodiscard]] std::unique_ptr<Event> create_event() override;
  void record(Event& event) override;
  void record_time(Event& event) override;
  void wait_for(Event& event) override;
  void synchronize() override;
  void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) override;
  void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) override;
  void copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void fill_zero(std::byte* device, std::size_t bytes) override;
  void convert(const backend::Conversion& conversion) override;
  bool begin_capture() override;
  [[nodiscard]] std::int64_t captured_work() override {
    return static_cast<std::int64_t>(recorded_.size()) - time_places_;
  }
  std::unique_ptr<backend::Replay> end_capture() override;
  void abandon_capture() override;
  /// From now on a kernel that is enqueued while work is recorded fails, as what may not be
  /// recorded does; on all streams.
  static void set_recording_fails(bool on);
  /// From now on the time of events is fake, on all streams: each piece of work takes so long
  /// whatever the host's clock says, and nothing else takes any. Nothing: the host's clock again.
  static void pretend_time(std::optional<std::chrono::nanoseconds> work);
  /// That time so far; 0 where it is the host's.
  [[nodiscard]] static double fake_s();
  /// From now on the launch of a recording fails, on all streams.
  static void set_launching_fails(bool on);

  void enqueue_kernel(Work work);
  /// Runs the next piece of work, whatever it has to wait for first.
  void advance();

 private:
  struct Item {
    std::shared_ptr<Point> after;  ///< null: nothing to wait for
    Work work;                     ///< empty: a place for the time of an event
  };
  class Recording;

  void enqueue(Item item);

  Copies when_;
  std::deque<Item> queue_;
  std::vector<Item> recorded_;
  std::int64_t time_places_ = 0;  ///< among recorded_
  bool recording_ = false;
  bool has_kernels_ = false;
};

class DeferredBackend : public backend::Backend {
 public:
  explicit DeferredBackend(Copies when = Copies::kAtFirst);

  [[nodiscard]] std::string_view name() const override { return "deferred"; }
  /// All of them are one device.
  [[nodiscard]] backend::DeviceInfo device() const override {
    backend::DeviceInfo info = ref_.device();
    info.address = "0000:17:00.0";
    return info;
  }
  [[nodiscard]] bool supports(core::DType dtype, std::string* why) const override {
    return ref_.supports(dtype, why);
  }
  /// Throws core::Error(kRun) beyond what set_free_memory() said.
  [[nodiscard]] std::unique_ptr<backend::Buffer> allocate(std::size_t bytes) override;
  /// By allocate() so far, whether given back or not.
  [[nodiscard]] std::int64_t allocated_bytes() const { return allocated_bytes_; }
  /// Of all devices from now on: what each had to give before its first allocate().
  static void set_free_memory(std::optional<std::int64_t> bytes);
  /// Of steps that all devices lower from now on with tuning: one of their kernels wants that much.
  static void set_tuned_workspace(std::size_t bytes);
  [[nodiscard]] std::optional<std::int64_t> free_memory() const override;
  [[nodiscard]] std::unique_ptr<backend::Stream> create_stream() override {
    return std::make_unique<DeferredStream>(when_);
  }
  [[nodiscard]] core::HostAllocator& host_allocator() override { return ref_.host_allocator(); }
  [[nodiscard]] bool reads_host_memory() const override { return false; }
  void attach_thread() override { DeferredStream::attach_thread(); }
  [[nodiscard]] std::unique_ptr<backend::LoweredGraph> lower(
      const graph::Graph& graph, const backend::LoweringOptions& options) override;

 private:
  Copies when_;
  backend::ref::RefBackend ref_;
  std::int64_t allocated_bytes_ = 0;
};

/// Makes it known as "deferred", the first time.
void register_deferred_backend();

}  // namespace dlbench::exec::testing
