// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/node_link.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace dlbench::harness {
namespace {

using std::chrono::milliseconds;

Fault place_of(int node) {
  Fault place{.rank = 4 * node, .host = "node" + std::to_string(node), .phase = "trial full"};
  place.op = "all_reduce (collective 17)";
  place.collective = 17;
  return place;
}

Fault fault_of(int node, double noticed_s) {
  Fault fault = place_of(node);
  fault.detail = "its process 7\twas killed\nby SIGKILL";
  fault.code = core::ErrorCode::kTimeout;
  fault.told_by_rank = true;
  fault.noticed_s = noticed_s;
  return fault;
}

/// The sentinels of a launch, with a clock that only the test moves.
class NodeLinks : public testing::Test {
 protected:
  static constexpr int kNodes = 3;

  void SetUp() override {
    for (int node = 0; node < kNodes; ++node) {
      links_.push_back(std::make_unique<NodeLink>(
          NodeFacts{.host = "node" + std::to_string(node), .node = node, .nodes = kNodes},
          NodeLink::Options{.silence_s = 6.0}));
    }
    meeting_place_ = center().listen();
    ASSERT_FALSE(meeting_place_.empty());
    for (int node = 1; node < kNodes; ++node) {
      while_center_answers([&] {
        EXPECT_TRUE(
            links_.at(static_cast<std::size_t>(node))->connect(meeting_place_, place_of(node)));
      });
    }
    ASSERT_EQ(center().linked(), kNodes - 1);
  }

  NodeLink& center() { return *links_.front(); }

  std::optional<Fault> exchange(int node) {
    return links_.at(static_cast<std::size_t>(node))->exchange(now_s_, place_of(node));
  }

  /// Loopback is fast, not instant.
  std::optional<Fault> hear(int node) {
    for (int look = 0; look < 1000; ++look) {
      if (std::optional<Fault> fault = exchange(node)) {
        return fault;
      }
      std::this_thread::sleep_for(milliseconds(1));
    }
    return std::nullopt;
  }

