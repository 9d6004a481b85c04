// SPDX-License-Identifier: Apache-2.0
// libsecond: a library other than libcucore that uses each part of the kit.
#include "second.h"

#include <cstddef>
#include <new>
#include <stdexcept>

#include "counter.hpp"
#include "guard.hpp"
#include "support/concat.hpp"
#include "support/options.hpp"

namespace cucore {

constinit HandlePool HandleTraits<second_counter>::pool{TYPE, NAME};

}  // namespace cucore

namespace second {
namespace {

using cucore::concat;
using cucore::Error;
using cucore::Status;

constexpr size_t FIRST_OPTIONS = offsetof(second_counter_options, reserved) + sizeof(int32_t);
constexpr int32_t DEFAULT_END = 10;

cucore::Ref<Counter> make_counter(const second_counter_options& options) {
  cucore::require_zero(options.reserved, "second_counter_options.reserved");
  const int32_t end = options.end == 0 ? DEFAULT_END : options.end;
  if (options.first >= end)
    throw Error(Status::SHAPE, concat("second_counter_options.first is ", options.first,
                                      "; expected less than ", end));
  return cucore::make<Counter>(
      options.first, end,
      cucore::require_toggle(options.wraps, false, "second_counter_options.wraps"));
}

[[noreturn]] void fail(int32_t kind) {
  if (kind == 0) throw std::runtime_error("as asked");
  if (kind == 1) throw kind;
  throw std::bad_alloc();
}

}  // namespace

int32_t Counter::step() {
  int32_t now = value_.load();
  int32_t next = 0;
  do {
    next = now + 1;
    if (next == end_ && !wraps_)
      throw Error(Status::INDEX, concat("the counter is ", now, "; expected less than ", end_ - 1));
    if (next == end_) next = first_;
  } while (!value_.compare_exchange_weak(now, next));
  return next;
}

}  // namespace second

using namespace second;

extern "C" {

SECOND_API cucore_status second_counter_create(const second_counter_options* options,
                                               second_counter** out, cucore_error** error) {
  return guard(error, [&] {
    cucore::clear(out);
    cucore::require(out, "out");
    const auto all = cucore::read_options(options, FIRST_OPTIONS, "second_counter_options");
    *out = cucore::wrap(make_counter(all));
    cucore_log_write(CUCORE_LOG_INFO, "made a counter");
  });
}

SECOND_API second_counter* second_counter_retain(const second_counter* counter) {
  return cucore::retain(counter);
}

SECOND_API void second_counter_release(second_counter* counter) { cucore::release(counter); }

SECOND_API int32_t second_counter_value(const second_counter* counter) {
  const Counter* self = cucore::peek(counter);
  return self ? self->value() : 0;
}

SECOND_API cucore_status second_counter_step(second_counter* counter, int32_t* out,
                                             cucore_error** error) {
  return guard(error, [&] {
    cucore::clear(out);
    Counter& self = cucore::use(counter, "counter");
    *cucore::require(out, "out") = self.step();
  });
}

SECOND_API cucore_status second_counter_write(const second_counter* counter, cucore_buffer* buffer,
                                              size_t offset, const cucore_stream* stream,
                                              cucore_error** error) {
  return guard(error, [&] {
    const int32_t value = cucore::use(counter, "counter").value();
    call("write the counter", cucore_buffer_write, buffer, offset, &value, sizeof value, stream);
  });
}

SECOND_API cucore_status second_counter_fault(const second_counter* counter, int32_t kind,
                                              cucore_error** error) {
  return guard(error, [&] {
    cucore::use(counter, "counter");
    fail(kind);
  });
}

SECOND_API int32_t second_error_is_of_caller(const cucore_error* error) {
  const int status = cucore_error_status(error);
  return status > 100 && status < 200;
}

}  // extern "C"
