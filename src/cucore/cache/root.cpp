// SPDX-License-Identifier: Apache-2.0
#include "cache/root.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <system_error>

#include "support/concat.hpp"
#include "support/environment.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

namespace cucore::cache {
namespace {

constexpr const char* VERSION_FOLDER = "v1";

std::string home() {
  if (std::string value = environment("HOME"); !value.empty()) return value;
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found) != 0 || !found) return {};
  return found->pw_dir ? found->pw_dir : "";
}

std::string reason() { return std::system_category().message(errno); }

// Creates each folder of the path, as mkdir -p; the last ones are private.
bool make_folders(const std::string& path) {
  for (size_t at = 1; at <= path.size(); ++at) {
    if (at != path.size() && path[at] != '/') continue;
    const std::string part = path.substr(0, at);
    if (mkdir(part.c_str(), 0700) == 0 || errno == EEXIST) continue;
    const int failure = errno;
    struct stat status {};
    if (stat(part.c_str(), &status) == 0) continue;
    errno = failure;
    return false;
  }
  return true;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Status::IO, concat("cannot use ", path, " as a cache: ", why,
                                 "; object code from there would be run. Choose a folder of your "
                                 "own, or set its mode to 0700"));
}

// Everything below a private folder is private, whatever its own mode is.
void require_private(int folder, const std::string& path) {
  struct stat status {};
  if (fstat(folder, &status) != 0) refuse(path, reason());
  if (status.st_uid != geteuid())
    refuse(path, concat("it belongs to user ", status.st_uid, ", not to ", geteuid()));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) refuse(path, "others can write to it");
}

bool is_network(int folder) {
  constexpr long NETWORKS[] = {0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x01021997,
                               0x65735546, 0x0BD00BD0, 0x47504653, 0x00C36400, 0x5346414F};
  struct statfs status {};
  if (fstatfs(folder, &status) != 0) return false;
  for (const long magic : NETWORKS)
    if ((status.f_type & 0xFFFFFFFF) == magic) return true;
  return false;
}

}  // namespace

std::string default_directory() {
  if (std::string value = environment("CUCORE_CACHE_DIR"); !value.empty()) return value;
  const std::string base = environment("XDG_CACHE_HOME");
  // The specification of that variable requires that a relative path is ignored.
  if (base.starts_with('/')) return concat(base, "/cucore");
  const std::string own = home();
  return own.empty() ? "" : own + "/.cache/cucore";
}

bool is_switched_off() { return environment("CUCORE_CACHE") == "off"; }

Root open_root(const std::string& directory, bool read_only) {
  Root root;
  root.path = directory;
  root.read_only = read_only;
  if (!read_only && !make_folders(directory)) root.problem = "it cannot be made: " + reason();
  const Descriptor top(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) {
    if (root.problem.empty()) root.problem = reason();
    return root;
  }
  require_private(top.get(), directory);
  if (!read_only && mkdirat(top.get(), VERSION_FOLDER, 0700) != 0 && errno != EEXIST) {
    root.read_only = true;
    root.problem = "nothing can be written there: " + reason();
  }
  root.folder = Descriptor(
      openat(top.get(), VERSION_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!root.folder) {
    root.problem = reason();
    return root;
  }
  require_private(root.folder.get(), directory + "/" + VERSION_FOLDER);
  if (!root.read_only && faccessat(root.folder.get(), ".", W_OK, AT_EACCESS) != 0) {
    root.read_only = true;
    root.problem = "nothing can be written there: " + reason();
  }
  root.is_remote = is_network(root.folder.get());
  return root;
}

Root open_root_or_warn(const std::string& directory, bool read_only) {
  if (directory.empty()) return {};
  Root root = open_root(directory, read_only);
  if (!root.problem.empty())
    log(LogLevel::WARNING,
        concat("the cache in ", directory, " is ",
               root.folder ? "read-only" : "kept in memory alone", ": ", root.problem));
  return root;
}

}  // namespace cucore::cache
