// SPDX-License-Identifier: Apache-2.0
// Launches: the arguments become one block of bytes, which crosses in one call.
using System;

namespace Cucore {
public partial class Kernel {
  /// <summary>Refused by the compiler, with the remedy: an argument has a type that no kernel accepts.</summary>
  [System.Obsolete("Write an array to a CudaBuffer and pass the buffer, or pass a struct by Arg.Of.", true)]
  public void Launch(CudaStream stream, in LaunchConfig config, object argument, params object[] rest) { throw new System.NotSupportedException(); }

  //: cucore_kernel_launch
  /// <param name="config">the grid, the block and the rest</param>
  /// <param name="arguments">one per parameter, in order: numbers, buffers, Arg.Of(a struct), Arg.Address</param>
  /// <exception cref="System.ObjectDisposedException">an argument is a buffer that was disposed</exception>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, params Arg[] arguments) {
    if (arguments == null) throw new ArgumentNullException(nameof(arguments));
    Arg[] own = (Arg[])arguments.Clone();  // another thread may change the caller's
    HeldBuffers held = default(HeldBuffers);
    int[] forms = FormsFor(stream, own.Length);
    int size = LaunchConfig.HeadSize;
    foreach (Arg each in own) size += each.BlockSize;
    fixed (byte* block = new byte[size]) {
      byte* to = LaunchConfig.Write(config, block, own.Length);
      for (int i = 0; i < own.Length; ++i) to = own[i].Write(to, this, forms, i, ref held);
      Launch(stream, block, to, ref held);
    }
  }

  // A launch whose block is complete.
  private unsafe void Launch(CudaStream stream, byte* block, byte* end, ref HeldBuffers held) {
    CudaStream.Handle? order = null;
    IntPtr kernel = IntPtr.Zero, where = IntPtr.Zero;
    try {
      order = CudaStream.getCPtr(stream);
      kernel = owned.Enter();
      where = order.Enter();
      if (CucoreNativePINVOKE.Launch(kernel, where, (IntPtr)block, (IntPtr)(end - block)) != 0) CucoreNativePINVOKE.Check();
    } finally {
      if (where != IntPtr.Zero) order!.Leave();
      if (kernel != IntPtr.Zero) owned.Leave();
      held.Leave();
    }
  }

  //: launches 6
}
}
