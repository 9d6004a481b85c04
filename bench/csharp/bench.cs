// SPDX-License-Identifier: Apache-2.0
// Measures calls from C# above the same calls from C: medians of runs that alternate between the two, as a
// table in markdown.
//   Bench.exe PTX [--limits]    with --limits it fails if a call costs more than promised
using System;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using Cucore;

static class Bench {
  const int Runs = 101;

  [DllImport("cucorebench")] static extern int bench_nothing(IntPtr pointer);
  [DllImport("cucorebench")] static extern double bench_property(IntPtr device, int count);
  [DllImport("cucorebench")] static extern double bench_is_loaded(IntPtr code, int count);
  [DllImport("cucorebench")] static extern double bench_query(IntPtr stream, int count);
  [DllImport("cucorebench")] static extern double bench_launch(IntPtr kernel, IntPtr stream, ulong address, int count);
  [DllImport("cucorebench")] static extern double bench_launch_buffer(IntPtr kernel, IntPtr stream, IntPtr buffer, int count);
  [DllImport("cucorebench")] static extern double bench_launch_buffers(IntPtr kernel, IntPtr stream, IntPtr buffer, int count);
  [DllImport("cucorebench")] static extern double bench_event(IntPtr device, int count);
  [DllImport("cucorebench")] static extern double bench_cache_get(IntPtr cache, byte[] key, int count);
  [DllImport("cucorebench")] static extern double bench_cache_compile(IntPtr cache, IntPtr program, int count);
  [DllImport("cucorebench")] static extern double bench_now();

  static int failures, sink;

  static IntPtr Handle(object of) {
    FieldInfo field = of.GetType().GetField("owned", BindingFlags.Instance | BindingFlags.NonPublic);
    return ((SafeHandle)field.GetValue(of)).DangerousGetHandle();
  }

  static double Nanoseconds(Action<int> body, int count) {
    double began = bench_now();
    body(count);
    return (bench_now() - began) / count;
  }

  static double Median(double[] of) { return of.OrderBy(x => x).ElementAt(of.Length / 2); }

  static void Compare(string name, int count, double limit, Func<int, double> c, Action<int> csharp, Action between = null) {
    double[] inC = new double[Runs], here = new double[Runs], above = new double[Runs];
    for (int i = -3; i < Runs; ++i) {  // the first ones warm up
      between?.Invoke();
      double native = c(count);
      between?.Invoke();
      double managed = Nanoseconds(csharp, count);
      if (native < 0) throw new Exception(name + ": the call of C failed");
      if (i < 0) continue;
      inC[i] = native;
      here[i] = managed;
      above[i] = managed - native;
    }
    bool bad = limit > 0 && Median(above) > limit;
    failures += bad ? 1 : 0;
    string wanted = limit > 0 ? limit + (bad ? ", EXCEEDED" : "") : "";
    Console.WriteLine($"| {name} | {Median(inC):f1} | {Median(here):f1} | {Median(above):f1} | {wanted} |");
  }

  static void CompareCache(ObjectCode code) {
    byte[] key = new byte[32];
    using (Cache cache = new Cache(""))
    using (CudaProgram program = new CudaProgram("__global__ void k(int *p) { *p = 1; }", new ProgramOptions { Arch = "compute_80" })) {
      cache.Put(key, code);
      Compare("`cache.Get(key)`, in memory, and `Dispose`", 1000, 0, n => bench_cache_get(Handle(cache), key, n),
              n => { for (int i = 0; i < n; ++i) cache.Get(key).Dispose(); });
      if (!CucoreLibrary.Query(Library.Nvrtc).Available) return;
      cache.Compile(program).Code.Dispose();
      Compare("`program.Compile(target, cache)`, in memory, and `Dispose`", 500, 0, n => bench_cache_compile(Handle(cache), Handle(program), n),
              n => { for (int i = 0; i < n; ++i) program.Compile(CodeType.Ptx, cache).Dispose(); });
    }
  }

  static int Main(string[] args) {
    using (CudaDevice device = new CudaDevice())
    using (CudaStream stream = new CudaStream(device))
    using (ObjectCode code = ObjectCode.FromBytes(CodeType.Ptx, System.IO.File.ReadAllBytes(args[0])))
    using (Kernel kernel = code.GetKernel("scale"), four = code.GetKernel("four"))
    using (CudaBuffer buffer = new CudaBuffer(device, 64, stream)) {
      Console.WriteLine("| ns per call | C | C# | above C | promised |\n|---|---|---|---|---|");
      Compare("`device.Ordinal`, constant", 5000, 50, n => bench_property(Handle(device), n),
              n => { for (int i = 0; i < n; ++i) sink += device.Ordinal; });
      Compare("a platform call that does nothing", 5000, 0, n => 0, n => { for (int i = 0; i < n; ++i) sink += bench_nothing((IntPtr)0); });
      Compare("`code.IsLoaded`, not constant", 5000, 50, n => bench_is_loaded(Handle(code), n),
              n => { for (int i = 0; i < n; ++i) sink += code.IsLoaded ? 0 : 1; });
      Compare("`stream.Query()`", 2000, 0, n => bench_query(Handle(stream), n),
              n => { for (int i = 0; i < n; ++i) sink += stream.Query() ? 0 : 1; }, stream.Synchronize);
      LaunchConfig one = new LaunchConfig(1, 1);
      Action settle = () => { stream.Synchronize(); GC.Collect(); };
      Arg address = Arg.Address(buffer.Address);
      Compare("`kernel.Launch`, 3 arguments, one an address", 500, 200, n => bench_launch(Handle(kernel), Handle(stream), buffer.Address, n),
              n => { for (int i = 0; i < n; ++i) kernel.Launch(stream, one, 2f, address, 0); }, settle);
      Compare("`kernel.Launch`, 3 arguments, one a buffer", 500, 200, n => bench_launch_buffer(Handle(kernel), Handle(stream), Handle(buffer), n),
              n => { for (int i = 0; i < n; ++i) kernel.Launch(stream, one, 2f, buffer, 0); }, settle);
      Compare("`kernel.Launch`, 4 buffers", 500, 250, n => bench_launch_buffers(Handle(four), Handle(stream), Handle(buffer), n),
              n => { for (int i = 0; i < n; ++i) four.Launch(stream, one, buffer, buffer, buffer, buffer); }, settle);
      Compare("`new CudaEvent(device)` and `Dispose`", 1000, 0, n => bench_event(Handle(device), n),
              n => { for (int i = 0; i < n; ++i) new CudaEvent(device).Dispose(); });
      CompareCache(code);
    }
    return failures != 0 && args.Contains("--limits") ? 1 : 0;
  }
}
