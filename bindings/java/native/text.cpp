// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <cstdint>
#include <string_view>

#include "raise.hpp"

namespace cucore::java {
namespace {

constexpr char32_t REPLACEMENT = 0xFFFD;

bool is_ascii(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

// The number of bytes of a character, by its first byte, and the least code point for that number.
struct Form {
  int length;
  char32_t bits;
  char32_t least;
};

Form form_of(unsigned char lead) {
  if (lead < 0x80) return {1, lead, 0};
  if (lead >= 0xC2 && lead < 0xE0) return {2, lead & 0x1Fu, 0x80};
  if (lead >= 0xE0 && lead < 0xF0) return {3, lead & 0x0Fu, 0x800};
  if (lead >= 0xF0 && lead < 0xF5) return {4, lead & 0x07u, 0x10000};
  return {1, REPLACEMENT, 0};
}

bool is_scalar(char32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF); }

// Returns the next character; one bad byte becomes one replacement.
char32_t next(std::string_view text, size_t& at) {
  const Form form = form_of(static_cast<unsigned char>(text[at]));
  char32_t c = form.bits;
  for (int i = 1; i < form.length; ++i) {
    const unsigned char byte = at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
    if ((byte & 0xC0) != 0x80) {
      ++at;
      return REPLACEMENT;
    }
    c = c << 6 | (byte & 0x3Fu);
  }
  const bool good = c >= form.least && is_scalar(c);
  at += good ? form.length : 1;
  return good ? c : REPLACEMENT;
}

char32_t next(std::u16string_view text, size_t& at) {
  const char16_t first = text[at++];
  if (first < 0xD800 || first > 0xDFFF) return first;
  if (first > 0xDBFF || at == text.size() || text[at] < 0xDC00 || text[at] > 0xDFFF)
    return REPLACEMENT;
  return 0x10000 + ((first - 0xD800u) << 10) + (text[at++] - 0xDC00u);
}

void append(std::string& out, char32_t c) {
  const auto rest = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    rest(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    rest(6), rest(0);
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    rest(12), rest(6), rest(0);
  }
}

}  // namespace

std::u16string utf16_of(std::string_view utf8) {
  std::u16string out;
  out.reserve(utf8.size());
  for (size_t at = 0; at < utf8.size();) {
    const char32_t c = next(utf8, at);
    if (c < 0x10000) {
      out += static_cast<char16_t>(c);
    } else {
      out += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
      out += static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
  }
  return out;
}

std::string utf8_of(std::u16string_view utf16) {
  std::string out;
  out.reserve(utf16.size());
  for (size_t at = 0; at < utf16.size();) append(out, next(utf16, at));
  return out;
}

size_t find_lone_surrogate(std::u16string_view utf16) {
  for (size_t at = 0; at < utf16.size();) {
    const size_t begin = at;
    const bool is_surrogate = utf16[at] >= 0xD800 && utf16[at] <= 0xDFFF;
    if (next(utf16, at) == REPLACEMENT && is_surrogate) return begin;
  }
  return std::u16string_view::npos;
}

namespace {

bool convert(JNIEnv* env, jstring text, std::string& utf8) {
  const jsize length = env->GetStringLength(text);
  std::u16string units(static_cast<size_t>(length), u'\0');
  env->GetStringRegion(text, 0, length, reinterpret_cast<jchar*>(units.data()));
  if (units.find(u'\0') != std::u16string::npos) {
    raise(env,
          bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT, "a text must not hold a NUL character"));
    return false;
  }
  const size_t lone = find_lone_surrogate(units);
  if (lone != std::u16string::npos) {
    raise(env, bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                             "a text has a lone surrogate at index " + std::to_string(lone) +
                                 "; expected well-formed UTF-16"));
    return false;
  }
  utf8 = utf8_of(units);
  return true;
}

bool convert(JNIEnv* env, jobjectArray array, const char* name, std::vector<std::string>& texts,
             std::vector<const char*>& pointers) {
  if (!array) return raise_null(env, name), false;
  const jsize count = env->GetArrayLength(array);
  texts.resize(static_cast<size_t>(count));
  for (jsize i = 0; i < count; ++i) {
    const auto text = static_cast<jstring>(env->GetObjectArrayElement(array, i));
    if (!text) return raise_null(env, name, i), false;
    if (!convert(env, text, texts[static_cast<size_t>(i)])) return false;
    env->DeleteLocalRef(text);
  }
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return true;
}

}  // namespace

jstring to_java(JNIEnv* env, const char* utf8) {
  if (!utf8) return nullptr;
  const std::string_view text(utf8);
  if (is_ascii(text)) return env->NewStringUTF(utf8);
  return guarded(env, [&] {
    const std::u16string units = utf16_of(text);
    return env->NewString(reinterpret_cast<const jchar*>(units.data()),
                          static_cast<jsize>(units.size()));
  });
}

bool from_java(JNIEnv* env, jstring text, std::string& utf8) {
  return guarded(env, [&] { return convert(env, text, utf8); });
}

bool from_java(JNIEnv* env, jobjectArray array, const char* name, std::vector<std::string>& texts,
               std::vector<const char*>& pointers) {
  return guarded(env, [&] { return convert(env, array, name, texts, pointers); });
}

}  // namespace cucore::java
