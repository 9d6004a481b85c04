// SPDX-License-Identifier: Apache-2.0
// 15: profile a block of work, and print the memory and compute efficiency of its kernels.
using System;
using Cucore;
using Cucore.Perf;

static class Example {
  const string Source = @"
extern ""C"" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}";

  static int Main() {
    if (CudaDevice.Count == 0) {
      Console.WriteLine("profiles need a device");
      return 0;
    }
    using (var device = new CudaDevice())
    using (var stream = new CudaStream(device))
    using (var code = new CudaProgram(Source).Compile(CodeType.Ptx))
    using (var saxpy = code.GetKernel("saxpy")) {
      int n = 1 << (device.IsEmulated ? 16 : 26);
      if (!device.IsEmulated) Perf.Roof(device).Dispose();  // measured once, and kept; percentages need it
      // snippet: profile
      var profile = Perf.Profile();
      using (var x = new CudaBuffer(device, 4L * n, stream))
      using (var y = new CudaBuffer(device, 4L * n, stream))
      using (profile) {
        profile.Profiler.Declare(saxpy, launch => new Declaration(8.0 * n, 4.0 * n, 2.0 * n));
        for (int i = 0; i < 20; ++i) saxpy.Launch(stream, new LaunchConfig(n / 256, 256), 2f, x, y, n);
      }
      // end of snippet
      return Print(profile.Report, n);
    }
  }

  static int Print(Report report, int n) {
    KernelRow row = report.Rows[0];
    Console.WriteLine($"{row.Calls} calls of {row.Name} read {row.BytesRead / 1e6:0.0} MB and write {row.BytesWritten / 1e6:0.0} MB");
    if (report.Source == ProfilerSource.Emulated)
      Console.WriteLine($"exact counts of the CPU device: {report.Counter(0, "cpu.instructions")} instructions; a GPU also has times");
    else
      Console.WriteLine($"memory efficiency {report.MemoryEfficiency:0%}, compute efficiency {report.ComputeEfficiency:0%}");
    foreach (Finding each in report.Findings) Console.WriteLine($"{each.Id} {each.Name}: {each.Advice}");
    if (row.Calls == 20 && row.BytesRead == 160.0 * n && row.BytesWritten == 80.0 * n) return 0;
    Console.WriteLine("expected 20 calls that read 8 bytes per element and write 4");
    return 1;
  }
}
