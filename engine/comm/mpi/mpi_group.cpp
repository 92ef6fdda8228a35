// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Both MPICH and Open MPI busy-wait in blocking calls: with more ranks than cores each step then
// costs a time slice of the scheduler (4 ms), and a waiting rank takes a core from those that work.
// So everything that may wait for others is a non-blocking call that is polled now and then. What
// exists only in blocking form (making groups and windows) follows a barrier, and is brief.
#include "engine/comm/mpi/mpi_group.h"

#include "engine/comm/rank_progress.h"
#include "engine/comm/reduce.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>

namespace dlbench::comm::mpi {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr double kYieldSeconds = 0.005;  // of waiting, before the first sleep
constexpr microseconds kFirstSleep{50};
constexpr microseconds kLongestSleep{5000};
constexpr double kFinishSeconds = 10.0;
constexpr std::size_t kLargestMessage = std::size_t{1} << 30;  // MPI counts are int

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw core::Error(core::ErrorCode::kLibrary, fmt::format("{}: {}", call, text.data()));
}

#define DLBENCH_MPI_CHECK(call) check(call, #call)

/// Waits until `request` is complete. If the wait is given up, the request is left to MPI.
void wait(MPI_Request request, const Waiting& waiting) {
  const auto start = Clock::now();
  auto sleep = kFirstSleep;
  int done = 0;
  for (;;) {
    DLBENCH_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) {
      return;
    }
    check_launch();
    const double waited_s = core::seconds_since(start);
    if (waited_s > waiting.timeout_s) {
      throw core::Error(
          core::ErrorCode::kTimeout,
          fmt::format("{}: waited {:.1f} s in vain for other ranks", waiting.what, waited_s));
    }
    if (waiting.give_up != nullptr && *waiting.give_up) {
      throw core::Error(core::ErrorCode::kRun, fmt::format("{}: given up", waiting.what));
    }
    if (waiting.moving_data || waited_s < kYieldSeconds) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(sleep);
      sleep = std::min(kLongestSleep, sleep * 5 / 4);
    }
  }
}

MPI_Datatype mpi_type(core::DType dtype) {
  switch (dtype) {
    case core::DType::kF32:
      return MPI_FLOAT;
    case core::DType::kF64:
      return MPI_DOUBLE;
    case core::DType::kI32:
      return MPI_INT32_T;
    case core::DType::kI64:
      return MPI_INT64_T;
    case core::DType::kF16:
      return MPI_INT16_T;
    case core::DType::kBF16:
    case core::DType::kU16:
      return MPI_UINT16_T;
    case core::DType::kU8:
    case core::DType::kBool:
      break;
  }
  return MPI_BYTE;
}

