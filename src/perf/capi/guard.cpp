// SPDX-License-Identifier: Apache-2.0
#include "perf/capi/guard.hpp"

#include "client/reporter.hpp"

namespace cucore::perf {
namespace {

constexpr char LIBRARY[] = "libcucore-perf";
constexpr char ORIGIN[] = "cucore-perf";

}  // namespace

cucore_status report(cucore_error** error) noexcept {
  return client::report<LIBRARY, ORIGIN>(error);
}

}  // namespace cucore::perf
