// A Redis server as a remote: redis://[:password@]host[:port][/database].
#include <hiredis/hiredis.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "remote/place.hpp"

namespace cucore::remote {
namespace {

struct Address {
  std::string password, host;
  int port = 6379, database = 0;
};

int number(const std::string& text, const char* what) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 0 || value > 65535)
    throw std::runtime_error("\"" + text + "\" is no " + what);
  return static_cast<int>(value);
}

Address parse(std::string text) {
  constexpr std::string_view SCHEME = "redis://";
  if (!text.starts_with(SCHEME)) throw std::runtime_error("it does not begin with redis://");
  text.erase(0, SCHEME.size());
  Address out;
  if (const size_t at = text.rfind('@'); at != text.npos) {
    out.password = text.substr(text.find(':') < at ? text.find(':') + 1 : 0,
                               at - (text.find(':') < at ? text.find(':') + 1 : 0));
    text.erase(0, at + 1);
  }
  if (const size_t slash = text.find('/'); slash != text.npos) {
    if (slash + 1 < text.size()) out.database = number(text.substr(slash + 1), "database");
    text.erase(slash);
  }
  if (const size_t colon = text.rfind(':'); colon != text.npos) {
    out.port = number(text.substr(colon + 1), "port");
    text.erase(colon);
  }
  out.host = text;
  if (out.host.empty()) throw std::runtime_error("it names no host");
  return out;
}

struct Free {
  void operator()(redisContext* context) const { redisFree(context); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Connection = std::unique_ptr<redisContext, Free>;
using Reply = std::unique_ptr<redisReply, Free>;

timeval to_timeval(uint32_t milliseconds) {
  return {milliseconds / 1000, static_cast<suseconds_t>(milliseconds % 1000 * 1000)};
}

class Redis final : public Place {
 public:
  Redis(Address address, const cucore_cache_remote_options& options)
      : address_(std::move(address)), options_(options) {}

  cucore_cache_answer get(const std::string& name, std::string& out) override {
    const std::string key = "cucore:" + name;
    Connection connection;
    const Reply reply = ask_server(connection, "GET %b", key.data(), key.size());
    if (!reply || reply->type == REDIS_REPLY_ERROR) return CUCORE_CACHE_ANSWER_FAILED;
    const bool has = reply->type == REDIS_REPLY_STRING;
    if (has) out.assign(reply->str, reply->len);
    give_back(std::move(connection));
    return has ? CUCORE_CACHE_ANSWER_DONE : CUCORE_CACHE_ANSWER_ABSENT;
  }

  cucore_cache_answer put(const std::string& name, std::string_view bytes) override {
    const std::string key = "cucore:" + name;
    Connection connection;
    const Reply reply =
        ask_server(connection, "SET %b %b", key.data(), key.size(), bytes.data(), bytes.size());
    if (!reply || reply->type != REDIS_REPLY_STATUS) return CUCORE_CACHE_ANSWER_FAILED;
    give_back(std::move(connection));
    return CUCORE_CACHE_ANSWER_DONE;
  }

 private:
  template <class... Arguments>
  static Reply ask(const Connection& connection, const char* format, Arguments... arguments) {
    return Reply(static_cast<redisReply*>(redisCommand(connection.get(), format, arguments...)));
  }

  // Over one that has waited for this; where the server has closed it meanwhile, over another.
  template <class... Arguments>
  Reply ask_server(Connection& connection, const char* format, Arguments... arguments) {
    while ((connection = take_idle())) {
      Reply reply = ask(connection, format, arguments...);
      const bool is_slow = connection->err == REDIS_ERR_IO && errno == EAGAIN;
      if (reply || is_slow) return reply;
    }
    connection = connect();
    return connection ? ask(connection, format, arguments...) : nullptr;
  }

  Connection take_idle() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    Connection connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }

  Connection connect() {
    Connection connection(redisConnectWithTimeout(address_.host.c_str(), address_.port,
                                                  to_timeval(options_.connect_timeout_ms)));
    if (!connection || connection->err) return nullptr;
    redisSetTimeout(connection.get(), to_timeval(options_.timeout_ms));
    if (!address_.password.empty()) {
      const Reply reply =
          ask(connection, "AUTH %b", address_.password.data(), address_.password.size());
      if (!reply || reply->type != REDIS_REPLY_STATUS) return nullptr;
    }
    if (address_.database != 0) {
      const Reply reply = ask(connection, "SELECT %d", address_.database);
      if (!reply || reply->type != REDIS_REPLY_STATUS) return nullptr;
    }
    return connection;
  }
  // One that has failed is not given back: what it would say next belongs to another question.
  void give_back(Connection connection) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
  }

  const Address address_;
  const cucore_cache_remote_options options_;
  std::mutex mutex_;
  std::vector<Connection> idle_;
};

}  // namespace

std::unique_ptr<Place> make_place(const std::string& url,
                                  const cucore_cache_remote_options& options) {
  return std::make_unique<Redis>(parse(url), options);
}

}  // namespace cucore::remote
