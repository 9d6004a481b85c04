// Launching kernels, and what is known of them.
using System;
using System.Runtime.InteropServices;

namespace Cucore {
public partial class Kernel {
  //: cucore_kernel_launch
  /// <param name="stream">in whose order</param>
  /// <param name="config">the grid, the block and the rest</param>
  /// <param name="arguments">one a parameter, in order: numbers, buffers, Arg.Of(a struct)</param>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, params Arg[] arguments) {
    if (arguments == null) throw new ArgumentNullException(nameof(arguments));
    int size = LaunchConfig.HeadSize;
    for (int i = 0; i < arguments.Length; ++i) size += arguments[i].BlockSize;
    fixed (byte* block = new byte[size]) {
      byte* to = LaunchConfig.Write(config, block, arguments.Length);
      for (int i = 0; i < arguments.Length; ++i) to = arguments[i].Write(to, i);
      Launch(stream, block, size);
    }
    GC.KeepAlive(arguments);
  }

  private unsafe void Launch(CudaStream stream, byte* block, int size) {
    CudaStream.Handle order = CudaStream.getCPtr(stream, nameof(stream));
    IntPtr kernel = swigCPtr.Enter();
    try {
      IntPtr where = order.Enter();
      try {
        if (CucoreNativePINVOKE.Launch(kernel, where, (IntPtr)block, (IntPtr)size) != 0) CucoreNativePINVOKE.Check();
      } finally {
        order.Leave();
      }
    } finally {
      swigCPtr.Leave();
    }
  }

  //: cucore_kernel_launch_packed arguments
  /// <param name="stream">in whose order</param>
  /// <param name="config">the grid, the block and the rest</param>
  public unsafe void LaunchPacked(CudaStream stream, in LaunchConfig config, byte[] arguments) {
    if (arguments == null) throw new ArgumentNullException(nameof(arguments));
    fixed (byte* block = new byte[LaunchConfig.HeadSize + arguments.Length]) {
      Marshal.Copy(arguments, 0, (IntPtr)LaunchConfig.Write(config, block, 0), arguments.Length);
      RawLaunchPacked(stream, (IntPtr)block, LaunchConfig.HeadSize + arguments.Length);
    }
  }

  //: cucore_kernel_max_active_clusters
  /// <param name="device">where</param>
  /// <param name="config">as for a launch, Cluster set</param>
  public unsafe int MaxActiveClusters(CudaDevice device, in LaunchConfig config) {
    byte* block = stackalloc byte[LaunchConfig.HeadSize];
    LaunchConfig.Write(config, block, 0);
    return RawMaxActiveClusters(device, (IntPtr)block, LaunchConfig.HeadSize);
  }

  /// <summary>How many parameters it has; null where neither the code nor the driver says.</summary>
  public int? ParameterCount {
    get {
      long count = RawParameterCount;
      return count < 0 ? (int?)null : checked((int)count);
    }
  }

  //: cucore_kernel_parameter_at index device
  public Parameter GetParameter(int index, CudaDevice device = null) {
    if (index < 0) throw new ArgumentOutOfRangeException(nameof(index));
    return new Parameter(RawParameter(index, device));
  }

  //: cucore_kernel_occupancy
  /// <param name="device">where</param>
  /// <param name="blockSize">threads a block</param>
  /// <param name="dynamicShared">bytes a block</param>
  public int Occupancy(CudaDevice device, int blockSize, int dynamicShared = 0) {
    return RawOccupancy(device, blockSize, dynamicShared);
  }

  //: cucore_kernel_available_dynamic_shared
  /// <param name="device">where</param>
  /// <param name="blocksPerMultiprocessor">so many are to run at a time</param>
  /// <param name="blockSize">threads a block</param>
  public long AvailableDynamicShared(CudaDevice device, int blocksPerMultiprocessor, int blockSize) {
    return RawAvailableDynamicShared(device, blocksPerMultiprocessor, blockSize);
  }

  //: cucore_kernel_max_potential_block_size
  /// <param name="device">where</param>
  /// <param name="dynamicShared">bytes a block</param>
  /// <param name="blockSizeLimit">threads; 0: the device's limit</param>
  public (int MinGridSize, int BlockSize) MaxPotentialBlockSize(CudaDevice device, int dynamicShared = 0, int blockSizeLimit = 0) {
    return RawMaxPotentialBlockSize(device, dynamicShared, blockSizeLimit).ToInts();
  }
}
}
