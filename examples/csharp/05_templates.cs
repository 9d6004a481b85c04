// SPDX-License-Identifier: Apache-2.0
// 05: instantiate templates by name expression; the names remain valid after storing.
using System;
using System.Linq;
using Cucore;

static class Example {
  const string Source = @"
template <typename T, int N>
__global__ void fill(T *out, T value) { if (threadIdx.x < N) out[threadIdx.x] = value; }";

  static int Main() {
    using (var program = new CudaProgram(Source))
    using (var code = program.Compile(CodeType.Ptx, "fill<float, 4>", "fill<int, 8>"))
    using (var restored = ObjectCode.Load(code.ToBytes())) {
      foreach (var symbol in restored.Symbols)
        Console.WriteLine($"{symbol.Expression,-14} is {symbol.LoweredName} in the code");
      if (CudaDevice.Count == 0) {
        Console.WriteLine("launching needs a device");
        return 0;
      }
      using (var device = new CudaDevice())
      using (var stream = new CudaStream(device))
      using (var kernel = restored.GetKernel("fill<int, 8>"))
      using (var buffer = new CudaBuffer(device, 8 * sizeof(int), stream)) {
        kernel.Launch(stream, new LaunchConfig(1, 32), buffer, 42);
        int wrong = buffer.ToArray<int>(stream).Count(value => value != 42);
        Console.WriteLine($"{wrong} of 8 values are wrong");
        return wrong;
      }
    }
  }
}
