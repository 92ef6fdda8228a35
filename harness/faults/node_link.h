// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The connections between the sentinels of a launch's nodes: a star around that of rank 0's node.
// Each says once a second, and soon after its first rank came to another phase or all its ranks
// were stopped, that it is there and what that rank does, tells of a fault at once, and takes its
// leave before it ends. Whoever breaks off or falls silent is gone with its node.
#pragma once

#include "harness/faults/fault.h"

#include <cstdint>
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

/// "port 4711 of 10.0.0.1 or 127.0.0.1": a meeting place without its secret, for people.
[[nodiscard]] std::string describe_meeting_place(const std::string& meeting_place);

/// One node's end of it. Nothing waits but connect(), of which each address has a second.
class NodeLink {
 public:
  struct Options {
    /// Where its sockets are added, all with `event`, edge-triggered; -1: nowhere.
    int epoll = -1;
    std::uint64_t event = 0;
    double silence_s = 6.0;  ///< after which the other side is gone
  };

  NodeLink(NodeFacts facts, const Options& options) : facts_(std::move(facts)), options_(options) {}
  NodeLink(const NodeLink&) = delete;
  NodeLink& operator=(const NodeLink&) = delete;
  /// Takes its leave.
  ~NodeLink();

  /// Rank 0's node: opens a port. Returns where the others find it (addresses, port and a secret,
  /// for several machines may have the same private address); empty if it can have none.
  [[nodiscard]] std::string listen();
  /// Another node: connects to what listen() returned. False if no address answers as it should.
  [[nodiscard]] bool connect(const std::string& meeting_place, const Fault& place);

  /// Tells and hears what there is; `now_s`: a clock that goes on, `place`: what the first rank
  /// does. At least once a second, and when `event` has come. Returns the first fault that it
  /// heard of or found.
  [[nodiscard]] std::optional<Fault> exchange(double now_s, const Fault& place);
  /// Tells all others of a fault, at once; the first one also to those who come later.
  void tell(const Fault& fault);

  /// What `detail` of a place says of a node whose ranks are all stopped.
  static constexpr std::string_view kStopped = "stopped";
  /// Whether a node on the other end last said of its ranks that they are not all stopped.
  [[nodiscard]] bool others_run() const;
  /// Nodes on the other end, once they have shown the secret.
  [[nodiscard]] int linked() const;
  /// Rank 0's node went without leave.
  [[nodiscard]] bool lost_center() const { return lost_center_; }

 private:
  struct Peer {
    int socket = -1;
    int node = -1;  ///< -1: has not said who it is
    Fault place{};  ///< rank, host, and what it did when it was last heard of
    std::string received{};
    std::string unsent{};
    double silent_s = 0.0;
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
