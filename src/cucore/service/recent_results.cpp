// SPDX-License-Identifier: Apache-2.0
#include "service/recent_results.hpp"

#include "support/environment.hpp"

namespace cucore::service {
namespace {

// Each result counts as 1 KiB or more, so there are at most 32768 of them.
constexpr uint64_t MAX_BYTES = uint64_t{32} << 20;

cache::Cache& recent_results() {
  // Never destroyed: threads may still compile while the process ends.
  static cache::UserCache* const results = [] {
    cache::Settings settings;
    settings.memory_bytes = MAX_BYTES;
    return open_cache(std::move(settings)).detach();
  }();
  return results->here();
}

bool is_switched_off() {
  static const bool is_off = environment("CUCORE_REUSE_RESULTS") == "off";
  return is_off;
}

Ref<const core::ObjectCode> copy_of(const core::ObjectCode& code) {
  return make<core::ObjectCode>(code.shared_code());
}

}  // namespace

// The compiler makes no trace of the headers here: that would be a second compile.
Ref<const core::ObjectCode> compile_or_reuse(const CompileRequest& request) {
  const core::Program& program = *request.program;
  if (!program.reuses_results() || is_switched_off())
    return program.compile(request.target, request.expressions);
  const auto inputs =
      program.inputs(request.target, request.expressions, core::KeyScope::THIS_PROCESS);
  Ref<const core::ObjectCode> made;
  const cache::Build build = {[&]() -> Ref<const Object> {
                                made = program.compile(request.target, request.expressions);
                                return copy_of(*made);
                              },
                              {}};
  const CachedCode result = to_code(recent_results().get_or_build(*inputs, build));
  return made ? made : copy_of(*result.code);
}

}  // namespace cucore::service
