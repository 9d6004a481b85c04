// SPDX-License-Identifier: Apache-2.0
// The common part of the plug-ins: the class of a remote location, behind the table of C functions.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "remote/plugin.h"

namespace cucore::remote {

// Limit per answer. Larger ones are not entries of a cache.
inline constexpr size_t LARGEST = size_t{64} << 20;

class Place {
 public:
  virtual ~Place() = default;
  virtual cucore_cache_answer get(const std::string& name, std::string& out) = 0;
  virtual cucore_cache_answer put(const std::string& name, std::string_view bytes) = 0;
  std::string label;
};

// Each plug-in defines it: it creates the remote location of a URL, or throws an exception with the
// reason.
std::unique_ptr<Place> make_place(const std::string& url,
                                  const cucore_cache_remote_options& options);

}  // namespace cucore::remote
