// SPDX-License-Identifier: Apache-2.0
// 01: compile CUDA C++ at run time and print the result. Needs no device and no driver.
using System;
using Cucore;

static class Example {
  const string Source = @"
extern ""C"" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}";

  static int Main() {
    try {
      using (var program = new CudaProgram(Source, new ProgramOptions { Name = "saxpy.cu", Arch = "sm_90" }))
      using (var code = program.Compile(CodeType.Cubin)) {
        Console.WriteLine($"compiled {code.Name} to {code.Data.Length} bytes for {code.Arch}");
        foreach (var symbol in code.Symbols) {
          Console.WriteLine($"{symbol.Kind} {symbol}, {code.GetResources(symbol).Registers} registers");
          foreach (var parameter in symbol.Parameters) Console.WriteLine($"  {parameter}");
        }
      }
      new CudaProgram("__global__ void k() { undeclared = 1; }").Compile();
    // snippet: error
    } catch (CompilationException e) {
      Console.WriteLine(e.Message);
      foreach (var diagnostic in e.Diagnostics) Console.WriteLine($"  {diagnostic}");
      return 0;
    }
    // end of snippet
    return 1;  // the second program must not compile
  }
}