/// Called back by MPI with its types: mpi_type() maps f16, bf16 and the others to different ones.
template <ReduceOp Op>
void combine(void* in, void* inout, int* length, MPI_Datatype* type) {
  for (const core::DType dtype : {core::DType::kF32,
                                  core::DType::kF64,
                                  core::DType::kI32,
                                  core::DType::kI64,
                                  core::DType::kF16,
                                  core::DType::kBF16}) {
    if (mpi_type(dtype) == *type) {
      auto* const target = static_cast<std::byte*>(inout);
      const std::array<const std::byte*, 2> sources{target, static_cast<const std::byte*>(in)};
      reduce_elements(sources, {&target, 1}, static_cast<std::size_t>(*length), dtype, Op);
      return;
    }
  }
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Our own operations: MPI has none for 16-bit floats, and its maximum may drop a NaN.
MPI_Op mpi_op(ReduceOp op) {
  static const std::array<MPI_Op, 2> ops = [] {
    std::array<MPI_Op, 2> made{};
    DLBENCH_MPI_CHECK(MPI_Op_create(combine<ReduceOp::kSum>, 1, made.data()));
    DLBENCH_MPI_CHECK(MPI_Op_create(combine<ReduceOp::kMax>, 1, &made[1]));
    return made;
  }();
  return op == ReduceOp::kSum ? ops[0] : ops[1];
}

int count_of(std::size_t count) {
  DLBENCH_CHECK(count <= INT_MAX) << count << " elements in one message";
  return static_cast<int>(count);
}

bool mpi_has_ended() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

class WindowSegments final : public SharedSegments {
 public:
  WindowSegments(MPI_Comm comm, int size, std::size_t bytes) {
    void* own = nullptr;
    DLBENCH_MPI_CHECK(MPI_Win_allocate_shared(
        static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, comm, static_cast<void*>(&own), &window_));
    for (int rank = 0; rank < size; ++rank) {
      MPI_Aint segment_bytes = 0;
      int unit = 0;
      void* address = nullptr;
      DLBENCH_MPI_CHECK(
          MPI_Win_shared_query(window_, rank, &segment_bytes, &unit, static_cast<void*>(&address)));
      addresses_.push_back(static_cast<std::byte*>(address));
    }
  }
  ~WindowSegments() override {
    // Freeing waits for all ranks, so it is not done while an exception propagates.
    if (std::uncaught_exceptions() == 0 && !mpi_has_ended()) {
      MPI_Win_free(&window_);
    }
  }
  [[nodiscard]] const std::vector<std::byte*>& addresses() const override { return addresses_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte*> addresses_;
};

}  // namespace

struct MpiGroup::Handle {
  MPI_Comm comm = MPI_COMM_NULL;
  bool owned = false;
};

MpiGroup::MpiGroup(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {
  DLBENCH_MPI_CHECK(MPI_Comm_rank(handle_->comm, &rank_));
  DLBENCH_MPI_CHECK(MPI_Comm_size(handle_->comm, &size_));
}

MpiGroup::~MpiGroup() {
  if (handle_->owned && std::uncaught_exceptions() == 0 && !mpi_has_ended()) {
    MPI_Comm_free(&handle_->comm);
  }
}

std::unique_ptr<MpiGroup> MpiGroup::start() {
  int provided = MPI_THREAD_SINGLE;
  int started = 0;
  DLBENCH_MPI_CHECK(MPI_Initialized(&started));
  if (started == 0) {
    DLBENCH_MPI_CHECK(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
  } else {
    DLBENCH_MPI_CHECK(MPI_Query_thread(&provided));
  }
  if (provided != MPI_THREAD_MULTIPLE) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      library() + " was built without MPI_THREAD_MULTIPLE, which dlbench needs");
  }
  DLBENCH_MPI_CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  return std::unique_ptr<MpiGroup>(
      new MpiGroup(std::make_unique<Handle>(Handle{.comm = MPI_COMM_WORLD})));
}

void MpiGroup::finish(MpiGroup& world, int exit_code) noexcept {
  if (std::uncaught_exceptions() > 0 || mpi_has_ended()) {
    return;
  }
  try {
    world.barrier({.timeout_s = kFinishSeconds, .what = "end of the program"});
    // Between hosts some versions of MPICH over UCX do not always come back from it.
    const std::jthread limit([exit_code](const std::stop_token& stop) {
      std::mutex mutex;
      std::condition_variable_any wake;
      std::unique_lock lock(mutex);
      wake.wait_for(
          lock, stop, std::chrono::duration<double>(kFinishSeconds), [] { return false; });
      if (!stop.stop_requested()) {
        core::log::warn(
            fmt::format("MPI_Finalize() of {} did not return within {:g} s: ending "
                        "without it, with the results above",
                        library(),
                        kFinishSeconds));
        std::fflush(stdout);
        std::_Exit(exit_code);
      }
    });
    MPI_Finalize();
  } catch (const std::exception& error) {
    core::log::warn(error.what());
  }
}

void MpiGroup::abort(int exit_code) {
  // MPI_Abort() ends the process with exit(), which would run the destructors of static objects
  // while other threads still use them. The handler registered last runs first.
  static int code;
  code = exit_code;
  std::fflush(stdout);
  std::atexit([] { std::_Exit(code); });
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

std::string MpiGroup::library() {
#if defined(OPEN_MPI)
  return fmt::format(
      "Open MPI {}.{}.{}", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
  return "MPICH " MPICH_VERSION;
#else
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return text.data();
#endif
}

std::unique_ptr<MpiGroup> MpiGroup::split(int color, const Waiting& waiting) const {
  barrier(waiting);
  auto handle = std::make_unique<Handle>();
  DLBENCH_MPI_CHECK(
      MPI_Comm_split(handle_->comm, color < 0 ? MPI_UNDEFINED : color, rank_, &handle->comm));
  if (handle->comm == MPI_COMM_NULL) {
    return nullptr;
  }
  handle->owned = true;
  return std::unique_ptr<MpiGroup>(new MpiGroup(std::move(handle)));
}

std::unique_ptr<MpiGroup> MpiGroup::split_by_memory(const Waiting& waiting) const {
  barrier(waiting);
  auto handle = std::make_unique<Handle>();
  DLBENCH_MPI_CHECK(MPI_Comm_split_type(
      handle_->comm, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &handle->comm));
  handle->owned = true;
  return std::unique_ptr<MpiGroup>(new MpiGroup(std::move(handle)));
}

void MpiGroup::barrier(const Waiting& waiting) const {
  MPI_Request request = MPI_REQUEST_NULL;
  DLBENCH_MPI_CHECK(MPI_Ibarrier(handle_->comm, &request));
  wait(request, waiting);
}

void MpiGroup::broadcast(std::span<std::byte> bytes, int root, const Waiting& waiting) const {
  for (std::size_t begin = 0; begin < bytes.size(); begin += kLargestMessage) {
    const std::size_t length = std::min(kLargestMessage, bytes.size() - begin);
    MPI_Request request = MPI_REQUEST_NULL;
    DLBENCH_MPI_CHECK(MPI_Ibcast(
        bytes.data() + begin, count_of(length), MPI_BYTE, root, handle_->comm, &request));
    wait(request, waiting);
  }
}

std::vector<std::string> MpiGroup::gather(const std::string& text, const Waiting& waiting) const {
  int length = count_of(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(size_));
  MPI_Request request = MPI_REQUEST_NULL;
  DLBENCH_MPI_CHECK(
      MPI_Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, handle_->comm, &request));
  wait(request, waiting);

  std::vector<int> begins;
  std::size_t total = 0;
  for (const int each : lengths) {
    begins.push_back(count_of(total));
    total += static_cast<std::size_t>(each);
  }
  std::string all(rank_ == 0 ? total : 0, '\0');
  DLBENCH_MPI_CHECK(MPI_Igatherv(text.data(),
                                 length,
                                 MPI_CHAR,
                                 all.data(),
                                 lengths.data(),
                                 begins.data(),
                                 MPI_CHAR,
                                 0,
                                 handle_->comm,
                                 &request));
  wait(request, waiting);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank_ == 0 && rank < lengths.size(); ++rank) {
    texts.push_back(all.substr(static_cast<std::size_t>(begins[rank]),
                               static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

void MpiGroup::all_reduce(const ReduceRequest& request, const Waiting& waiting) const {
  MPI_Request pending = MPI_REQUEST_NULL;
  DLBENCH_MPI_CHECK(MPI_Iallreduce(MPI_IN_PLACE,
                                   request.data,
                                   count_of(request.count),
                                   mpi_type(request.dtype),
                                   mpi_op(request.op),
                                   handle_->comm,
                                   &pending));
  wait(pending, waiting);
}

/// The begin and the number of elements of each rank's share of `count` elements.
struct MpiGroup::Shares {
  Shares(std::size_t count, int ranks) {
    if (count > INT_MAX) {
      throw core::Error(core::ErrorCode::kUsage,
                        fmt::format("a collective of {} elements between nodes: MPI counts them up "
                                    "to {}; give a smaller size",
                                    count,
                                    INT_MAX));
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const std::size_t begin = share_begin(count, rank, ranks);
      begins.push_back(count_of(begin));
      counts.push_back(count_of(share_begin(count, rank + 1, ranks) - begin));
    }
  }

  std::vector<int> begins;
  std::vector<int> counts;
};

// Not in place: MPICH 4.0.2 would copy between overlapping memory and abort.
void MpiGroup::reduce_scatter(const ReduceRequest& request, const Waiting& waiting) {
  const Shares shares(request.count, size_);
  const auto own = static_cast<std::size_t>(rank_);
  const std::size_t size = core::size_of(request.dtype);
  share_.resize(static_cast<std::size_t>(shares.counts[own]) * size);
  MPI_Request pending = MPI_REQUEST_NULL;
  DLBENCH_MPI_CHECK(MPI_Ireduce_scatter(request.data,
                                        share_.data(),
                                        shares.counts.data(),
                                        mpi_type(request.dtype),
                                        mpi_op(request.op),
                                        handle_->comm,
                                        &pending));
  wait(pending, waiting);
  std::copy(share_.begin(),
            share_.end(),
            request.data + static_cast<std::size_t>(shares.begins[own]) * size);
}

void MpiGroup::all_gather(std::byte* data,
                          std::size_t count,
                          core::DType dtype,
                          const Waiting& waiting) const {
  const Shares shares(count, size_);
  MPI_Request request = MPI_REQUEST_NULL;
  DLBENCH_MPI_CHECK(MPI_Iallgatherv(MPI_IN_PLACE,
                                    0,
                                    MPI_DATATYPE_NULL,
                                    data,
                                    shares.counts.data(),
                                    shares.begins.data(),
                                    mpi_type(dtype),
                                    handle_->comm,
                                    &request));
  wait(request, waiting);
}

std::unique_ptr<SharedSegments> MpiGroup::allocate_shared(std::size_t bytes,
                                                          const Waiting& waiting) const {
  barrier(waiting);
  return std::make_unique<WindowSegments>(handle_->comm, size_, bytes);
}

}  // namespace dlbench::comm::mpi
