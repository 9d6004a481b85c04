#include "cache/time_trace.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>

#include "cache/descriptor.hpp"

namespace cucore::cache {
namespace {

std::string temporary_folder() {
  const char* value = secure_getenv("TMPDIR");
  return value && *value ? value : "/tmp";
}

std::optional<std::string> read_file(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) return std::nullopt;
  std::string text(static_cast<size_t>(status.st_size), '\0');
  if (!read_all(file.get(), text.data(), text.size())) return std::nullopt;
  return text;
}

// The compiler escapes what JSON must have escaped.
std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '\\' || text[i + 1] == '"')) ++i;
    out += text[i];
  }
  return out;
}

}  // namespace

TraceFile::TraceFile(const std::string& folder) {
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
  if (folder_.empty()) return;
  unlink((name_ + ".json").c_str());
  unlink(name_.c_str());
  rmdir(folder_.c_str());
}

std::optional<std::vector<std::string>> TraceFile::headers() const {
  const auto json = read_file(name_ + ".json");
  return json ? headers_in_trace(*json) : std::nullopt;
}

// Not by a JSON parser: the compiler's JSON is not always valid, and this is much faster.
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
