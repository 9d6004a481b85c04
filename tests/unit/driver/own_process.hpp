// SPDX-License-Identifier: Apache-2.0
// Runs a test in a separate process, because the libraries of a process are chosen only once.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "support/error.hpp"

namespace cucore::driver::test {

using Environment = std::map<std::string, std::string>;

// False in the first process, once the second has run and been judged: return then. True in the
// second, which has this environment and nothing else that steers the library.
//   if (!own_process({{"CUCORE_DRIVER", fake::path("fake_driver")}})) return;
bool own_process(const Environment& environment);

// A folder that goes with the test; libraries are copied into it under the names that count.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Returns the path of the copy; `name` may contain folders.
  std::string add(const std::string& fake, const std::string& name) const;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// The status and the message of the exception of a call; OK and "" without one.
struct Thrown {
  int status = 0;
  std::string message;
};

template <class Call>
Thrown thrown(Call&& call) {
  try {
    call();
    return {};
  } catch (const Error& error) {
    return {static_cast<int>(error.status()), error.message()};
  }
}

bool has(const std::string& text, const std::string& part);

const int MISSING = static_cast<int>(Status::LIBRARY_MISSING);

}  // namespace cucore::driver::test