  /// A while in which anything sent arrives.
  void hear_nothing(int node) {
    for (int look = 0; look < 20; ++look) {
      EXPECT_FALSE(exchange(node).has_value());
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

  /// What the center says after seven seconds in which only node 2 gave signs.
  std::optional<Fault> miss_node_1() {
    for (int second = 0; second < 7; ++second) {
      EXPECT_FALSE(exchange(0).has_value());
      EXPECT_FALSE(exchange(2).has_value());
      std::this_thread::sleep_for(milliseconds(5));
      now_s_ += 1.0;
    }
    return hear(0);
  }

  void while_center_answers(const std::function<void()>& work) {
    const std::jthread answering([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        EXPECT_FALSE(exchange(0).has_value());
        std::this_thread::sleep_for(milliseconds(1));
      }
    });
    work();
  }

  /// A socket that is connected with the center, without a NodeLink.
  [[nodiscard]] int connected() const {
    std::istringstream words(meeting_place_);
    std::string secret;
    in_port_t port = 0;
    words >> secret >> port;
    const int stranger = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = loopback(port);
    EXPECT_EQ(connect(stranger, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return stranger;
  }

  /// Connects likewise and sends this; what came back until the center hung up, or until
  /// `enough` of it.
  std::string answer_to(std::string_view says, std::size_t enough) {
    const int stranger = connected();
    EXPECT_EQ(send(stranger, says.data(), says.size(), MSG_NOSIGNAL), std::ssize(says));
    std::string answer(enough, ' ');
    while_center_answers([&] {
      const ssize_t count = recv(stranger, answer.data(), enough, MSG_WAITALL);
      answer.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    });
    close(stranger);
    return answer;
  }

  static sockaddr_in loopback(in_port_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  [[nodiscard]] std::string secret() const {
    return meeting_place_.substr(0, meeting_place_.find(' '));
  }

  std::vector<std::unique_ptr<NodeLink>> links_;
  std::string meeting_place_;
  double now_s_ = 100.0;
};

TEST_F(NodeLinks, AFaultReachesAllNodesByWayOfTheCenter) {
  links_[2]->tell(fault_of(2, 1700000000.25));
  const std::optional<Fault> heard = hear(0);
  ASSERT_TRUE(heard.has_value());
  EXPECT_EQ(heard->text(),
            "rank 8 (node2), trial full, all_reduce (collective 17): its process 7 was killed by "
            "SIGKILL");
  EXPECT_EQ(heard->collective, 17);
  EXPECT_EQ(heard->code, core::ErrorCode::kTimeout);
  EXPECT_TRUE(heard->told_by_rank);
  EXPECT_DOUBLE_EQ(heard->noticed_s, 1700000000.25);
  hear_nothing(1);
  center().tell(*heard);
  EXPECT_EQ(hear(1)->text(), heard->text());
}

TEST_F(NodeLinks, ANodeThatTakesItsLeaveIsNotMissed) {
  links_[1].reset();
  hear_nothing(0);
  EXPECT_EQ(center().linked(), 1);
  links_[0].reset();
  hear_nothing(2);
  EXPECT_FALSE(links_[2]->lost_center());
}

TEST_F(NodeLinks, ASilentNodeIsGone) {
  const std::optional<Fault> fault = miss_node_1();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(
      fault->text(),
      "rank 4 (node1), trial full, all_reduce (collective 17): its whole node is gone: no sign "
      "of life from it for 7.0 s");
  EXPECT_EQ(fault->code, core::ErrorCode::kRun);
  EXPECT_GT(fault->noticed_s, 1.7e9);
  EXPECT_EQ(center().linked(), 1) << "of it no second fault";
}

TEST_F(NodeLinks, APhaseIsToldBeforeTheNextSignIsDue) {
  hear_nothing(1);
  Fault place = place_of(1);
  place.phase = "trial io";
  now_s_ += 0.3;
  EXPECT_FALSE(links_[1]->exchange(now_s_, place).has_value());
  const std::optional<Fault> fault = miss_node_1();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->phase, "trial io");
}

TEST_F(NodeLinks, ANodeOfStoppedRanksIsTold) {
  const auto stop = [&](int node) {
    Fault place = place_of(node);
    place.detail = NodeLink::kStopped;
    now_s_ += 0.3;  // before the next sign is due
    EXPECT_FALSE(links_.at(static_cast<std::size_t>(node))->exchange(now_s_, place).has_value());
    hear_nothing(0);
  };
  hear_nothing(0);
  EXPECT_TRUE(center().others_run());
  stop(1);
  EXPECT_TRUE(center().others_run()) << "those of node 2";
  stop(2);
  EXPECT_FALSE(center().others_run());
  hear_nothing(1);
  EXPECT_TRUE(links_[1]->others_run()) << "the center's";
}

TEST_F(NodeLinks, NobodyIsMissedAfterTheMachineSlept) {
  hear_nothing(0);
  now_s_ += 10000.0;
  hear_nothing(0);
}

TEST_F(NodeLinks, ANodeThatBreaksOffIsGone) {
  const std::string hello =
      "hello\t" + secret() + "\t2\nalive\t0\t8\t5\t0\t17\t0\tnode2\ttrial io\tafter barrier\t\n";
  EXPECT_EQ(answer_to(hello, 8), "welcome\n");
  const std::optional<Fault> fault = hear(0);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(
      fault->text(),
      "rank 8 (node2), trial io, after barrier: its whole node is gone: the connection to its "
      "sentinel broke");
}

TEST_F(NodeLinks, ANodeKnowsThatRank0sNodeIsGone) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t bytes = sizeof address;
  ASSERT_EQ(bind(listener, generic, bytes), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, generic, &bytes), 0);
  std::jthread center([listener] {
    const int node = accept(listener, nullptr, nullptr);
    const std::string_view welcome = "welcome\nalive\t0\t0\t5\t0\t3\t0\tnode0\ttrial io\t\t\n";
    EXPECT_EQ(send(node, welcome.data(), welcome.size(), MSG_NOSIGNAL), std::ssize(welcome));
    close(node);
    close(listener);
  });
  links_[1] =
      std::make_unique<NodeLink>(NodeFacts{.node = 1, .nodes = kNodes}, NodeLink::Options{});
  const std::string place = "secret " + std::to_string(ntohs(address.sin_port)) + " 127.0.0.1";
  ASSERT_TRUE(links_[1]->connect(place, place_of(1)));
  center.join();
  const std::optional<Fault> fault = hear(1);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->rank, 0);
  EXPECT_EQ(fault->phase, "trial io");
  EXPECT_TRUE(links_[1]->lost_center());
}

TEST_F(NodeLinks, StrangersAreNotLetIn) {
  const auto answer = [this](const std::string& says) { return answer_to(says, 1); };
  EXPECT_EQ(answer("hello\tguessed\t1\n"), "");
  EXPECT_EQ(answer("GET / HTTP/1.1\r\n\r\n"), "");
  EXPECT_EQ(answer("hello\t" + secret() + "\t0\n"), "") << "there is one center";
  EXPECT_EQ(answer("hello\t" + secret() + "\t3\n"), "") << "one node too many";
  EXPECT_EQ(answer(std::string(100000, 'x')), "");
  EXPECT_EQ(center().linked(), kNodes - 1);
}

// Which fault came first is decided by times, of nodes whose clocks may differ by hours.
TEST_F(NodeLinks, AFaultHasTheTimeOfOurOwnClock) {
  for (const double ahead_s : {3600.0, -3600.0, 0.3, -0.3, 0.0}) {
    const int stranger = connected();
    const double now_s = Fault::now_s();
    const auto line = [&](const char* kind, double noticed_s) {
      return fmt::format(
          "{}\t{:.6f}\t1\t8\t0\t-1\t{:.6f}\tnode1\t\t\tlost\n", kind, now_s + ahead_s, noticed_s);
    };
    const std::string alive = line("alive", 0.0);
    const std::string says = "hello\t" + secret() + "\t1\n" + alive + alive + alive +
                             line("fault", now_s + ahead_s - 2.0) + "bye\n";
    EXPECT_EQ(send(stranger, says.data(), says.size(), MSG_NOSIGNAL), std::ssize(says));
    const std::optional<Fault> heard = hear(0);
    close(stranger);
    ASSERT_TRUE(heard.has_value()) << ahead_s;
    constexpr double kClocksAgreeS = 0.02;
    const double way_s = Fault::now_s() - now_s;  // of the messages, at most
    EXPECT_GE(heard->noticed_s, now_s - 2.0 - kClocksAgreeS) << ahead_s;
    EXPECT_LE(heard->noticed_s, now_s - 2.0 + way_s + kClocksAgreeS) << ahead_s;
  }
}

TEST(MeetingPlace, IsToldWithoutItsSecret) {
  EXPECT_EQ(describe_meeting_place("secret 4711 10.0.0.1 127.0.0.1"),
            "port 4711 of 10.0.0.1 or 127.0.0.1");
  EXPECT_EQ(describe_meeting_place("secret 4711 "), "port 4711 of no address")
      << "no interface is up";
  EXPECT_EQ(describe_meeting_place(""), "no port");
}

TEST_F(NodeLinks, NoOtherServiceIsTakenForTheCenter) {
  NodeLink lost({.node = 1, .nodes = kNodes}, {});
  EXPECT_FALSE(lost.connect("secret 1 127.0.0.1", place_of(1))) << "nobody there";
  std::string wrong = meeting_place_;
  wrong.front() = wrong.front() == 'f' ? 'e' : 'f';
  while_center_answers([&] { EXPECT_FALSE(lost.connect(wrong, place_of(1))); });
}

}  // namespace
}  // namespace dlbench::harness
