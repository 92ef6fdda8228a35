// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The messages are lines of fields, separated by tabs:
//   hello   secret node             from a node that connects, followed by a sign of life
//   welcome                         to it, if the secret is right
//   alive   sent rank ... detail    a sign of life: a fault without a cause
//   fault   sent rank ... detail    `sent` and when it was noticed are times of the sender's clock
//   bye
#include "harness/faults/node_link.h"

#include "engine/core/parse_number.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <utility>

namespace dlbench::harness {
namespace {

constexpr double kSignIntervalS = 1.0;
// Clocks of nodes that differ by less are taken as they are: a difference is only known up to the
// shortest time that a message took, on a busy machine after a few of them.
constexpr double kClocksAgreeS = 0.02;
constexpr double kClearlyApartS = 1.0;
constexpr std::size_t kFewMessages = 4;
constexpr double kNewsIntervalS = 0.25;  // if its first rank came to another phase meanwhile
constexpr double kStrangerS = 2.0;       // for a connection to show the secret
// Longest time that counts between two calls: this process may have slept, while messages of the
// others were not yet in the socket.
constexpr double kLongestGapS = 1.0;
constexpr int kConnectMs = 1000;  // to one address, and its answer
constexpr std::chrono::seconds kConnectTime{4};
constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kMaxAddresses = 16;
constexpr std::size_t kMaxStrangers = 64;

struct AddressesOfHost {
  void operator()(ifaddrs* list) const { freeifaddrs(list); }
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

/// Returns the addresses of this machine's interfaces, IPv4 before IPv6, loopback last.
std::vector<std::string> own_addresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) {
    return {};
  }
  const std::unique_ptr<ifaddrs, AddressesOfHost> list(first);
  std::array<std::vector<std::string>, 4> by_kind;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) {
      continue;
    }
    const bool local = (each->ifa_flags & IFF_LOOPBACK) != 0;
    const int family = each->ifa_addr->sa_family;
    std::array<char, NI_MAXHOST> text{};
    const socklen_t bytes = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if ((family == AF_INET || family == AF_INET6) &&
        getnameinfo(each->ifa_addr, bytes, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) ==
            0 &&
        std::string_view(text.data()).find('%') == std::string_view::npos) {  // link-local
      by_kind.at((local ? 2U : 0U) + (family == AF_INET ? 0U : 1U)).emplace_back(text.data());
    }
  }
  std::vector<std::string> all;
  for (std::vector<std::string>& kind : by_kind) {
    std::move(kind.begin(), kind.end(), std::back_inserter(all));
  }
  all.resize(std::min(all.size(), kMaxAddresses));
  return all;
}

std::string random_secret() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", source(), source(), source(), source());
}

