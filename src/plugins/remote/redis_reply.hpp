// SPDX-License-Identifier: Apache-2.0
// An answer in the protocol of Redis (RESP2): of the few kinds that GET, SET, AUTH and SELECT have,
// and of no more bytes than an entry may have.
#pragma once

#include <optional>
#include <string>

#include "remote/connection.hpp"

namespace cucore::remote {

struct RedisReply {
  enum class Kind { STATUS, FAILURE, BYTES, ABSENT };
  Kind kind = Kind::FAILURE;
  std::string bytes;
  bool is_last = true;  // the server has said no more than this
};

// nullopt if it does not come by then, or is none.
std::optional<RedisReply> read_reply(Connection& connection, size_t largest,
                                     const Deadline& deadline);

// A command of these words.
bool send_command(Connection& connection, std::initializer_list<std::string_view> words,
                  const Deadline& deadline);

}  // namespace cucore::remote
