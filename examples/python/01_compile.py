# SPDX-License-Identifier: Apache-2.0
"""01: compile CUDA C++ at run time and print the result. Needs no device and no driver."""
import cucore

SOURCE = """
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""

# snippet: compile
try:
    code = cucore.Program(SOURCE, name="saxpy.cu").compile()
    print(f"compiled {code.name} to {len(code.data)} bytes of PTX for {code.arch}")
except cucore.CompilationError as error:
    print(error.message)
    for diagnostic in error.diagnostics:
        print(f"line {diagnostic.line}: {diagnostic.text}")
# end of snippet

for symbol in code.symbols:
    print(f"kernel {symbol.lowered_name}, {len(symbol.parameters or ())} parameters")
    for index, parameter in enumerate(symbol.parameters or ()):
        print(f"  parameter {index}: {parameter.size} bytes at {parameter.offset}")

try:
    cucore.Program("__global__ void k() { oops; }", name="wrong.cu").compile()
except cucore.CompilationError as error:
    first = error.diagnostics[0]
    print(f"{type(error).__name__}: {first.file}, line {first.line}: {first.text}")
