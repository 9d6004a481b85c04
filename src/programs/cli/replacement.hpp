// SPDX-License-Identifier: Apache-2.0
// A file that takes the place of another in one step, or leaves nothing behind.
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <string>
#include <string_view>

namespace cucore::cli {

// A temporary file beside the one that it is to replace. It is removed if it is not put in place:
// by the destructor, or by the signal that ends the process.
class Replacement {
 public:
  // `path` is no link. Throws std::system_error, as the other functions do.
  explicit Replacement(std::string path);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  void write(std::string_view bytes);
  // Gives the file its name; the permissions of a file that was there stay.
  void commit();

 private:
  void open();
  void close();
  // Those of the file that is replaced, from the start: what is private is never public.
  mode_t permissions() const;

  static constexpr std::array SIGNALS{SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};

  const std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
  std::array<struct sigaction, SIGNALS.size()> old_actions_{};
};

}  // namespace cucore::cli
