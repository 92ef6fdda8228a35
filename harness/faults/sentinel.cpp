// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/sentinel.h"

#include "engine/core/atomic_file.h"
#include "engine/core/clock.h"
#include "harness/faults/lifeline.h"
#include "harness/faults/node_link.h"
#include "harness/faults/process_state.h"
#include "harness/utc_time.h"
#include "probes/node/system_info.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::harness {
namespace {

constexpr int kMeetIntervalMs = 20;  // until the ranks have met: they wait for it
constexpr int kLookIntervalMs = 250;
constexpr int kDismissMs = 1000;
constexpr double kGraceS = 4.5;    // after a fault, for the ranks to end by themselves
constexpr double kClosingS = 1.0;  // from the close of a process's files to its end, at most
// Time in which other nodes may report earlier faults. Libraries that miss a partner abort(), and
// take their time to do so.
constexpr double kTellDelayS = 0.5;
constexpr double kTellDelayOfAbortS = 2.0;

/// The sentinel's work after the fork.
class Sentinel {
 public:
  Sentinel(StatusBoard& board, pid_t starter, int dismissal, const HangLimits& limits)
      : board_(board),
        starter_(starter),
        dismissal_(dismissal),
        rule_(limits),
        epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

  void run() {
    const int starter = open_process(starter_);
    if (epoll_ < 0 || starter < 0) {
      return;
    }
    add(starter, kStarter);
    add(dismissal_, kDismissal);
    while (!board_.node().has_value()) {
      for (const std::uint64_t event : wait(kMeetIntervalMs)) {
        if (event == kStarter) {
          board_.unlink();  // it ended before the ranks had met
        }
        return;
      }
    }
    epoll_ctl(epoll_, EPOLL_CTL_DEL, starter, nullptr);
    close(starter);
    node_ = *board_.node();
    open_ranks();
    open_link();
    while (alive_ > 0) {
      for (const std::uint64_t event :
           wait(link_ && !linked_ ? kMeetIntervalMs : kLookIntervalMs)) {
        if (event == kDismissal) {
          return;
        }
        // In the kernel's order: what is noticed first is the cause.
        if (event == kOtherNodes) {
          hear_other_nodes();
        } else {
          note(event);
        }
      }
      settle();
      hear_other_nodes();
      look();
      act();
    }
    act();
  }

 private:
  static constexpr std::uint64_t kStarter = UINT64_MAX;
  static constexpr std::uint64_t kDismissal = UINT64_MAX - 1;
  static constexpr std::uint64_t kOtherNodes = UINT64_MAX - 2;
  static constexpr std::uint64_t kClosing = 1ULL << 32U;  // with an index: its lifeline is closed
  struct Watched {
    int handle = -1;
    bool gone = false;   // its process
    bool ended = false;  // and that was judged
    double closed_s = 0.0;
  };

  void add(int handle, std::uint64_t index) const {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.u64 = index;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, handle, &event);
  }

  // Returns the events in order, even if this process was late, because the kernel queues them.
  [[nodiscard]] std::vector<std::uint64_t> wait(int interval_ms) const {
    std::array<epoll_event, StatusBoard::kSeats> events{};
    const int count = epoll_wait(epoll_, events.data(), StatusBoard::kSeats, interval_ms);
    std::vector<std::uint64_t> indices;
    indices.reserve(static_cast<std::size_t>(std::max(0, count)));
    for (int i = 0; i < count; ++i) {
      indices.push_back(events[static_cast<std::size_t>(i)].data.u64);
    }
    return indices;
  }

  void open_ranks() {
    watched_.resize(static_cast<std::size_t>(node_.ranks));
    alive_ = watched_.size();
    for (std::size_t index = 0; index < watched_.size(); ++index) {
      watched_[index].handle = open_process(pid(index));
      if (const int end = open_lifeline(pid(index), seat(index).lifeline.load()); end >= 0) {
        add(end, kClosing | index);
      }
      if (watched_[index].handle >= 0) {
        add(watched_[index].handle, index);
      } else {
        watched_[index].gone = true;
      }
    }
  }

  void open_link() {
    if (node_.nodes == 1) {
      return;
    }
    link_.emplace(
        node_,
        NodeLink::Options{.epoll = epoll_, .event = kOtherNodes, .silence_s = rule_.patience_s(0)});
    if (node_.node == 0) {
      board_.set_meeting_place(link_->listen());
    }
  }

