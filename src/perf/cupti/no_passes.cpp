// SPDX-License-Identifier: Apache-2.0
// For builds without the headers of CUPTI.
#include "perf/cupti/passes.hpp"
#include "support/error.hpp"

namespace cucore::perf {

int32_t preset_passes(const std::string&, std::string_view) {
  throw Error(Status::UNSUPPORTED,
              "cannot count the passes of a preset: this build of libcucore-perf has no support of "
              "CUPTI; build it with the headers of CUPTI");
}

}  // namespace cucore::perf
