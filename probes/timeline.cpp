// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/timeline.h"

#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "probes/chrome_trace.h"
#include "probes/registry.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <iterator>
#include <mutex>
#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

constexpr std::size_t kEventsPerChunk = 8192;
constexpr std::size_t kMaxChunks = Timeline::kMaxEvents / kEventsPerChunk;
constexpr std::size_t kMaxDepth = 64;

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

struct OpenRegion {
  core::trace::Category category;
  std::int64_t id;
  std::int64_t begin_ns;
};

struct Chunk {
  std::array<TraceEvent, kEventsPerChunk> events;
};

/// The regions of one track. Only its owner thread appends; any thread may read the first count()
/// events, which never change again.
class Track {
 public:
  Track(int number, std::size_t max_events) : number_(number), max_events_(max_events) {}

  void begin(const core::trace::RegionInfo& region) {
    if (depth_ < kMaxDepth) {
      stack_[depth_] = {region.category, region.id, core::steady_ns()};
    }
    ++depth_;
  }

  void end(const core::trace::RegionInfo& region) {
    const std::int64_t end_ns = core::steady_ns();
    if (depth_ == 0) {
      drop();
      return;
    }
    --depth_;
    if (depth_ >= kMaxDepth) {
      drop();
      return;
    }
    const OpenRegion& open = stack_[depth_];
    append(TraceEvent{
        intern(region.name), core::trace::name(open.category), open.id, open.begin_ns, end_ns});
  }

  [[nodiscard]] std::size_t count() const { return count_.load(std::memory_order_acquire); }
  [[nodiscard]] std::int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  [[nodiscard]] const TraceEvent& event(std::size_t index) const {
    return chunks_[index / kEventsPerChunk]->events[index % kEventsPerChunk];
  }
  [[nodiscard]] int number() const { return number_; }

  /// The name and whether a living thread owns the track: guarded by the recorder's mutex.
  std::string name;
  bool owned = true;

 private:
  /// Returns a copy of `name` that lives as long as the track, because plans and loaders may be
  /// gone when the trace is written.
  std::string_view intern(std::string_view text) {
    const auto found = names_.find(text);
    return found != names_.end() ? *found : *names_.emplace(text).first;
  }

  void append(const TraceEvent& event) {
    const std::size_t index = count_.load(std::memory_order_relaxed);
    if (index >= max_events_) {
      drop();
      return;
    }
    const std::size_t chunk = index / kEventsPerChunk;
    if (chunks_[chunk] == nullptr) {
      chunks_[chunk] = std::make_unique<Chunk>();
    }
    chunks_[chunk]->events[index % kEventsPerChunk] = event;
    count_.store(index + 1, std::memory_order_release);
  }

  void drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }

  int number_;
  std::size_t max_events_;
  std::size_t depth_ = 0;
  std::array<OpenRegion, kMaxDepth> stack_{};
  std::array<std::unique_ptr<Chunk>, kMaxChunks> chunks_{};
  std::unordered_set<std::string, StringHash, std::equal_to<>> names_;
  std::atomic<std::size_t> count_{0};
  std::atomic<std::int64_t> dropped_{0};
};

}  // namespace

/// All tracks. Threads hold it by shared_ptr, so they may outlive the timeline.
class Timeline::Recorder : public std::enable_shared_from_this<Timeline::Recorder> {
 public:
  explicit Recorder(std::size_t max_events) : max_events_(max_events) {
    DLBENCH_CHECK(max_events <= kMaxEvents) << max_events;
  }

  /// Returns the calling thread's track, made on first use.
  Track& track() {
    Held& held = held_by_this_thread();
    if (held.recorder.get() != this) {
      held.attach(shared_from_this(), add_track());
    }
    return *held.track;
  }

  /// Names the calling thread's track; continues the track of an ended thread of this name if the
  /// caller has recorded nothing yet.
  void name_thread(std::string_view name) {
    Track& mine = track();
    const std::lock_guard lock(mutex_);
    if (mine.count() == 0 && mine.name.empty()) {
      for (const auto& other : tracks_) {
        if (!other->owned && other->name == name) {
          other->owned = true;
          mine.owned = false;  // stays empty and unnamed: not written
          held_by_this_thread().track = other.get();
          return;
        }
      }
    }
    mine.name = name;
  }

  void count_failure() { failures_.fetch_add(1, std::memory_order_relaxed); }

