// SPDX-License-Identifier: Apache-2.0
// The calls to begin with.
using System;
using System.Runtime.InteropServices;

namespace Cucore.Perf {
/// <summary>Measures, profiles and analyses kernels, on a GPU and on the CPU device.</summary>
public static class Perf {
  /// <summary>Measures how long a work takes on a device. An exception of the work ends the measurement and is thrown again.</summary>
  /// <param name="device">the device</param>
  /// <param name="work">adds its work to the stream that it is called with</param>
  /// <param name="options">the options; null for the defaults</param>
  /// <returns>the measurement</returns>
  public static Measurement Measure(CudaDevice device, Action<CudaStream> work, MeasurementOptions? options = null) {
    PerfCalls.NotNull(device, nameof(device));
    PerfCalls.NotNull(work, nameof(work));
    using (Frame frame = new Frame()) {
      NativeMeasurementOptions native = (options ?? new MeasurementOptions()).Write(frame);
      frame.Check(PerfNative.cucore_measurement_run(CudaDevice.getCPtr(device), frame.Work(work), IntPtr.Zero, ref native, out IntPtr made, out IntPtr error), error);
      return new Measurement(made);
    }
  }

  /// <summary>Measures a work that uses the stream of the options.</summary>
  /// <param name="device">the device</param>
  /// <param name="work">the work</param>
  /// <param name="options">the options, with a stream</param>
  /// <returns>the measurement</returns>
  public static Measurement Measure(CudaDevice device, Action work, MeasurementOptions options) {
    PerfCalls.NotNull(device, nameof(device));
    PerfCalls.NotNull(work, nameof(work));
    if (PerfCalls.NotNull(options, nameof(options)).Stream == null) throw new ArgumentException("the options have no stream; a work without a parameter needs one", nameof(options));
    return Measure(device, stream => work(), options);
  }

  /// <summary>Measures launches of a kernel, all with the same arguments.</summary>
  /// <param name="device">the device</param>
  /// <param name="kernel">the kernel</param>
  /// <param name="config">the launch</param>
  /// <param name="options">the options of the measurement; null for the defaults</param>
  /// <param name="arguments">of the kernel</param>
  /// <returns>the measurement</returns>
  public static Measurement Measure(CudaDevice device, Kernel kernel, LaunchConfig config, MeasurementOptions? options, params object?[] arguments) {
    PerfCalls.NotNull(device, nameof(device));
    PerfCalls.NotNull(arguments, nameof(arguments));
    using (Frame frame = new Frame()) {
      NativeLaunchOptions launch = LaunchArguments.Options(config);
      NativeArgument[] given = LaunchArguments.Write(frame, PerfCalls.NotNull(kernel, nameof(kernel)).Name, kernel.GetParameters(device) ?? throw PerfCalls.Refused(Status.Unsupported, "the parameters of the kernel are unknown"), arguments);
      NativeMeasurementOptions native = (options ?? new MeasurementOptions()).Write(frame);
      frame.Check(PerfNative.cucore_measurement_run_kernel(Kernel.getCPtr(kernel), ref launch, given, (ulong)given.Length, ref native, out IntPtr made, out IntPtr error), error);
      return new Measurement(made);
    }
  }

  /// <summary>Compares two works, with their samples in turn.</summary>
  /// <param name="device">the device</param>
  /// <param name="first">the first work</param>
  /// <param name="second">the second</param>
  /// <param name="options">the options; null for the defaults</param>
  /// <returns>the comparison, of the time of the first by that of the second</returns>
  public static Pair Compare(CudaDevice device, Action<CudaStream> first, Action<CudaStream> second, MeasurementOptions? options = null) {
    PerfCalls.NotNull(device, nameof(device));
    using (Frame frame = new Frame()) {
      NativeWork a = NativeWork.Make(), b = NativeWork.Make();
      a.Call = frame.Work(PerfCalls.NotNull(first, nameof(first)));
      b.Call = frame.Work(PerfCalls.NotNull(second, nameof(second)));
      NativeMeasurementOptions native = (options ?? new MeasurementOptions()).Write(frame);
      NativeComparisonInfo info = NativeComparisonInfo.Make();
      frame.Check(PerfNative.cucore_measurement_run_pair(CudaDevice.getCPtr(device), ref a, ref b, ref native, out IntPtr madeA, out IntPtr madeB, ref info, out IntPtr error), error);
      return new Pair(info, new Measurement(madeA), new Measurement(madeB));
    }
  }

  /// <summary>Compares two measurements. The other form also removes drift between them.</summary>
  /// <param name="first">the first</param>
  /// <param name="second">the second</param>
  /// <returns>the comparison</returns>
  public static Comparison Compare(Measurement first, Measurement second) {
    NativeComparisonInfo info = NativeComparisonInfo.Make();
    PerfCalls.Check(PerfNative.cucore_measurement_compare(PerfCalls.NotNull(first, nameof(first)).Handle, PerfCalls.NotNull(second, nameof(second)).Handle, ref info, out IntPtr error), error);
    return new Comparison(info);
  }

