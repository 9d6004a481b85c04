// SPDX-License-Identifier: Apache-2.0
// Checks of kernels: their reports, options and faults.
using System;
using System.IO;
using System.Linq;
using Cucore;

public static class CheckSessions {
  private const string Source = @"extern ""C"" __global__ void past_end(int *p) { p[256 + threadIdx.x] = 1; }
extern ""C"" __global__ void inside(int *p) { p[threadIdx.x] = 1; }
extern ""C"" __global__ void forever(volatile int *p) { while (*p == 0); }
extern ""C"" __global__ void say(int *p) { printf(""hello\n""); }
extern ""C"" __global__ void reverse(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  p[threadIdx.x] = s[63 - threadIdx.x];
}";

  private static readonly ObjectCode code =
      new CudaProgram(Source, new ProgramOptions { Name = "checks.cu", Lineinfo = true }).Compile();

  private static void Run(string kernel, int threads = 32) {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer data = new CudaBuffer(World.Device, 1024, stream)) {
      data.Fill(0, stream);
      code.GetKernel(kernel).Launch(stream, new LaunchConfig(1, threads), data);
      stream.Synchronize();
    }
  }

  public static void FindNothingInAGoodKernel() {
    using (Checks checks = new Checks()) {
      Check.That(checks.IsRunning);
      Run("inside");
      checks.Verify();
      Check.That(!checks.IsRunning);
      Check.Equal(0, checks.Reports.Count);
    }
  }

  public static void ReportABadKernel() {
    using (Checks checks = new Checks(new ChecksOptions { Kinds = "memory" })) {
      Run("past_end");
      ChecksException found = Check.Throws<ChecksException>(() => checks.Verify());
      Check.Contains("out-of-bounds", found.Message);
      Check.Equal(2, found.ToString().Split(new[] { "out-of-bounds" }, StringSplitOptions.None).Length);
      CheckReport report = checks.Reports.Single();
      Check.Equal("out-of-bounds", report.Kind);
      Check.Equal("past_end", report.Kernel);
      Check.Equal("checks.cu", report.File);
      Check.Equal(1, report.Line);
      Check.Same(new[] { 0, 0, 0 }, report.Block);
      Check.Equal(1024L, report.AllocationSize);
      Check.Equal(report.Address, report.Allocation + 1024 + 4 * report.Thread[0]);
      Check.Equal(report.Text, report.ToString());
      Check.Equal(report.Text + "\n", checks.Text);
      Check.Contains(report.Json, checks.Json);
    }
  }

  public static void SuppressReports() {
    string file = Path.GetTempFileName();
    File.WriteAllText(file, "# known\n* past_*\n");
    foreach (ChecksOptions options in new[] { new ChecksOptions { Suppressions = "out-of-bounds past_end checks.cu:1" },
                                              new ChecksOptions { SuppressionFiles = new[] { file } } })
      using (Checks checks = new Checks(options)) {
        Run("past_end");
        checks.Verify();
      }
    File.Delete(file);
  }

  public static void InjectFaults() {
    using (Checks checks = new Checks(new ChecksOptions { Kinds = "none", Faults = "allocation@1+=2" })) {
      Check.Throws<OutOfDeviceMemoryException>(() => Run("inside"));
      checks.End();
      Check.That(checks.FaultCount > 0);
      Check.That(checks.CallCount("cuMemAllocAsync") > 0);
    }
    Run("inside");
  }

  public static void FindLeaks() {
    using (Checks checks = new Checks(new ChecksOptions { Kinds = "leak" })) {
      CudaEvent kept = new CudaEvent(World.Device);
      Check.Contains("leak: cuEventCreate", Check.Throws<ChecksException>(() => checks.Verify()).Message);
      kept.Dispose();
    }
  }

  public static void TraceTheCallsOfTheDriver() {
    string file = Path.GetTempFileName();
    using (Checks checks = new Checks(new ChecksOptions { Kinds = "none", TraceFile = file })) {
      new CudaEvent(World.Device).Dispose();
      checks.End();
    }
    World.Stream().Dispose();
    string trace = File.ReadAllText(file);
    File.Delete(file);
    Check.Contains("\"call\":\"cuEventCreate\"", trace);
    Check.That(!trace.Contains("cuStreamCreate"), trace);
  }

  public static void NameTheirSchedule() {
    using (Checks checks = new Checks(new ChecksOptions { Kinds = "race", Schedule = "random", Seed = 5 })) {
      Run("reverse", 64);
      checks.End();
      Check.Equal("random:5", checks.Schedule);
      CheckReport report = checks.Reports[0];
      Check.Equal("shared-race", report.Kind);
      Check.Equal("random:5", report.Schedule);
      Check.Equal(5L, report.Seed);
      Check.Same(new[] { 7, 8 }, new[] { report.Line, report.OtherLine }.OrderBy(line => line));
    }
    using (Checks checks = new Checks(new ChecksOptions { Kinds = "race", Schedule = "random" })) {
      Run("reverse", 64);
      checks.End();
      Check.That(checks.Schedule.StartsWith("random:", StringComparison.Ordinal), checks.Schedule);
      Check.Equal(checks.Schedule, checks.Reports[0].Schedule);
    }
    using (Checks checks = new Checks(new ChecksOptions { Schedule = "sequential" })) {
      checks.End();
      Check.Equal("", checks.Schedule);
    }
  }

  private static void Fails(ChecksOptions options, string kernel, params string[] parts) {
    options.Kinds = "memory";
    using (Checks checks = new Checks(options)) {
      KernelFaultException fault = Check.Throws<KernelFaultException>(() => Run(kernel));
      World.ResetDevice();
      ChecksException found = Check.Throws<ChecksException>(() => checks.Verify());
      foreach (string part in parts) Check.Contains(part, fault.Message);
      Check.Contains($"fault: kernel '{kernel}'", found.Message);
    }
  }

  public static void BoundLaunches() {
    Fails(new ChecksOptions { LaunchInstructions = 1000 }, "forever", "budget of 1000 warp", "LaunchInstructions");
    Fails(new ChecksOptions { LaunchMemory = 1024 }, "say", "a launch has 1024 bytes", "LaunchMemory");
    Fails(new ChecksOptions { LaunchOutput = 6 * 32 - 1 }, "say", "a launch has 191", "LaunchOutput");
    using (Checks checks = new Checks(new ChecksOptions { LaunchMemory = 1 << 20, LaunchOutput = 6 * 32 })) {
      Run("say");
      checks.Verify();
    }
  }

  public static void RunOneAtATime() {
    using (new Checks()) Check.Throws<InvalidStateException>(() => new Checks());
    Check.Contains("Kinds is 'rice'", Check.Throws<InvalidArgumentException>(() => new Checks(new ChecksOptions { Kinds = "rice" })).Message);
  }
}
