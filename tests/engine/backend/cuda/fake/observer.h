// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a profiler sees of the fake device: calls of the host and work of the device. Names no
// library, so that what stands for CUPTI may include it. Without an observer a call costs one load
// and one branch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace dlbench::fake {

enum class WorkKind : std::uint8_t { kKernel, kCopy, kMemset, kNone };
enum class CopyKind : std::uint8_t { kHostToDevice, kDeviceToHost, kDeviceToDevice };

/// A piece of the device's work, whenever and however often it runs.
struct WorkLabel {
  WorkKind kind = WorkKind::kNone;  ///< kNone: no profiler has a record of it
  std::string name;                 ///< of a kernel, as a compiler mangles it
  CopyKind copy = CopyKind::kHostToDevice;
  bool pinned = false;  ///< the host's side of a copy
  std::size_t bytes = 0;
};

/// One run of it.
struct ObservedWork {
  WorkLabel label;
  int device = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;  ///< of the call that launched it
  int priority = 0;               ///< the lower, the sooner
  std::uint32_t graph = 0;        ///< 0: no graph did
  std::uint64_t graph_node = 0;
  std::atomic<std::int64_t> begin_ns{0};  ///< of the steady clock; 0: not yet
  std::atomic<std::int64_t> end_ns{0};
};
using ObservedWorkPtr = std::shared_ptr<ObservedWork>;

enum class Api : std::uint8_t { kRuntime, kDriver };
enum class Wait : std::uint8_t { kNone, kEvent, kStream, kDevice, kStreamForEvent, kEventQuery };

struct HostCall {
  const char* name = "";  ///< "cudaLaunchKernel"
  Api api = Api::kRuntime;
  Wait wait = Wait::kNone;
  std::uint32_t correlation = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int status = 0;  ///< a cudaError_t, where the call says more than success
};

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// On the thread of the call, with the runtime locked.
  virtual void enqueued(const ObservedWorkPtr& work) = 0;
  /// On the thread of the stream, also when the observer is no longer installed.
  virtual void done(const ObservedWorkPtr& work) = 0;
  /// On the thread of the call, when it returns.
  virtual void called(const HostCall& call) = 0;
};

/// Leaves the one before; `next` lives as long as the process.
void set_observer(Observer* next);
[[nodiscard]] Observer* observer();

/// A call of the API from here to the end of the scope. Calls inside of it are its own affair.
class Call {
 public:
  explicit Call(const char* name, Wait wait = Wait::kNone, Api api = Api::kRuntime);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  void set_status(int status) { call_.status = status; }
  /// Of the thread's outermost call; 0: nobody observes.
  [[nodiscard]] static std::uint32_t correlation();

 private:
  Observer* observer_ = nullptr;  ///< null: nobody observes, or inside of another call
  HostCall call_;
};

/// The driver's context of a device, and back; -1: it is none.
[[nodiscard]] void* context_of(int device);
[[nodiscard]] int device_of_context(const void* context);

}  // namespace dlbench::fake
