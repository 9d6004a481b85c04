// SPDX-License-Identifier: Apache-2.0
// The actions of cucore cache, one per subcommand.
#pragma once

#include <cstdint>
#include <cucore/cache.hpp>
#include <string>
#include <vector>

#include "source.hpp"

namespace cucore::cli {

struct CacheRequest {
  std::string folder;
  std::string max_size;
  std::string file, target;
  std::vector<std::string> keys;
  CompileFlags flags;
};

// Opens the cache that the request names, or fails.
Cache open_cache(const CacheRequest& request, bool read_only);

// Opens the same without the right to write. The first use of the default folder creates it.
Cache open_to_read(const CacheRequest& request);

// "1.5 MiB"
std::string size_text(std::uint64_t bytes);

void list_cache(const CacheRequest& request);
// Removes the entries of the keys; the beginning of a key is enough if it is unambiguous.
void remove_entries(const CacheRequest& request);
void verify_cache(const CacheRequest& request);
// Removes files until `size` bytes remain; shows `what` during the work.
void trim_cache(const CacheRequest& request, std::uint64_t bytes, const char* what);
void explain_miss(const CacheRequest& request);

}  // namespace cucore::cli
