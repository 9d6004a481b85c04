// SPDX-License-Identifier: Apache-2.0
// Hostile servers: answers that are endless, byte by byte, nested, of wrong lengths, redirected. A
// lookup ends in time, uses little memory, and finds nothing.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <mutex>

#include "cache_testing.hpp"

namespace {

using namespace cache_test;
using namespace std::chrono_literals;

constexpr uint32_t TIMEOUT_MS = 400;

// One connection, as seen by the behaviour of a server.
class Peer {
 public:
  Peer(int fd, const std::atomic<bool>& stopping) : fd_(fd), stopping_(stopping) {}

  bool send(const std::string& text) const {
    for (size_t done = 0; done < text.size();) {
      pollfd ready{fd_, POLLOUT, 0};
      while (!stopping_ && poll(&ready, 1, 20) == 0) {
      }
      const ssize_t put = stopping_ ? -1
                                    : ::send(fd_, text.data() + done, text.size() - done,
                                             MSG_NOSIGNAL | MSG_DONTWAIT);
      if (put <= 0) return false;
      done += static_cast<size_t>(put);
    }
    return true;
  }
  void repeat(const std::string& text) const {
    std::string block;
    while (block.size() < 65536) block += text;
    while (send(block)) {
    }
  }
  void trickle(const std::string& text) const {
    for (size_t i = 0; send(text.substr(i % text.size(), 1)); ++i)
      std::this_thread::sleep_for(20ms);
  }
  // Receives the rest of a request, after the first bytes.
  std::string receive() const {
    pollfd ready{fd_, POLLIN, 0};
    while (!stopping_ && poll(&ready, 1, 20) == 0) {
    }
    char buffer[65536];
    const ssize_t got = stopping_ ? 0 : recv(fd_, buffer, sizeof buffer, 0);
    return got > 0 ? std::string(buffer, static_cast<size_t>(got)) : std::string();
  }
  void wait() const {
    while (!stopping_ && !receive().empty()) {
    }
  }

 private:
  const int fd_;
  const std::atomic<bool>& stopping_;
};

using Behaviour = std::function<void(const Peer&)>;

class HostileServer {
 public:
  explicit HostileServer(Behaviour behaviour) : behaviour_(std::move(behaviour)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_, 16);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~HostileServer() {
    stopping_ = true;
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
    close(listener_);
  }
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;
  std::string at(const std::string& scheme) const {
    return scheme + "127.0.0.1:" + std::to_string(port_);
  }
  int connections() const { return connections_; }

 private:
  void accept_all() {
    pollfd ready{listener_, POLLIN, 0};
    while (!stopping_) {
      if (poll(&ready, 1, 20) <= 0) continue;
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      ++connections_;
      threads_.emplace_back([this, fd] {
        behaviour_(Peer(fd, stopping_));
        close(fd);
      });
    }
  }

  const Behaviour behaviour_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  int listener_ = -1, port_ = 0;
  std::thread acceptor_;
  std::vector<std::thread> threads_;
};

size_t peak_memory() {
  const std::string status = read_file("/proc/self/status");
  const size_t at = status.find("VmHWM:");
  return at == status.npos ? 0 : std::strtoull(status.c_str() + at + 6, nullptr, 10) << 10;
}

Cache with_remote(const std::string& url, bool sends = false) {
  Cache cache = open_cache("", [&](auto& options) {
    options.keys = &SECRET;
    options.key_count = 1;
    if (sends) options.signing_key = &SECRET;
  });
  cucore_cache_remote_options options = CUCORE_CACHE_REMOTE_OPTIONS_INIT;
  options.connect_timeout_ms = TIMEOUT_MS;
  options.timeout_ms = TIMEOUT_MS;
  MUST(cucore_cache_add_remote_url, cache, url.c_str(), &options);
  return cache;
}

// Half of it allows for a loaded machine; endless answers take far longer.
constexpr auto PATIENCE = std::chrono::milliseconds(TIMEOUT_MS) + 1500ms;
constexpr size_t LITTLE_MEMORY = size_t{200} << 20;

void expect_bounded_get(const std::string& url, const std::string& what) {
  SCOPED_TRACE(what);
  const Cache cache = with_remote(url);
  write_file("/proc/self/clear_refs", "5");  // resets the peak
  const size_t memory = peak_memory();
  const auto begin = std::chrono::steady_clock::now();
  const uint8_t key[32] = {1};
  Code code;
  MUST(cucore_cache_get, cache, key, code.out());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, PATIENCE);
  EXPECT_LT(peak_memory(), memory + LITTLE_MEMORY);
  EXPECT_FALSE(code);
}

