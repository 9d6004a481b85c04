// SPDX-License-Identifier: Apache-2.0
// The entry point of every plug-in, and its table of C functions.
#include "remote/place.hpp"

#include <cstdio>
#include <exception>

#include "support/url.hpp"

namespace cucore::remote {
namespace {

// Exceptions must not leave the functions of the table.
cucore_cache_answer get_from(void* context, const char* name, cucore_cache_receive_fn receive,
                             void* receiver) noexcept {
  try {
    std::string bytes;
    const cucore_cache_answer answer = static_cast<Place*>(context)->get(name, bytes);
    if (answer == CUCORE_CACHE_ANSWER_DONE) receive(bytes.data(), bytes.size(), receiver);
    return answer;
  } catch (...) {
    return CUCORE_CACHE_ANSWER_FAILED;
  }
}

cucore_cache_answer put_to(void* context, const char* name, const void* data,
                           size_t size) noexcept {
  try {
    return static_cast<Place*>(context)->put(name, {static_cast<const char*>(data), size});
  } catch (...) {
    return CUCORE_CACHE_ANSWER_FAILED;
  }
}

void close_place(void* context) { delete static_cast<Place*>(context); }

}  // namespace
}  // namespace cucore::remote

int32_t cucore_remote_open(const char* url, const cucore_cache_remote_options* options,
                           cucore_cache_remote* out, char* reason, size_t capacity) {
  using namespace cucore::remote;
  try {
    std::unique_ptr<Place> place = make_place(url, *options);
    place->label = cucore::without_login(url);
    out->name = place->label.c_str();
    out->get = get_from;
    out->put = options->read_only ? nullptr : put_to;
    out->close = close_place;
    out->context = place.release();
    return 1;
  } catch (const std::exception& error) {
    std::snprintf(reason, capacity, "%s", error.what());
    return 0;
  }
}
