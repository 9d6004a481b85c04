// SPDX-License-Identifier: Apache-2.0
// An answer in the protocol of Redis (RESP2). It has one of the types that GET, SET, AUTH and
// SELECT return, and at most the size of an entry.
#pragma once

#include <optional>
#include <string>

#include "remote/connection.hpp"

namespace cucore::remote {

struct RedisReply {
  enum class Kind { STATUS, FAILURE, BYTES, ABSENT };
  Kind kind = Kind::FAILURE;
  std::string bytes;
  bool is_last = true;  // the server has sent nothing after it
};

// Returns nullopt if no valid reply arrives before the deadline.
std::optional<RedisReply> read_reply(Connection& connection, size_t largest,
                                     const Deadline& deadline);

// Sends a command of these words.
bool send_command(Connection& connection, std::initializer_list<std::string_view> words,
                  const Deadline& deadline);

}  // namespace cucore::remote