struct Case {
  const char* name;
  Behaviour behave;
};

Behaviour after_request(Behaviour behave) {
  return [behave = std::move(behave)](const Peer& peer) {
    if (peer.receive().empty()) return;
    behave(peer);
  };
}
Behaviour answer(const std::string& text) {
  return after_request([text](const Peer& peer) {
    peer.send(text);
    peer.wait();
  });
}
Behaviour answer_then_repeat(const std::string& text, const std::string& more) {
  return after_request([=](const Peer& peer) { peer.send(text), peer.repeat(more); });
}
Behaviour answer_then_trickle(const std::string& text, const std::string& more) {
  return after_request([=](const Peer& peer) { peer.send(text), peer.trickle(more); });
}
// Sends an answer, then closes the connection.
Behaviour answer_then_close(const std::string& text) {
  return after_request([text](const Peer& peer) { peer.send(text); });
}

const std::string HEAD = "HTTP/1.1 200 OK\r\n";

TEST(HostileRemotes, RedisServersAreBounded) {
  const std::vector<Case> cases = {
      {"says nothing", answer("")},
      {"hangs up", answer_then_close("")},
      {"a length without bytes", answer("$1000000\r\n")},
      {"a length of too much", answer_then_repeat("$2000000000\r\n", "x")},
      {"a length that is none", answer("$abc\r\n")},
      {"a negative length", answer("$-2\r\n")},
      {"a length of 30 digits", answer_then_repeat("$" + std::string(30, '9') + "\r\n", "x")},
      {"an endless length", answer_then_repeat("$", "1")},
      {"fewer bytes", answer_then_close("$100\r\nabc")},
      {"more bytes", answer_then_repeat("$3\r\nabcdef", "g")},
      {"an endless status", answer_then_repeat("+", "x")},
      {"an endless failure", answer_then_repeat("-ERR ", "x")},
      {"an endless number", answer_then_repeat(":", "1")},
      {"two thousand million elements", answer_then_repeat("*2000000000\r\n", "$1\r\nx\r\n")},
      {"elements within elements", answer_then_repeat("", "*1\r\n")},
      {"many within many", answer_then_repeat("", "*100000\r\n")},
      {"a byte at a time", answer_then_trickle("$1000\r\n", "x")},
      {"lengths a byte at a time", answer_then_trickle("$", "0")},
      {"words of nothing", answer_then_repeat("", "\r\n")},
      {"zeros", answer_then_repeat("", std::string(1, '\0'))},
      {"another protocol", answer(HEAD + "\r\n")},
  };
  for (const Case& one : cases) {
    const HostileServer server(one.behave);
    expect_bounded_get(server.at("redis://"), one.name);
  }
}

// Does the same during the login.
TEST(HostileRemotes, RedisServersAreBoundedAtTheDoor) {
  const std::vector<Case> cases = {{"says nothing", answer("")},
                                   {"an endless status", answer_then_repeat("+", "O")},
                                   {"a byte at a time", answer_then_trickle("+", "O")}};
  for (const Case& one : cases) {
    const HostileServer server(one.behave);
    expect_bounded_get(server.at("redis://:password@") + "/3", one.name);
  }
}

// Two answers to one request: the second is not an answer to the next request.
TEST(HostileRemotes, RedisAnswersDoNotGoToAnotherRequest) {
  const HostileServer server([](const Peer& peer) {
    while (!peer.receive().empty()) peer.send("$-1\r\n$1\r\nx\r\n");
  });
  const Cache cache = with_remote(server.at("redis://"));
  for (uint8_t number = 0; number < 4; ++number) {
    const uint8_t key[32] = {number};
    Code code;
    MUST(cucore_cache_get, cache, key, code.out());
    EXPECT_FALSE(code);
  }
  EXPECT_EQ(statistics(cache).remote_refused, 0u) << "the second answer was taken for one";
  EXPECT_EQ(server.connections(), 4);
}

