// SPDX-License-Identifier: Apache-2.0
// 06: a complete job: compile, serialize, restore, find, launch, time with two events, check.
using System;
using System.Diagnostics;
using Cucore;

static class Example {
  const int N = 1 << 20;
  const string Source = @"extern ""C"" __global__ void scale(float a, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= a;
}";

  static T Step<T>(string name, Func<T> step) {
    var watch = Stopwatch.StartNew();
    T made = step();
    Console.WriteLine($"  {name,-12} {watch.Elapsed.TotalMilliseconds,9:f3} ms");
    return made;
  }

  static int Main() {
    float[] host = new float[N];
    for (int i = 0; i < N; ++i) host[i] = i;
    byte[] stored = Step("compile", () => new CudaProgram(Source).Compile(CodeType.Ptx)).ToBytes();
    var code = Step("restore", () => ObjectCode.Load(stored));
    if (CudaDevice.Count == 0) return 0;  // launching needs a device
    using (var device = new CudaDevice())
    using (var stream = new CudaStream(device))
    using (CudaEvent start = new CudaEvent(device, new EventOptions { Timing = true }), end = new CudaEvent(device, new EventOptions { Timing = true }))
    using (var kernel = Step("find", () => code.GetKernel("scale")))
    using (var data = Step("allocate", () => new CudaBuffer(device, N * sizeof(float), stream))) {
      Step("write", () => { data.Write(host, stream); start.Record(stream); return 0; });
      Step("launch", () => { kernel.Launch(stream, new LaunchConfig(N / 256, 256), 2f, data, N); end.Record(stream); return 0; });
      host = Step("read", () => data.ToArray<float>(stream));
      int wrong = 0;
      for (int i = 0; i < N; ++i) wrong += host[i] == 2f * i ? 0 : 1;
      Console.WriteLine($"{device}: kernel {start.Elapsed(end):f3} ms, {wrong} of {N} wrong");
      return wrong;
    }
  }
}
