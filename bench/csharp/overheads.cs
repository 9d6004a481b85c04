// SPDX-License-Identifier: Apache-2.0
// Measures the rows of bench/overheads in C, as a platform call written by hand, and in C#. The three take turns in one
// process; the figures are medians.
// A second table has the rows of graphs.
//   Overheads.exe [graphs], which measures graphs alone
using System;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using Cucore;

static class Overheads {
  const int Rounds = 201;
  const long MiB = 1 << 20;
  const string Ptx = ".version 7.0\n.target sm_75\n.address_size 64\n" +
                     ".visible .entry k(.param .f32 a, .param .u64 x, .param .u32 n) { ret; }\n";
  const string Source = "extern \"C\" __global__ void k(float a, float *x, int n) {\n" +
                        "  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = a * x[i] + sinf(x[i]);\n}\n";

  [DllImport("overheads_by_platform_call")] static extern int overheads_begin(IntPtr ptx, IntPtr source, IntPtr folder);
  [DllImport("overheads_by_platform_call")] static extern double overheads_repeat(int number, int count);
  [DllImport("overheads_by_platform_call")] static extern int overheads_once(int number);
  [DllImport("overheads_by_platform_call")] static extern IntPtr overheads_failure();
  [DllImport("overheads_by_platform_call")] static extern double overheads_now();

  internal static void Must(bool isGood) {
    if (!isGood) throw new InvalidOperationException(Marshal.PtrToStringAnsi(overheads_failure()));
  }

  internal static double Nanoseconds(int count, Action call) {
    double began = overheads_now();
    for (int i = 0; i < count; ++i) call();
    return (overheads_now() - began) / count;
  }

  internal static double Median(double[] of) { return of.OrderBy(x => x).ElementAt(of.Length / 2); }

  static void Row(string title, int number, int count, Action settle, Action call) {
    double[] inC = new double[Rounds], byHand = new double[Rounds], here = new double[Rounds];
    for (int i = -10; i < Rounds; ++i) {  // the first ones warm up
      double first = overheads_repeat(number, count);
      Must(first >= 0);
      double second = Nanoseconds(count, () => Must(overheads_once(number) == 0));
      settle();
      double third = Nanoseconds(count, call);
      settle();
      if (i < 0) continue;
      inC[i] = first;
      byHand[i] = second;
      here[i] = third;
    }
    double hand = Median(byHand), managed = Median(here);
    Console.WriteLine($"| {title} | {Median(inC):f0} | {hand:f0} | {managed:f0} | {managed - hand:f0} |");
  }

  static CudaProgram Program() { return new CudaProgram(Source, new ProgramOptions { Arch = "sm_90" }); }

  static void CacheRows(string folder) {
    using (Cache cache = new Cache(folder))
    using (CudaProgram program = Program()) {
      program.Compile(CodeType.Cubin, cache).Dispose();
      Row("cache hit, same program", 9, 100, () => {}, () => program.Compile(CodeType.Cubin, cache).Dispose());
      Row("cache hit, new program object", 10, 50, () => {}, () => {
        using (CudaProgram made = Program()) made.Compile(CodeType.Cubin, cache).Dispose();
      });
    }
  }

  static void DeviceRows(CudaDevice device, CudaStream stream, CudaBuffer buffer, Kernel kernel) {
    LaunchConfig config = new LaunchConfig(1, 1);
    using (CudaEvent recorded = new CudaEvent(device))
    using (PreparedLaunch prepared = kernel.Prepare(stream, config, 1f, buffer, 0)) {
      recorded.Record(stream);
      Action settle = stream.Synchronize;
      Row("launch, 3 arguments", 0, 200, settle, () => kernel.Launch(stream, config, 1f, buffer, 0));
      Row("prepared launch, run again", 1, 200, settle, prepared.Run);
      Row("launch and synchronize", 2, 20, settle, () => {
        kernel.Launch(stream, config, 1f, buffer, 0);
        stream.Synchronize();
      });
      Row("event create and drop", 3, 200, settle, () => new CudaEvent(device).Dispose());
      Row("event record", 4, 200, settle, () => recorded.Record(stream));
      Row("event query (recorded, done)", 5, 200, settle, () => recorded.Query());
      Row("stream-ordered allocate and free, 1 MiB", 6, 50, settle, () => new CudaBuffer(device, MiB, stream).Dispose());
    }
  }

  static void CodeRows(byte[] image, ObjectCode code, Action settle) {
    Row("object code to bytes and back", 7, 20, settle, () => ObjectCode.Load(code.ToBytes()).Dispose());
    Row("bytes to kernel, then dropped", 8, 10, settle, () => {
      using (ObjectCode made = ObjectCode.FromBytes(CodeType.Ptx, image))
      using (Kernel found = made.GetKernel("k")) Must(found != null);
    });
  }

  static int Main(string[] arguments) {
    string folder = Path.Combine(Path.GetTempPath(), "overheads-" + Guid.NewGuid());
    Directory.CreateDirectory(folder);
    // The rows keep the texts until the process ends.
    int begun = overheads_begin(Marshal.StringToHGlobalAnsi(Ptx), Marshal.StringToHGlobalAnsi(Source), Marshal.StringToHGlobalAnsi(folder));
    Must(begun != 1);
    bool isWhole = arguments.Length == 0 || arguments[0] != "graphs";
    byte[] image = Encoding.ASCII.GetBytes(Ptx);
    using (CudaDevice device = new CudaDevice())
    using (CudaStream stream = new CudaStream(device))
    using (CudaBuffer buffer = new CudaBuffer(device, MiB, stream))
    using (ObjectCode code = ObjectCode.FromBytes(CodeType.Ptx, image))
    using (Kernel kernel = code.GetKernel("k")) {
      if (isWhole) {
        Console.WriteLine("| ns, median | C | P/Invoke by hand | C# | above P/Invoke |\n|---|---|---|---|---|");
        DeviceRows(device, stream, buffer, kernel);
        CodeRows(image, code, stream.Synchronize);
      }
      if (isWhole && begun == 0) CacheRows(folder);
      new GraphOverheads(device, stream, kernel, buffer).Measure();
    }
    return 0;
  }
}
