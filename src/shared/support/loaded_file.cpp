// SPDX-License-Identifier: Apache-2.0
#include "support/loaded_file.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace cucore {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
  void operator()(FILE* file) const { std::fclose(file); }
};

bool exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

// The kernel marks a file that was unlinked. Its folder is still correct.
std::string without_mark(std::string path) {
  constexpr std::string_view MARK = " (deleted)";
  if (path.ends_with(MARK) && !exists(path)) path.erase(path.size() - MARK.size());
  return path;
}

// "start-end rights offset device inode   path"
std::string path_in_line(const char* line, uintptr_t address) {
  uintptr_t begin = 0, end = 0;
  int path = 0;
  if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end, &path) < 2 ||
      path == 0 || address < begin || address >= end)
    return {};
  std::string text = line + path;
  if (text.ends_with('\n')) text.pop_back();
  return text.starts_with('/') ? without_mark(std::move(text)) : std::string();
}

std::string mapped_file(uintptr_t address) {
  const std::unique_ptr<FILE, Free> maps(std::fopen("/proc/self/maps", "re"));
  char* buffer = nullptr;
  size_t capacity = 0;
  std::string found;
  while (maps && found.empty() && getline(&buffer, &capacity, maps.get()) > 0)
    found = path_in_line(buffer, address);
  const std::unique_ptr<char, Free> line(buffer);
  return found;
}

}  // namespace

std::string loaded_file(const void* address) {
  if (std::string file = mapped_file(reinterpret_cast<uintptr_t>(address)); !file.empty())
    return file;
  Dl_info info{};
  if (dladdr(address, &info) == 0 || !info.dli_fname || *info.dli_fname != '/') return {};
  const std::unique_ptr<char, Free> real(realpath(info.dli_fname, nullptr));
  return real ? real.get() : info.dli_fname;
}

std::string own_folder() {
  const std::string file = loaded_file(reinterpret_cast<const void*>(&own_folder));
  return file.substr(0, file.rfind('/') == file.npos ? 0 : file.rfind('/'));
}

std::string absolute_path(std::string path) {
  if (path.starts_with('/') || path.find('/') == path.npos) return path;
  const std::unique_ptr<char, Free> folder(getcwd(nullptr, 0));
  return folder ? std::string(folder.get()) + "/" + path : path;
}

}  // namespace cucore
