// SPDX-License-Identifier: Apache-2.0
#include "remote/connection.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "support/signals_blocked.hpp"

namespace cucore::remote {
namespace {

struct Free {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, Free>;

Addresses look_up(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  return Addresses(getaddrinfo(host.c_str(), port.c_str(), &hints, &list) == 0 ? list : nullptr);
}

// The system's name look-up has no deadline. A thread runs it, and may outlive a caller whose time
// is over.
class LookUp {
 public:
  static Addresses run(const std::string& host, const std::string& port, const Deadline& deadline) {
    const auto shared = std::make_shared<LookUp>();
    {
      const SignalsBlocked blocked;
      std::thread([shared, host, port] { shared->finish(look_up(host, port, 0)); }).detach();
    }
    std::unique_lock lock(shared->mutex_);
    shared->changed_.wait_until(lock, deadline.end(), [&] { return shared->done_; });
    return std::move(shared->found_);
  }

 private:
  void finish(Addresses found) {
    std::lock_guard lock(mutex_);
    found_ = std::move(found);
    done_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  Addresses found_;
};

bool wait_for(int socket, short events, const Deadline& deadline) {
  pollfd ready{socket, events, 0};
  while (true) {
    const int count = poll(&ready, 1, deadline.milliseconds_left());
    if (count >= 0 || errno != EINTR) return count > 0;
  }
}

bool connect_by(int socket, const addrinfo& address, const Deadline& deadline) {
  if (connect(socket, address.ai_addr, address.ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS || !wait_for(socket, POLLOUT, deadline)) return false;
  int failure = 0;
  socklen_t size = sizeof failure;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0;
}

}  // namespace

std::unique_ptr<Connection> Connection::open(const std::string& host, const std::string& port,
                                             const Deadline& deadline) {
  Addresses list = look_up(host, port, AI_NUMERICHOST);
  if (!list) list = LookUp::run(host, port, deadline);
  for (const addrinfo* at = list.get(); at && !deadline.has_passed(); at = at->ai_next) {
    const int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) continue;
    auto connection = std::unique_ptr<Connection>(new Connection(fd));
    if (!connect_by(fd, *at, deadline)) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connection;
  }
  return nullptr;
}

Connection::~Connection() { close(socket_); }

bool Connection::send(std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    if (deadline.has_passed() || !wait_for(socket_, POLLOUT, deadline)) return false;
    const ssize_t put = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

bool Connection::receive(std::string& to, size_t most, const Deadline& deadline) {
  char buffer[size_t{64} << 10];
  while (!deadline.has_passed() && wait_for(socket_, POLLIN, deadline)) {
    const ssize_t got = recv(socket_, buffer, std::min(most, sizeof buffer), 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got > 0) to.append(buffer, static_cast<size_t>(got));
    return got > 0;
  }
  return false;
}

bool Connection::is_quiet() const {
  pollfd ready{socket_, POLLIN, 0};
  return poll(&ready, 1, 0) == 0;
}

}  // namespace cucore::remote
