// What a call from C# costs above the same call from C: medians of runs that alternate between the two.
using System;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using Cucore;

static class Bench {
  const int Runs = 101;

  [DllImport("cucorebench")] static extern double bench_property(IntPtr device, int count);
  [DllImport("cucorebench")] static extern double bench_launch(IntPtr kernel, IntPtr stream, ulong address, int count);
  [DllImport("cucorebench")] static extern double bench_event(IntPtr device, int count);

  [DllImport("cucorebench")] static extern double bench_now();

  static int failures;

  static IntPtr Handle(object of) {
    FieldInfo field = of.GetType().GetField("swigCPtr", BindingFlags.Instance | BindingFlags.NonPublic);
    return ((SafeHandle)field.GetValue(of)).DangerousGetHandle();
  }

  static double Nanoseconds(Action<int> body, int count) {
    double began = bench_now();
    body(count);
    return (bench_now() - began) / count;
  }

  static double Median(double[] of) { return of.OrderBy(x => x).ElementAt(of.Length / 2); }

  static void Compare(string name, int count, double limit, Func<int, double> c, Action<int> csharp, Action between) {
    double[] inC = new double[Runs], here = new double[Runs], above = new double[Runs];
    for (int i = -3; i < Runs; ++i) {  // the first ones warm up
      between();
      double native = c(count);
      between();
      double managed = Nanoseconds(csharp, count);
      if (native < 0) throw new Exception(name + ": the call of C failed");
      if (i < 0) continue;
      inC[i] = native;
      here[i] = managed;
      above[i] = managed - native;
    }
    bool bad = limit > 0 && Median(above) > limit;
    failures += bad ? 1 : 0;
    string wanted = limit > 0 ? $"  (limit {limit} ns{(bad ? ": EXCEEDED" : "")})" : "";
    Console.WriteLine($"{name,-28} C {Median(inC),8:f1} ns   C# {Median(here),8:f1} ns   above {Median(above),7:f1} ns{wanted}");
  }

  static int Main(string[] args) {
    using (CudaDevice device = new CudaDevice())
    using (CudaStream stream = new CudaStream(device))
    using (ObjectCode code = ObjectCode.FromBytes(CodeType.Ptx, System.IO.File.ReadAllBytes(args[0])))
    using (Kernel kernel = code.GetKernel("scale"))
    using (CudaBuffer buffer = new CudaBuffer(device, 64, stream)) {
      Action nothing = () => {}, wait = () => { stream.Synchronize(); GC.Collect(); };
      int sink = 0;
      Compare("property", 5000, 50, n => bench_property(Handle(device), n),
              n => { for (int i = 0; i < n; ++i) sink += device.Ordinal; }, nothing);
      Compare("property that is not kept", 5000, 0, n => bench_property(Handle(device), n),
              n => { for (int i = 0; i < n; ++i) sink += stream.Native != 0 ? 0 : 1; }, nothing);
      LaunchConfig one = new LaunchConfig(1, 1);
      Compare("launch, 3 arguments", 500, 200, n => bench_launch(Handle(kernel), Handle(stream), buffer.Address, n),
              n => { for (int i = 0; i < n; ++i) kernel.Launch(stream, one, 2f, buffer, 0); }, wait);
      Compare("event, made and disposed of", 1000, 0, n => bench_event(Handle(device), n),
              n => { for (int i = 0; i < n; ++i) new CudaEvent(device).Dispose(); }, nothing);
      return sink == 0 && failures == 0 ? 0 : 1;
    }
  }
}
