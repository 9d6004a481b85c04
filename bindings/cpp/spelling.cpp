// SPDX-License-Identifier: Apache-2.0
// Replaces C names in a message by a language's own.
#include "spelling.hpp"

#include <algorithm>
#include <span>

namespace cucore::bind {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t word_end(std::string_view text, size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

const char* find(std::string_view name) {
  const std::span all(SPELLINGS, SPELLING_COUNT);
  const auto found = std::ranges::lower_bound(
      all, name, {}, [](const Spelling& one) { return std::string_view(one.in_c); });
  return found != all.end() && found->in_c == name ? found->here : nullptr;
}

// Paths and names of files must not change.
bool begins_name(std::string_view text, size_t at) {
  return at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '/' && text[at - 1] != '-' &&
                     text[at - 1] != '.');
}

// Returns the C name that begins here, with a field if it is a struct's; else "".
std::string_view name_at(std::string_view text, size_t at) {
  const size_t end = word_end(text, at);
  const std::string_view word = text.substr(at, end - at);
  if (end + 1 < text.size() && text[end] == '.' && is_word(text[end + 1])) {
    const std::string_view field = text.substr(at, word_end(text, end + 1) - at);
    if (find(field)) return field;
  }
  return word;
}

}  // namespace

std::string respell(std::string_view message) {
  std::string out;
  out.reserve(message.size());
  for (size_t at = 0; at < message.size();) {
    if (!is_word(message[at]) || !begins_name(message, at)) {
      out += message[at++];
      continue;
    }
    const std::string_view name = name_at(message, at);
    at += name.size();
    const char* here = find(name);
    out += here ? std::string_view(here) : name;
    if (here && out.ends_with("()") && message.substr(at).starts_with("()")) at += 2;
  }
  return out;
}

}  // namespace cucore::bind
