// SPDX-License-Identifier: Apache-2.0
// Keys of builds.
#include "container/build_inputs.hpp"

#include <cstring>

#include "support/sha256.hpp"

namespace cucore::container {

const char* key_tag_text(uint16_t tag) {
  switch (static_cast<KeyTag>(tag)) {
#define TAG(number, name, text) \
  case KeyTag::name:            \
    return text;
#include "container/key_tags.inc"
#undef TAG
  }
  return "an unknown field";
}

KeyField key_field(KeyTag tag, std::span<const std::byte> value) {
  return {static_cast<uint16_t>(tag), image::Bytes(value.begin(), value.end())};
}

KeyField key_field(KeyTag tag, std::string_view value) {
  return key_field(tag, std::as_bytes(std::span(value)));
}

Digest digest_of(std::span<const KeyField> fields) {
  // One update, because a call for each of many short fields costs more than the copy.
  image::Bytes framed;
  size_t size = 0;
  for (const KeyField& field : fields) size += 6 + field.value.size();
  framed.reserve(size);
  const auto append = [&](const auto& number) {
    const auto raw = std::as_bytes(std::span(&number, 1));
    framed.insert(framed.end(), raw.begin(), raw.end());
  };
  for (const KeyField& field : fields) {
    append(field.tag);
    append(static_cast<uint32_t>(field.value.size()));
    framed.insert(framed.end(), field.value.begin(), field.value.end());
  }
  return sha256(framed);
}

namespace {

// Every look-up tests every source for it, so the rarest characters decide first: a kernel has few
// '#', and fewer capital letters.

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool starts_with_any(std::string_view text, std::span<const std::string_view> words) {
  for (const std::string_view word : words)
    if (text.starts_with(word)) return true;
  return false;
}

// Directives after which no file can be named; "#if" may contain __has_include.
constexpr std::string_view HARMLESS[] = {"define", "undef",  "pragma", "endif", "else",
                                         "ifdef",  "ifndef", "error",  "line",  "warning"};

bool has_telling_directive(std::string_view text) {
  for (size_t at = 0; (at = text.find('#', at)) != text.npos;) {
    ++at;
    while (at < text.size() && is_blank(text[at])) ++at;
    if (!starts_with_any(text.substr(at), HARMLESS)) return true;
  }
  // "%:" and "??=" are other ways to write '#'.
  for (size_t at = 0; (at = text.find('%', at)) != text.npos; ++at)
    if (text.substr(at).starts_with("%:")) return true;
  return text.find('?') != text.npos && text.find("?\?=") != text.npos;
}

bool has(std::string_view text, std::string_view word) {
  return memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

bool names_the_time(std::string_view text) {
  for (const std::string_view word : {"TIME", "DATE"})
    for (size_t at = 0; (at = text.find(word[0], at)) != text.npos; ++at)
      if (at >= 2 && text[at - 1] == '_' && text.substr(at).starts_with(word)) return true;
  return false;
}

// A backslash at the end of a line joins it with the next.
std::string without_splices(std::string_view text) {
  std::string joined;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool splice =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '\n' || text[i + 1] == '\r');
    if (!splice) {
      joined += text[i];
      continue;
    }
    i += text[i + 1] == '\r' && i + 2 < text.size() && text[i + 2] == '\n' ? 2 : 1;
  }
  return joined;
}

bool may_read(std::string_view text) {
  if (names_the_time(text)) return true;
  return has_telling_directive(text) && (has(text, "include") || has(text, "embed"));
}

}  // namespace

bool may_read_files(const FileAccess& access) {
  if (!access.pre_includes.empty()) return true;
  for (const auto& [name, text] : access.texts) {
    if (may_read(text)) return true;
    if (text.find('\\') != text.npos && may_read(without_splices(text))) return true;
  }
  return false;
}

}  // namespace cucore::container