  [[nodiscard]] std::int64_t recorded() const {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const auto& track : tracks_) {
      sum += track->count();
    }
    return static_cast<std::int64_t>(sum);
  }

  [[nodiscard]] std::int64_t dropped() const {
    const std::lock_guard lock(mutex_);
    std::int64_t sum = failures_.load(std::memory_order_relaxed);
    for (const auto& track : tracks_) {
      sum += track->dropped();
    }
    return sum;
  }

  /// Returns copies of all events, one entry per track that has any.
  [[nodiscard]] std::vector<TraceTrack> copy() const {
    const std::lock_guard lock(mutex_);
    std::vector<TraceTrack> result;
    for (const auto& track : tracks_) {
      const std::size_t count = track->count();
      if (count == 0) {
        continue;
      }
      TraceTrack copied{track->number(), track->name, {}};
      copied.events.reserve(count);
      for (std::size_t index = 0; index < count; ++index) {
        copied.events.push_back({track->event(index)});
      }
      result.push_back(std::move(copied));
    }
    return result;
  }

  std::int64_t origin_ns = core::steady_ns();

 private:
  /// A thread's track, which is given back when the thread ends.
  struct Held {
    std::shared_ptr<Recorder> recorder;
    Track* track = nullptr;

    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { release(); }

    void attach(std::shared_ptr<Recorder> new_recorder, Track* new_track) {
      release();
      recorder = std::move(new_recorder);
      track = new_track;
    }
    void release() {
      if (recorder != nullptr) {
        const std::lock_guard lock(recorder->mutex_);
        track->owned = false;
      }
    }
  };

  static Held& held_by_this_thread() {
    thread_local Held held;
    return held;
  }

  Track* add_track() {
    const std::lock_guard lock(mutex_);
    tracks_.push_back(std::make_unique<Track>(static_cast<int>(tracks_.size()) + 1, max_events_));
    return tracks_.back().get();
  }

  std::size_t max_events_;  // of a track
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Track>> tracks_;
  std::atomic<std::int64_t> failures_{0};
};

Timeline::Timeline(std::size_t max_events) : recorder_(std::make_shared<Recorder>(max_events)) {}
Timeline::~Timeline() = default;

const ProbeSpec& Timeline::spec() const {
  static const ProbeSpec spec{"timeline",
                              "every region of every thread, for a Chrome trace",
                              {},
                              {{"recorded_events", "", "regions recorded in the whole run"},
                               {"dropped_events", "", "regions that did not fit"}}};
  return spec;
}

std::string Timeline::open(const ProbeOptions& /*options*/) {
  recorder_->origin_ns = core::steady_ns();
  return {};
}

void Timeline::begin_trial(std::string_view /*trial*/) noexcept {}
void Timeline::end_trial() noexcept {}

ProbeValues Timeline::collect(std::string_view /*trial*/) const {
  return ProbeValues{true,
                     {},
                     {{"recorded_events", static_cast<double>(recorded_events()), {}},
                      {"dropped_events", static_cast<double>(dropped_events()), {}}}};
}

void Timeline::write(const std::filesystem::path& path, int rank, DeviceTracks device) const {
  ChromeTrace trace{
      rank, recorder_->origin_ns, dropped_events(), recorder_->copy(), std::move(device.counters)};
  std::move(device.streams.begin(), device.streams.end(), std::back_inserter(trace.tracks));
  write_chrome_trace(path, std::move(trace));
}

std::int64_t Timeline::dropped_events() const { return recorder_->dropped(); }
std::int64_t Timeline::recorded_events() const { return recorder_->recorded(); }

// A region that cannot be recorded for lack of memory is only counted.
void Timeline::begin(const core::trace::RegionInfo& region) noexcept {
  try {
    recorder_->track().begin(region);
  } catch (const std::bad_alloc&) {
    recorder_->count_failure();
  }
}

void Timeline::end(const core::trace::RegionInfo& region) noexcept {
  try {
    recorder_->track().end(region);
  } catch (const std::bad_alloc&) {
    recorder_->count_failure();
  }
}

void Timeline::name_thread(std::string_view name) noexcept {
  try {
    recorder_->name_thread(name);
  } catch (const std::bad_alloc&) {
    recorder_->count_failure();
  }
}

// Device probes handle device graphs; the timeline shows the host.
void Timeline::map_captured_node(std::uint64_t /*captured_node*/, std::int64_t /*op_id*/) noexcept {
}

namespace {

const ProbeRegistration kTimelineRegistration("timeline",
                                              [] { return std::make_unique<Timeline>(); });

}  // namespace
}  // namespace dlbench::probes
