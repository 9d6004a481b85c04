// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any text is either refused with an error or becomes a module with the
// guarantees that the executor relies on.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../cpu/tools/promises.hpp"
#include "ptx/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cucore::ptx;
  Diagnostics log;
  auto module = parse({reinterpret_cast<const char*>(data), size}, log);
  std::string broken;
  if (module == nullptr) {
    broken = log.errors.empty() ? "refused without an error" : "";
    if (log.to_string().empty()) broken = "an error without a text";
  } else {
    broken = test::broken_promise(*module);
    for (const Function& function : module->functions)
      for (uint32_t i = 0; i < function.registers.size() && i < 64; ++i) register_name(function, i);
  }
  if (broken.empty()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", broken.c_str());
  std::abort();
}
