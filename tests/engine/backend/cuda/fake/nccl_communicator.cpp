// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/nccl_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace dlbench::fake::nccl {
namespace {

/// All that was said, so that what ncclGetLastError returned stays. Leaked: threads of streams may
/// say something while the process ends.
struct Said {
  std::mutex mutex;
  std::deque<std::string> texts;
};
Said& said() {
  static auto* const said = new Said;
  return *said;
}

Faults read_faults() {
  Faults made;
  const char* text = std::getenv("DLBENCH_FAKE_NCCL");
  std::istringstream words(text != nullptr ? text : "");
  for (std::string word; std::getline(words, word, ',');) {
    const std::string name = word.substr(0, word.find('='));
    const std::string value = word.substr(std::min(word.size(), name.size() + 1));
    std::int64_t* const counted = name == "hang"    ? &made.hang
                                  : name == "error" ? &made.error
                                  : name == "stuck" ? &made.stuck
                                                    : nullptr;
    bool* const given = name == "id"         ? &made.id
                        : name == "memalloc" ? &made.memalloc
                        : name == "record"   ? &made.record
                        : name == "nvls"     ? &made.nvls
                                             : nullptr;
    if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos ||
        (counted == nullptr && given == nullptr)) {
      fmt::print(stderr, "DLBENCH_FAKE_NCCL: '{}' is not known\n", word);
      std::exit(64);
    }
    if (counted != nullptr) {
      *counted = std::stoll(value);
    } else {
      *given = value != "0";
    }
  }
  return made;
}

}  // namespace

ncclResult_t say(ncclResult_t result, const std::string& text) {
  fmt::print(stderr, "fake NCCL: {}\n", text);
  const std::scoped_lock lock(said().mutex);
  said().texts.push_back(text);
  return result;
}

const char* last_text() {
  const std::scoped_lock lock(said().mutex);
  return said().texts.empty() ? "" : said().texts.back().c_str();
}

const Faults& faults() {
  static const Faults made = read_faults();
  return made;
}

void check_nvls() {
  const char* enabled = std::getenv("NCCL_NVLS_ENABLE");
  if (!faults().nvls && (enabled == nullptr || std::string_view(enabled) != "0")) {
    throw Refused(ncclInvalidUsage, "NCCL_NVLS_ENABLE is not 0");
  }
}

bool next_is_stuck() {
  static std::atomic<std::int64_t> calls{0};
  return ++calls == faults().stuck;
}