TEST(HostileRemotes, WebServersAreBounded) {
  const std::vector<Case> cases = {
      {"says nothing", answer("")},
      {"hangs up", answer_then_close("")},
      {"an endless status", answer_then_repeat("HTTP/1.1 200 ", "O")},
      {"endless fields", answer_then_repeat(HEAD, "X-Field: value\r\n")},
      {"one endless field", answer_then_repeat(HEAD + "X-Field: ", "x")},
      {"an endless body", answer_then_repeat(HEAD + "\r\n", "x")},
      {"a body of too much", answer_then_repeat(HEAD + "Content-Length: 9999999999\r\n\r\n", "x")},
      {"a length that is none", answer_then_repeat(HEAD + "Content-Length: -1\r\n\r\n", "x")},
      {"fewer bytes", answer_then_close(HEAD + "Content-Length: 100\r\n\r\nabc")},
      {"endless chunks", answer_then_repeat(HEAD + "Transfer-Encoding: chunked\r\n\r\n",
                                            "400\r\n" + std::string(1024, 'x') + "\r\n")},
      {"a chunk of too much",
       answer_then_repeat(HEAD + "Transfer-Encoding: chunked\r\n\r\nffffffff\r\n", "x")},
      {"endless provisional answers", answer_then_repeat("", "HTTP/1.1 100 Continue\r\n\r\n")},
      {"a byte at a time", answer_then_trickle(HEAD + "\r\n", "x")},
      {"fields a byte at a time", answer_then_trickle(HEAD, "X: y\r\n")},
      {"zeros", answer_then_repeat("", std::string(1, '\0'))},
  };
  for (const Case& one : cases) {
    const HostileServer server(one.behave);
    expect_bounded_get(server.at("http://"), one.name);
  }
}

TEST(HostileRemotes, WebServersDoNotSendElsewhere) {
  const HostileServer other(answer(HEAD + "Content-Length: 1\r\n\r\nx"));
  for (const std::string& place :
       {other.at("http://") + "/", std::string("file:///etc/passwd"), other.at("gopher://")}) {
    const HostileServer server(answer_then_close("HTTP/1.1 302 Found\r\nLocation: " + place +
                                                 "\r\nContent-Length: 0\r\n\r\n"));
    expect_bounded_get(server.at("http://"), place);
  }
  EXPECT_EQ(other.connections(), 0);
}

// The answers to sent entries are also bounded; the end of the cache waits for the sender's thread.
TEST(HostileRemotes, SendsAreBounded) {
  const std::vector<std::pair<const char*, Case>> cases = {
      {"redis://", {"says nothing", answer("")}},
      {"redis://", {"an endless status", answer_then_repeat("+", "O")}},
      {"redis://", {"a byte at a time", answer_then_trickle("+", "O")}},
      {"http://", {"says nothing", answer("")}},
      {"http://", {"an endless body", answer_then_repeat(HEAD + "\r\n", "x")}},
      {"http://", {"endless fields", answer_then_repeat(HEAD, "X-Field: value\r\n")}},
  };
  for (const auto& [scheme, one] : cases) {
    SCOPED_TRACE(std::string(scheme) + one.name);
    const HostileServer server(one.behave);
    Cache cache = with_remote(server.at(scheme), true);
    write_file("/proc/self/clear_refs", "5");
    const size_t memory = peak_memory();
    const auto begin = std::chrono::steady_clock::now();
    const uint8_t key[32] = {2};
    const Code code = make_ptx_code();
    MUST(cucore_cache_put, cache, key, code);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 500ms) << "a put waits for no remote";
    cache.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, PATIENCE);
    EXPECT_LT(peak_memory(), memory + LITTLE_MEMORY);
  }
}

// A shared folder that contains files which are not cache entries.
TEST(HostileRemotes, FoldersAreBounded) {
  const Folder shared, source;
  const uint8_t key[32] = {1};
  {
    const Cache cache = open_cache(source.path(), [](auto& options) {
      options.signing_key = options.keys = &SECRET;
      options.key_count = 1;
    });
    MUST(cucore_cache_add_remote_url, cache, ("file://" + shared.path()).c_str(), nullptr);
    const Code code = make_ptx_code();
    MUST(cucore_cache_put, cache, key, code);
  }
  const auto files = files_in(shared.path());
  ASSERT_EQ(files.size(), 1u);
  const std::string file = files[0], url = "file://" + shared.path();
  fs::rename(file, shared / "right");
  ASSERT_EQ(mkfifo(file.c_str(), 0644), 0);
  expect_bounded_get(url, "a pipe");
  fs::remove(file);
  fs::create_directory(file);
  expect_bounded_get(url, "a folder");
  fs::remove(file);
  for (const std::string& target : {std::string("/dev/zero"), shared / "right"}) {
    fs::create_symlink(target, file);
    expect_bounded_get(url, "a link to " + target);
    fs::remove(file);
  }
  write_file(file, "");
  fs::resize_file(file, uintmax_t{1} << 40);
  expect_bounded_get(url, "a file of too much");
}

TEST(HostileRemotes, AFolderIsNamedFromTheRoot) {
  const Cache cache = open_cache("");
  for (const char* url : {"file://tmp", "file://./tmp", "file://"})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "file:///folder", cucore_cache_add_remote_url, cache, url,
          nullptr);
}

}  // namespace
