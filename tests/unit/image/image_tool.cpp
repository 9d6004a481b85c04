// SPDX-License-Identifier: Apache-2.0
// image_tool FILE...: reads each image as the kind that it looks like and prints a line of JSON.
// Then it truncates it at fifty offsets and flips three hundred bits; each read must return.
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "image/image.hpp"
#include "support/error.hpp"

using namespace cucore;
using namespace cucore::image;
using Json = nlohmann::ordered_json;

namespace {

bool accepts(CodeType type, std::span<const std::byte> image) {
  // A copy of exactly this size, so that a sanitizer detects the first byte after it.
  const std::vector<std::byte> copy(image.begin(), image.end());
  try {
    inspect(type, copy);
    return true;
  } catch (const Error&) {
    return false;
  }
}

size_t truncations_accepted(CodeType type, std::span<const std::byte> image) {
  size_t accepted = 0;
  for (size_t i = 0; i < 50; ++i) accepted += accepts(type, image.first(image.size() * i / 50));
  return accepted;
}

void flip(CodeType type, std::span<const std::byte> image) {
  std::mt19937_64 random(image.size());
  std::vector<std::byte> changed(image.begin(), image.end());
  for (int i = 0; i < 300; ++i) {
    const size_t bit = random() % (changed.size() * 8);
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
    accepts(type, changed);
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

Json kernels(const std::vector<Symbol>& symbols) {
  Json object = Json::object();
  for (const Symbol& symbol : symbols) {
    if (symbol.kind != SymbolKind::KERNEL) continue;
    Json sizes;
    if (symbol.parameters) {
      sizes = Json::array();
      for (const Parameter& one : *symbol.parameters) sizes.push_back(one.size);
    }
    object[symbol.lowered_name] = sizes;
  }
  return object;
}

Json describe(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto image = std::as_bytes(std::span(text));
  const auto type = guess_type(image);
  if (!type) throw Error(Status::INVALID_CODE, "of no known kind");
  const ImageInfo info = inspect(*type, image);
  Json entries = Json::array();
  for (const FatbinEntry& entry : info.entries) {
    entries.push_back(
        {code_type_name(entry.type), entry.arch.text(), entry.compressed, kernels(entry.symbols)});
  }
  flip(*type, image);
  return {{"type", code_type_name(*type)},
          {"arch", info.arch.text()},
          {"toolkit", info.toolkit},
          {"kernels", kernels(info.symbols)},
          {"entries", entries},
          {"truncations", truncations_accepted(*type, image)}};
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    try {
      std::cout << describe(arguments[i]).dump() << "\n";
    } catch (const Error& error) {
      std::cerr << arguments[i] << ": " << error.what() << "\n";
      return 1;
    }
  }
  return 0;
}
