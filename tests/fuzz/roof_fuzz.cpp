// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the reader of roofs. Accepted roofs are written, and read again.
#include <cstdlib>

#include "perf/machine/roof_json.hpp"
#include "support/error.hpp"

using namespace cucore;
using namespace cucore::perf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const Ref<Roof> roof = roof_of_json({reinterpret_cast<const char*>(data), size});
    const std::string text = roof_as_json(*roof);
    if (roof_as_json(*roof_of_json(text)) != text) std::abort();
  } catch (const Error& error) {
    if (error.status() != Status::INVALID_ARGUMENT) std::abort();
  }
  return 0;
}
