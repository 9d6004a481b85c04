// SPDX-License-Identifier: Apache-2.0
// A TCP connection of which no operation outlasts its deadline, the look-up of the host included.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "remote/deadline.hpp"

namespace cucore::remote {

class Connection {
 public:
  // Null if there is no connection by then.
  static std::unique_ptr<Connection> open(const std::string& host, const std::string& port,
                                          const Deadline& deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool send(std::string_view bytes, const Deadline& deadline);
  // Appends what has come, at most `most` bytes; false if nothing comes or will come any more.
  bool receive(std::string& to, size_t most, const Deadline& deadline);
  // Open, and nothing has come that nobody has asked for.
  bool is_quiet() const;

 private:
  explicit Connection(int socket) : socket_(socket) {}
  const int socket_;
};

}  // namespace cucore::remote
