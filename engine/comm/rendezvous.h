// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How the ranks of a launch find each other and exchange small things: options, decisions, results.
// Tensors go through communicator.h. Only the MPI plug-in calls MPI; without a launcher there is
// the lone rank.
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
  int node = 0;        ///< ranks of a node can share memory; numbered by its lowest rank
  int local_rank = 0;  ///< among the ranks of the same node, in order of rank
  int local_size = 1;
  /// Ranks of one machine see the same devices; numbered likewise. A machine has several nodes if
  /// its ranks are in separate containers that share no memory.
  int machine = 0;
};

/// A set of ranks and its control messages. Calls are collective, in the same order on all members,
/// from one thread; waiting sleeps or yields and never spins. Every call throws core::Error(kRun)
/// if a rank is gone, kTimeout if one does not come.
class Rendezvous {
 public:
  Rendezvous() = default;
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;
  virtual ~Rendezvous() = default;

  /// The library used, with its version: "MPICH 4.0.2"; "none" for the lone rank.
  [[nodiscard]] virtual std::string library() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// The places of all ranks of this set, by rank; the same on all members.
  [[nodiscard]] virtual const std::vector<RankPlace>& places() const = 0;

  /// Sends `bytes` of rank 0 to all ranks; the size must be the same on all.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
  /// Returns every rank's text, by rank, on rank 0; empty on others.
  [[nodiscard]] virtual std::vector<std::string> gather(const std::string& text) = 0;
  virtual void barrier() = 0;

  /// Makes the subset of ranks [0, ranks), 1 <= ranks <= size(). Collective over all members of
  /// this set; nullptr on ranks that are not in the subset.
  [[nodiscard]] virtual std::unique_ptr<Rendezvous> first(int ranks) = 0;

  /// Creates a communicator between the host memories of these ranks. Collective.
  [[nodiscard]] virtual std::unique_ptr<Communicator> create_host_communicator() = 0;

  /// Tells the code with which this process will end if all goes well: should the end of the launch
  /// hang, it ends with that code all the same.
  virtual void note_exit_code(int /*exit_code*/) {}

  /// Ends all processes of the launch, not only this set's. Does not return.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  /// Sets how long a call waits for another rank before it throws kTimeout; communicators created
  /// later and sets made by first() inherit it.
  void set_timeout(double seconds) { timeout_s_ = seconds; }
  [[nodiscard]] double timeout_s() const { return timeout_s_; }

  // Implemented with the above:
  /// Returns rank 0's text on all ranks.
  [[nodiscard]] std::string broadcast_text(const std::string& text);
  /// Returns every rank's text, by rank, on all ranks.
  [[nodiscard]] std::vector<std::string> all_gather_text(const std::string& text);
  /// Returns every rank's value, by rank, on all ranks.
  template <typename Value>
  requires std::is_trivially_copyable_v<Value>
  [[nodiscard]] std::vector<Value> all_gather(const Value& value) {
    std::vector<Value> values(static_cast<std::size_t>(size()));
    all_gather_bytes(std::as_bytes(std::span(&value, 1)),
                     std::as_writable_bytes(std::span(values)));
    return values;
  }
  /// A barrier after work that a set of first() does without the other ranks. Those sleep here as
  /// long as that takes, at most a day: the fault watch, not a time-out, detects ranks that hang.
  void await_subset();

 private:
  /// `all` is size() times as long as `mine`, whose length is the same on all ranks.
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

/// A library for joining a launch: registered by the MPI plug-ins when they are loaded, under
/// "mpich" and "openmpi".
struct LaunchLibrary {
  std::string name;
  /// Starts the library and returns the set of all ranks. Call once per process, with which the
  /// library ends. Throws core::Error(kUnavailable).
  std::unique_ptr<Rendezvous> (*connect)() = nullptr;
};

/// Adds a library; a second one of the same name is a programmer error.
void register_launch_library(LaunchLibrary library);

/// Joins the launch through library `name`. Throws core::Error(kUnavailable) if it is not
/// registered or cannot start.
[[nodiscard]] std::unique_ptr<Rendezvous> connect(std::string_view name);

}  // namespace dlbench::comm
