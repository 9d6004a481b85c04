// SPDX-License-Identifier: Apache-2.0
// Collects a cache's reports, and calls the language's builder for it.
#include "caching.hpp"

#include <limits>
#include <memory>
#include <new>

#include "failure.hpp"

namespace cucore::bind {
namespace {

struct Call {
  Builder& builder;
  bool has_failed = false;
};

cucore_status build(cucore_objectcode** out, cucore_error**, void* data) {
  auto& call = *static_cast<Call*>(data);
  *out = call.builder.build();
  call.has_failed = *out == nullptr;
  // Not a compiler's failure: threads that wait for this build try for themselves.
  return *out ? CUCORE_OK : CUCORE_ERROR_INVALID_STATE;
}

}  // namespace

template <class Ask>
CacheEntries* CacheEntries::collect(Ask&& ask) {
  auto entries = std::make_unique<CacheEntries>();
  ask(entries.get());
  if (entries->is_out_of_memory_) throw std::bad_alloc();
  return entries.release();
}

CacheEntries* CacheEntries::of_query(cucore_cache* cache) {
  return collect([=](CacheEntries* into) { ok(cucore_cache_query, cache, report, into); });
}

CacheEntries* CacheEntries::of_verify(cucore_cache* cache) {
  return collect(
      [=](CacheEntries* into) { ok(cucore_cache_verify, cache, report, into, nullptr); });
}

CacheEntries* CacheEntries::of_trim(cucore_cache* cache, uint64_t max_bytes) {
  return collect(
      [=](CacheEntries* into) { ok(cucore_cache_trim, cache, max_bytes, report, into); });
}

const cucore_cache_entry_info& CacheEntries::at(size_t index) const {
  if (index >= entries_.size())
    throw Failure(CUCORE_ERROR_INVALID_ARGUMENT, "the index exceeds the entries of the cache");
  return entries_[index];
}

// Exceptions must not pass through the library.
int32_t CacheEntries::report(const cucore_cache_entry_info* entry, void* entries) {
  auto* self = static_cast<CacheEntries*>(entries);
  try {
    self->add(*entry);
    return 1;
  } catch (const std::bad_alloc&) {
    self->is_out_of_memory_ = true;
    return 0;
  }
}

void CacheEntries::add(const cucore_cache_entry_info& entry) {
  cucore_cache_entry_info copy = entry;
  copy.name = keep(entry.name);
  copy.arch = keep(entry.arch);
  copy.problem = keep(entry.problem);
  entries_.push_back(copy);
}

const char* CacheEntries::keep(const char* words) {
  return words && *words ? texts_.emplace_back(words).c_str() : "";
}

const uint8_t* cache_key(const void* data, size_t size) {
  if (size != sizeof(cucore_cache_entry_info::key))
    throw Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                  "a key of the cache has 32 bytes, not " + std::to_string(size));
  return static_cast<const uint8_t*>(data);
}

cucore_objectcode* get_or_build(cucore_cache* cache, const uint8_t* key, Builder& builder,
                                cucore_cache_outcome* outcome) {
  Call call{builder};
  cucore_objectcode* code = nullptr;
  cucore_error* error = nullptr;
  const cucore_status status =
      cucore_cache_get_or_build(cache, key, build, &call, &code, outcome, &error);
  if (status == CUCORE_OK) return code;
  const Failure failure(status, error);
  if (call.has_failed) throw Raised{&builder};
  throw failure;
}

std::string explain_miss(cucore_cache* cache, const cucore_program* program,
                         cucore_code_type target, const char* const* names, size_t name_count) {
  const auto ask = [&](char* buffer, size_t capacity) {
    size_t size = 0;
    ok(cucore_cache_explain_miss, cache, program, target, names, name_count, buffer, capacity,
       &size);
    return size;
  };
  // The cache may change between the calls, and the text with it.
  std::string words(ask(nullptr, 0) + 4096, '\0');
  words.resize(ask(words.data(), words.size()) - 1);
  return words;
}

void add_remote(cucore_cache* cache, const char* url, bool read_only, int64_t connect_timeout_ms,
                int64_t timeout_ms) {
  cucore_cache_remote_options options = CUCORE_CACHE_REMOTE_OPTIONS_INIT;
  options.read_only = read_only;
  options.connect_timeout_ms = to_uint32(connect_timeout_ms, "connect_timeout_ms");
  options.timeout_ms = to_uint32(timeout_ms, "timeout_ms");
  ok(cucore_cache_add_remote_url, cache, url, &options);
}

uint32_t to_uint32(int64_t number, const char* name) {
  if (number < 0 || number > std::numeric_limits<uint32_t>::max())
    throw Failure(CUCORE_ERROR_INVALID_ARGUMENT, std::string(name) + " is " +
                                                     std::to_string(number) +
                                                     ": it must be 0 or more and fit 32 bits");
  return static_cast<uint32_t>(number);
}

}  // namespace cucore::bind
