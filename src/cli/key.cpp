// Keys in files: PEM of Ed25519, hexadecimal digits, or the bytes as they are.
#include "key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "failure.hpp"
#include "files.hpp"
#include "terminal.hpp"

namespace cucore::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kKeySize = 32;      // of Ed25519, private and public
constexpr std::size_t kLeastSecret = 16;  // bytes; what is shorter can be guessed
constexpr std::size_t kLeastDigits = 32;  // a shorter text is rather a word that looks so
constexpr std::string_view kBegin = "-----BEGIN ";

// RFC 8410: what stands before the 32 bytes of a key in DER.
constexpr auto kPublicHead = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"sv;
constexpr auto kPrivateBody = "\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20"sv;

[[noreturn]] void wrong_key(const std::string& path, const std::string& why) {
  throw failed(fmt::format("{} {}", path, why));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
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

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) || c == '=') continue;
    const std::size_t value = kDigits.find(c);
    if (value == kDigits.npos) return std::nullopt;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

struct Pem {
  std::string label;  ///< "PRIVATE KEY"
  std::string der;
};

Pem read_pem(std::string_view text, const std::string& path) {
  text = text.substr(text.find(kBegin) + kBegin.size());
  const std::size_t dashes = text.find("-----");
  if (dashes == text.npos) wrong_key(path, "is cut off: its PEM header has no end");
  Pem pem{std::string(text.substr(0, dashes)), {}};
  text.remove_prefix(dashes + 5);
  const std::size_t end = text.find("-----END " + pem.label);
  if (end == text.npos) wrong_key(path, "is cut off: it has no line -----END " + pem.label);
  const auto der = from_base64(text.substr(0, end));
  if (pem.label.starts_with("ENCRYPTED"))
    wrong_key(path,
              fmt::format("is encrypted: 'openssl pkey -in {} -out plain.pem' decrypts it", path));
  if (!der) wrong_key(path, "is no PEM: what is between its lines is not base64");
  pem.der = *der;
  return pem;
}

std::string private_seed(const Pem& pem, const std::string& path) {
  const std::size_t at = pem.der.find(kPrivateBody);
  // Behind a SEQUENCE and the version; public halves and attributes may follow.
  if (at != 5 || pem.der.size() < at + kPrivateBody.size() + kKeySize)
    wrong_key(path, "is not an Ed25519 key: 'openssl genpkey -algorithm ed25519' makes one");
  return pem.der.substr(at + kPrivateBody.size(), kKeySize);
}

std::string public_key(const Pem& pem, const std::string& path) {
  if (!pem.der.starts_with(kPublicHead) || pem.der.size() != kPublicHead.size() + kKeySize)
    wrong_key(path, "is not the public key of an Ed25519 key");
  return pem.der.substr(kPublicHead.size());
}

std::string from_pem(std::string_view text, const std::string& path, KeyUse use) {
  const Pem pem = read_pem(text, path);
  if (pem.label == "PRIVATE KEY") {
    std::string seed = private_seed(pem, path);
    if (use == KeyUse::kVerify)
      wrong_key(path, fmt::format("is a private key, which signs; the public one verifies: "
                                  "'openssl pkey -in {} -pubout -out public.pem'",
                                  path));
    return seed;
  }
  if (pem.label == "PUBLIC KEY") {
    std::string key = public_key(pem, path);
    if (use == KeyUse::kSign)
      wrong_key(path, "is a public key, which verifies; the private one signs");
    return key;
  }
  wrong_key(path, fmt::format("holds a {}, not an Ed25519 key in PKCS #8: 'openssl genpkey "
                              "-algorithm ed25519' makes one",
                              pem.label));
}

/// The format that the bytes look like.
std::string guess_format(std::string_view text) {
  if (trimmed(text).starts_with(kBegin)) return "pem";
  return trimmed(text).size() >= kLeastDigits && from_hex(text) ? "hex" : "raw";
}

std::string decode(const std::string& text, const std::string& format, const std::string& path,
                   KeyUse use) {
  if (format == "raw") return text;
  if (format == "hex") {
    const auto bytes = from_hex(text);
    if (!bytes) wrong_key(path, "is not an even number of hexadecimal digits");
    return *bytes;
  }
  if (text.find(kBegin) == text.npos) wrong_key(path, "is no PEM: it has no line -----BEGIN");
  return from_pem(text, path, use);
}

void check_size(const Key& key, const std::string& path, KeyUse use) {
  if (key.bytes.empty()) wrong_key(path, "is empty; 'openssl rand -hex 32' makes a secret");
  if (key.algorithm == CUCORE_KEY_ED25519 && key.bytes.size() != kKeySize)
    wrong_key(path, fmt::format("holds {} bytes; a key of Ed25519 is PEM or has 32 bytes",
                                key.bytes.size()));
  if (use == KeyUse::kSign && key.bytes.size() < kLeastSecret)
    print_warning(
        fmt::format("{} has only {} bytes, which can be guessed; 'openssl rand -hex 32' "
                    "makes a good secret",
                    path, key.bytes.size()));
}

Key read_key(const std::string& path, const KeyFlags& flags, KeyUse use) {
  const std::string text = read_file(path);
  const std::string format = flags.format.empty() ? guess_format(text) : flags.format;
  Key key;
  key.algorithm = flags.algorithm == "ed25519" || (flags.algorithm.empty() && format == "pem")
                      ? CUCORE_KEY_ED25519
                      : CUCORE_KEY_HMAC_SHA256;
  if (key.algorithm == CUCORE_KEY_HMAC_SHA256 && format == "pem")
    wrong_key(path, "is PEM, which is no secret of HMAC; leave --algorithm away");
  key.bytes = decode(text, format, path, use);
  check_size(key, path, use);
  return key;
}

}  // namespace

void KeyFlags::add_to(CLI::App& command, KeyUse use) {
  auto* option =
      command
          .add_option(
              "-k,--key", files,
              use == KeyUse::kSign
                  ? "file of the key that signs: PEM of an Ed25519 private key, or a secret "
                    "of HMAC-SHA256 in hexadecimal digits or as it is"
                  : "file of a key that verifies: PEM of an Ed25519 public key, or a secret "
                    "of HMAC-SHA256; repeatable")
          ->type_name("FILE")
          ->allow_extra_args(false);
  if (use == KeyUse::kSign) option->required()->expected(1);
  command
      .add_option("--algorithm", algorithm,
                  "ed25519 or hmac-sha256; default: ed25519 of PEM, else hmac-sha256")
      ->check(CLI::IsMember({"ed25519", "hmac-sha256"}))
      ->type_name("NAME");
  command
      .add_option("--key-format", format,
                  "pem, hex or raw; default: what the file looks like, hex from 32 digits on")
      ->check(CLI::IsMember({"pem", "hex", "raw"}))
      ->type_name("NAME");
}

std::vector<Key> KeyFlags::read(KeyUse use) const {
  std::vector<Key> keys;
  for (const std::string& path : files) keys.push_back(read_key(path, *this, use));
  return keys;
}

const char* algorithm_name(cucore_key_algorithm algorithm) {
  return algorithm == CUCORE_KEY_ED25519 ? "Ed25519" : "HMAC-SHA256";
}

}  // namespace cucore::cli
