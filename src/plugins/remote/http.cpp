// SPDX-License-Identifier: Apache-2.0
// A web server as a remote: GET and PUT, as supported by nginx with WebDAV, bazel-remote and
// ccache's servers.
#include <curl/curl.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "remote/place.hpp"
#include "support/environment.hpp"

namespace cucore::remote {
namespace {

constexpr size_t LARGEST_HEAD = size_t{64} << 10;
constexpr size_t LARGEST_COMMENT = size_t{64} << 10;  // limit for the server's answer to an upload

void begin_once() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

size_t receive(char* data, size_t one, size_t count, void* to) {
  auto& out = *static_cast<std::string*>(to);
  if (one * count > LARGEST - out.size()) return 0;
  out.append(data, one * count);
  return one * count;
}

// Skips bytes and counts them against a limit.
size_t skip(char*, size_t one, size_t count, void* room) {
  auto& left = *static_cast<size_t*>(room);
  if (one * count > left) return 0;
  left -= one * count;
  return one * count;
}

size_t give(char* data, size_t one, size_t count, void* from) {
  auto& left = *static_cast<std::string_view*>(from);
  const size_t size = std::min(one * count, left.size());
  std::memcpy(data, left.data(), size);
  left.remove_prefix(size);
  return size;
}

class Http final : public Place {
 public:
  Http(std::string url, const cucore_cache_remote_options& options)
      : url_(std::move(url)), options_(options) {
    begin_once();
    while (url_.ends_with('/')) url_.pop_back();
  }
  ~Http() override {
    for (CURL* handle : idle_) curl_easy_cleanup(handle);
  }

  cucore_cache_answer get(const std::string& name, std::string& out) override {
    Borrowed handle(*this, name);
    curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &out);
    curl_easy_setopt(handle.get(), CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(LARGEST));
    return perform(handle.get());
  }

  cucore_cache_answer put(const std::string& name, std::string_view bytes) override {
    Borrowed handle(*this, name);
    size_t room = LARGEST_COMMENT;
    curl_easy_setopt(handle.get(), CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle.get(), CURLOPT_READFUNCTION, give);
    curl_easy_setopt(handle.get(), CURLOPT_READDATA, &bytes);
    curl_easy_setopt(handle.get(), CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(bytes.size()));
    curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, skip);
    curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &room);
    return perform(handle.get());
  }

 private:
  // Holds a handle with its open connection for one request.
  class Borrowed {
   public:
    Borrowed(Http& owner, const std::string& name) : owner_(owner), handle_(owner.take()) {
      const std::string url = owner.url_ + "/" + name;
      curl_easy_setopt(handle_, CURLOPT_URL, url.c_str());
      curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
      curl_easy_setopt(handle_, CURLOPT_CONNECTTIMEOUT_MS, long{owner.options_.connect_timeout_ms});
      curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS, long{owner.options_.timeout_ms});
      curl_easy_setopt(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
      curl_easy_setopt(handle_, CURLOPT_FOLLOWLOCATION, 0L);
      curl_easy_setopt(handle_, CURLOPT_HEADERFUNCTION, skip);
      curl_easy_setopt(handle_, CURLOPT_HEADERDATA, &head_room_);
#if LIBCURL_VERSION_NUM >= 0x075700
      // A request ends without waiting for the look-up of a name.
      curl_easy_setopt(handle_, CURLOPT_QUICK_EXIT, 1L);
#endif
    }
    ~Borrowed() { owner_.give_back(handle_); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    CURL* get() const { return handle_; }

   private:
    Http& owner_;
    CURL* handle_;
    size_t head_room_ = LARGEST_HEAD;
  };

  CURL* take() {
    {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        CURL* handle = idle_.back();
        idle_.pop_back();
        return handle;
      }
    }
    CURL* handle = curl_easy_init();
    if (!handle) throw std::bad_alloc();
    return handle;
  }
  void give_back(CURL* handle) noexcept {
    curl_easy_reset(handle);
    try {
      std::lock_guard lock(mutex_);
      idle_.push_back(handle);
    } catch (...) {
      curl_easy_cleanup(handle);  // the next request opens a connection of its own
    }
  }

  static cucore_cache_answer perform(CURL* handle) {
    if (curl_easy_perform(handle) != CURLE_OK) return CUCORE_CACHE_ANSWER_FAILED;
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (status == 200 || status == 201 || status == 204) return CUCORE_CACHE_ANSWER_DONE;
    return status == 404 || status == 410 ? CUCORE_CACHE_ANSWER_ABSENT : CUCORE_CACHE_ANSWER_FAILED;
  }

  std::string url_;
  const cucore_cache_remote_options options_;
  std::mutex mutex_;
  std::vector<CURL*> idle_;
};

}  // namespace

std::unique_ptr<Place> make_place(const std::string& url,
                                  const cucore_cache_remote_options& options) {
  // libcurl reads environment variables of its own: proxies, and a file that receives the keys of
  // connections.
  if (has_more_rights_than_its_user())
    throw std::runtime_error(
        "the process has more rights than its user, and libcurl follows the user's environment");
  return std::make_unique<Http>(url, options);
}

}  // namespace cucore::remote
