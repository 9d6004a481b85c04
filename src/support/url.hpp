// URLs as messages and logs show them. It has no source file, so that remotes can include it.
#pragma once

#include <string>
#include <string_view>

namespace cucore {

// The URL without user and password. Both may contain characters that end them in a well-formed
// URL, so everything up to the last @ is left out, also if no scheme is recognized.
inline std::string without_login(std::string_view url) {
  constexpr std::string_view MARK = "://";
  const size_t at = url.rfind('@');
  if (at == url.npos || url.starts_with("file:///")) return std::string(url);
  const size_t scheme = url.find(MARK);
  const size_t keep = scheme == url.npos || scheme > at ? 0 : scheme + MARK.size();
  return std::string(url.substr(0, keep)) + "***" + std::string(url.substr(at));
}

}  // namespace cucore
