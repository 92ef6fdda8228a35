// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How the ranks of a launch find each other and agree on small things: options, decisions, results.
// Tensors travel through communicator.h. Only the MPI plug-in calls MPI; without a launcher there
// is the lone rank.
#pragma once

#include "engine/comm/communicator.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dlbench::comm {

/// Where a rank runs.
struct RankPlace {
  std::string host;    ///< core::host_name(), one word
  int node = 0;        ///< ranks of one can share memory; numbered in the order of its lowest rank
  int local_rank = 0;  ///< among the ranks of the same node, in order of rank
  int local_size = 1;
  /// Ranks of one machine have its devices; numbered likewise. It has several nodes where ranks are
  /// in containers of their own that share no memory.
  int machine = 0;
};

/// A set of ranks and its control messages. Calls are collective and in the same order on all
/// members, from one thread; waiting sleeps or yields, it never spins. Every call throws
/// core::Error(kRun) when a rank is gone, kTimeout when one does not come.
class Rendezvous {
 public:
  Rendezvous() = default;
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;
  virtual ~Rendezvous() = default;

  /// The library behind it with its version, "MPICH 4.0.2"; "none" for the lone rank.
  [[nodiscard]] virtual std::string library() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// By rank of this set; the same on all members.
  [[nodiscard]] virtual const std::vector<RankPlace>& places() const = 0;

  /// From rank 0 to all; sizes are equal everywhere.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
  /// Every rank's text, by rank, on rank 0; empty elsewhere.
  [[nodiscard]] virtual std::vector<std::string> gather(const std::string& text) = 0;
  virtual void barrier() = 0;

  /// The set of ranks [0, ranks) of this one, 1 <= ranks <= size(). Collective over all members of
  /// this set; nullptr on the ranks that are not in it.
  [[nodiscard]] virtual std::unique_ptr<Rendezvous> first(int ranks) = 0;

  /// A communicator between the host memories of these ranks. Collective.
  [[nodiscard]] virtual std::unique_ptr<Communicator> create_host_communicator() = 0;

  /// Ends all processes of the launch, not only this set's. Does not return.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  /// How long a call waits for another rank before it throws kTimeout; communicators made later and
  /// sets made by first() take it over.
  void set_timeout(double seconds) { timeout_s_ = seconds; }
  [[nodiscard]] double timeout_s() const { return timeout_s_; }

  // Made of the above:
  /// Rank 0's text on all ranks.
  [[nodiscard]] std::string broadcast_text(const std::string& text);
  /// Every rank's text, by rank, on all ranks.
  [[nodiscard]] std::vector<std::string> all_gather_text(const std::string& text);
  /// Every rank's value, by rank, on all ranks.
  template <typename Value>
  requires std::is_trivially_copyable_v<Value>
  [[nodiscard]] std::vector<Value> all_gather(const Value& value) {
    std::vector<Value> values(static_cast<std::size_t>(size()));
    all_gather_bytes(std::as_bytes(std::span(&value, 1)),
                     std::as_writable_bytes(std::span(values)));
    return values;
  }
  /// A barrier behind what a set of first() does without the others. They sleep here for as long as
  /// that takes, a day at most: whether its ranks get on, the fault watch can tell, and no clock.
  void await_subset();

 private:
  /// `all`: size() times as long as `mine`, whose length is the same everywhere.
  void all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all);

  double timeout_s_ = 1800.0;
};

/// The set of one rank, on this host.
class LoneRank final : public Rendezvous {
 public:
  LoneRank();
  [[nodiscard]] std::string library() const override { return "none"; }
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] const std::vector<RankPlace>& places() const override { return places_; }
  void broadcast(std::span<std::byte> /*bytes*/) override {}
  [[nodiscard]] std::vector<std::string> gather(const std::string& text) override { return {text}; }
  void barrier() override {}
  [[nodiscard]] std::unique_ptr<Rendezvous> first(int ranks) override;
  [[nodiscard]] std::unique_ptr<Communicator> create_host_communicator() override;
  [[noreturn]] void abort(int exit_code) override;

 private:
  std::vector<RankPlace> places_;
};

/// How a launch is joined: registered by the MPI plug-ins when they are loaded, under "mpich" and
/// "openmpi".
struct LaunchLibrary {
  std::string name;
  /// Starts the library and returns the set of all ranks; once per process. The library ends with
  /// the process. Throws core::Error(kUnavailable).
  std::unique_ptr<Rendezvous> (*connect)() = nullptr;
};

/// Adds a library; a second one of the same name is a programmer error.
void register_launch_library(LaunchLibrary library);

/// Joins the launch through the library `name`. Throws core::Error(kUnavailable) if it is not
/// registered or cannot start.
[[nodiscard]] std::unique_ptr<Rendezvous> connect(std::string_view name);

}  // namespace dlbench::comm
