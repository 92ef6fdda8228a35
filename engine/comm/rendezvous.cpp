// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/rendezvous.h"

#include "engine/comm/self.h"
#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/host_name.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace dlbench::comm {
namespace {

std::vector<LaunchLibrary>& libraries() {
  static std::vector<LaunchLibrary> list;
  return list;
}

}  // namespace

std::string Rendezvous::broadcast_text(const std::string& text) {
  auto length = static_cast<std::uint64_t>(text.size());
  broadcast(std::as_writable_bytes(std::span(&length, 1)));
  std::string result = rank() == 0 ? text : std::string(length, '\0');
  broadcast(std::as_writable_bytes(std::span(result.data(), result.size())));
  return result;
}

std::vector<std::string> Rendezvous::all_gather_text(const std::string& text) {
  std::vector<std::string> texts = gather(text);
  texts.resize(static_cast<std::size_t>(size()));
  std::vector<std::uint64_t> lengths;
  std::string joined;
  for (const std::string& each : texts) {
    lengths.push_back(each.size());
    joined += each;
  }
  broadcast(std::as_writable_bytes(std::span(lengths)));
  joined = broadcast_text(joined);
  std::size_t begin = 0;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    texts[rank] = joined.substr(begin, lengths[rank]);
    begin += lengths[rank];
  }
  return texts;
}

void Rendezvous::all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::vector<std::string> texts =
      gather({reinterpret_cast<const char*>(mine.data()), mine.size()});
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    DLBENCH_CHECK(texts[rank].size() == mine.size())
        << texts[rank].size() << " bytes of rank " << rank;
    std::memcpy(all.subspan(rank * mine.size()).data(), texts[rank].data(), mine.size());
  }
  broadcast(all);
}

void Rendezvous::await_subset() {
  constexpr double kDay = 86400.0;
  const double usual_s = std::exchange(timeout_s_, std::max(timeout_s_, kDay));
  try {
    barrier();
  } catch (...) {
    timeout_s_ = usual_s;
    throw;
  }
  timeout_s_ = usual_s;
}

LoneRank::LoneRank() : places_{{.host = core::host_name()}} {}

std::unique_ptr<Rendezvous> LoneRank::first(int ranks) {
  DLBENCH_CHECK(ranks == 1) << ranks << " ranks of one";
  return std::make_unique<LoneRank>();
}

std::unique_ptr<Communicator> LoneRank::create_host_communicator() {
  return std::make_unique<SelfCommunicator>();
}

void LoneRank::abort(int exit_code) { std::_Exit(exit_code); }

void register_launch_library(LaunchLibrary library) {
  for (const LaunchLibrary& known : libraries()) {
    DLBENCH_CHECK(known.name != library.name) << "registered twice: " << library.name;
  }
  libraries().push_back(std::move(library));
}

std::unique_ptr<Rendezvous> connect(std::string_view name) {
  for (const LaunchLibrary& library : libraries()) {
    if (library.name == name) {
      return library.connect();
    }
  }
  throw core::Error(core::ErrorCode::kUnavailable,
                    "the MPI plug-in for '" + std::string(name) + "' is not loaded");
}

}  // namespace dlbench::comm
