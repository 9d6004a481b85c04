// SPDX-License-Identifier: Apache-2.0
// Common code for the tests of linking.
#pragma once

#include "capi_testing.hpp"

namespace capi_test {

#define NEEDS_REAL_LINKER() \
  NEEDS_REAL_COMPILER();    \
  if (!has_linker() || std::getenv("CUCORE_NVJITLINK")) GTEST_SKIP() << "needs nvJitLink"

inline bool has_linker() {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  Error error;
  return cucore_library_query(CUCORE_LIBRARY_NVJITLINK, &info, error.out()) == CUCORE_OK &&
         info.available;
}

inline cucore_linker_options for_sm_90() {
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
  options.arch = "sm_90";
  return options;
}

inline Linker make_linker(const cucore_linker_options& options = for_sm_90()) {
  Linker linker;
  MUST(cucore_linker_create, &options, linker.out());
  return linker;
}

inline Code compile_for(const std::string& source, cucore_code_type target, const char* name,
                        const std::vector<const char*>& expressions = {}) {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  options.name = name;
  options.relocatable_device_code = CUCORE_TOGGLE_ON;
  return compile(make_program(source, &options), target, expressions);
}

inline Code link(cucore_linker* linker, cucore_code_type target = CUCORE_CODE_TYPE_CUBIN) {
  Code code;
  MUST(cucore_linker_link, linker, target, code.out());
  return code;
}

}  // namespace capi_test
