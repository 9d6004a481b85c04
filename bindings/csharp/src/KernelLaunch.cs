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
  /// <param name="arguments">one per parameter, in order: numbers, buffers, arrays, Arg.Of(a struct), Arg.Address</param>
  /// <exception cref="System.ObjectDisposedException">an argument is a buffer that was disposed</exception>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, params Arg[] arguments) {
    Arg[] own = Own(arguments);
    HeldBuffers held = default(HeldBuffers);
    fixed (byte* block = new byte[BlockSize(own) + LaunchConfig.TailSize(config)]) {
      byte* to = Write(stream, config, own, block, ref held);
      Launch(stream, block, to, ref held);
    }
  }

  // Another thread may change the caller's.
  private static Arg[] Own(Arg[] arguments) {
    if (arguments == null) throw new ArgumentNullException(nameof(arguments));
    return (Arg[])arguments.Clone();
  }

  private static int BlockSize(Arg[] arguments) {
    int size = LaunchConfig.HeadSize;
    foreach (Arg each in arguments) size += each.BlockSize;
    return size;
  }

  // Returns the end of the block.
  private unsafe byte* Write(CudaStream stream, in LaunchConfig config, Arg[] arguments, byte* block, ref HeldBuffers held) {
    return Write(FormsFor(stream, arguments.Length), config, arguments, block, ref held);
  }

  private unsafe byte* Write(int[] forms, in LaunchConfig config, Arg[] arguments, byte* block, ref HeldBuffers held) {
    byte* to = held.WriteTail(LaunchConfig.TailOf(config), LaunchConfig.Write(config, block, arguments.Length));
    for (int i = 0; i < arguments.Length; ++i) to = arguments[i].Write(to, this, forms, i, ref held);
    return to;
  }

  //: cucore_prepared_launch_create
  /// <param name="config">the grid, the block and the rest</param>
  /// <param name="arguments">as for Launch</param>
  /// <exception cref="System.ObjectDisposedException">an argument is a buffer that was disposed</exception>
  public unsafe PreparedLaunch Prepare(CudaStream stream, in LaunchConfig config, params Arg[] arguments) {
    Arg[] own = Own(arguments);
    HeldBuffers held = default(HeldBuffers);
    fixed (byte* block = new byte[BlockSize(own) + LaunchConfig.TailSize(config)]) {
      byte* to = Write(stream, config, own, block, ref held);
      IntPtr made = Enter(stream, block, to, ref held, CucoreNativePINVOKE.Prepare);
      if (made == IntPtr.Zero) CucoreNativePINVOKE.Check();
      return new PreparedLaunch(made, true) { Kernel = this, Forms = FormsFor(stream, own.Length), Count = own.Length };
    }
  }

  private delegate IntPtr BlockCall(IntPtr kernel, IntPtr stream, IntPtr block, IntPtr size);

  // Calls with the handles of the kernel, the stream and the buffers of the block.
  private unsafe IntPtr Enter(CudaStream stream, byte* block, byte* end, ref HeldBuffers held, BlockCall call) {
    held.RefuseLoans("a prepared launch");
    CudaStream.Handle? order = null;
    IntPtr kernel = IntPtr.Zero, where = IntPtr.Zero;
    try {
      order = CudaStream.getCPtr(stream);
      kernel = owned.Enter();
      where = order.Enter();
      return call(kernel, where, (IntPtr)block, (IntPtr)(end - block));
    } finally {
      if (where != IntPtr.Zero) order!.Leave();
      if (kernel != IntPtr.Zero) owned.Leave();
      held.Leave();
    }
  }

  internal delegate void NodeCall(IntPtr kernel, IntPtr block, IntPtr size);

  // Calls with the handle of the kernel and the block of a launch, for a node of a graph.
  internal unsafe void CallForNode(Func<CudaDevice> open, ref int device, in LaunchConfig config, Arg[] arguments, NodeCall call) {
    Arg[] own = Own(arguments);
    int[] forms = FormsOn(open, ref device, own.Length);
    HeldBuffers held = default(HeldBuffers);
    fixed (byte* block = new byte[BlockSize(own) + LaunchConfig.TailSize(config)]) {
      byte* to = Write(forms, config, own, block, ref held);
      held.RefuseLoans("a node");
      IntPtr kernel = IntPtr.Zero;
      try {
        kernel = owned.Enter();
        call(kernel, (IntPtr)block, (IntPtr)(to - block));
      } finally {
        if (kernel != IntPtr.Zero) owned.Leave();
        held.Leave();
      }
    }
    CucoreNativePINVOKE.Check();
  }

  // A launch whose block is complete.
  private unsafe void Launch(CudaStream stream, byte* block, byte* end, ref HeldBuffers held) {
    CudaStream.Handle? order = null;
    IntPtr kernel = IntPtr.Zero, where = IntPtr.Zero;
    try {
      order = CudaStream.getCPtr(stream);
      kernel = owned.Enter();
      where = order.Enter();
      if (held.HasLoans) held.Begin(stream);
      if (CucoreNativePINVOKE.Launch(kernel, where, (IntPtr)block, (IntPtr)(end - block)) != 0) CucoreNativePINVOKE.Check();
      if (held.HasLoans) held.Record(stream);
    } finally {
      if (where != IntPtr.Zero) order!.Leave();
      if (kernel != IntPtr.Zero) owned.Leave();
      held.Leave();
    }
  }

  //: launches 6
}
}
