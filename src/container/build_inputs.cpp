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
  return {static_cast<uint16_t>(tag), Bytes(value.begin(), value.end())};
}

KeyField key_field(KeyTag tag, std::string_view value) {
  return key_field(tag, std::as_bytes(std::span(value)));
}

Digest digest_of(std::span<const KeyField> fields) {
  // One update: a call for each of many short fields costs more than the copy.
  Bytes framed;
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

bool has(std::string_view text, std::string_view word) {
  return memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

// A backslash at the end of a line may stand inside the word.
bool has_hidden(std::string_view text, std::string_view word) {
  if (!has(text, "\\\n") && !has(text, "\\\r")) return false;
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
  return has(joined, word);
}

}  // namespace

bool may_read_files(const FileAccess& access) {
  if (!access.pre_includes.empty()) return true;
  for (const auto& [name, text] : access.texts)
    for (const std::string_view word : {"include", "embed", "__TIME", "__DATE__"})
      if (has(text, word) || has_hidden(text, word)) return true;
  return false;
}

}  // namespace cucore::container
