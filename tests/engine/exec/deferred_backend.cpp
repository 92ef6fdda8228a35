// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/exec/deferred_backend.h"

#include "engine/backend/backend_list.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>

namespace dlbench::exec::testing {
namespace {

std::atomic<std::int64_t> copies = 0;  // to the device

// What is waited for on one stream may run work of others: all of it under one lock.
std::recursive_mutex device;

bool recording_fails = false;
bool launching_fails = false;
thread_local bool attached = false;  // what CUDA calls the current device
std::optional<std::int64_t> free_bytes;
std::size_t tuned_workspace = 0;
std::optional<std::chrono::nanoseconds> work_time;  // fake
std::chrono::nanoseconds worked{0};                 // since it is

std::chrono::steady_clock::time_point device_time() {
  return work_time.has_value() ? std::chrono::steady_clock::time_point(worked)
                               : std::chrono::steady_clock::now();
}

class DeferredEvent final : public backend::Stream::Event {
 public:
  void wait() override {
    const std::scoped_lock lock(device);
    DLBENCH_CHECK(attached) << "a thread that is not attached";
    DLBENCH_CHECK(point != nullptr) << "waiting for an event never recorded";
    while (!point->reached) {
      point->stream->advance();
    }
  }
  [[nodiscard]] bool done() override {
    const std::scoped_lock lock(device);
    return point != nullptr && point->reached;
  }
  [[nodiscard]] double seconds_since(const Event& earlier) const override {
    const std::scoped_lock lock(device);
    const auto& other = dynamic_cast<const DeferredEvent&>(earlier);
    DLBENCH_CHECK(point->reached && other.point->reached) << "time of an event not reached";
    return std::chrono::duration<double>(point->time - other.point->time).count();
  }

  std::shared_ptr<DeferredStream::Point> point;
};

class DeferredKernel final : public backend::Kernel {
 public:
  explicit DeferredKernel(std::unique_ptr<backend::Kernel> inner) : inner_(std::move(inner)) {}
  void bind(const backend::SlotTable& slots, std::byte* scratch) override {
    inner_->bind(slots, scratch);
  }
  void run(backend::Stream& stream) override {
    dynamic_cast<DeferredStream&>(stream).enqueue_kernel([this] { inner_->run(host_); });
  }

 private:
  std::unique_ptr<backend::Kernel> inner_;
  backend::HostStream host_;
};

}  // namespace

class DeferredStream::Recording final : public backend::Replay {
 public:
  Recording(DeferredStream& stream, std::vector<Item> items)
      : stream_(stream), items_(std::move(items)) {}
  void launch(std::span<backend::Stream::Event* const> times) override {
    if (launching_fails) {
      throw core::Error(core::ErrorCode::kRun, "no launch");
    }
    auto time = times.begin();
    for (const Item& item : items_) {
      if (item.work) {
        stream_.enqueue(item);
      } else {
        DLBENCH_CHECK(time != times.end()) << "fewer events than places";
        stream_.record(**time++);
      }
    }
    DLBENCH_CHECK(time == times.end()) << "more events than places";
  }

 private:
  DeferredStream& stream_;
  std::vector<Item> items_;
};

DeferredStream::DeferredStream(Copies when) : when_(when) { attach_thread(); }

void DeferredStream::attach_thread() { attached = true; }

std::unique_ptr<backend::Stream::Event> DeferredStream::create_event() {
  return std::make_unique<DeferredEvent>();
}

void DeferredStream::record(Event& event) {
  auto point = std::make_shared<Point>(Point{.stream = this});
  const std::scoped_lock lock(device);
  dynamic_cast<DeferredEvent&>(event).point = point;
  enqueue({nullptr, [point] {
             point->reached = true;
             point->time = device_time();
           }});
}

void DeferredStream::record_time(Event& event) {
  if (recording_) {
    recorded_.push_back({nullptr, {}});
    ++time_places_;
  } else {
    record(event);
  }
}

void DeferredStream::wait_for(Event& event) {
  const std::scoped_lock lock(device);
  auto point = dynamic_cast<DeferredEvent&>(event).point;
  DLBENCH_CHECK(point != nullptr) << "waiting for an event never recorded";
  enqueue({point, [] {}});
}

void DeferredStream::synchronize() {
  const std::scoped_lock lock(device);
  DLBENCH_CHECK(!recording_) << "synchronised while recording";
  while (!queue_.empty()) {
    advance();
  }
}

std::int64_t DeferredStream::copies_to_device() { return copies; }

void DeferredStream::pretend_time(std::optional<std::chrono::nanoseconds> work) {
  const std::scoped_lock lock(device);
  work_time = work;
  worked = std::chrono::nanoseconds(0);
}

double DeferredStream::fake_s() {
  const std::scoped_lock lock(device);
  return std::chrono::duration<double>(worked).count();
}

void DeferredStream::copy_to_device(std::byte* to, const std::byte* host, std::size_t bytes) {
  ++copies;
  copy_on_device(to, host, bytes);
}

void DeferredStream::copy_to_host(std::byte* host, const std::byte* from, std::size_t bytes) {
  copy_on_device(host, from, bytes);
}

void DeferredStream::copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) {
  enqueue({nullptr, [=] {
             if (bytes > 0) {
               std::memcpy(to, from, bytes);
             }
           }});
}

