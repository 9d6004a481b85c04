// SPDX-License-Identifier: Apache-2.0
#include "hostile_testing.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace hostile_test {

namespace fs = std::filesystem;

Folder::Folder() {
  std::string pattern = (fs::temp_directory_path() / "cucore-hostile-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot create a folder for the test");
  path_ = fs::canonical(pattern);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Folder::add(const std::string& file, const std::string& name) const {
  const fs::path to = fs::path(path_) / name;
  fs::create_directories(to.parent_path());
  fs::copy_file(file, to, fs::copy_options::overwrite_existing);
  return to.string();
}

namespace {

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& string : strings) out.push_back(string.data());
  out.push_back(nullptr);
  return out;
}

void open_as(const std::string& file, int fd) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(opened, fd);
  close(opened);
}

}  // namespace

Finished run(const std::vector<std::string>& arguments, const Environment& environment,
             const std::function<void()>& prepare) {
  const Folder folder;
  std::vector<std::string> words = arguments, variables = {"PATH=/usr/bin:/bin"};
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);  // ends a hang by a signal
    open_as(folder / "output", 1);
    open_as(folder / "errors", 2);
    if (prepare) prepare();
    execve(words[0].c_str(), pointers(words).data(), pointers(variables).data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          read_file(folder / "output"), read_file(folder / "errors"), took.count()};
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace hostile_test
