// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/lifeline.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <memory>
#include <vector>

namespace dlbench::harness {
namespace {

/// A process that holds a lifeline until it is killed.
class Holder {
 public:
  Holder() {
    std::array<int, 2> ready{};
    EXPECT_EQ(pipe(ready.data()), 0);
    pid_ = fork();
    if (pid_ == 0) {
      const Lifeline lifeline;
      const int file = lifeline.file();
      static_cast<void>(!write(ready[1], &file, sizeof file));
      for (;;) {
        pause();
      }
    }
    EXPECT_EQ(read(ready[0], &file_, sizeof file_), static_cast<ssize_t>(sizeof file_));
    close(ready[0]);
    close(ready[1]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { end(); }

  /// The sentinel's end.
  [[nodiscard]] int open() const { return open_lifeline(pid_, file_); }

  void end() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
      pid_ = 0;
    }
  }

 private:
  pid_t pid_ = 0;
  int file_ = -1;
};

bool is_closed(int end) {
  pollfd look{.fd = end, .events = POLLIN, .revents = 0};
  poll(&look, 1, 0);
  return (look.revents & POLLHUP) != 0;
}

TEST(Lifeline, IsClosedByTheKernelWhenItsProcessIsKilled) {
  Holder holder;
  const int end = holder.open();
  ASSERT_GE(end, 0);
  EXPECT_FALSE(is_closed(end));
  holder.end();
  EXPECT_TRUE(is_closed(end));
  close(end);
}

TEST(Lifeline, TellsTheOrderOfEndsToOneWhoComesLate) {
  constexpr int kRanks = 4;
  const std::array<int, kRanks> order{2, 0, 3, 1};
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  std::vector<std::unique_ptr<Holder>> holders;
  std::vector<int> ends;
  for (int seat = 0; seat < kRanks; ++seat) {
    holders.push_back(std::make_unique<Holder>());
    ends.push_back(holders.back()->open());
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.fd = seat;
    ASSERT_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, ends.back(), &event), 0);
  }
  for (const int seat : order) {
    holders[static_cast<std::size_t>(seat)]->end();
  }
  std::array<epoll_event, kRanks> events{};
  ASSERT_EQ(epoll_wait(epoll, events.data(), kRanks, 0), kRanks);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(events[i].data.fd, order[i]) << i;
  }
  for (const int end : ends) {
    close(end);
  }
  close(epoll);
}

TEST(Lifeline, WithoutAHolderThereIsNone) {
  EXPECT_EQ(open_lifeline(getpid(), -1), -1);
  const int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(open_lifeline(getpid(), other), -1) << "another process took the number";
  close(other);
}

}  // namespace
}  // namespace dlbench::harness
