// SPDX-License-Identifier: Apache-2.0
// Measurements, profiles and analyses on the CPU device.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using Cucore;
using Cucore.Perf;

public static class Profiles {
  private const int Blocks = 4, Threads = 64;
  private const double Bytes = 4.0 * Blocks * Threads;
  private static readonly LaunchConfig Config = new LaunchConfig(Blocks, Threads);

  // y[i] = 2 x[i], with 13 instructions per thread
  private const string Ptx = @".version 7.0
.target sm_52
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4]; mul.f32 %f2, %f1, 0f40000000; st.global.f32 [%rd5], %f2;
  ret;
}
";

  private sealed class Stop : Exception {
    internal Stop(string message) : base(message) {}
  }

  // A kernel with its buffers.
  private sealed class Twice : IDisposable {
    internal readonly CudaDevice Device = new CudaDevice();
    internal readonly ObjectCode Code = ObjectCode.FromBytes(CodeType.Ptx, Encoding.ASCII.GetBytes(Ptx));
    internal readonly Kernel Kernel;
    internal readonly CudaStream Stream;
    internal readonly CudaBuffer X, Y;

    internal Twice() {
      Kernel = Code.GetKernel("twice");
      Stream = new CudaStream(Device);
      X = new CudaBuffer(Device, (long)Bytes, Stream);
      Y = new CudaBuffer(Device, (long)Bytes, Stream);
    }

    internal void Launch(CudaStream stream) { Kernel.Launch(stream, Config, X, Y); }

    public void Dispose() {
      foreach (IDisposable each in new IDisposable[] { Y, X, Kernel, Code, Stream, Device }) each.Dispose();
    }
  }

  private static MeasurementOptions Quick() { return new MeasurementOptions { Criterion = Criterion.Count, MinSamples = 5, Batch = false }; }

  public static void MeasureWorks() {
    using (Twice twice = new Twice()) {
      int calls = 0, setups = 0;
      MeasurementOptions options = Quick();
      (options.Name, options.Bytes, options.Setup) = ("twice", 2 * Bytes, stream => ++setups);
      using (Measurement found = Perf.Measure(twice.Device, stream => { ++calls; twice.Launch(stream); }, options)) {
        Statistics of = found.Statistics;
        Check.Equal("twice", of.Name);
        Check.Equal(5, of.Samples);
        Check.Equal(5, found.Times.Length);
        Check.That(0 < of.Min && of.Min <= of.Median && of.Median <= of.Max);
        Check.That(Math.Abs(of.BytesPerSecond - 2 * Bytes / of.Median) <= 1e-6 * of.BytesPerSecond);
        Check.Equal(Clock.Events, of.Clock);
        Check.That(calls > 5 && setups >= 5);
        Check.Contains("twice", found.Text());
        Check.Contains("cucore.measurement/1", found.Json());
        Check.Equal(3, Perf.Write(ReportFormat.Csv, found, found).Trim().Split('\n').Length);
        Check.Equal(ComparisonVerdict.NoDifference, Perf.Compare(found, found).Verdict);
      }
      options = Quick();
      options.Stream = twice.Stream;
      using (Measurement found = Perf.Measure(twice.Device, () => twice.Launch(twice.Stream), options)) Check.Equal(5, found.Statistics.Samples);
      using (Measurement found = Perf.Measure(twice.Device, twice.Kernel, Config, Quick(), twice.X, twice.Y)) Check.Equal("twice", found.Statistics.Name);
      Check.Throws<InvalidArgumentException>(() => Perf.Measure(twice.Device, twice.Kernel, Config, Quick(), twice.X));
      Check.Contains("argument 2 of 2", Check.Throws<InvalidArgumentException>(() => Perf.Measure(twice.Device, twice.Kernel, Config, Quick(), twice.X, "y")).Message);
      options = Quick();
      options.MinSamples = 20;
      using (Pair pair = Perf.Compare(twice.Device, twice.Launch, stream => { twice.Launch(stream); twice.Launch(stream); }, options)) {
        Check.That(0 < pair.Low && pair.Low <= pair.Ratio && pair.Ratio <= pair.High);
        Check.Equal(20, pair.Second.Statistics.Samples);
      }
    }
  }

  public static void ExceptionsOfWorksTravel() {
    using (Twice twice = new Twice()) {
      int calls = 0;
      Stop stop = Check.Throws<Stop>(() => Perf.Measure(twice.Device, stream => {
        twice.Launch(stream);
        if (++calls == 3) throw new Stop("third");
      }, Quick()));
      Check.Equal("third", stop.Message);
      Check.Equal(3, calls);
      Check.Throws<Stop>(() => Perf.Compare(twice.Device, twice.Launch, stream => { throw new Stop("second"); }, Quick()));
      MeasurementOptions options = Quick();
      options.Setup = stream => { throw new Stop("setup"); };
      Check.Throws<Stop>(() => Perf.Measure(twice.Device, twice.Launch, options));
      Check.That(Throws(() => Perf.Measure(twice.Device, stream => twice.Kernel.Launch(stream, new LaunchConfig(1, 4096), twice.X, twice.Y), Quick())) is CucoreException);
    }
  }

  private static Exception Throws(Action action) {
    try {
      action();
    } catch (Exception thrown) {
      return thrown;
    }
    throw new Exception("nothing was thrown");
  }

  public static void OptionsAreRefusedByTheirNames() {
    using (Twice twice = new Twice()) {
      MeasurementOptions options = Quick();
      options.Noise = -1;
      Check.Contains("MeasurementOptions.Noise is -1", Check.Throws<InvalidArgumentException>(() => Perf.Measure(twice.Device, twice.Launch, options)).Message);
      options = Quick();
      options.Clock = Clock.Activity;
      Check.Contains("MeasurementOptions.Clock is ACTIVITY", Check.Throws<UnsupportedException>(() => Perf.Measure(twice.Device, twice.Launch, options)).Message);
      Check.Throws<ArgumentOutOfRangeException>(() => Perf.Measure(twice.Device, twice.Launch, new MeasurementOptions { MinSamples = -1 }));
      Action<CudaStream> none = null;
      Action empty = null;
      RefusesNull("work", () => Perf.Measure(twice.Device, none, Quick()));
      RefusesNull("work", () => Perf.Measure(twice.Device, empty, Quick()));
      RefusesNull("device", () => Perf.Measure(null, twice.Launch, Quick()));
      RefusesNull("options", () => Perf.Measure(twice.Device, () => {}, null));
      RefusesNull("kernel", () => Perf.Measure(twice.Device, null, Config, Quick(), twice.X, twice.Y));
      RefusesNull("device", () => Perf.Compare(null, twice.Launch, twice.Launch));
      RefusesNull("first", () => Perf.Compare(twice.Device, null, twice.Launch));
      RefusesNull("second", () => Perf.Compare(twice.Device, twice.Launch, null));
      RefusesNull("first", () => Perf.Compare(null, null));
      RefusesNull("work", () => Perf.Profile(empty));
      RefusesNull("device", () => Perf.Roof(null));
      Check.Throws<ArgumentException>(() => Perf.Measure(twice.Device, () => {}, Quick()));
      Check.Throws<InvalidArgumentException>(() => new Profiler(new ProfilerOptions { Overhead = 2 }));
    }
  }

  private static void RefusesNull(string name, Action action) { Check.Equal(name, Check.Throws<ArgumentNullException>(action).ParamName); }

  public static void ProfileExactly() {
    using (Twice twice = new Twice()) {
      Profile profile = Perf.Profile();
      using (profile) {
        Check.Throws<InvalidStateException>(() => profile.Report.Text());
        profile.Profiler.BeginRange("part");
        twice.Launch(twice.Stream);
        twice.Launch(twice.Stream);
        profile.Profiler.EndRange();
        profile.Profiler.Run("inner", twice.Launch);
        Check.Throws<Stop>(() => profile.Profiler.Run("bad", stream => { throw new Stop("work"); }));
        Check.Contains("Profiler.BeginRange()", Check.Throws<InvalidStateException>(profile.Profiler.EndRange).Message);
      }
      profile.Dispose();
      Report report = profile.Report;
      Check.Equal(ProfilerSource.Emulated, report.Source);
      KernelRow row = report.Rows.Single();
      Check.Equal("twice", row.Name);
      Check.Same(new[] { Blocks, 1, 1 }, row.Grid);
      Check.Same(new[] { Threads, 1, 1 }, row.Block);
      Check.Equal(3, row.Calls);
      Check.Equal(3 * Bytes, row.BytesRead);
      Check.Equal(3 * Bytes, row.BytesWritten);
      Check.Equal(AmountSource.Counter, row.BytesSource);
      Check.Equal(3.0 * Blocks * Threads * 13, report.Counter(0, "cpu.instructions"));
      Check.That(double.IsNaN(report.MemoryEfficiency) && double.IsNaN(report.ComputeEfficiency) && double.IsNaN(report.Efficiency("part").Memory));
      Check.Contains("twice", report.Text());
      Check.Contains("<html", report.Html());
      Check.Contains("cucore.report/1", report.Json());
      Check.That(report.Findings.All(each => each.Id != ""));
      Check.Throws<NotFoundException>(() => report.Counter(0, "cpu.sneezes"));
      Check.Throws<InvalidArgumentException>(() => report.Counter(1, "cpu.instructions"));
      Check.Throws<NotFoundException>(() => report.Efficiency("none"));
      report.Dispose();
      Check.Throws<ObjectDisposedException>(() => report.Text());
      using (Report other = Perf.Profile(() => twice.Launch(twice.Stream))) Check.Equal(1, other.Rows[0].Calls);
    }
  }

  public static void DeclareAmounts() {
    using (Twice twice = new Twice())
    using (Profiler profiler = new Profiler(new ProfilerOptions { Source = ProfilerSource.Events })) {
      Launch seen = null;
      string name = "";
      profiler.Declare(twice.Kernel, launch => {
        seen = launch;
        name = launch.Kernel.Name;
        return new Declaration(1000, 500, 300);
      });
      profiler.Begin();
      twice.Launch(twice.Stream);
      using (Report report = profiler.End()) {
        KernelRow row = report.Rows.Single();
        Check.Equal(1000, row.BytesRead);
        Check.Equal(500, row.BytesWritten);
        Check.Equal(300, row.Operations);
        Check.Equal(AmountSource.Declared, row.BytesSource);
      }
      Check.Equal("twice", name);
      Check.Same(new[] { Blocks, 1, 1 }, seen.Grid);
      Check.Same(new[] { Threads, 1, 1 }, seen.Block);
    }
    using (Twice twice = new Twice())
    using (Profiler profiler = new Profiler(new ProfilerOptions { Source = ProfilerSource.Events, Model = false })) {
      profiler.Declare("twice", launch => { throw new Stop("no amounts"); });
      profiler.Begin();
      twice.Launch(twice.Stream);
      using (Report report = profiler.End()) Check.Equal(AmountSource.None, report.Rows[0].BytesSource);
    }
  }

  public static void AnalyseAndModel() {
    using (Twice twice = new Twice())
    using (Analysis analysis = Perf.Analyze(twice.Code, new AnalysisOptions { Archs = new[] { "sm_90" }, Block = Threads })) {
      KernelAnalysis found = analysis.Kernels.Single();
      Check.Equal("twice", found.Name);
      Check.Equal(CodeLevel.Ptx, found.Level);
      Check.Equal(13, found.Instructions);
      Check.Equal(13, found.InstructionCounts().Count);
      Check.Same(new[] { 0, 0, 1, 0, 0, 0 }, found.InstructionCounts(InstructionClass.LoadGlobal).Widths);
      Check.Equal("A116", analysis.Findings[0].Id);
      Check.Contains("A116", analysis.Text());
      Check.Contains("cucore.analysis/1", analysis.Json());
      Check.Throws<InvalidStateException>(() => found.Occupancy());
      Check.Throws<NotFoundException>(() => found.InstructionCounts(InstructionClass.Any, CodeLevel.Machine));
      foreach (object[] arguments in new[] { new object[] { null, null }, new object[] { twice.X, twice.Y }, new object[] { 0x1000L, 0x9000L } }) {
        LaunchModel model = found.Model(Config, arguments);
        Check.Equal(ModelQuality.Exact, model.Quality);
        Check.Equal(Bytes, model.RequestedRead);
        Check.Equal(Bytes, model.BytesWritten);
        Check.Equal((double)Blocks * Threads, model.OperationsF32);
        Check.Equal(ModelBound.Memory, model.Bound);
      }
      Check.Throws<InvalidArgumentException>(() => found.Model(Config, twice.X));
      Check.Throws<InvalidArgumentException>(() => found.Model(Config, "x", twice.Y));
      Check.Throws<InvalidArgumentException>(() => Perf.Analyze(twice.Code, new AnalysisOptions { Allow = new[] { "A999" } }));
      using (Analysis allowed = Perf.Analyze(twice.Code, new AnalysisOptions { Allow = new[] { "A116" } })) Check.Equal(0, allowed.Findings.Count);
    }
  }

  public static void ModelAtTheRatesOfARoof() {
    const string Json = "{\"schema\": \"cucore.roof/1\", \"machine\": {\"device\": \"mine\"}, \"values\": {\"copy\": 1e9, \"read\": 1e9, \"write\": 1e9}}";
    using (Twice twice = new Twice())
    using (Roof roof = Roof.FromJson(Json))
    using (Analysis analysis = Perf.Analyze(twice.Code, new AnalysisOptions { Roof = roof, Disassembler = true })) {
      LaunchModel model = analysis.Kernels.Single().Model(Config, null, null);
      Check.Equal(true, model.IsMeasured);
      Check.Equal("mine", model.Device);
      Check.Equal(2.0 * Bytes / 1e9, model.LeastSeconds);
    }
  }

  public static void DescribeTheMachine() {
    Occupancy found = Perf.Occupancy("sm_90", 256, 64);
    Check.Equal(4, found.Blocks);
    Check.Equal(OccupancyLimiter.Registers, found.Limiter);
    Check.Throws<UnsupportedException>(() => Perf.Occupancy("sm_35", 256));
    string folder = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
    using (CudaDevice device = new CudaDevice())
    using (Roof roof = Perf.Roof(device, new RoofOptions { Directory = folder, MaxTimeMs = 1 }))
    using (Roof again = Roof.FromJson(roof.Json())) {
      Check.That(roof.Value(RoofKind.Copy) > 0);
      Check.Equal(roof.Value(RoofKind.F32), again.Value(RoofKind.F32));
      Check.Throws<InvalidArgumentException>(() => roof.Value(RoofKind.None));
    }
    Directory.Delete(folder, true);
    Check.Throws<InvalidArgumentException>(() => Roof.FromJson("no"));
    Check.Throws<InvalidArgumentException>(() => Perf.PresetPasses("GH100", "magic"));
    Perf.StartFromEnvironment();
    Check.That(Perf.Version() > 0);
  }

  public static void ThreadsShareASession() {
    using (Twice twice = new Twice())
    using (Profiler profiler = new Profiler()) {
      Exception failure = null;
      profiler.Begin();
      List<Thread> threads = Enumerable.Range(0, 64).Select(i => new Thread(() => {
        try {
          profiler.BeginRange($"range {i % 4}");
          for (int each = 0; each < 4; ++each) twice.Launch(twice.Stream);
          profiler.EndRange();
          Perf.Analyze(twice.Code);  // the collector releases it
        } catch (Exception thrown) {
          failure = thrown;
        }
      })).ToList();
      threads.ForEach(each => each.Start());
      threads.ForEach(each => each.Join());
      GC.Collect();
      GC.WaitForPendingFinalizers();
      Check.Equal(null, failure);
      using (Report report = profiler.End()) {
        Check.Equal(256, report.Rows[0].Calls);
        Check.Equal(256.0 * Blocks * Threads * 13, report.Counter(0, "cpu.instructions"));
      }
    }
  }
}
