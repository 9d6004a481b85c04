// SPDX-License-Identifier: Apache-2.0
// Hash table from an instruction's dotted name to its decoded form.
#include <chrono>
#include <cstring>
#include <random>

#include "ptx/context.hpp"
#include "ptx/forms.hpp"

namespace cucore::ptx {
namespace {

__extension__ typedef unsigned __int128 Product;

struct HashKey {
  uint64_t start;
  uint64_t factor;
};

// The key differs in each process, so no text can contain many names with equal hashes.
HashKey random_key() {
  try {
    std::random_device random;
    const auto word = [&] { return uint64_t{random()} << 32 | random(); };
    return {word(), word() | 1};
  } catch (const std::exception&) {  // no source of random numbers
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return {static_cast<uint64_t>(now), 0x9E3779B97F4A7C15};
  }
}

// Hashes eight characters at a time, because it runs for every instruction.
uint64_t hash_chunks(std::string_view text) {
  static const HashKey key = random_key();
  uint64_t hash = key.start ^ text.size();
  const auto mix = [&](uint64_t chunk) {
    const Product product = Product{hash ^ chunk} * key.factor;
    hash = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  while (text.size() >= 8) {
    uint64_t chunk;
    std::memcpy(&chunk, text.data(), 8);
    mix(chunk);
    text.remove_prefix(8);
  }
  uint64_t chunk = 0;
  std::memcpy(&chunk, text.data(), text.size());
  mix(chunk);
  return hash;
}

}  // namespace

const Form* FormCache::find_or_decode(std::string_view text) {
  size_t mask = slots_.size() - 1;
  size_t at = hash_chunks(text) & mask;
  for (; slots_[at] != nullptr; at = (at + 1) & mask)
    if (slots_[at]->text == text) return slots_[at];
  Form& form = module_.forms.emplace_back(decode_form(text));
  form.index = static_cast<uint32_t>(module_.forms.size() - 1);
  slots_[at] = &form;
  if (module_.forms.size() * 2 > slots_.size()) grow();
  return &form;
}

void FormCache::grow() {
  slots_.assign(slots_.size() * 2, nullptr);
  size_t mask = slots_.size() - 1;
  for (const Form& form : module_.forms) {
    size_t at = hash_chunks(form.text) & mask;
    while (slots_[at] != nullptr) at = (at + 1) & mask;
    slots_[at] = &form;
  }
}

}  // namespace cucore::ptx
