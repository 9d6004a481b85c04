// SPDX-License-Identifier: Apache-2.0
// Tools for the tests of a hostile environment: a separate folder, and programs that run in it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hostile_test {

class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Copies a file to a name below the folder.
  std::string add(const std::string& file, const std::string& name) const;

 private:
  std::string path_;
};

using Environment = std::map<std::string, std::string>;

struct Finished {
  int exit = -1;  // or 128 and the signal
  std::string output, errors;
  double seconds = 0;
};

// Runs a program to its end. The environment has these variables and PATH. `prepare` runs in the
// child before the program does.
Finished run(const std::vector<std::string>& arguments, const Environment& environment,
             const std::function<void()>& prepare = nullptr);

bool exists(const std::string& path);
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);

}  // namespace hostile_test
