// SPDX-License-Identifier: Apache-2.0
// A Redis server as a remote: redis://[[user]:password@]host[:port][/database].
#include <charconv>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "remote/place.hpp"
#include "remote/redis_reply.hpp"

namespace cucore::remote {
namespace {

struct Address {
  std::string user, password, host, port = "6379", database;
};

// The messages do not repeat the text, because it may be a part of a password.
std::string require_number(const std::string& text, const char* what, unsigned largest) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value > largest)
    throw std::runtime_error(std::string("its ") + what + " is not a number from 0 to " +
                             std::to_string(largest));
  return text;
}

Address parse(std::string text) {
  constexpr std::string_view SCHEME = "redis://";
  if (!text.starts_with(SCHEME)) throw std::runtime_error("it does not begin with redis://");
  text.erase(0, SCHEME.size());
  Address out;
  if (const size_t at = text.rfind('@'); at != text.npos) {
    const std::string login = text.substr(0, at);
    const size_t colon = login.find(':');
    if (colon != login.npos) out.user = login.substr(0, colon);
    out.password = login.substr(colon == login.npos ? 0 : colon + 1);
    text.erase(0, at + 1);
  }
  if (const size_t slash = text.find('/'); slash != text.npos) {
    if (slash + 1 < text.size())
      out.database = require_number(text.substr(slash + 1), "database", 65535);
    text.erase(slash);
  }
  const size_t bracket = text.find(']');
  if (const size_t colon = text.rfind(':');
      colon != text.npos && (bracket == text.npos || colon > bracket)) {
    out.port = require_number(text.substr(colon + 1), "port", 65535);
    text.erase(colon);
  }
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  out.host = text;
  if (out.host.empty()) throw std::runtime_error("it names no host");
  return out;
}

using Kind = RedisReply::Kind;

class Redis final : public Place {
 public:
  Redis(Address address, const cucore_cache_remote_options& options)
      : address_(std::move(address)), options_(options) {}

  cucore_cache_answer get(const std::string& name, std::string& out) override {
    const std::string key = "cucore:" + name;
    auto reply = ask({"GET", key});
    if (!reply) return CUCORE_CACHE_ANSWER_FAILED;
    if (reply->kind == Kind::ABSENT) return CUCORE_CACHE_ANSWER_ABSENT;
    if (reply->kind != Kind::BYTES) return CUCORE_CACHE_ANSWER_FAILED;
    out = std::move(reply->bytes);
    return CUCORE_CACHE_ANSWER_DONE;
  }

  cucore_cache_answer put(const std::string& name, std::string_view bytes) override {
    const std::string key = "cucore:" + name;
    const auto reply = ask({"SET", key, bytes});
    return reply && reply->kind == Kind::STATUS ? CUCORE_CACHE_ANSWER_DONE
                                                : CUCORE_CACHE_ANSWER_FAILED;
  }

 private:
  using Words = std::initializer_list<std::string_view>;

  static std::optional<RedisReply> ask_over(Connection& connection, Words words,
                                            const Deadline& deadline) {
    if (!send_command(connection, words, deadline)) return std::nullopt;
    return read_reply(connection, LARGEST, deadline);
  }

  // Sends over an idle connection; if the server has closed it, sends over a new one.
  std::optional<RedisReply> ask(Words words) {
    const Deadline deadline(options_.timeout_ms);
    std::optional<RedisReply> reply;
    while (!reply && !deadline.has_passed()) {
      auto connection = take_idle();
      const bool is_new = !connection;
      if (is_new) connection = connect(deadline);
      if (connection) reply = ask_over(*connection, words, deadline);
      if (reply && reply->kind != Kind::FAILURE && reply->is_last) give_back(std::move(connection));
      if (is_new) break;
    }
    return reply;
  }

  std::unique_ptr<Connection> take_idle() {
    std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      if (connection->is_quiet()) return connection;
    }
    return nullptr;
  }

  std::unique_ptr<Connection> connect(const Deadline& deadline) const {
    auto connection = Connection::open(address_.host, address_.port,
                                       Deadline(options_.connect_timeout_ms).earlier(deadline));
    if (!connection) return nullptr;
    const auto succeeds = [&](Words words) {
      const auto reply = ask_over(*connection, words, deadline);
      return reply && reply->kind == Kind::STATUS && reply->is_last;
    };
    if (!address_.user.empty()) {
      if (!succeeds({"AUTH", address_.user, address_.password})) return nullptr;
    } else if (!address_.password.empty() && !succeeds({"AUTH", address_.password})) {
      return nullptr;
    }
    if (!address_.database.empty() && !succeeds({"SELECT", address_.database})) return nullptr;
    return connection;
  }
  // A connection that has failed is not reused, because its next answer would belong to another
  // request.
  void give_back(std::unique_ptr<Connection> connection) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
  }

  const Address address_;
  const cucore_cache_remote_options options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace

std::unique_ptr<Place> make_place(const std::string& url,
                                  const cucore_cache_remote_options& options) {
  return std::make_unique<Redis>(parse(url), options);
}

}  // namespace cucore::remote