void DeferredStream::fill_zero(std::byte* to, std::size_t bytes) {
  enqueue({nullptr, [=] {
             if (bytes > 0) {
               std::memset(to, 0, bytes);
             }
           }});
}

void DeferredStream::convert(const backend::Conversion& conversion) {
  enqueue_kernel([conversion] { backend::HostStream().convert(conversion); });
}

bool DeferredStream::begin_capture() {
  recording_ = true;
  recorded_.clear();
  time_places_ = 0;
  return true;
}

std::unique_ptr<backend::Replay> DeferredStream::end_capture() {
  recording_ = false;
  return std::make_unique<Recording>(*this, std::move(recorded_));
}

void DeferredStream::abandon_capture() {
  recording_ = false;
  recorded_.clear();
}

void DeferredStream::set_recording_fails(bool on) { recording_fails = on; }

void DeferredStream::set_launching_fails(bool on) { launching_fails = on; }

void DeferredStream::enqueue_kernel(Work work) {
  const std::scoped_lock lock(device);
  if (recording_ && recording_fails) {
    throw core::Error(core::ErrorCode::kLibrary, "not permitted while a stream is recorded");
  }
  has_kernels_ = true;
  enqueue({nullptr, std::move(work)});
}

void DeferredStream::enqueue(Item item) {
  const std::scoped_lock lock(device);
  DLBENCH_CHECK(attached) << "a thread that is not attached";
  if (recording_) {
    recorded_.push_back(std::move(item));
    return;
  }
  queue_.push_back(std::move(item));
  while (when_ == Copies::kAtFirst && !has_kernels_ && !queue_.empty() &&
         (queue_.front().after == nullptr || queue_.front().after->reached)) {
    advance();
  }
}

void DeferredStream::advance() {
  DLBENCH_CHECK(!queue_.empty()) << "waiting for what was never enqueued";
  const Item item = std::move(queue_.front());
  queue_.pop_front();
  while (item.after != nullptr && !item.after->reached) {
    item.after->stream->advance();
  }
  item.work();
  worked += work_time.value_or(std::chrono::nanoseconds(0));
}

void DeferredBackend::set_free_memory(std::optional<std::int64_t> bytes) { free_bytes = bytes; }

std::optional<std::int64_t> DeferredBackend::free_memory() const { return free_bytes; }

void DeferredBackend::set_tuned_workspace(std::size_t bytes) { tuned_workspace = bytes; }

std::unique_ptr<backend::Buffer> DeferredBackend::allocate(std::size_t bytes) {
  allocated_bytes_ += static_cast<std::int64_t>(bytes);
  if (free_bytes.has_value() && allocated_bytes_ > *free_bytes) {
    throw core::Error(core::ErrorCode::kRun, "the device has no memory left");
  }
  return ref_.allocate(bytes);
}

DeferredBackend::DeferredBackend(Copies when) : when_(when), ref_({.threads = 1}) {}

std::unique_ptr<backend::LoweredGraph> DeferredBackend::lower(
    const graph::Graph& graph, const backend::LoweringOptions& options) {
  auto lowered = ref_.lower(graph, options);
  if (options.autotune && !lowered->nodes.empty()) {
    std::size_t& scratch = lowered->nodes.front().scratch_bytes;
    scratch = std::max(scratch, tuned_workspace);
  }
  for (backend::LoweredNode& node : lowered->nodes) {
    if (node.kernel != nullptr) {
      node.kernel = std::make_unique<DeferredKernel>(std::move(node.kernel));
    }
  }
  return lowered;
}

void register_deferred_backend() {
  static std::once_flag once;
  std::call_once(once, [] {
    backend::register_backend(
        {.name = "deferred",
         .priority = -1,
         .unavailable_reason = [] { return std::string(); },
         .create = [](const backend::BackendOptions&) -> std::unique_ptr<backend::Backend> {
           return std::make_unique<DeferredBackend>();
         }});
  });
}

}  // namespace dlbench::exec::testing
