// SPDX-License-Identifier: Apache-2.0
// 02: find a kernel in object code, launch it on a device and read the result back.
using System;
using System.Linq;
using Cucore;

static class Example {
  const string Source = @"
extern ""C"" __global__ void scale(float factor, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}";

  static int Main() {
    const int n = 1000;
    float[] data = Enumerable.Range(0, n).Select(i => (float)i).ToArray();
    using (var program = new CudaProgram(Source))
    using (var code = program.Compile(CodeType.Ptx)) {
      if (CudaDevice.Count == 0) {
        Console.WriteLine("compiled; launching needs a device");
        return 0;
      }
      // snippet: launch
      using (var device = new CudaDevice())
      using (var stream = new CudaStream(device))
      using (var kernel = code.GetKernel("scale"))
      using (var buffer = new CudaBuffer(device, n * sizeof(float), stream)) {
        buffer.Write(data, stream);
        kernel.Launch(stream, new LaunchConfig((n + 255) / 256, 256), 3f, buffer, n);
        buffer.Read(data, stream);
        int wrong = Enumerable.Range(0, n).Count(i => data[i] != 3f * i);
        Console.WriteLine($"{device}: {wrong} of {n} values are wrong");
        return wrong;
      }
      // end of snippet
    }
  }
}
