// SPDX-License-Identifier: Apache-2.0
#include "remote/redis_reply.hpp"

#include <charconv>

namespace cucore::remote {
namespace {

constexpr std::string_view END = "\r\n";
constexpr size_t LONGEST_LINE = 4096;
constexpr size_t BLOCK = size_t{64} << 10;

std::optional<size_t> to_size(std::string_view digits) {
  size_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc{} && at == end ? std::optional(value) : std::nullopt;
}

class Reader {
 public:
  Reader(Connection& connection, size_t largest, const Deadline& deadline)
      : connection_(connection), largest_(largest), deadline_(deadline) {}

  std::optional<RedisReply> read() {
    const auto line = read_line();
    if (!line || line->empty()) return std::nullopt;
    RedisReply reply;
    const std::string_view rest = std::string_view(*line).substr(1);
    if (line->front() == '+')
      reply.kind = RedisReply::Kind::STATUS;
    else if (line->front() == '$' && rest == "-1")
      reply.kind = RedisReply::Kind::ABSENT;
    else if (line->front() == '$') {
      if (!read_bytes(rest, reply)) return std::nullopt;
    } else if (line->front() != '-') {
      return std::nullopt;  // a type that these commands do not return
    }
    reply.is_last = buffer_.empty();
    return reply;
  }

 private:
  std::optional<std::string> read_line() {
    size_t end = 0;
    while ((end = buffer_.find(END)) == buffer_.npos)
      if (buffer_.size() > LONGEST_LINE || !connection_.receive(buffer_, LONGEST_LINE, deadline_))
        return std::nullopt;
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + END.size());
    return line;
  }

  // The buffer grows with the received bytes, not with the announced size.
  bool read_bytes(std::string_view digits, RedisReply& reply) {
    const auto size = to_size(digits);
    if (!size || *size > largest_) return false;
    const size_t whole = *size + END.size();
    while (buffer_.size() < whole)
      if (!connection_.receive(buffer_, std::min(BLOCK, whole - buffer_.size()), deadline_))
        return false;
    if (std::string_view(buffer_).substr(*size, END.size()) != END) return false;
    reply.kind = RedisReply::Kind::BYTES;
    reply.bytes = buffer_.substr(0, *size);
    buffer_.erase(0, whole);
    return true;
  }

  Connection& connection_;
  const size_t largest_;
  const Deadline& deadline_;
  std::string buffer_;
};

}  // namespace

std::optional<RedisReply> read_reply(Connection& connection, size_t largest,
                                     const Deadline& deadline) {
  return Reader(connection, largest, deadline).read();
}

bool send_command(Connection& connection, std::initializer_list<std::string_view> words,
                  const Deadline& deadline) {
  std::string head = "*" + std::to_string(words.size());
  for (const std::string_view word : words) {
    head.append(END).append("$").append(std::to_string(word.size())).append(END);
    // A large word is not copied.
    if (word.size() <= BLOCK) {
      head += word;
      continue;
    }
    if (!connection.send(head, deadline) || !connection.send(word, deadline)) return false;
    head.clear();
  }
  return connection.send(head.append(END), deadline);
}

}  // namespace cucore::remote