  /// <summary>Returns measurements as a text.</summary>
  /// <param name="format">Text, Json, Csv or Gnuplot</param>
  /// <param name="measurements">at least one</param>
  /// <returns>the text</returns>
  public static string Write(ReportFormat format, params Measurement[] measurements) {
    PerfCalls.NotNull(measurements, nameof(measurements));
    using (Frame frame = new Frame()) {
      IntPtr[] list = Array.ConvertAll(measurements, each => frame.Object(PerfCalls.NotNull(each, nameof(measurements)).Handle));
      return PerfCalls.Written((byte[]? buffer, ulong capacity, out ulong size, out IntPtr error) =>
          PerfNative.cucore_measurement_write(list, (ulong)list.Length, (int)format, buffer, capacity, out size, out error));
    }
  }

  /// <summary>Begins a profile, which its Dispose ends.</summary>
  /// <param name="options">the options of the profiler; null for the defaults</param>
  /// <returns>the profile</returns>
  public static Profile Profile(ProfilerOptions? options = null) { return new Profile(options); }

  /// <summary>Profiles a block of work.</summary>
  /// <param name="work">the work</param>
  /// <param name="options">the options of the profiler; null for the defaults</param>
  /// <returns>the report</returns>
  public static Report Profile(Action work, ProfilerOptions? options = null) {
    PerfCalls.NotNull(work, nameof(work));
    Profile profile = Profile(options);
    using (profile) work();
    return profile.Report;
  }

  /// <summary>Analyses all kernels of object code: CUBIN, PTX, fat binaries and bundles of them. It needs no device.</summary>
  /// <param name="code">the code, which stays open while kernels of the analysis are modelled</param>
  /// <param name="options">the options; null for the defaults</param>
  /// <returns>the analysis</returns>
  public static Analysis Analyze(ObjectCode code, AnalysisOptions? options = null) {
    using (Frame frame = new Frame()) {
      NativeAnalysisOptions native = (options ?? new AnalysisOptions()).Write(frame);
      frame.Check(PerfNative.cucore_analysis_create(ObjectCode.getCPtr(code, nameof(code)), ref native, out IntPtr made, out IntPtr error), error);
      return new Analysis(made, code);
    }
  }

  /// <summary>Computes how many blocks of a kernel one multiprocessor of an architecture runs at a time.</summary>
  /// <param name="arch">the architecture, "sm_90"</param>
  /// <param name="threads">per block</param>
  /// <param name="registers">per thread</param>
  /// <param name="shared">bytes of shared memory per block</param>
  /// <returns>the occupancy</returns>
  public static Occupancy Occupancy(string arch, int threads, int registers = 0, int shared = 0) {
    NativeOccupancyNeeds needs = NativeOccupancyNeeds.Make();
    needs.Threads = (uint)PerfCalls.NotNegative(threads, nameof(threads));
    needs.Registers = (uint)PerfCalls.NotNegative(registers, nameof(registers));
    needs.Shared = (uint)PerfCalls.NotNegative(shared, nameof(shared));
    NativeOccupancyInfo info = NativeOccupancyInfo.Make();
    PerfCalls.Check(PerfNative.cucore_occupancy_query(PerfCalls.Bytes(PerfCalls.NotNull(arch, nameof(arch))), ref needs, ref info, out IntPtr error), error);
    return new Occupancy(info);
  }

  /// <summary>Opens the roof of a device. If none is kept, the device is measured, for two seconds at most by default.</summary>
  /// <param name="device">the device</param>
  /// <param name="options">the options; null for the defaults</param>
  /// <returns>the roof</returns>
  public static Roof Roof(CudaDevice device, RoofOptions? options = null) {
    using (Frame frame = new Frame()) {
      NativeRoofOptions native = (options ?? new RoofOptions()).Write(frame);
      frame.Check(PerfNative.cucore_roof_open(CudaDevice.getCPtr(device, nameof(device)), ref native, out IntPtr made, out IntPtr error), error);
      return new Roof(made);
    }
  }

  /// <summary>Returns in how many passes the metrics of a preset are read. The call needs CUPTI of CUDA 13, and no GPU.</summary>
  /// <param name="chip">the name of the GPU's chip, "GH100"</param>
  /// <param name="preset">"quick", "balanced", "flops", "memory", "roof" or "all"</param>
  /// <returns>the number of passes</returns>
  public static int PresetPasses(string chip, string preset) {
    PerfCalls.Check(PerfNative.cucore_preset_passes(PerfCalls.Bytes(PerfCalls.NotNull(chip, nameof(chip))), PerfCalls.Bytes(PerfCalls.NotNull(preset, nameof(preset))),
                                                    out int passes, out IntPtr error), error);
    return passes;
  }

  /// <summary>Returns the version of the library: major * 10000 + minor * 100 + patch.</summary>
  /// <returns>the version</returns>
  public static int Version() { return (int)PerfNative.cucore_perf_version(); }

  /// <summary>Starts the profile that the environment variable CUCORE_PROFILE names. The first use of the driver does the same.</summary>
  public static void StartFromEnvironment() { PerfCalls.Check(PerfNative.cucore_perf_start_from_environment(out IntPtr error), error); }
}
}
