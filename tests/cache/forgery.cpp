// SPDX-License-Identifier: Apache-2.0
#include "forgery.hpp"

#include <cstring>
#include <span>
#include <stdexcept>

#include "cache/manifest.hpp"

namespace cache_test {
namespace {

namespace cache = cucore::cache;

void claim_toolkit(cache::Record& record) {
  for (const cache::ManifestFile& file : record.files)
    record.toolkits.push_back({file.path, file.digest, file.toolkit != 0});
  record.files.clear();
}

void claim_present_stamp(cache::Record& record) {
  record.files.at(0).stamp = cache::stamp_of(record.files.at(0).path).value();
}

}  // namespace

std::string forge(const std::string& text, Forgery forgery) {
  cucore::container::Digest key{};
  std::memcpy(key.data(), text.data() + 8, key.size());
  auto manifest = cache::Manifest::parse(std::as_bytes(std::span(text)), key);
  if (!manifest) throw std::runtime_error("the manifest is not well formed");
  for (cache::Record& record : manifest->records)
    forgery == Forgery::HEADERS_OF_THE_TOOLKIT ? claim_toolkit(record)
                                               : claim_present_stamp(record);
  const auto forged = manifest->serialize();
  return {reinterpret_cast<const char*>(forged.data()), forged.size()};
}

}  // namespace cache_test
