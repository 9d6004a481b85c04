// SPDX-License-Identifier: Apache-2.0
// Programs and caches for the tests of the service layer.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "service/cached_compile.hpp"

namespace cucore::service {

// A cache in memory alone.
class MemoryCache {
 public:
  cache::Cache& operator*() const { return cache_->here(); }
  cache::Cache* get() const { return &cache_->here(); }

 private:
  const Ref<cache::UserCache> cache_ = open_cache({});
};
inline MemoryCache make_cache() { return {}; }

inline uint64_t count(const cache::Cache& cache, cache::Event event) {
  return cache.statistics().of(event);
}

inline CompileRequest request_for(const std::string& kernel,
                                  image::CodeType target = image::CodeType::PTX) {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_90";
  options.name = "service.cu";
  const std::string source = "extern \"C\" __global__ void " + kernel + "(int* p) { *p = 1; }\n";
  return {core::Program::create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, options), target, {}};
}

template <class Call>
void expect_error(Status status, const std::string& part, const Call& call) {
  try {
    call();
    FAIL() << "no error: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.message();
    EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
  }
}

}  // namespace cucore::service
