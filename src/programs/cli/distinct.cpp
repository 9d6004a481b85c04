// SPDX-License-Identifier: Apache-2.0
// Keeps a run from destroying its own inputs and outputs.
#include "distinct.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <compare>
#include <filesystem>
#include <map>
#include <optional>

#include "failure.hpp"
#include "files.hpp"

namespace cucore::cli {
namespace {

// The identity of a file; `name` is empty if the file exists, else the inode is that of its folder.
struct Place {
  dev_t device;
  ino_t inode;
  std::string name;

  auto operator<=>(const Place&) const = default;
};

bool read_status(const std::string& path, int stream, struct stat& status) {
  return (path == "-" ? fstat(stream, &status) : stat(path.c_str(), &status)) == 0;
}

// Terminals and /dev/null may be used repeatedly; a socket may be both ends of a connection.
bool may_be_shared(mode_t mode) { return S_ISCHR(mode) || S_ISSOCK(mode); }

std::optional<Place> place_of(const std::string& path, int stream) {
  struct stat status {};
  if (read_status(path, stream, status)) {
    if (may_be_shared(status.st_mode)) return std::nullopt;
    return Place{status.st_dev, status.st_ino, {}};
  }
  const std::filesystem::path file = real_path(path);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!read_status(folder.string(), stream, status)) return std::nullopt;
  return Place{status.st_dev, status.st_ino, file.filename().string()};
}

[[noreturn]] void refuse(const std::string& output, const std::string& other, const char* what,
                         const char* advice) {
  if (output == other) throw usage(fmt::format("{} is {}: {}", output, what, advice));
  throw usage(fmt::format("{} and {} are one file, which is {}: {}", other, output, what, advice));
}

}  // namespace

void require_distinct(const FileUse& use) {
  std::map<Place, std::string> inputs, outputs;
  for (const std::string& input : use.inputs)
    if (const auto place = place_of(input, STDIN_FILENO)) inputs.emplace(*place, input);
  bool has_stream = false;
  for (const std::string& output : use.outputs) {
    if (output == "-" && std::exchange(has_stream, true))
      throw usage("- is named for two outputs; name a file for one of them");
    const auto place = place_of(output, STDOUT_FILENO);
    if (!place) continue;
    if (const auto input = inputs.find(*place); input != inputs.end())
      refuse(output, input->second, "an input and also the output", "name another output");
    if (const auto [first, is_new] = outputs.emplace(*place, output); !is_new)
      refuse(output, first->second, "named for two outputs", "name another file");
  }
}

}  // namespace cucore::cli