  void hear_other_nodes() {
    if (!link_.has_value()) {
      return;
    }
    Fault place{.rank = node_.first_rank, .host = node_.host};
    describe_place(seat(0).progress, place);
    if (!signs_.empty() && all_stopped(signs_)) {
      place.detail = NodeLink::kStopped;
    }
    if (node_.node == 0) {
      linked_ = linked_ || link_->linked() == node_.nodes - 1;
    } else if (const std::string meeting = board_.meeting_place(); !linked_ && !meeting.empty()) {
      linked_ = true;
      // If it fails, faults elsewhere end these ranks through their collectives, and rank 0 warns.
      static_cast<void>(link_->connect(meeting, place));
    }
    if (const std::optional<Fault> fault = link_->exchange(core::steady_seconds(), place)) {
      if (!heard_.has_value() || fault->noticed_s < heard_->noticed_s) {
        heard_ = fault;
      }
      if (node_.node == 0) {
        link_->tell(*fault);
      }
      board_.post(*fault);
    }
    board_.set_linked(link_->linked());
  }

  void note(std::uint64_t event) {
    Watched& rank = watched_[event & ~kClosing];
    if ((event & kClosing) != 0) {
      rank.closed_s = core::steady_seconds();
      closing_.push_back(event & ~kClosing);
    } else {
      rank.gone = true;
    }
  }

  // Judges the ranks that are gone, in the order of their ends.
  void settle() {
    for (; !closing_.empty(); closing_.pop_front()) {
      const std::size_t first = closing_.front();
      if (watched_[first].gone) {
        on_end(first);
      } else if (seat(first).state.load() == SeatState::kRunning &&
                 core::steady_seconds() < watched_[first].closed_s + kClosingS) {
        return;  // it is about to be gone
      }
    }
    for (std::size_t index = 0; index < watched_.size(); ++index) {
      if (watched_[index].gone) {
        on_end(index);
      }
    }
  }

  [[nodiscard]] BoardSeat& seat(std::size_t index) const {
    return board_.seat(static_cast<int>(index));
  }
  [[nodiscard]] pid_t pid(std::size_t index) const {
    return static_cast<pid_t>(seat(index).pid.load());
  }

  void on_end(std::size_t index) {
    if (watched_[index].ended) {
      return;
    }
    watched_[index].ended = true;
    --alive_;
    if (seat(index).state.load() == SeatState::kRunning) {
      const double closed_s = watched_[index].closed_s;
      const ProcessEnd end = process_end(watched_[index].handle, pid(index));
      post(index,
           end.code,
           fmt::format("its process {} {}{}", pid(index), end.how, out_of_memory()),
           closed_s > 0.0 ? core::steady_seconds() - closed_s : 0.0);
    }
  }

  /// Says whether the kernel has killed for lack of memory in the ranks' control group, which the
  /// signal does not reveal.
  [[nodiscard]] std::string out_of_memory() const {
    const std::int64_t kills = probes::own_oom_kills().value_or(0) - oom_kills_;
    return kills > 0 ? fmt::format(
                           "; its control group ran out of memory, and the kernel killed {} "
                           "of its processes",
                           kills)
                     : "";
  }

  /// `ago_s`: how long ago it happened. Posts even with a fault of another node: times tell which
  /// came first, and one node may hear of the consequence before another one sees the cause.
  void post(std::size_t index, core::ErrorCode code, const std::string& detail, double ago_s) {
    Fault fault{.rank = seat(index).rank.load(), .host = node_.host};
    fault.detail = detail;
    fault.code = code;
    fault.noticed_s = Fault::now_s() - ago_s;
    describe_place(seat(index).progress, fault);
    board_.post(fault);
    if (!found_.has_value()) {
      found_ = fault;
      if (link_.has_value()) {
        link_->tell(fault);
      }
    }
  }

  void look() {
    if (board_.fault().has_value()) {
      return;
    }
    signs_.resize(watched_.size());
    for (std::size_t index = 0; index < watched_.size(); ++index) {
      signs_[index] = sign(index);
    }
    const bool others_run = link_.has_value() && link_->others_run();
    if (const std::optional<Hang> hang = rule_.look(core::steady_seconds(), signs_, others_run)) {
      post(hang->index, core::ErrorCode::kTimeout, hang->why, 0.0);
    }
  }

  [[nodiscard]] RankSign sign(std::size_t index) const {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const comm::RankProgress& progress = seat(index).progress;
    const char state = process_state(pid(index));
    return {.ended = watched_[index].ended || seat(index).state.load() == SeatState::kLeft,
            .stopped = state == 'T',
            .traced = state == 't',
            .beats = progress.beats.load(kRelaxed) + progress.collective_beats.load(kRelaxed),
            .stepping = progress.stepping.load(kRelaxed) != 0,
            .first_step = progress.first_step.load(kRelaxed) != 0,
            .waits = progress.awaits_message.load(kRelaxed) != 0 ||
                     progress.in_collective.load(kRelaxed) != 0,
            .waits_for_device = progress.awaits_device.load(kRelaxed) != 0,
            .collectives = progress.collectives.load(kRelaxed),
            .longest_step_s = 1e-9 * static_cast<double>(progress.longest_step_ns.load(kRelaxed))};
  }

