// SPDX-License-Identifier: Apache-2.0
// A file that replaces another in one step, or leaves nothing behind.
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <string>
#include <string_view>

namespace cucore::cli {

// A temporary file in the folder of the file that it will replace. If it is not committed, the
// destructor removes it, or the signal that ends the process.
class Replacement {
 public:
  // `path` is not a link. All functions throw std::system_error.
  explicit Replacement(std::string path);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  void write(std::string_view bytes);
  // Renames the file to its final name; the permissions of a replaced file stay.
  void commit();

 private:
  void open();
  void close();
  // Those of the replaced file, from the start, so that private content is never public.
  mode_t permissions() const;

  static constexpr std::array SIGNALS{SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};

  const std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
  std::array<struct sigaction, SIGNALS.size()> old_actions_{};
};

}  // namespace cucore::cli
