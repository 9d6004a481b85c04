// SPDX-License-Identifier: Apache-2.0
// Analyses of compiled code.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Cucore.Perf {
/// <summary>Compiled code, analysed. Perf.Analyze returns it.</summary>
public sealed class Analysis : PerfObject {
  internal readonly ObjectCode Code;

  internal Analysis(IntPtr made, ObjectCode code) : base(made, PerfNative.cucore_analysis_release) { Code = code; }

  /// <summary>The kernels in the order of the images. A kernel in several images is there once per image.</summary>
  public IReadOnlyList<KernelAnalysis> Kernels { get { return PerfCalls.Each(PerfNative.cucore_analysis_kernel_count(Handle), KernelAt); } }

  private KernelAnalysis KernelAt(ulong index) {
    NativeAnalysisInfo info = NativeAnalysisInfo.Make();
    PerfCalls.Check(PerfNative.cucore_analysis_kernel_at(Handle, index, ref info, out IntPtr error), error);
    return new KernelAnalysis(info, this, index);
  }

  /// <summary>Findings about what costs time, with remedies. The most severe come first.</summary>
  public IReadOnlyList<Finding> Findings { get { return PerfCalls.Each(PerfNative.cucore_analysis_finding_count(Handle), FindingAt); } }

  private Finding FindingAt(ulong index) {
    NativeFinding finding = NativeFinding.Make();
    PerfCalls.Check(PerfNative.cucore_analysis_finding_at(Handle, index, ref finding, out IntPtr error), error);
    return new Finding(finding);
  }

  /// <summary>Returns the analysis as Text or Json.</summary>
  /// <param name="format">the format</param>
  /// <returns>the text</returns>
  public string Write(ReportFormat format) {
    return PerfCalls.Written((byte[]? buffer, ulong capacity, out ulong size, out IntPtr error) => PerfNative.cucore_analysis_write(Handle, (int)format, buffer, capacity, out size, out error));
  }

  /// <summary>Returns the analysis for people.</summary>
  /// <returns>the text</returns>
  public string Text() { return Write(ReportFormat.Text); }

  /// <summary>Returns JSON of the schema cucore.analysis/1.</summary>
  /// <returns>the text</returns>
  public string Json() { return Write(ReportFormat.Json); }
}

/// <summary>One kernel of one image, with its resources. Analysis.Kernels has all.</summary>
public sealed class KernelAnalysis : KernelInfo {
  private readonly Analysis analysis;
  private readonly ulong index;

  internal KernelAnalysis(NativeAnalysisInfo from, Analysis analysis, ulong index) : base(from) {
    this.analysis = analysis;
    this.index = index;
  }

  /// <summary>Counts the instructions of one class in the code.</summary>
  /// <param name="instructionClass">the class; Any counts all</param>
  /// <param name="level">Machine or Ptx; None is that of the kernel</param>
  /// <returns>the counts</returns>
  public Instructions InstructionCounts(InstructionClass instructionClass = InstructionClass.Any, CodeLevel level = CodeLevel.None) {
    NativeInstructionInfo info = NativeInstructionInfo.Make();
    int number = (int)(level == CodeLevel.None ? Level : level);
    PerfCalls.Check(PerfNative.cucore_analysis_instructions(analysis.Handle, index, number, (int)instructionClass, ref info, out IntPtr error), error);
    return new Instructions(info);
  }

  /// <summary>Computes the occupancy of a kernel of machine code.</summary>
  /// <param name="arch">the architecture; null is that of the code</param>
  /// <param name="block">threads per block; 0 is the largest block of the kernel</param>
  /// <param name="shared">bytes of dynamic shared memory per block</param>
  /// <returns>the occupancy</returns>
  public Occupancy Occupancy(string? arch = null, int block = 0, int shared = 0) {
    NativeOccupancyInfo info = NativeOccupancyInfo.Make();
    PerfCalls.Check(PerfNative.cucore_analysis_occupancy(analysis.Handle, index, PerfCalls.Bytes(arch), (uint)PerfCalls.NotNegative(block, nameof(block)),
                                                         (uint)PerfCalls.NotNegative(shared, nameof(shared)), ref info, out IntPtr error), error);
    return new Occupancy(info);
  }

  /// <summary>Computes what one launch moves and computes, without a device and without memory.</summary>
  /// <param name="config">grid, block and dynamic shared memory of the launch</param>
  /// <param name="arguments">the arguments; null stands for a buffer of its own</param>
  /// <returns>the model</returns>
  public LaunchModel Model(LaunchConfig config, params object?[] arguments) {
    PerfCalls.NotNull(arguments, nameof(arguments));
    Symbol of = analysis.Code.Symbols.FirstOrDefault(each => each.LoweredName == Name && each.Parameters != null)
        ?? throw PerfCalls.Refused(Status.NotFound, "the code does not record the parameters of " + Name);
    using (Frame frame = new Frame()) {
      NativeLaunchOptions launch = LaunchArguments.Options(config);
      NativeArgument[] given = LaunchArguments.Write(frame, Name, of.Parameters!, arguments);
      NativeModelInfo info = NativeModelInfo.Make();
      frame.Check(PerfNative.cucore_analysis_model(analysis.Handle, index, ref launch, given, (ulong)given.Length, ref info, out IntPtr error), error);
      return new LaunchModel(info);
    }
  }
}
}
