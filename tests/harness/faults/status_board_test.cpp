// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/status_board.h"

#include "engine/core/error.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <string>

namespace dlbench::harness {
namespace {

TEST(StatusBoard, IsSharedWithWhoOpensItAndGoneAfterUnlink) {
  const std::unique_ptr<StatusBoard> made = StatusBoard::create();
  const std::string name = made->name();
  const std::unique_ptr<StatusBoard> opened = StatusBoard::open(name);
  made->unlink();
  EXPECT_THROW((void)StatusBoard::open(name), core::Error);
  opened->seat(3).progress.phase.store("trial full, round 2");
  EXPECT_EQ(made->seat(3).progress.phase.load(), "trial full, round 2");
  EXPECT_FALSE(made->node().has_value());
  opened->describe_node({.host = "node7", .ranks = 4});
  EXPECT_EQ(made->node()->ranks, 4);
  EXPECT_EQ(made->node()->host, "node7");
  EXPECT_EQ(made->meeting_place(), "");
  opened->set_meeting_place("secret 4711 10.0.0.1");
  EXPECT_EQ(made->meeting_place(), "secret 4711 10.0.0.1");
}

TEST(StatusBoard, OfAnotherMakerWithTheSameProcessNumberIsLeftAlone) {
  const std::unique_ptr<StatusBoard> one = StatusBoard::create();
  const std::unique_ptr<StatusBoard> other = StatusBoard::create();
  EXPECT_NE(one->name(), other->name());
  StatusBoard::open(one->name())->set_report("one");
  StatusBoard::open(other->name())->set_report("other");
  EXPECT_EQ(one->report(), "one");
  EXPECT_EQ(other->report(), "other");
}

TEST(StatusBoard, OfAKilledMakerIsRemovedByTheNextMaker) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::unique_ptr<StatusBoard> living = StatusBoard::create();
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string name = StatusBoard::create().release()->name();
    static_cast<void>(::write(ends[1], name.data(), name.size()));
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  std::string name(100, '\0');
  name.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], name.data(), 100))));
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_NO_THROW((void)StatusBoard::open(name));
  const std::unique_ptr<StatusBoard> next = StatusBoard::create();
  EXPECT_THROW((void)StatusBoard::open(name), core::Error);
  EXPECT_NO_THROW((void)StatusBoard::open(living->name()));
}

TEST(StatusBoard, TheFirstFaultCounts) {
  const std::unique_ptr<StatusBoard> board = StatusBoard::create();
  EXPECT_FALSE(board->fault().has_value());
  Fault first{.rank = 1, .host = "node7", .phase = "trial io", .op = "barrier", .collective = 17};
  first.detail = "was killed";
  first.code = core::ErrorCode::kRun;
  EXPECT_EQ(board->post(first).rank, 1);
  Fault second{.rank = 0, .host = "node7"};
  second.code = core::ErrorCode::kTimeout;
  const Fault counts = board->post(second);
  EXPECT_EQ(counts.text(), "rank 1 (node7), trial io, barrier: was killed");
  EXPECT_EQ(counts.collective, 17);
  EXPECT_EQ(counts.code, core::ErrorCode::kRun);
}

TEST(StatusBoard, ALossMayBeTheConsequenceOfOneThatNobodyHasLookedAt) {
  const std::unique_ptr<StatusBoard> board = StatusBoard::create();
  BoardSeat& own = board->seat(0);
  BoardSeat& other = board->seat(1);
  own.state.store(SeatState::kRunning);
  other.state.store(SeatState::kRunning);
  own.progress.unseen_loss.store(11);
  for (const std::int64_t unseen : {0, 11, 12}) {
    other.progress.unseen_loss.store(unseen);
    EXPECT_FALSE(board->earlier_loss_unseen(0)) << unseen;
  }
  other.progress.unseen_loss.store(10);
  EXPECT_TRUE(board->earlier_loss_unseen(0));
  EXPECT_FALSE(board->earlier_loss_unseen(1));
  other.state.store(SeatState::kLeft);
  EXPECT_FALSE(board->earlier_loss_unseen(0));
}

TEST(StatusBoard, CutsTextsThatAreTooLong) {
  const std::unique_ptr<StatusBoard> board = StatusBoard::create();
  Fault fault{.rank = 1, .host = "node7", .phase = std::string(500, 'p')};
  fault.detail = std::string(5000, 'd');
  EXPECT_EQ(board->post(fault).phase, std::string(63, 'p'));
  EXPECT_EQ(board->fault()->detail, std::string(1023, 'd'));
  board->set_report(std::string(5000, 'r'));
  EXPECT_EQ(board->report(), "") << "half a path is another file";
}

TEST(StatusBoard, OneRankAnnounces) {
  const std::unique_ptr<StatusBoard> board = StatusBoard::create();
  EXPECT_TRUE(board->may_announce());
  EXPECT_FALSE(board->may_announce());
  EXPECT_FALSE(board->announced()) << "it is still at it";
  board->set_announced();
  EXPECT_TRUE(board->announced());
}

}  // namespace
}  // namespace dlbench::harness