int open_socket(int family) {
  const int result = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (result >= 0) {
    setsockopt(result, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return result;
}

/// Opens a port for both families, or for IPv4 only; returns socket and number, 0 if none.
std::pair<int, int> open_port() {
  for (const int family : {AF_INET6, AF_INET}) {
    const int listener = open_socket(family);
    if (listener < 0) {
      continue;
    }
    const int off = 0;
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);  // any address, any port
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t bytes = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (family == AF_INET6) {
      setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    }
    if (bind(listener, generic, bytes) == 0 && ::listen(listener, SOMAXCONN) == 0 &&
        getsockname(listener, generic, &bytes) == 0) {
      const in_port_t port = family == AF_INET
                                 ? reinterpret_cast<sockaddr_in*>(&address)->sin_port
                                 : reinterpret_cast<sockaddr_in6*>(&address)->sin6_port;
      return {listener, ntohs(port)};
    }
    close(listener);
  }
  return {-1, 0};
}

/// Returns a connected socket, or -1.
int connect_to(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) {
    return -1;
  }
  const std::unique_ptr<addrinfo, AddressesOfHost> address(found);
  const int result = open_socket(address->ai_family);
  if (result < 0) {
    return -1;
  }
  if (::connect(result, address->ai_addr, address->ai_addrlen) == 0) {
    return result;
  }
  int error = errno;
  if (error == EINPROGRESS) {
    pollfd ready{.fd = result, .events = POLLOUT, .revents = 0};
    socklen_t bytes = sizeof error;
    if (poll(&ready, 1, kConnectMs) != 1 ||
        getsockopt(result, SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) {
      error = ETIMEDOUT;
    }
  }
  if (error == 0) {
    return result;
  }
  close(result);
  return -1;
}

std::string without_separators(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

std::string to_line(std::string_view kind, const Fault& fault) {
  return fmt::format("{}\t{:.6f}\t{}\t{}\t{}\t{}\t{:.6f}\t{}\t{}\t{}\t{}",
                     kind,
                     Fault::now_s(),
                     fault.rank,
                     static_cast<int>(fault.code),
                     fault.told_by_rank ? 1 : 0,
                     fault.collective,
                     fault.noticed_s,
                     without_separators(fault.host),
                     without_separators(fault.phase),
                     without_separators(fault.op),
                     without_separators(fault.detail));
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

template <typename Number>
bool parse(std::string_view text, Number& number) {
  const auto parsed = core::parse_number<Number>(text);
  number = parsed.value_or(number);
  return parsed.has_value();
}

/// What a line of to_line() says, with the time on the sender's clock.
struct Message {
  Fault fault;
  double sent_s = 0.0;
};

std::optional<Message> from_line(std::string_view line) {
  const std::vector<std::string_view> fields = split(line);
  Message message;
  Fault& fault = message.fault;
  int code = 0;
  int told_by_rank = 0;
  if (fields.size() != 11 || !parse(fields[1], message.sent_s) || !parse(fields[2], fault.rank) ||
      !parse(fields[3], code) || !parse(fields[4], told_by_rank) ||
      !parse(fields[5], fault.collective) || !parse(fields[6], fault.noticed_s)) {
    return std::nullopt;
  }
  fault.code = static_cast<core::ErrorCode>(code);
  fault.told_by_rank = told_by_rank != 0;
  fault.host = fields[7];
  fault.phase = fields[8];
  fault.op = fields[9];
  fault.detail = fields[10];
  return message;
}

}  // namespace

std::string describe_meeting_place(const std::string& meeting_place) {
  std::istringstream words(meeting_place);
  std::string secret;
  std::string port;
  words >> secret >> port;
  const std::vector<std::string> hosts{std::istream_iterator<std::string>(words), {}};
  if (hosts.empty()) {
    return port.empty() ? "no port" : fmt::format("port {} of no address", port);
  }
  return fmt::format("port {} of {}", port, fmt::join(hosts, " or "));
}

NodeLink::~NodeLink() {
  for (Peer& peer : peers_) {
    if (peer.socket < 0) {
      continue;
    }
    send(peer, "bye");
    // Unread bytes would turn the goodbye into a reset.
    shutdown(peer.socket, SHUT_WR);
    std::array<char, 4096> rest{};
    while (recv(peer.socket, rest.data(), rest.size(), 0) > 0) {
    }
    close(peer.socket);
  }
  if (listener_ >= 0) {
    close(listener_);
  }
}

std::string NodeLink::listen() {
  const auto [listener, port] = open_port();
  if (listener < 0) {
    return "";
  }
  listener_ = listener;
  watch(listener);
  secret_ = random_secret();
  return fmt::format("{} {} {}", secret_, port, fmt::join(own_addresses(), " "));
}

bool NodeLink::connect(const std::string& meeting_place, const Fault& place) {
  std::istringstream words(meeting_place);
  std::string port;
  words >> secret_ >> port;
  const auto end = std::chrono::steady_clock::now() + kConnectTime;
  for (std::string host; words >> host && std::chrono::steady_clock::now() < end;) {
    const int socket = connect_to(host, port);
    if (socket < 0) {
      continue;
    }
    Peer stranger{.socket = socket};
    send(stranger, fmt::format("hello\t{}\t{}", secret_, facts_.node));
    send(stranger, to_line("alive", place));
    pollfd ready{.fd = socket, .events = POLLIN, .revents = 0};
    std::array<char, 8> answer{};
    constexpr std::string_view kWelcome = "welcome\n";
    if (poll(&ready, 1, kConnectMs) == 1 &&
        recv(socket, answer.data(), answer.size(), 0) == static_cast<ssize_t>(answer.size()) &&
        std::string_view(answer.data(), answer.size()) == kWelcome) {
      stranger.node = 0;
      peers_.push_back(std::move(stranger));
      watch(socket);
      return true;
    }
    close(socket);
  }
  return false;
}

std::optional<Fault> NodeLink::exchange(double now_s, const Fault& place) {
  const double passed_s = std::clamp(now_s - last_s_.value_or(now_s), 0.0, kLongestGapS);
  last_s_ = now_s;
  place_ = place;
  accept_peers();
  const bool news = place.phase != said_phase_ || place.detail != said_detail_;
  const bool sign = now_s - said_s_ >= (news ? kNewsIntervalS : kSignIntervalS);
  if (sign) {
    said_s_ = now_s;
    said_phase_ = place.phase;
    said_detail_ = place.detail;
  }
  std::optional<Fault> first;
  for (Peer& peer : peers_) {
    peer.silent_s += passed_s;
    if (sign && peer.node >= 0) {
      send(peer, to_line("alive", place));
    }
    flush(peer);
    receive(peer, first);
    if (peer.node < 0) {
      peer.over = peer.over || peer.silent_s > kStrangerS;  // it may be a port scanner
    } else if (!peer.over && peer.silent_s > options_.silence_s) {
      lose(peer, fmt::format("no sign of life from it for {:.1f} s", peer.silent_s), first);
    }
  }
  for (const Peer& peer : peers_) {
    if (peer.over) {
      close(peer.socket);
    }
  }
  std::erase_if(peers_, [](const Peer& peer) { return peer.over; });
  return first;
}

void NodeLink::tell(const Fault& fault) {
  if (!told_.has_value()) {
    told_ = fault;
  }
  for (Peer& peer : peers_) {
    if (peer.node >= 0) {
      send(peer, to_line("fault", fault));
    }
  }
}

bool NodeLink::others_run() const {
  return std::any_of(peers_.begin(), peers_.end(), [](const Peer& peer) {
    return peer.node >= 0 && !peer.over && peer.place.detail != kStopped;
  });
}

int NodeLink::linked() const {
  return static_cast<int>(
      std::count_if(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.node >= 0; }));
}

void NodeLink::watch(int socket) const {
  if (options_.epoll >= 0) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.u64 = options_.event;
    epoll_ctl(options_.epoll, EPOLL_CTL_ADD, socket, &event);
  }
}

