// SPDX-License-Identifier: Apache-2.0
// 01: compile CUDA C++ at run time and print the result. Needs no device and no driver.
#include <cucore.hpp>
#include <iostream>

const char source[] = R"(
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";

int main() {
  // snippet: compile
  try {
    cucore::ProgramOptions options;
    options.name = "saxpy.cu";
    const auto code = cucore::Program::create(source, options).compile();
    std::cout << "compiled " << code.name() << " to " << code.data().size() << " bytes of PTX for "
              << code.arch() << '\n';
    for (std::size_t i = 0; i < code.symbol_count(); ++i) {
      std::cout << "kernel " << code.symbol_at(i).lowered_name << '\n';
      for (const auto &parameter : code.symbol_parameters(i))
        std::cout << "  " << parameter.size << " bytes at " << parameter.offset << '\n';
    }
  } catch (const cucore::CompilationError &error) {
    std::cerr << error.what() << '\n' << error.log();
    return 1;
  }
  // end of snippet
}
