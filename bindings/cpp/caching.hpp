// SPDX-License-Identifier: Apache-2.0
// The cache's calls that need more than one call of the C API: lists of its files, and a builder in
// the language. Also checks the bounds of keys and times.
#pragma once

#include <cucore.h>

#include <deque>
#include <string>
#include <vector>

#include "builder.hpp"

namespace cucore::bind {

// The files that a cache has reported, with copies of their strings.
class CacheEntries {
 public:
  static CacheEntries* of_query(cucore_cache* cache);
  static CacheEntries* of_verify(cucore_cache* cache);
  static CacheEntries* of_trim(cucore_cache* cache, uint64_t max_bytes);

  size_t size() const { return entries_.size(); }
  const cucore_cache_entry_info& at(size_t index) const;

 private:
  static int32_t report(const cucore_cache_entry_info* entry, void* entries);
  void add(const cucore_cache_entry_info& entry);
  const char* keep(const char* words);

  template <class Ask>
  static CacheEntries* collect(Ask&& ask);

  std::vector<cucore_cache_entry_info> entries_;
  std::deque<std::string> texts_;
  bool is_out_of_memory_ = false;
};

// Returns 32 bytes, or refuses another size.
const uint8_t* cache_key(const void* data, size_t size);

cucore_objectcode* get_or_build(cucore_cache* cache, const uint8_t* key, Builder& builder,
                                cucore_cache_outcome* outcome);

std::string explain_miss(cucore_cache* cache, const cucore_program* program,
                         cucore_code_type target, const char* const* names, size_t name_count);

void add_remote(cucore_cache* cache, const char* url, bool read_only, int64_t connect_timeout_ms,
                int64_t timeout_ms);

// Converts a number of the language to an unsigned one of 32 bits.
uint32_t to_uint32(int64_t number, const char* name);

}  // namespace cucore::bind
