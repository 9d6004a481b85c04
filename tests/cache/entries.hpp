// SPDX-License-Identifier: Apache-2.0
// Entries by keys of the caller, and a builder that counts its calls.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "cache_testing.hpp"

namespace cache_test {

struct Key {
  uint8_t bytes[32] = {};
  explicit Key(int number) {
    bytes[0] = static_cast<uint8_t>(number * 37);
    bytes[1] = static_cast<uint8_t>(number);
    bytes[2] = static_cast<uint8_t>(number >> 8);
  }
  operator const uint8_t*() const { return bytes; }
};

inline Code code_of(int number, size_t lines = 1) {
  std::string text(PTX, PTX_SIZE);
  for (size_t i = 0; i < lines; ++i) text += "// code " + std::to_string(number) + "\n";
  return make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
}

inline void put(cucore_cache* cache, int number, size_t lines = 1) {
  MUST(cucore_cache_put, cache, Key(number), code_of(number, lines));
}

inline bool has(cucore_cache* cache, int number) {
  Code code;
  MUST(cucore_cache_get, cache, Key(number), code.out());
  return code.get() != nullptr;
}

// The builder of the tests: its action, and the number of its calls.
struct Builder {
  std::atomic<int> calls{0};
  cucore_status status = CUCORE_OK;
  std::chrono::milliseconds time{0};
  std::atomic<int> number = 0;

  static cucore_status build(cucore_objectcode** out, cucore_error** error, void* self) {
    auto& builder = *static_cast<Builder*>(self);
    ++builder.calls;
    std::this_thread::sleep_for(builder.time);
    if (builder.status == CUCORE_OK) {
      *out = cucore_objectcode_retain(code_of(builder.number));
      return CUCORE_OK;
    }
    if (builder.status == CUCORE_ERROR_INVALID_CODE)  // a real error of the library
      return cucore_objectcode_create(CUCORE_CODE_TYPE_CUBIN, "x", 1, nullptr, out, error);
    return builder.status;
  }
};

inline Got get_or_build(cucore_cache* cache, int number, Builder& builder) {
  builder.number = number;
  Got got;
  MUST(cucore_cache_get_or_build, cache, Key(number), Builder::build, &builder, got.code.out(),
       &got.outcome);
  return got;
}

class Entries : public testing::Test {
 protected:
  Cache open(const Change& change = nullptr) const { return open_cache(folder_.path(), change); }
  Folder folder_;
};
}  // namespace cache_test
