// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string_view>

#include "perf/capi/guard.hpp"
#include "perf/capi/handles.hpp"
#include "perf/machine/roof_folder.hpp"
#include "perf/machine/roof_json.hpp"
#include "perf/measure/kept_roof.hpp"
#include "support/concat.hpp"
#include "support/options.hpp"
#include "support/require.hpp"

using namespace cucore;
using namespace cucore::perf;

namespace {

static_assert(CUCORE_ROOF_KIND_SHARED == static_cast<int>(RoofKind::SHARED));
static_assert(CUCORE_ROOF_KIND_MATRIX_FP8 == static_cast<int>(RoofKind::MATRIX_FP8));
static_assert(CUCORE_ROOF_KIND_EVENT_OFFSET == static_cast<int>(RoofKind::EVENT_OFFSET));
static_assert(CUCORE_ROOF_KIND_EVENT_OFFSET == ROOF_KINDS);

RoofOptions roof_options_of(const cucore_roof_options* options) {
  const auto given = read_options(options, sizeof(cucore_roof_options), "cucore_roof_options");
  RoofOptions result;
  result.folder = given.directory ? given.directory : default_roof_folder();
  result.refresh = require_toggle(given.refresh, false, "cucore_roof_options.refresh");
  if (given.max_time_ms != 0) result.max_time = given.max_time_ms * 1e-3;
  return result;
}

}  // namespace

extern "C" {

CUCORE_PERF_API cucore_status cucore_roof_open(const cucore_device* device,
                                               const cucore_roof_options* options,
                                               cucore_roof** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    require(device, "device");
    const RoofOptions given = roof_options_of(options);
    *out = wrap(open_roof(DeviceOwner::share(device), given));
  });
}

CUCORE_PERF_API cucore_roof* cucore_roof_retain(const cucore_roof* roof) { return retain(roof); }

CUCORE_PERF_API void cucore_roof_release(cucore_roof* roof) { release(roof); }

CUCORE_PERF_API cucore_status cucore_roof_value(const cucore_roof* roof, cucore_roof_kind kind,
                                                double* out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const Roof& self = use(roof, "roof");
    if (kind < CUCORE_ROOF_KIND_COPY || kind > CUCORE_ROOF_KIND_EVENT_OFFSET)
      throw Error(Status::INVALID_ARGUMENT, concat("kind is ", int{kind}, "; expected 1 to ",
                                                   int{CUCORE_ROOF_KIND_EVENT_OFFSET}));
    *out = self.value(static_cast<RoofKind>(kind));
  });
}

CUCORE_PERF_API cucore_status cucore_roof_serialize(const cucore_roof* roof, void* buffer,
                                                    size_t capacity, size_t* size,
                                                    cucore_error** error) {
  return guard(error, [&] {
    clear(size);
    const Roof& self = use(roof, "roof");
    require(size, "size");
    if (capacity != 0) require(buffer, "buffer");
    const std::string text = roof_as_json(self);
    *size = text.size();
    if (capacity == 0) return;
    if (capacity < *size)
      throw Error(Status::BUFFER_TOO_SMALL,
                  concat("capacity is ", capacity, "; the roof has ", *size, " bytes"));
    std::memcpy(buffer, text.data(), *size);
  });
}

CUCORE_PERF_API cucore_status cucore_roof_deserialize(const void* data, size_t size,
                                                      cucore_roof** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    require(data, "data");
    *out = wrap(roof_of_json({static_cast<const char*>(data), size}));
  });
}

}  // extern "C"
