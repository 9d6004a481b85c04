// SPDX-License-Identifier: Apache-2.0
// Hash table from an instruction's dotted name to its decoded form.
#include <cstring>

#include "ptx/context.hpp"
#include "ptx/forms.hpp"

namespace cucore::ptx {
namespace {

// Hashes eight characters at a time, because it runs for every instruction.
uint64_t hash_chunks(std::string_view text) {
  uint64_t hash = text.size();
  while (text.size() >= 8) {
    uint64_t chunk;
    std::memcpy(&chunk, text.data(), 8);
    hash = (hash ^ chunk) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    text.remove_prefix(8);
  }
  uint64_t chunk = 0;
  std::memcpy(&chunk, text.data(), text.size());
  hash = (hash ^ chunk) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
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
