// SPDX-License-Identifier: Apache-2.0
// Launches: the arguments become one block of bytes, which crosses in one call.
using System;

namespace Cucore {
public partial class Kernel {
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

  // A launch whose block is written.
  private unsafe void Launch(CudaStream stream, byte* block, byte* end, ref HeldBuffers held) {
    CudaStream.Handle order = null;
    IntPtr kernel = IntPtr.Zero, where = IntPtr.Zero;
    try {
      order = CudaStream.getCPtr(stream);
      kernel = owned.Enter();
      where = order.Enter();
      if (CucoreNativePINVOKE.Launch(kernel, where, (IntPtr)block, (IntPtr)(end - block)) != 0) CucoreNativePINVOKE.Check();
    } finally {
      if (where != IntPtr.Zero) order.Leave();
      if (kernel != IntPtr.Zero) owned.Leave();
      held.Leave();
    }
  }

  /// <summary>Launches with 1 argument, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a) {
    if (!(a.IsSmall)) {
      Launch(stream, config, new[] { a });
      return;
    }
    HeldBuffers held = default(HeldBuffers);
    int[] forms = FormsFor(stream, 1);
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 1 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 1);
    to = a.Write(to, this, forms, 0, ref held);
    Launch(stream, block, to, ref held);
  }

  /// <summary>Launches with 2 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b) {
    if (!(a.IsSmall && b.IsSmall)) {
      Launch(stream, config, new[] { a, b });
      return;
    }
    HeldBuffers held = default(HeldBuffers);
    int[] forms = FormsFor(stream, 2);
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 2 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 2);
    to = a.Write(to, this, forms, 0, ref held);
    to = b.Write(to, this, forms, 1, ref held);
    Launch(stream, block, to, ref held);
  }

  /// <summary>Launches with 3 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b, in Arg c) {
    if (!(a.IsSmall && b.IsSmall && c.IsSmall)) {
      Launch(stream, config, new[] { a, b, c });
      return;
    }
    HeldBuffers held = default(HeldBuffers);
    int[] forms = FormsFor(stream, 3);
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 3 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 3);
    to = a.Write(to, this, forms, 0, ref held);
    to = b.Write(to, this, forms, 1, ref held);
    to = c.Write(to, this, forms, 2, ref held);
    Launch(stream, block, to, ref held);
  }

  /// <summary>Launches with 4 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b, in Arg c, in Arg d) {
    if (!(a.IsSmall && b.IsSmall && c.IsSmall && d.IsSmall)) {
      Launch(stream, config, new[] { a, b, c, d });
      return;
    }
    HeldBuffers held = default(HeldBuffers);
    int[] forms = FormsFor(stream, 4);
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 4 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 4);
    to = a.Write(to, this, forms, 0, ref held);
    to = b.Write(to, this, forms, 1, ref held);
    to = c.Write(to, this, forms, 2, ref held);
    to = d.Write(to, this, forms, 3, ref held);
    Launch(stream, block, to, ref held);
  }

  /// <summary>Launches with 5 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b, in Arg c, in Arg d, in Arg e) {
    if (!(a.IsSmall && b.IsSmall && c.IsSmall && d.IsSmall && e.IsSmall)) {
      Launch(stream, config, new[] { a, b, c, d, e });
      return;
    }
    HeldBuffers held = default(HeldBuffers);
    int[] forms = FormsFor(stream, 5);
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 5 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 5);
    to = a.Write(to, this, forms, 0, ref held);
    to = b.Write(to, this, forms, 1, ref held);
    to = c.Write(to, this, forms, 2, ref held);
    to = d.Write(to, this, forms, 3, ref held);
    to = e.Write(to, this, forms, 4, ref held);
    Launch(stream, block, to, ref held);
  }

  /// <summary>Launches with 6 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b, in Arg c, in Arg d, in Arg e, in Arg f) {
    if (!(a.IsSmall && b.IsSmall && c.IsSmall && d.IsSmall && e.IsSmall && f.IsSmall)) {
      Launch(stream, config, new[] { a, b, c, d, e, f });
      return;
    }
    HeldBuffers held = default(HeldBuffers);
    int[] forms = FormsFor(stream, 6);
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 6 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 6);
    to = a.Write(to, this, forms, 0, ref held);
    to = b.Write(to, this, forms, 1, ref held);
    to = c.Write(to, this, forms, 2, ref held);
    to = d.Write(to, this, forms, 3, ref held);
    to = e.Write(to, this, forms, 4, ref held);
    to = f.Write(to, this, forms, 5, ref held);
    Launch(stream, block, to, ref held);
  }
}
}
