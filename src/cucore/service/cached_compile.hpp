// SPDX-License-Identifier: Apache-2.0
// Compiles and links whose results a cache keeps.
#pragma once

#include "cache/user_cache.hpp"
#include "core/compile/linker.hpp"
#include "core/compile/program.hpp"
#include "core/load/objectcode.hpp"

namespace cucore::service {

// One compile of a program.
struct CompileRequest {
  Ref<const core::Program> program;
  image::CodeType target;
  std::vector<std::string> expressions;
};

// Object code of a cache, and the tier that it came from.
struct CachedCode {
  Ref<const core::ObjectCode> code;
  cache::Outcome outcome = cache::Outcome::BYPASSED;
};

// Opens a cache whose objects are object code.
Ref<cache::UserCache> open_cache(cache::Settings settings);
// Casts an object of such a cache.
CachedCode to_code(cache::Result result);

// Looks the result up, and compiles or links on a miss.
CachedCode compile(cache::Cache& cache, const CompileRequest& request,
                   core::NvrtcRunner& runner = core::nvrtc_here());
CachedCode link(cache::Cache& cache, core::Linker& linker, image::CodeType target);

// Looks the result of a compile up; null on a miss.
CachedCode find(cache::Cache& cache, const CompileRequest& request);
// Returns the reason of a miss, or a text that reports a hit.
std::string explain_miss(cache::Cache& cache, const CompileRequest& request);

}  // namespace cucore::service
