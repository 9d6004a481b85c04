// SPDX-License-Identifier: Apache-2.0
// Shortens URLs for messages and logs. It has no source file, so that remotes can include it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace cucore {

constexpr std::string_view HIDDEN_PART = "***";

// Returns the end of the login: the last @, also if it is percent-encoded. User and password may
// contain characters that end them in a well-formed URL.
inline size_t login_end(std::string_view url) {
  const size_t plain = url.rfind('@'), encoded = url.rfind("%40");
  if (plain == url.npos || encoded == url.npos) return std::min(plain, encoded);
  return std::max(plain, encoded);
}

// Returns true if the port of `place` ("host:port/path") is not a number: then it is a login
// without a host.
inline bool is_login_alone(std::string_view place) {
  constexpr size_t LONGEST_PORT = 5;
  const size_t bracket = place.starts_with('[') ? std::min(place.find(']'), place.size()) : 0;
  const size_t colon = place.find(':', bracket);
  if (colon == place.npos || colon > place.find('/', bracket)) return false;
  const std::string_view behind = place.substr(colon + 1);
  const std::string_view port = behind.substr(0, behind.find('/'));
  return colon == 0 || port.size() > LONGEST_PORT ||
         port.find_first_not_of("0123456789") != port.npos;
}

// Returns the URL without user, password and query. A text without a scheme is a name, of which
// only a login is removed.
inline std::string without_login(std::string_view url) {
  constexpr std::string_view MARK = "://";
  if (url.starts_with("file:///")) return std::string(url);
  const size_t end = login_end(url), mark = url.find(MARK);
  const bool is_url = mark != url.npos && mark < end;
  std::string shown(url.substr(0, is_url ? mark + MARK.size() : 0));
  std::string_view place = url.substr(end == url.npos ? shown.size() : end);
  if (end != url.npos) shown += HIDDEN_PART;
  if (is_url && end == url.npos && is_login_alone(place)) return shown.append(HIDDEN_PART);
  const size_t query = is_url ? place.find_first_of("?#") : place.npos;
  if (query == place.npos) return shown.append(place);
  return shown.append(place.substr(0, query + 1)).append(HIDDEN_PART);
}

}  // namespace cucore
