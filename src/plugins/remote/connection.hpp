// SPDX-License-Identifier: Apache-2.0
// A TCP connection whose operations, including the look-up of the host, end at their deadline.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "remote/deadline.hpp"

namespace cucore::remote {

class Connection {
 public:
  // Returns null if no connection is open at the deadline.
  static std::unique_ptr<Connection> open(const std::string& host, const std::string& port,
                                          const Deadline& deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool send(std::string_view bytes, const Deadline& deadline);
  // Appends received bytes, at most `most`; returns false if none arrive before the deadline or the
  // end of the connection.
  bool receive(std::string& to, size_t most, const Deadline& deadline);
  // Returns true if the connection is open and has no unread bytes.
  bool is_quiet() const;

 private:
  explicit Connection(int socket) : socket_(socket) {}
  const int socket_;
};

}  // namespace cucore::remote