/// Held by work, wherever that is.
class Communicator::Reference {
 public:
  explicit Reference(std::shared_ptr<Communicator> communicator)
      : communicator_(std::move(communicator)) {
    ++communicator_->references_;
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() { --communicator_->references_; }
  [[nodiscard]] Communicator& get() const { return *communicator_; }

 private:
  std::shared_ptr<Communicator> communicator_;
};

Communicator::Communicator(std::unique_ptr<Ranks> ranks, int device, bool blocking)
    : ranks_(std::move(ranks)), device_(device), blocking_(blocking) {}

ncclResult_t Communicator::state() const {
  if (const ncclResult_t error = error_.load(); error != ncclSuccess) {
    return error;
  }
  return in_progress_.load() > 0 ? ncclInProgress : ncclSuccess;
}

void Communicator::fail(ncclResult_t result, const std::string& text) {
  static_cast<void>(say(result, fmt::format("[rank {}] {}", rank(), text)));
  ncclResult_t none = ncclSuccess;
  error_.compare_exchange_strong(none, result);  // the first one stays
}

void Communicator::require_ready(std::string_view call) const {
  const ncclResult_t now = state();
  if (now == ncclInProgress) {
    throw Refused(ncclInvalidUsage,
                  fmt::format("[rank {}] {} while the call before is in progress", rank(), call));
  }
  if (now != ncclSuccess) {
    throw Refused(now, fmt::format("[rank {}] {} after an error", rank(), call));
  }
  if (given_up_.load()) {
    throw Refused(ncclInvalidArgument,
                  fmt::format("[rank {}] {} after ncclCommAbort", rank(), call));
  }
}

void Communicator::require_open() const {
  if (finalized_.load()) {
    throw Refused(ncclInvalidUsage,
                  fmt::format("[rank {}] a collective after ncclCommFinalize", rank()));
  }
}

void Communicator::join_worker() {
  if (worker_.joinable()) {
    worker_.join();
  }
}

void Communicator::start(const std::function<void()>& task,
                         const std::vector<std::shared_ptr<Communicator>>& others) {
  const std::scoped_lock lock(worker_mutex_);
  join_worker();
  std::vector<std::shared_ptr<Communicator>> all = others;
  all.push_back(shared_from_this());
  for (const auto& one : all) {
    ++one->in_progress_;
  }
  worker_ = std::thread([all, task] {
    try {
      static_cast<void>(cudaSetDevice(all.back()->device_));
      task();
    } catch (const Refused& refused) {
      for (const auto& one : all) {
        one->fail(refused.result(), refused.what());
      }
    } catch (const GivenUp&) {  // nobody asks for the state any more
    }
    for (const auto& one : all) {
      --one->in_progress_;
    }
  });
}

void Communicator::in_background_or_here(const std::function<void()>& task) {
  if (!blocking_) {
    return start(task);
  }
  try {
    task();
  } catch (const GivenUp&) {
    throw Refused(ncclInternalError, fmt::format("[rank {}] aborted meanwhile", rank()));
  }
}

void Communicator::connect() {
  in_background_or_here([this] { ranks_->connect(given_up_); });
}

void Communicator::finalize() {
  require_ready("ncclCommFinalize");
  if (finalized_.exchange(true)) {
    throw Refused(ncclInvalidArgument,
                  fmt::format("[rank {}] ncclCommFinalize a second time", rank()));
  }
  in_background_or_here([this] { run_finalize(); });
}

void Communicator::run_finalize() {
  wait_for_work("ncclCommFinalize", given_up_);
  ranks_->finish(given_up_);
}

void Communicator::destroy() {
  require_ready("ncclCommDestroy");
  if (!finalized_.exchange(true)) {
    run_finalize();
  }
  const std::scoped_lock lock(worker_mutex_);
  join_worker();
}

void Communicator::abort() {
  given_up_.store(true, std::memory_order_release);
  {
    const std::scoped_lock lock(worker_mutex_);
    join_worker();
  }
  wait_for_work("ncclCommAbort", std::atomic<bool>(false));
}

void Communicator::wait_for_work(std::string_view call, const std::atomic<bool>& given_up) const {
  const auto begin = std::chrono::steady_clock::now();
  bool warned = false;
  const auto gone = [&] {
    if (!warned && std::chrono::steady_clock::now() - begin > std::chrono::seconds(5)) {
      warned = true;
      static_cast<void>(say(ncclSuccess,
                            fmt::format("[rank {}] {} waits for {} collectives that have not run "
                                        "or are in a graph that was not destroyed",
                                        rank(),
                                        call,
                                        references_.load())));
    }
    return references_.load() == 0;
  };
  if (!wait_until(gone, given_up)) {
    throw GivenUp();
  }
}

void Communicator::wait_for_abort() const {
  static_cast<void>(wait_until([] { return false; }, given_up_));
}

std::function<void()> Communicator::work(const Collective& collective, const Buffers& buffers) {
  const auto reference = std::make_shared<Reference>(shared_from_this());
  return [reference, collective, buffers] { reference->get().run(collective, buffers); };
}

void Communicator::run(const Collective& collective, const Buffers& buffers) {
  static std::atomic<std::int64_t> executed{0};
  if (given_up_.load(std::memory_order_acquire)) {
    return;
  }
  const std::int64_t number = ++executed;
  if (number == faults().hang) {
    return wait_for_abort();
  }
  if (number == faults().error) {
    fail(ncclRemoteError, fmt::format("{}: a remote error was asked for", text_of(collective)));
  }
  if (error_.load() != ncclSuccess) {
    return wait_for_abort();
  }
  if (running_.exchange(true)) {
    fail(ncclInvalidUsage,
         fmt::format("{} runs beside another collective: their streams do not order them",
                     text_of(collective)));
    return wait_for_abort();
  }
  run_alone(collective, buffers);
  running_.store(false);
}

void Communicator::run_alone(const Collective& collective, const Buffers& buffers) {
  try {
    run_collective(collective, buffers, *ranks_, given_up_);
  } catch (const Refused& refused) {
    fail(refused.result(), refused.what());
    wait_for_abort();
  } catch (const GivenUp&) {  // the result may be anything
  }
}

}  // namespace dlbench::fake::nccl
