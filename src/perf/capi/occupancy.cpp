// SPDX-License-Identifier: Apache-2.0
#include "perf/capi/guard.hpp"
#include "perf/capi/structs.hpp"
#include "support/require.hpp"

using namespace cucore;
using namespace cucore::perf;

namespace {

BlockNeeds needs_of_caller(const cucore_occupancy_needs* needs) {
  const auto given = read_options(require(needs, "needs"), sizeof(cucore_occupancy_needs),
                                  "cucore_occupancy_needs");
  require_zero(static_cast<int32_t>(given.reserved), "cucore_occupancy_needs.reserved");
  return {given.registers, given.threads, given.shared};
}

}  // namespace

extern "C" {

CUCORE_PERF_API cucore_status cucore_occupancy_query(const char* arch,
                                                     const cucore_occupancy_needs* needs,
                                                     cucore_occupancy_info* out,
                                                     cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_OCCUPANCY_INFO);
    write_occupancy(out, occupancy_of(limits_of(require(arch, "arch")), needs_of_caller(needs)));
  });
}

}  // extern "C"
