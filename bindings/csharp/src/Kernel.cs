// SPDX-License-Identifier: Apache-2.0
// Kernels: their parameters, occupancy, and launches of packed arguments.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cucore {
public partial class Kernel {
  //: cucore_kernel_launch_packed
  /// <param name="config">the grid, the block and the rest</param>
  public void LaunchPacked(CudaStream stream, in LaunchConfig config, byte[] arguments) {
    LaunchPacked(stream, config, Checked.NotNull(arguments, nameof(arguments)));
  }

  //: cucore_kernel_launch_packed
  /// <param name="config">the grid, the block and the rest</param>
  public unsafe void LaunchPacked(CudaStream stream, in LaunchConfig config, ReadOnlySpan<byte> arguments) {
    HeldBuffers held = default(HeldBuffers);
    int size = LaunchConfig.HeadSize + LaunchConfig.TailSize(config) + arguments.Length;
    fixed (byte* block = new byte[size]) {
      try {
        byte* to = held.WriteTail(LaunchConfig.TailOf(config), LaunchConfig.Write(config, block, 0));
        arguments.CopyTo(new Span<byte>(to, arguments.Length));
        RawLaunchPacked(stream, (IntPtr)block, size);
      } finally {
        held.Leave();
      }
    }
  }

  //: cucore_kernel_max_active_clusters
  /// <param name="config">as for a launch, Cluster set</param>
  public unsafe int MaxActiveClusters(CudaDevice device, in LaunchConfig config) {
    int size = LaunchConfig.HeadSize + LaunchConfig.TailSize(config);
    fixed (byte* block = new byte[size]) {
      byte* to = LaunchConfig.Write(config, block, 0);
      LaunchConfig.TailOf(config)?.Write(to);  // without events, which no launch records
      return RawMaxActiveClusters(device, (IntPtr)block, size);
    }
  }

  //: also cucore_kernel_parameter_count
  /// <summary>The number of its parameters; null if neither the code nor the driver records
  /// it.</summary>
  public int? ParameterCount {
    get {
      long count = RawParameterCount;
      return count < 0 ? (int?)null : checked((int)count);
    }
  }

  //: cucore_kernel_parameter_at
  public Parameter GetParameter(int index, CudaDevice? device = null) {
    if (index < 0) throw new ArgumentOutOfRangeException(nameof(index));
    IReadOnlyList<Parameter>? all = GetParameters(device);
    // The library throws here: the parameter does not exist, or none is known.
    return all != null && index < all.Count ? all[index] : new Parameter(RawParameter(index, device));
  }

  //: cucore_kernel_parameters
  /// <returns>null where neither the code nor the driver records the parameters</returns>
  public IReadOnlyList<Parameter>? GetParameters(CudaDevice? device = null) {
    try {
      return RawParameters(device);
    } catch (UnsupportedException) {
      return null;
    }
  }

  // For messages: the name that the user requested.
  internal string Label { get { return RawLabel(); } }

  private static readonly int[] unknownForms = new int[0];
  private static readonly int[] noForms = new int[0];
  private volatile int[][] forms = new int[0][];  // by the device's ordinal

  // Launches compare arguments with these, which are read once per device. Empty if the parameters are not known.
  [MethodImpl(MethodImplOptions.AggressiveInlining)]
  private int[] FormsFor(CudaStream? stream, int count) {
    int[][] known = forms;
    if (stream == null || (uint)stream.Ordinal >= (uint)known.Length) return FindForms(stream, count);
    int[] found = known[stream.Ordinal];
    return found != null && found.Length == count ? found : FindForms(stream, count);
  }

  private int[] FindForms(CudaStream? stream, int count) {
    CheckAlive();
    if (stream == null) throw new ArgumentNullException(nameof(stream), "stream is null; create one by new CudaStream(device)");
    int device = stream.DeviceOrdinal;
    int[]? found = KnownForms(device);
    if (found == null) {
      using (CudaDevice on = stream.Device) found = ReadForms(on, device);
    }
    return CheckCount(found, count);
  }

  // The same for the device of a graph, whose number is read once: it is -1 before.
  private int[] FormsOn(Func<CudaDevice> open, ref int device, int count) {
    CheckAlive();
    int[]? found = device < 0 ? null : KnownForms(device);
    if (found == null) {
      using (CudaDevice on = open()) found = ReadForms(on, device = on.Ordinal);
    }
    return CheckCount(found, count);
  }

  private int[]? KnownForms(int device) {
    int[][] known = forms;
    return device < known.Length ? known[device] : null;
  }

  private int[] CheckCount(int[] found, int count) {
    if (found.Length != count && found != unknownForms) throw Arguments.WrongCount(this, count, found.Length);
    return found;
  }

  private int[] ReadForms(CudaDevice on, int device) {
    IReadOnlyList<Parameter>? all = GetParameters(on);
    int[] read = all == null ? unknownForms : all.Count == 0 ? noForms : all.Select(each => each.Form).ToArray();
    int[][] known = forms, more = new int[Math.Max(device + 1, known.Length)][];
    known.CopyTo(more, 0);
    more[device] = read;
    forms = more;  // parameters that another thread stored meanwhile are read again
    return read;
  }

  //: cucore_kernel_occupancy
  public int Occupancy(CudaDevice device, int blockSize, int dynamicShared = 0) {
    return RawOccupancy(device, blockSize, dynamicShared);
  }

  //: cucore_kernel_available_dynamic_shared
  public long AvailableDynamicShared(CudaDevice device, int blocksPerMultiprocessor, int blockSize) {
    return RawAvailableDynamicShared(device, blocksPerMultiprocessor, blockSize);
  }

  //: cucore_kernel_max_potential_block_size
  public (int MinGridSize, int BlockSize) MaxPotentialBlockSize(CudaDevice device, int dynamicShared = 0, int blockSizeLimit = 0) {
    return RawMaxPotentialBlockSize(device, dynamicShared, blockSizeLimit).ToInts();
  }
}
}