  // After a fault, gives the ranks time to end, then kills them; reports it if rank 0 is gone.
  void act() {
    const std::optional<Fault> fault = board_.fault();
    if (!fault.has_value()) {
      return;
    }
    fault_s_ = fault_s_.value_or(core::steady_seconds());
    if (link_.has_value() && !found_.has_value() && !heard_.has_value()) {
      found_ = fault;  // a rank has told of it
      link_->tell(*fault);
    }
    if (core::steady_seconds() - *fault_s_ > kGraceS) {
      for (const Watched& each : watched_) {
        if (!each.ended) {
          kill_process(each.handle);
        }
      }
    }
    if (!report_named_ && speaks_for_rank_0()) {
      report_named_ = true;
      if (!board_.concluded()) {
        name_in_report(*fault);
      }
    }
  }

  // Its own node's sentinel does, or that of the next node if the whole node is gone.
  [[nodiscard]] bool speaks_for_rank_0() const {
    return node_.node == 0 ? watched_[0].ended
                           : node_.node == 1 && link_->lost_center() && alive_ == 0;
  }

  // Rank 0 may have been killed because a rank of another node died earlier.
  void name_in_report(Fault fault) {
    const std::string path = board_.report();
    if (path.empty()) {
      return;
    }
    try {
      const bool aborted = fault.detail.ends_with("SIGABRT");
      hear_before(fault.noticed_s, aborted ? kTellDelayOfAbortS : kTellDelayS);
      for (const std::optional<Fault>& other : {found_, heard_}) {
        if (other.has_value() && other->noticed_s < fault.noticed_s) {
          fault = *other;
        }
      }
      if (node_.node == 0) {
        core::remove_temporaries(path, seat(0).temporary_token.load());
      }
      harness::name_in_report(fault, path);
    } catch (const std::exception&) {
      // There is nobody left to inform. The report of the last repetition stays as it is.
    }
  }

  // Waits up to `time_s` for reports of faults before `noticed_s`.
  void hear_before(double noticed_s, double time_s) {
    const double end_s = core::steady_seconds() + time_s;
    while (link_.has_value() && (!heard_.has_value() || heard_->noticed_s >= noticed_s) &&
           core::steady_seconds() < end_s) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      hear_other_nodes();
    }
  }

  StatusBoard& board_;
  pid_t starter_;
  int dismissal_;
  HangRule rule_;
  std::int64_t oom_kills_ = probes::own_oom_kills().value_or(0);  // before this run
  int epoll_;
  std::vector<Watched> watched_;
  std::deque<std::size_t> closing_;  // indices in the order in which their files were closed
  std::vector<RankSign> signs_;
  std::size_t alive_ = 0;
  NodeFacts node_;
  std::optional<NodeLink> link_;  ///< with other nodes
  bool linked_ = false;           ///< they were all there once, or this node has tried
  std::optional<Fault> found_;    ///< the first one here
  std::optional<Fault> heard_;    ///< the earliest of theirs
  std::optional<double> fault_s_;
  bool report_named_ = false;
};

// Detaches from the launch: no pipe, socket, terminal or signal of it may depend on this process.
// Returns the one file that it keeps.
int detach(int dismissal) {
  setsid();
  prctl(PR_SET_NAME, "dlbench-sentinel");
  for (const int signal_number : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE}) {
    std::signal(signal_number, SIG_IGN);
  }
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    dup2(nothing, standard);
  }
  const int kept = dup2(dismissal, STDERR_FILENO + 1);
  close_range(static_cast<unsigned>(kept) + 1, UINT_MAX, 0);
  return kept;
}

}  // namespace

StartedSentinel start_sentinel(StatusBoard& board, const HangLimits& limits) {
  const pid_t starter = getpid();
  const int dismissal = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (dismissal < 0) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      "cannot start a sentinel: " + core::errno_text(errno));
  }
  static_cast<void>(utc_now());  // one clock for what both write into the report
  const pid_t child = fork();
  if (child < 0) {
    close(dismissal);
    throw core::Error(core::ErrorCode::kUnavailable,
                      "cannot start a sentinel: " + core::errno_text(errno));
  }
  if (child == 0) {
    try {
      Sentinel(board, starter, detach(dismissal), limits).run();
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  return {.pid = child, .dismissal = dismissal};
}

void dismiss_sentinel(const StartedSentinel& sentinel) {
  eventfd_write(sentinel.dismissal, 1);
  close(sentinel.dismissal);
  if (const int handle = open_process(sentinel.pid); handle >= 0) {
    pollfd end{.fd = handle, .events = POLLIN, .revents = 0};
    poll(&end, 1, kDismissMs);
    close(handle);
  }
  kill(sentinel.pid, SIGKILL);
  waitpid(sentinel.pid, nullptr, 0);
}

}  // namespace dlbench::harness
