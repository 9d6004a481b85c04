// SPDX-License-Identifier: Apache-2.0
#include "service/remote_plugin.hpp"

#include <dlfcn.h>

#include "remote/plugin.h"
#include "service/remote_adapter.hpp"
#include "support/concat.hpp"
#include "support/descriptors.hpp"
#include "support/error.hpp"
#include "support/loaded_file.hpp"
#include "support/url.hpp"

namespace cucore::service {
namespace {

struct Scheme {
  std::string_view prefix;
  const char* plugin;
};
constexpr Scheme SCHEMES[] = {
    {"file://", "directory"}, {"http://", "http"}, {"https://", "http"}, {"redis://", "redis"}};

// Returns the URL without a login, followed by a blank. Any part of a text without a scheme may be
// a password.
std::string shown_location(std::string_view url) {
  return url.find("://") == url.npos ? std::string() : without_login(url) + " ";
}

// The plug-in stays open: its threads and its connections may outlive every cache.
cucore_remote_open_fn open_plugin(const std::string& name) {
  const std::string folder = own_folder();
  if (folder.empty())
    throw Error(Status::LIBRARY_MISSING,
                concat("cannot load ", name, ": the folder of libcucore.so is not known"));
  require_descriptors("load " + name);
  std::string tried;
  for (const std::string& path : {folder + "/" + name, folder + "/cucore/" + name}) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      tried += concat(tried.empty() ? "" : ", ", static_cast<const char*>(dlerror()));
      continue;
    }
    if (void* entry = dlsym(library, "cucore_remote_open"))
      return reinterpret_cast<cucore_remote_open_fn>(entry);
    tried += concat(tried.empty() ? "" : ", ", path, " (has no cucore_remote_open)");
  }
  throw Error(Status::LIBRARY_MISSING, concat("cannot load ", name, ": tried ", tried));
}

}  // namespace

std::string plugin_of(const std::string& url) {
  for (const Scheme& scheme : SCHEMES)
    if (url.starts_with(scheme.prefix)) return concat("cucore-remote-", scheme.plugin, ".so");
  throw Error(Status::INVALID_ARGUMENT,
              concat("the URL ", shown_location(url),
                     "begins with none of file://, http://, https:// and redis://"));
}

std::unique_ptr<cache::Remote> open_remote(const std::string& url,
                                           const cucore_cache_remote_options& options) {
  cucore_cache_remote remote = CUCORE_CACHE_REMOTE_INIT;
  char reason[512] = "";
  if (!open_plugin(plugin_of(url))(url.c_str(), &options, &remote, reason, sizeof reason))
    throw Error(Status::INVALID_ARGUMENT,
                concat("cannot use ", without_login(url),
                       " as a remote: ", static_cast<const char*>(reason)));
  return std::make_unique<RemoteAdapter>(remote);
}

}  // namespace cucore::service
