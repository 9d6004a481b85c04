// SPDX-License-Identifier: Apache-2.0
// A C++17 program built against an installed tree: compiles and serializes, with no driver.
#include <cucore.hpp>

#include <cstdio>

int main() {
  try {
    const auto code =
        cucore::Program::create("extern \"C\" __global__ void f(int* p) { *p = 1; }").compile();
    const auto bytes = code.serialize();
    const auto restored = cucore::ObjectCode::deserialize(bytes);
    std::printf("%zu bytes stored and restored\n", bytes.size());
    return cucore::version() == CUCORE_VERSION && restored.data().size() == code.data().size() ? 0
                                                                                               : 1;
  } catch (const cucore::LibraryMissingError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 77;
  }
}
