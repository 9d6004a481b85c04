// SPDX-License-Identifier: Apache-2.0
#include "core/compile/program.hpp"

#include <cstddef>

#include "capi/observed.hpp"
#include "service/recent_results.hpp"

using namespace cucore::capi;
using cucore::image::CodeType;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_PROGRAM_OPTIONS =
    offsetof(cucore_program_options, extra_source_count) + sizeof(size_t);

[[gnu::cold, gnu::noinline]] void compile_observed(const cucore::service::CompileRequest& request,
                                                   cucore_objectcode** out) {
  core::observe({.kind = CUCORE_OPERATION_COMPILE, .program = request.program.get()},
                [&](core::Operation& operation) {
                  const auto code = cucore::service::compile_or_reuse(request);
                  *out = wrap(*code);
                  operation.code = code.get();
                });
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_program_create(cucore_source_type type, const char* source,
                                               size_t size, const cucore_program_options* options,
                                               cucore_program** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const auto text = require_array(source, size, "source");
    require(out, "out");
    const auto all = cucore::read_options(options, FIRST_PROGRAM_OPTIONS, "cucore_program_options");
    *out = wrap(core::Program::create(type, std::string(text.data(), text.size()), all));
  });
}

CUCORE_API cucore_program* cucore_program_retain(const cucore_program* program) {
  return retain(program);
}

CUCORE_API void cucore_program_release(cucore_program* program) { release(program); }

CUCORE_API cucore_status cucore_program_compile(const cucore_program* program,
                                                cucore_code_type target,
                                                const char* const* name_expressions,
                                                size_t name_expression_count,
                                                cucore_objectcode** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    auto self = share(program, "program");
    auto names = require_strings(name_expressions, name_expression_count, "name_expressions");
    require(out, "out");
    cucore::service::CompileRequest request{std::move(self), static_cast<CodeType>(target),
                                            std::move(names)};
    if (is_observed(CUCORE_OPERATION_COMPILE)) [[unlikely]]
      return compile_observed(request, out);
    *out = wrap(*cucore::service::compile_or_reuse(request));
  });
}

CUCORE_API int32_t cucore_program_backend(const cucore_program* program) {
  const auto* self = peek(program);
  return self ? self->backend() : 0;
}

}  // extern "C"
