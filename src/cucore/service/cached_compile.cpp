// SPDX-License-Identifier: Apache-2.0
#include "service/cached_compile.hpp"

namespace cucore::service {
namespace {

Ref<const Object> wrap_code(container::Code code) {
  return make<core::ObjectCode>(std::move(code));
}

const container::Code& unwrap_code(const Object& object) {
  return static_cast<const core::ObjectCode&>(object).code();
}

std::shared_ptr<const container::BuildInputs> inputs_of(const CompileRequest& request) {
  return request.program->inputs(request.target, request.expressions);
}

}  // namespace

Ref<cache::UserCache> open_cache(cache::Settings settings) {
  return cache::UserCache::open(std::move(settings), {wrap_code, unwrap_code});
}

CachedCode to_code(cache::Result result) {
  const auto* code = static_cast<const core::ObjectCode*>(result.object.detach());
  return {Ref<const core::ObjectCode>::adopt(code), result.outcome};
}

CachedCode compile(cache::Cache& cache, const CompileRequest& request, core::NvrtcRunner& runner) {
  const auto inputs = inputs_of(request);
  const cache::Build build = {
      [&]() -> Ref<const Object> {
        return request.program->compile(request.target, request.expressions, runner);
      },
      [&](const std::string& path) {
        request.program->trace_files(request.target, request.expressions, path, runner);
      }};
  return to_code(cache.get_or_build(*inputs, build));
}

CachedCode link(cache::Cache& cache, core::Linker& linker, image::CodeType target) {
  const container::BuildInputs inputs = linker.inputs(target);
  const cache::Build build = {[&]() -> Ref<const Object> { return linker.link(target); }, {}};
  CachedCode result = to_code(cache.get_or_build(inputs, build));
  linker.set_log(result.code->code().log);
  return result;
}

CachedCode find(cache::Cache& cache, const CompileRequest& request) {
  return to_code(cache.find(*inputs_of(request)));
}

std::string explain_miss(cache::Cache& cache, const CompileRequest& request) {
  return cache.explain(*inputs_of(request));
}

}  // namespace cucore::service
