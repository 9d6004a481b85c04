// SPDX-License-Identifier: Apache-2.0
// The forms of keys in files: PEM, DER, hexadecimal digits, bytes.
#include "key_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "failure.hpp"
#include "strings.hpp"
#include "support/counted.hpp"

namespace cucore::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t KEY_SIZE = 32;      // of Ed25519, private and public
constexpr std::size_t LEAST_DIGITS = 32;  // a shorter text is more likely a word of such characters
constexpr std::string_view BEGIN = "-----BEGIN ", END = "-----END ", DASHES = "-----";
constexpr std::string_view MARK = "\xEF\xBB\xBF";  // UTF-8 byte order mark, which some editors add
constexpr std::string_view GENERATE = "'openssl genpkey -algorithm ed25519' makes one";

// RFC 8410: the DER bytes before the 32 bytes of a key. In PKCS #8 a SEQUENCE and the version come
// first; the public half and attributes may follow.
constexpr auto PUBLIC_HEAD = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"sv;
constexpr auto PRIVATE_BODY = "\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20"sv;
constexpr std::size_t PRIVATE_BODY_AT = 5;

std::string_view without_mark(std::string_view text) {
  return text.starts_with(MARK) ? text.substr(MARK.size()) : text;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> from_hex(std::string_view text) {
  text = trimmed(text);
  const bool hex = !text.empty() && text.size() % 2 == 0 &&
                   std::all_of(text.begin(), text.end(), [](char c) { return digit(c) >= 0; });
  if (!hex) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
  return bytes;
}

std::string require_hex(std::string_view text, const std::string& path) {
  const auto bytes = from_hex(text);
  if (!bytes) wrong_key(path, "is not an even number of hexadecimal digits");
  return *bytes;
}

// Returns the digits of base64 without their padding; nullopt if the padding or the number of
// digits is wrong.
std::optional<std::string> base64_digits(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c))) digits += c;
  if (digits.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && digits.ends_with('='); ++i) digits.pop_back();
  return digits;
}

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view DIGITS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto digits = base64_digits(text);
  if (!digits) return std::nullopt;
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : *digits) {
    const std::size_t value = DIGITS.find(c);
    if (value == DIGITS.npos) return std::nullopt;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

// Returns the offset of the first line with this beginning; npos if none has it.
std::size_t find_line(std::string_view text, std::string_view begin, std::size_t from = 0) {
  for (std::size_t at = text.find(begin, from); at != text.npos; at = text.find(begin, at + 1))
    if (at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r') return at;
  return text.npos;
}

struct Pem {
  std::string label;  // "PRIVATE KEY"
  std::string der;
};

// Reads one block, which text may precede and follow (RFC 7468).
Pem read_pem(std::string_view text, const std::string& path) {
  const std::size_t begin = find_line(text, BEGIN);
  if (begin == text.npos) wrong_key(path, "is not PEM: no line begins with -----BEGIN");
  if (find_line(text, BEGIN, begin + 1) != text.npos)
    wrong_key(path, "has more than one PEM block; a key file holds one key");
  const std::string_view rest = text.substr(begin + BEGIN.size());
  const std::size_t dashes = rest.substr(0, rest.find('\n')).find(DASHES);
  if (dashes == rest.npos) wrong_key(path, "is cut off: its PEM header has no end");
  Pem pem{std::string(rest.substr(0, dashes)), {}};
  const std::string_view body = rest.substr(dashes + DASHES.size());
  const std::string last = std::string(END) + pem.label + std::string(DASHES);
  const std::size_t end = find_line(body, last);
  if (end == body.npos) wrong_key(path, fmt::format("is cut off: it has no line {}", last));
  if (pem.label.starts_with("ENCRYPTED"))
    wrong_key(path,
              fmt::format("is encrypted: 'openssl pkey -in {} -out plain.pem' decrypts it", path));
  const auto der = from_base64(body.substr(0, end));
  if (!der)
    wrong_key(path, "is not an Ed25519 key: what is between its lines of PEM is not base64");
  pem.der = *der;
  return pem;
}

// Returns true for DER of exactly this length: a SEQUENCE of less than 128 bytes and nothing after
// it.
bool is_sequence(std::string_view der) {
  return der.size() > PRIVATE_BODY_AT && der[0] == 0x30 && der.size() < 130 &&
         static_cast<std::size_t>(static_cast<unsigned char>(der[1])) == der.size() - 2;
}

bool is_public(std::string_view der) {
  return der.starts_with(PUBLIC_HEAD) && der.size() == PUBLIC_HEAD.size() + KEY_SIZE;
}

bool is_private(std::string_view der) {
  const bool head = is_sequence(der) && der.substr(2, 2) == "\x02\x01"sv && (der[4] | 1) == 1;
  return head && der.substr(PRIVATE_BODY_AT).starts_with(PRIVATE_BODY) &&
         der.size() >= PRIVATE_BODY_AT + PRIVATE_BODY.size() + KEY_SIZE;
}

std::optional<Ed25519File> from_der(std::string_view der) {
  if (is_public(der))
    return Ed25519File{KeyHalf::PUBLIC, std::string(der.substr(PUBLIC_HEAD.size()))};
  if (is_private(der))
    return Ed25519File{KeyHalf::PRIVATE,
                       std::string(der.substr(PRIVATE_BODY_AT + PRIVATE_BODY.size(), KEY_SIZE))};
  return std::nullopt;
}

Ed25519File from_pem(std::string_view text, const std::string& path) {
  const Pem pem = read_pem(text, path);
  if (pem.label != "PRIVATE KEY" && pem.label != "PUBLIC KEY")
    wrong_key(path,
              fmt::format("holds a {}, not an Ed25519 key in PKCS #8: {}", pem.label, GENERATE));
  const auto key = from_der(pem.der);
  const KeyHalf half = pem.label == "PUBLIC KEY" ? KeyHalf::PUBLIC : KeyHalf::PRIVATE;
  if (!key || key->half != half)
    wrong_key(path, fmt::format("is not an Ed25519 key: {}", GENERATE));
  return *key;
}

Ed25519File from_bytes(const std::string& bytes, const std::string& path) {
  if (bytes.size() != KEY_SIZE)
    wrong_key(path, fmt::format("holds {}; a key of Ed25519 has 32 bytes",
                                counted(bytes.size(), "byte")));
  return {KeyHalf::UNKNOWN, bytes};
}

bool looks_like_pem(std::string_view text) { return text.find(BEGIN) != text.npos; }

bool holds_der(std::string_view bytes) {
  return bytes.find(PUBLIC_HEAD) != bytes.npos || bytes.find(PRIVATE_BODY) != bytes.npos;
}

// Returns whether a text contains a key of a key pair in a recognisable form. Unsupported forms
// count: UTF-16, digits of DER, the forms of SSH.
bool holds_key(const std::string& text) {
  std::string narrow = text;
  std::erase(narrow, '\0');
  for (const std::string_view mark : {BEGIN, "---- BEGIN SSH2 "sv, "ssh-ed25519 "sv})
    if (narrow.find(mark) != narrow.npos) return true;
  const auto digits = from_hex(text), base64 = from_base64(text);
  return holds_der(text) || (digits && holds_der(*digits)) || (base64 && holds_der(*base64));
}

}  // namespace

void wrong_key(const std::string& path, const std::string& why) {
  throw failed(fmt::format("{} {}", path, why));
}

Ed25519File read_ed25519(std::string_view text, const KeySource& source) {
  const auto& [path, format, prefix] = source;
  if (text.empty()) wrong_key(path, fmt::format("is empty; {}", GENERATE));
  if (format == "raw") return from_bytes(std::string(text), path);
  if (format == "hex") return from_bytes(require_hex(text, path), path);
  const auto der = from_der(text);
  if (der && format != "pem") return *der;
  if (format == "der") wrong_key(path, fmt::format("is not an Ed25519 key in DER: {}", GENERATE));
  if (format == "pem" || looks_like_pem(text)) return from_pem(without_mark(text), path);
  wrong_key(path, fmt::format("is not an Ed25519 key in PEM or DER; use {}secret for a secret of "
                              "HMAC-SHA256, or {}key-format hex or raw",
                              prefix, prefix));
}

std::string read_secret(std::string_view text, const KeySource& source) {
  const auto& [path, format, prefix] = source;
  if (holds_key(std::string(text)))
    wrong_key(path, fmt::format("is a key of a key pair, not a secret of HMAC; use {}key", prefix));
  if (format == "hex") return require_hex(text, path);
  if (text.empty()) wrong_key(path, "is empty; 'openssl rand -hex 32' makes a secret");
  const auto bytes = trimmed(text).size() >= LEAST_DIGITS ? from_hex(text) : std::nullopt;
  return bytes && format != "raw" ? *bytes : std::string(text);
}

}  // namespace cucore::cli
