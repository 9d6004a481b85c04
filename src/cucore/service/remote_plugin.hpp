// SPDX-License-Identifier: Apache-2.0
// Remotes of the cache that a URL names: opens the plug-in of the URL's scheme.
#pragma once

#include <cucore.h>

#include <memory>
#include <string>

#include "cache/remote.hpp"

namespace cucore::service {

// Returns the file name of the plug-in. Throws INVALID_ARGUMENT for a scheme without a plug-in.
std::string plugin_of(const std::string& url);

// `options` has its defaults filled in. Throws INVALID_ARGUMENT if the plug-in refuses the URL, and
// LIBRARY_MISSING if the plug-in is missing.
std::unique_ptr<cache::Remote> open_remote(const std::string& url,
                                           const cucore_cache_remote_options& options);

}  // namespace cucore::service
