// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The connections between the sentinels of a launch's nodes: a star around that of rank 0's node.
// Each sends a sign of life with its first rank's activity once a second, and soon after that rank
// entered another phase or all its ranks were stopped; reports a fault at once; and says goodbye
// before it ends. A peer that disconnects or falls silent counts as lost, with its node.
#pragma once

#include "harness/faults/fault.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::harness {

/// A node within its launch.
struct NodeFacts {
  std::string host;
  int ranks = 0;       ///< on this node
  int first_rank = 0;  ///< the lowest of them
  int node = 0;        ///< rank 0 is on node 0
  int nodes = 1;       ///< of the launch
};

/// Describes a meeting place for people, without its secret: "port 4711 of 10.0.0.1 or 127.0.0.1".
[[nodiscard]] std::string describe_meeting_place(const std::string& meeting_place);

/// One node's end of the connections. Only connect() blocks, up to a second for each address.
class NodeLink {
 public:
  struct Options {
    /// The epoll instance that gets its sockets, all with `event`, edge-triggered; -1: none.
    int epoll = -1;
    std::uint64_t event = 0;
    double silence_s = 6.0;  ///< after which the other side counts as gone
  };

  NodeLink(NodeFacts facts, const Options& options) : facts_(std::move(facts)), options_(options) {}
  NodeLink(const NodeLink&) = delete;
  NodeLink& operator=(const NodeLink&) = delete;
  /// Says goodbye to the peers.
  ~NodeLink();

  /// On rank 0's node: opens a port. Returns where the others find it: addresses, port, and a
  /// secret, as machines may share a private address; empty if no port can be opened.
  [[nodiscard]] std::string listen();
  /// On another node: connects to what listen() returned. False if no address answers as expected.
  [[nodiscard]] bool connect(const std::string& meeting_place, const Fault& place);

  /// Sends and receives pending messages; call it at least once a second, and on `event`. `now_s`
  /// is a monotonic clock, `place` the activity of the first rank. Returns the first fault that it
  /// received or found.
  [[nodiscard]] std::optional<Fault> exchange(double now_s, const Fault& place);
  /// Reports a fault to all others at once, and the first fault also to those who connect later.
  void tell(const Fault& fault);

  /// `detail` in the place of a node whose ranks are all stopped.
  static constexpr std::string_view kStopped = "stopped";
  /// Whether any node on the other end last reported ranks that are not stopped.
  [[nodiscard]] bool others_run() const;
  /// Returns the number of connected nodes that have shown the secret.
  [[nodiscard]] int linked() const;
  /// Whether rank 0's node vanished without goodbye.
  [[nodiscard]] bool lost_center() const { return lost_center_; }

 private:
  struct Peer {
    int socket = -1;
    int node = -1;  ///< -1: has not said who it is
    Fault place{};  ///< rank, host, and what it did when it was last heard of
    std::string received{};
    std::string unsent{};
    double silent_s = 0.0;
    /// Our clock when a message arrived less its clock when it was sent, of the last few messages:
    /// by how much its clock is behind, and the way of the message.
    std::deque<double> behind_s{};
    bool over = false;  ///< took its leave, was lost or never belonged here
  };

  void watch(int socket) const;
  void accept_peers();
  static void send(Peer& peer, std::string_view line);
  static void flush(Peer& peer);
  void receive(Peer& peer, std::optional<Fault>& first);
  void read_line(Peer& peer, std::string_view line, std::optional<Fault>& first);
  void greet(Peer& peer, std::string_view line);
  void lose(Peer& peer, const std::string& how, std::optional<Fault>& first);

  NodeFacts facts_;
  Options options_;
  std::string secret_;
  int listener_ = -1;
  std::vector<Peer> peers_;
  std::optional<double> last_s_;
  double said_s_ = -std::numeric_limits<double>::infinity();  ///< when the last sign was given
  std::string said_phase_;                                    ///< and the phase in it,
  std::string said_detail_;                                   ///< and whether all are stopped
  Fault place_;
  std::optional<Fault> told_;
  bool lost_center_ = false;
};

}  // namespace dlbench::harness
