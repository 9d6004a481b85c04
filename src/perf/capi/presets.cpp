// SPDX-License-Identifier: Apache-2.0
#include "perf/capi/guard.hpp"
#include "perf/cupti/passes.hpp"
#include "support/require.hpp"

using namespace cucore;
using namespace cucore::perf;

extern "C" {

CUCORE_PERF_API cucore_status cucore_preset_passes(const char* chip, const char* preset,
                                                   int32_t* passes, cucore_error** error) {
  return guard(error, [&] {
    clear(passes);
    require(chip, "chip"), require(preset, "preset");
    *require(passes, "passes") = preset_passes(chip, preset);
  });
}

}  // extern "C"
