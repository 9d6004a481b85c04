// SPDX-License-Identifier: Apache-2.0
// Writes golden files, and shows their content.
//   golden_tool write IMAGES DIR   makes the files of a version that will be released
//   golden_tool dump FILE...       prints the library's view of them as JSON, for the second reader
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "container/table.hpp"
#include "golden.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

using namespace cucore;
using namespace cucore::container;
using namespace cucore::image;
using Json = nlohmann::ordered_json;

namespace {

Json to_json(const Metadata& metadata) {
  Json object = Json::object();
  for (const auto& [key, value] : metadata)
    std::visit([&, name = &key](const auto& v) { object[*name] = v; }, value);
  return object;
}

Json to_json(const Symbol& symbol) {
  Json parameters;
  if (symbol.parameters) {
    parameters = Json::array();
    for (const Parameter& one : *symbol.parameters) {
      parameters.push_back(
          {one.offset, one.size, one.alignment, static_cast<uint32_t>(one.parameter_class)});
    }
  }
  return {symbol.expression, symbol.lowered_name, static_cast<int>(symbol.kind), symbol.size,
          parameters};
}

Json to_json(const Image& image, bool compressed) {
  Json symbols = Json::array();
  for (const Symbol& symbol : image.symbols) symbols.push_back(to_json(symbol));
  // Another language may lack zstd, so only the digest of a compressed file is compared.
  const Json digest = compressed ? Json() : Json(hex(sha256(image.bytes)));
  return {{"type", code_type_name(image.type)},
          {"arch", image.arch.text()},
          {"isa", image.ptx_isa},
          {"toolkit", image.toolkit},
          {"name", image.name},
          {"sha256", digest},
          {"symbols", symbols}};
}

Json describe(const std::string& path) {
  ReadOptions options;
  options.keys = {verifying_key(golden::hmac_key()), verifying_key(golden::ed25519_key())};
  const Bytes bytes = golden::read_file(path);
  const Contents contents = read_contents(bytes, options);
  const Code& code = contents.code;
  std::vector<bool> compressed;
  bool text_compressed = false;
  const ByteView file("the container", bytes);
  const Table table(file, uint64_t{1} << 30);
  for (const SectionEntry& section : table.entries()) {
    const bool is_compressed = section.compression != STORED;
    if (section.type >= 16) compressed.push_back(is_compressed);
    text_compressed |= is_compressed && section.type < 16;
  }
  Json images = Json::array();
  if (code.type != CodeType::BUNDLE) images.push_back(to_json(code, compressed[0]));
  for (size_t i = 0; i < code.images.size(); ++i)
    images.push_back(to_json(code.images[i], compressed[i]));
  Json result = {{"images", images}, {"metadata", to_json(code.metadata)}};
  for (const Metadata& one : code.image_metadata)
    result["metadata"]["images"].push_back(to_json(one));
  result["log"] = text_compressed && !code.log.empty() ? Json() : Json(code.log);
  result["source"] = code.source && !text_compressed ? Json(*code.source) : Json();
  result["dependencies"] = Json::array();
  for (const Dependency& one : code.dependencies)
    result["dependencies"].push_back({one.path, one.size, hex(one.sha256)});
  result["key"] = code.key ? Json(hex(code.key->digest)) : Json();
  result["fields"] = Json::array();
  if (code.key)
    for (const KeyField& field : code.key->fields)
      result["fields"].push_back({field.tag, hex(field.value)});
  const bool valid = contents.signature.state == SignatureState::VALID;
  result["signature"] = valid ? Json(static_cast<int>(contents.signature.algorithm)) : Json();
  return result;
}

int write_all(const std::string& images, const std::string& folder) {
  for (const golden::Golden& one : golden::all(images)) {
    const Bytes bytes = write(one.code, one.options);
    std::ofstream file(folder + "/" + one.file, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) return 1;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string command = count > 1 ? arguments[1] : "";
  try {
    if (command == "write" && count == 4) return write_all(arguments[2], arguments[3]);
    if (command != "dump") return 2;
    for (int i = 2; i < count; ++i) std::cout << describe(arguments[i]).dump() << "\n";
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
