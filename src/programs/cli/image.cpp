// SPDX-License-Identifier: Apache-2.0
// Object code in files: detects its kind, opens it, stores it.
#include "image.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "failure.hpp"
#include "files.hpp"
#include "image/elf.hpp"
#include "image/elf_file.hpp"

namespace cucore::cli {
namespace {

using namespace std::string_view_literals;

struct TypeRow {
  cucore_code_type type;
  const char* name;
  std::string_view magic;  // the first bytes; empty if they are not characteristic
  std::string_view suffix;
};
constexpr std::array TYPES{
    TypeRow{CUCORE_CODE_TYPE_CUBIN, "CUBIN", ""sv, ".cubin"sv},
    TypeRow{CUCORE_CODE_TYPE_FATBIN, "FATBIN", "\x50\xED\x55\xBA"sv, ".fatbin"sv},
    TypeRow{CUCORE_CODE_TYPE_LIBRARY, "LIBRARY", "!<arch>\n"sv, ".a"sv},
    TypeRow{CUCORE_CODE_TYPE_LTOIR, "LTOIR", ""sv, ".ltoir"sv},
    TypeRow{CUCORE_CODE_TYPE_PTX, "PTX", ""sv, ".ptx"sv},
    TypeRow{CUCORE_CODE_TYPE_OBJECT, "OBJECT", ""sv, ".o"sv},
    TypeRow{CUCORE_CODE_TYPE_BUNDLE, "BUNDLE", ""sv, ""sv},
};

constexpr auto CONTAINER_MAGIC = "\x89\x43\x55\x43\x4F\x0D\x0A\x1A"sv;

// An ELF file is a CUBIN if its machine is CUDA; else a host object.
std::optional<cucore_code_type> detect_elf(std::string_view bytes) {
  constexpr auto MAGIC = "\x7F\x45\x4C\x46"sv;
  if (!bytes.starts_with(MAGIC) || bytes.size() < sizeof(image::ElfHeader)) return std::nullopt;
  const bool is_cuda = image::looks_like_cubin(std::as_bytes(std::span(bytes)));
  return is_cuda ? CUCORE_CODE_TYPE_CUBIN : CUCORE_CODE_TYPE_OBJECT;
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
  } catch (const Failure& failure) {
    throw failure.about(path);
  }
}

ObjectCode open_container(std::string_view bytes, const std::string& path, const Trust& trust) {
  std::vector<cucore_key> keys;
  for (const Key& key : trust.keys) keys.push_back(key.to_c());
  cucore_deserialize_options options = CUCORE_DESERIALIZE_OPTIONS_INIT;
  options.keys = keys.data();
  options.key_count = keys.size();
  if (trust.required) options.signature_policy = CUCORE_SIGNATURE_POLICY_REQUIRED;
  return about_file(path, [&] {
    return make<ObjectCode>(cucore_objectcode_deserialize, bytes.data(), bytes.size(), &options);
  });
}

}  // namespace

const char* type_name(cucore_code_type type) {
  for (const TypeRow& row : TYPES)
    if (row.type == type) return row.name;
  return "unknown";
}

bool is_container(std::string_view bytes) { return bytes.starts_with(CONTAINER_MAGIC); }

std::optional<cucore_code_type> detect(std::string_view bytes, const std::string& path) {
  if (const auto elf = detect_elf(bytes)) return elf;
  for (const TypeRow& row : TYPES)
    if (!row.magic.empty() && bytes.starts_with(row.magic)) return row.type;
  if (is_ptx(bytes)) return CUCORE_CODE_TYPE_PTX;
  for (const TypeRow& row : TYPES)
    if (!row.suffix.empty() && file_suffix(path) == row.suffix) return row.type;
  return std::nullopt;
}

ObjectCode open_image(std::string_view bytes, const std::string& path, const Trust& trust) {
  if (is_container(bytes)) return open_container(bytes, path, trust);
  const auto type = detect(bytes, path);
  if (!type)
    throw failed(fmt::format("{} is neither a .cuco container nor PTX, CUBIN, FATBIN, LTOIR, an "
                             "object file or an archive{}",
                             path, bytes.empty() ? ": it is empty" : ""),
                 CUCORE_ERROR_INVALID_CODE);
  if (trust.required)
    throw Failure(
        SIGNATURE, CUCORE_ERROR_SIGNATURE,
        fmt::format("{} is a raw {}, which cannot be signed: 'cucore sign {} -o FILE.cuco' "
                    "makes a signed container of it",
                    path, type_name(*type), path));
  const std::string name = code_name(path);
  cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
  options.name = name.c_str();
  return about_file(path, [&] {
    return make<ObjectCode>(cucore_objectcode_create, *type, bytes.data(), bytes.size(), &options);
  });
}

std::string_view image_bytes(const cucore_objectcode* code) {
  std::size_t size = 0;
  const void* data = cucore_objectcode_data(code, &size);
  return {static_cast<const char*>(data), size};
}

std::string serialize(const cucore_objectcode* code, bool compress, const Key* key) {
  cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
  if (compress) options.compression = CUCORE_TOGGLE_ON;
  const cucore_key signing = key ? key->to_c() : cucore_key{};
  if (key) options.signing_key = &signing;
  std::size_t size = 0;
  call(cucore_objectcode_serialize, code, &options, nullptr, std::size_t{0}, &size);
  std::string bytes(size, '\0');
  call(cucore_objectcode_serialize, code, &options, bytes.data(), bytes.size(), &size);
  return bytes;
}

}  // namespace cucore::cli
