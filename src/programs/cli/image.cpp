// SPDX-License-Identifier: Apache-2.0
// Object code in files: detects its kind, opens it, stores it.
#include "image.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "failure.hpp"
#include "files.hpp"
#include "image_parts.hpp"
#include "memory_reserve.hpp"

namespace cucore::cli {
namespace {

using namespace std::string_view_literals;

struct TypeRow {
  CodeType type;
  const char* name;
  std::string_view magic;  // the first bytes; empty if they are not characteristic
  std::string_view suffix;
};
constexpr std::array TYPES{
    TypeRow{CodeType::cubin, "CUBIN", ""sv, ".cubin"sv},
    TypeRow{CodeType::fatbin, "FATBIN", "\x50\xED\x55\xBA"sv, ".fatbin"sv},
    TypeRow{CodeType::library, "LIBRARY", "!<arch>\n"sv, ".a"sv},
    TypeRow{CodeType::ltoir, "LTOIR", ""sv, ".ltoir"sv},
    TypeRow{CodeType::ptx, "PTX", ""sv, ".ptx"sv},
    TypeRow{CodeType::object, "OBJECT", ""sv, ".o"sv},
    TypeRow{CodeType::bundle, "BUNDLE", ""sv, ""sv},
};

constexpr auto CONTAINER_MAGIC = "\x89\x43\x55\x43\x4F\x0D\x0A\x1A"sv;

// An ELF file is a CUBIN if its machine is CUDA; else a host object.
std::optional<CodeType> detect_elf(std::string_view bytes) {
  if (!has_elf_header(bytes)) return std::nullopt;
  return is_cuda_elf(bytes) ? CodeType::cubin : CodeType::object;
}

bool is_ptx(std::string_view bytes) {
  constexpr std::size_t HEAD = 64 << 10;  // comments may precede the version
  const std::string_view head = bytes.substr(0, HEAD);
  return head.find(".version") != head.npos && head.find(".target") != head.npos;
}

// The library receives bytes, so its messages do not name the file.
template <class Action>
ObjectCode about_file(const std::string& path, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    throw Failure(error).about(path);
  }
}

ObjectCode open_container(std::string_view bytes, const std::string& path, const Trust& trust) {
  DeserializeOptions options;
  for (const Key& key : trust.keys) options.keys.push_back(key.view());
  if (trust.required) options.signature_policy = SignaturePolicy::required;
  return about_file(path, [&] { return ObjectCode::deserialize(bytes, options); });
}

}  // namespace

const char* type_name(CodeType type) {
  for (const TypeRow& row : TYPES)
    if (row.type == type) return row.name;
  return "unknown";
}

bool is_container(std::string_view bytes) { return bytes.starts_with(CONTAINER_MAGIC); }

std::optional<CodeType> detect(std::string_view bytes, const std::string& path) {
  if (const auto elf = detect_elf(bytes)) return elf;
  for (const TypeRow& row : TYPES)
    if (!row.magic.empty() && bytes.starts_with(row.magic)) return row.type;
  if (is_ptx(bytes)) return CodeType::ptx;
  for (const TypeRow& row : TYPES)
    if (!row.suffix.empty() && file_suffix(path) == row.suffix) return row.type;
  return std::nullopt;
}

ObjectCode open_image(std::string_view bytes, const std::string& path, const Trust& trust) {
  require_memory();
  if (is_container(bytes)) return open_container(bytes, path, trust);
  const auto type = detect(bytes, path);
  if (!type)
    throw failed(fmt::format("{} is neither a .cuco container nor PTX, CUBIN, FATBIN, LTOIR, an "
                             "object file or an archive{}",
                             path, bytes.empty() ? ": it is empty" : ""),
                 Status::invalid_code);
  if (trust.required)
    throw Failure(
        SIGNATURE, Status::signature,
        fmt::format("{} is a raw {}, which cannot be signed: 'cucore sign {} -o FILE.cuco' "
                    "makes a signed container of it",
                    path, type_name(*type), path));
  ObjectCodeOptions options;
  options.name = code_name(path);
  return about_file(path, [&] { return ObjectCode::create(*type, bytes, options); });
}

std::string_view image_bytes(const ObjectCode& code) {
  const Span<const std::byte> bytes = code.data();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string serialize(const ObjectCode& code, bool compress, const Key* key) {
  require_memory();
  SerializeOptions options;
  if (compress) options.compression = true;
  if (key) options.signing_key = key->view();
  std::string bytes(code.serialize_to({}, options), '\0');
  code.serialize_to(bytes, options);
  return bytes;
}

}  // namespace cucore::cli