void NodeLink::accept_peers() {
  while (listener_ >= 0) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      return;
    }
    if (peers_.size() >= static_cast<std::size_t>(facts_.nodes) + kMaxStrangers) {
      close(socket);
      continue;
    }
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    peers_.push_back({.socket = socket});
    watch(socket);
  }
}

void NodeLink::send(Peer& peer, std::string_view line) {
  peer.unsent.append(line);
  peer.unsent.push_back('\n');
  flush(peer);
}

void NodeLink::flush(Peer& peer) {
  while (!peer.unsent.empty()) {
    const ssize_t sent =
        ::send(peer.socket, peer.unsent.data(), peer.unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) {
      return;  // no room, or gone: receive() sees the latter
    }
    peer.unsent.erase(0, static_cast<std::size_t>(sent));
  }
}

void NodeLink::receive(Peer& peer, std::optional<Fault>& first) {
  std::array<char, 4096> bytes{};
  while (!peer.over) {
    const ssize_t count = recv(peer.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    }
    if (count <= 0) {
      lose(peer, "the connection to its sentinel broke", first);
      return;
    }
    peer.received.append(bytes.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = 0;
         !peer.over && (end = peer.received.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      read_line(peer, std::string_view(peer.received).substr(begin, end - begin), first);
    }
    peer.received.erase(0, begin);
    if (peer.received.size() > kLongestLine) {
      lose(peer, "the connection to its sentinel carries nonsense", first);
    }
  }
}

void NodeLink::read_line(Peer& peer, std::string_view line, std::optional<Fault>& first) {
  if (peer.node < 0) {
    greet(peer, line);
    return;
  }
  peer.silent_s = 0.0;
  if (line == "bye") {
    peer.over = true;
    return;
  }
  std::optional<Message> message = from_line(line);
  if (!message.has_value()) {
    return;
  }
  peer.behind_s.push_back(Fault::now_s() - message->sent_s);
  if (peer.behind_s.size() > kFewMessages) {
    peer.behind_s.pop_front();  // clocks may be set meanwhile
  }
  if (line.starts_with("alive\t")) {
    peer.place = std::move(message->fault);
  } else if (line.starts_with("fault\t") && !first.has_value()) {
    first = std::move(message->fault);
    const double behind_s = *std::ranges::min_element(peer.behind_s);
    const double apart_s = std::abs(behind_s);
    const bool known = peer.behind_s.size() == kFewMessages;
    if (apart_s > kClearlyApartS || (apart_s > kClocksAgreeS && known)) {
      first->noticed_s += behind_s;
    }
  }
}

void NodeLink::greet(Peer& peer, std::string_view line) {
  const std::vector<std::string_view> words = split(line);
  int node = 0;
  if (words.size() == 3 && words[0] == "hello" && words[1] == secret_ && parse(words[2], node) &&
      node > 0 && node < facts_.nodes) {
    peer.node = node;
    peer.silent_s = 0.0;
    send(peer, "welcome");
    send(peer, to_line("alive", place_));
    if (told_.has_value()) {
      send(peer, to_line("fault", *told_));
    }
  } else {
    peer.over = true;
  }
}

void NodeLink::lose(Peer& peer, const std::string& how, std::optional<Fault>& first) {
  peer.over = true;
  if (peer.node < 0) {
    return;
  }
  lost_center_ = lost_center_ || peer.node == 0;
  if (!first.has_value()) {
    first = peer.place;
    first->detail = "its whole node is gone: " + how;
    first->code = core::ErrorCode::kRun;
    first->noticed_s = Fault::now_s();
  }
}

}  // namespace dlbench::harness
