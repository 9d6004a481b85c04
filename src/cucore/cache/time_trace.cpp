// SPDX-License-Identifier: Apache-2.0
#include "cache/time_trace.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <ctime>
#include <memory>

#include "cache/descriptor.hpp"
#include "support/environment.hpp"

namespace cucore::cache {
namespace {

constexpr time_t ABANDONED_SECONDS = 3600;
constexpr off_t LARGEST_TRACE = off_t{1} << 30;

std::string temporary_folder() {
  const std::string value = environment("TMPDIR");
  return value.empty() ? "/tmp" : value;
}

std::optional<std::string> read_file(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode) || status.st_size > LARGEST_TRACE) return std::nullopt;
  std::string text(static_cast<size_t>(status.st_size), '\0');
  if (!read_all(file.get(), text.data(), text.size())) return std::nullopt;
  return text;
}

// The compiler escapes the characters that JSON requires to be escaped.
std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '\\' || text[i + 1] == '"')) ++i;
    out += text[i];
  }
  return out;
}

void remove_trace(const std::string& folder) {
  unlink((folder + "/trace.json").c_str());
  unlink((folder + "/trace").c_str());
  rmdir(folder.c_str());
}

// Removes the files of processes that were killed during a compile.
void remove_abandoned(const std::string& place) {
  const std::unique_ptr<DIR, int (*)(DIR*)> list(opendir(place.c_str()), closedir);
  while (const dirent* entry = list ? readdir(list.get()) : nullptr) {
    if (!std::string_view(entry->d_name).starts_with(TraceFile::PREFIX)) continue;
    const std::string folder = place + "/" + entry->d_name;
    struct stat status {};
    if (lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        status.st_uid == geteuid() && status.st_mtime < time(nullptr) - ABANDONED_SECONDS)
      remove_trace(folder);
  }
}

}  // namespace

TraceFile::TraceFile(const std::string& folder) {
  if (!folder.empty()) remove_abandoned(folder);
  for (const std::string& place : {folder, temporary_folder()}) {
    if (place.empty()) continue;
    std::string pattern = place + "/" + PREFIX + "XXXXXX";
    if (!mkdtemp(pattern.data())) continue;
    folder_ = std::move(pattern);
    name_ = folder_ + "/trace";
    return;
  }
}

TraceFile::~TraceFile() {
  if (!folder_.empty()) remove_trace(folder_);
}

std::optional<std::vector<std::string>> TraceFile::headers() const {
  const auto json = read_file(name_ + ".json");
  return json ? headers_in_trace(*json) : std::nullopt;
}

// A JSON parser is not used, because the compiler's JSON is not always valid and this is much
// faster.
std::optional<std::vector<std::string>> headers_in_trace(std::string_view json) {
  constexpr std::string_view MARK = "\"name\":\"Processing Header File\"";
  constexpr std::string_view DETAIL = "{\"args\":{\"detail\":\"";
  constexpr std::string_view END = "\"},\"dur\":";
  while (!json.empty() && json.back() <= ' ') json.remove_suffix(1);
  if (!json.starts_with("{") || !json.ends_with("]}")) return std::nullopt;
  std::vector<std::string> headers;
  for (size_t at = 0; (at = json.find(MARK, at)) != json.npos; at += MARK.size()) {
    const size_t begin = json.rfind(DETAIL, at);
    if (begin == json.npos) return std::nullopt;
    const size_t from = begin + DETAIL.size();
    const size_t end = json.rfind(END, at);
    if (end == json.npos || end < from) return std::nullopt;
    headers.push_back(unescape(json.substr(from, end - from)));
  }
  return headers;
}

}  // namespace cucore::cache
