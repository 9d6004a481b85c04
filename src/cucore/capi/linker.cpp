// SPDX-License-Identifier: Apache-2.0
#include "core/compile/linker.hpp"

#include <cstddef>

#include "capi/observed.hpp"

using namespace cucore::capi;
using cucore::image::CodeType;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_LINKER_OPTIONS =
    offsetof(cucore_linker_options, flag_count) + sizeof(size_t);

[[gnu::cold, gnu::noinline]] void link_observed(core::Linker& linker, CodeType target,
                                                cucore_objectcode** out) {
  core::observe({.kind = CUCORE_OPERATION_LINK}, [&](core::Operation& operation) {
    const auto code = linker.link(target);
    *out = wrap(code);
    operation.code = code.get();
  });
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_linker_create(const cucore_linker_options* options,
                                              cucore_linker** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const auto all = cucore::read_options(options, FIRST_LINKER_OPTIONS, "cucore_linker_options");
    *out =
        wrap(cucore::make<core::Linker>(core::read_linker_options(all, "cucore_linker_options")));
  });
}

CUCORE_API cucore_linker* cucore_linker_retain(const cucore_linker* linker) {
  return retain(linker);
}

CUCORE_API void cucore_linker_release(cucore_linker* linker) { release(linker); }

CUCORE_API cucore_status cucore_linker_add(cucore_linker* linker, const cucore_objectcode* code,
                                           cucore_error** error) {
  return guard(error, [&] {
    core::Linker& self = use(linker, "linker");
    self.add(share(code, "code"));
  });
}

CUCORE_API cucore_status cucore_linker_link(cucore_linker* linker, cucore_code_type target,
                                            cucore_objectcode** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    core::Linker& self = use(linker, "linker");
    require(out, "out");
    if (is_observed(CUCORE_OPERATION_LINK)) [[unlikely]]
      return link_observed(self, static_cast<CodeType>(target), out);
    *out = wrap(self.link(static_cast<CodeType>(target)));
  });
}

CUCORE_API int32_t cucore_linker_backend(const cucore_linker* linker) {
  int32_t backend = 0;
  guard(nullptr, [&] { backend = use(linker, "linker").backend(); });
  return backend;
}

CUCORE_API const char* cucore_linker_log(const cucore_linker* linker) {
  const auto* self = peek(linker);
  return self ? self->log().c_str() : "";
}

}  // extern "C"
