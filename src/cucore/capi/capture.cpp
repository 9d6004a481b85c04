// SPDX-License-Identifier: Apache-2.0
#include "core/graph/capture.hpp"

#include <cstddef>

#include "capi/graph_arguments.hpp"
#include "capi/number_list.hpp"
#include "support/concat.hpp"

using namespace cucore::capi;
namespace core = cucore::core;
using cucore::concat;
using cucore::Error;
using cucore::Status;

namespace {

constexpr size_t FIRST_CAPTURE_OPTIONS =
    offsetof(cucore_capture_options, after_count) + sizeof(size_t);

CUstreamCaptureMode read_mode(cucore_capture_mode mode) {
  switch (mode) {
    case CUCORE_CAPTURE_MODE_RELAXED:
      return CU_STREAM_CAPTURE_MODE_RELAXED;
    case CUCORE_CAPTURE_MODE_THREAD:
      return CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    case CUCORE_CAPTURE_MODE_PROCESS:
      return CU_STREAM_CAPTURE_MODE_GLOBAL;
    default:
      throw Error(Status::INVALID_ARGUMENT,
                  concat("cucore_capture_options.mode is ", static_cast<int>(mode),
                         "; expected 0 (RELAXED), 1 (THREAD) or 2 (PROCESS)"));
  }
}

core::CaptureOptions read(const cucore_capture_options* given) {
  core::CaptureOptions out;
  if (!given) return out;
  const auto options = cucore::read_options(given, FIRST_CAPTURE_OPTIONS, "cucore_capture_options");
  out.mode = read_mode(options.mode);
  require_zero(options.reserved, "cucore_capture_options.reserved");
  if (options.into) out.into = share(options.into, "cucore_capture_options.into");
  out.after = require_array(options.after, options.after_count, "cucore_capture_options.after");
  if (!out.into && !out.after.empty())
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_capture_options.after_count is ", out.after.size(),
                       ", but cucore_capture_options.into is NULL; a new graph has no nodes"));
  return out;
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_stream_begin_capture(const cucore_stream* stream,
                                                     const cucore_capture_options* options,
                                                     cucore_error** error) {
  return guard(error, [&] {
    const core::Stream& self = use(stream, "stream");
    core::begin_capture(self, read(options));
  });
}

CUCORE_API cucore_status cucore_stream_end_capture(const cucore_stream* stream, cucore_graph** out,
                                                   cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Stream& self = use(stream, "stream");
    require(out, "out");
    *out = wrap(core::end_capture(self));
  });
}

CUCORE_API cucore_status cucore_stream_capture_graph(const cucore_stream* stream,
                                                     cucore_graph** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Stream& self = use(stream, "stream");
    require(out, "out");
    *out = wrap(core::capture_graph(self));
  });
}

CUCORE_API cucore_status cucore_stream_capture_nodes(const cucore_stream* stream,
                                                     cucore_node* nodes, size_t capacity,
                                                     size_t* count, cucore_error** error) {
  return guard(error, [&] {
    clear(count);
    const core::Stream& self = use(stream, "stream");
    require(count, "count");
    write_numbers(core::capture_nodes(self), nodes, capacity, count);
  });
}

CUCORE_API cucore_status cucore_stream_set_capture_nodes(const cucore_stream* stream,
                                                         const cucore_node* nodes, size_t count,
                                                         cucore_error** error) {
  return guard(error, [&] {
    const core::Stream& self = use(stream, "stream");
    core::set_capture_nodes(self, require_array(nodes, count, "nodes"));
  });
}

CUCORE_API cucore_status cucore_event_record_in_graph(cucore_event* event,
                                                      const cucore_stream* stream,
                                                      cucore_error** error) {
  return guard(error, [&] { use(event, "event").record_in_graph(use(stream, "stream")); });
}

CUCORE_API cucore_status cucore_stream_wait_in_graph(const cucore_stream* stream,
                                                     const cucore_event* event,
                                                     cucore_error** error) {
  return guard(error, [&] { use(stream, "stream").wait_in_graph(use(event, "event")); });
}

}  // extern "C"
