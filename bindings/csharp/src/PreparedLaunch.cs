// SPDX-License-Identifier: Apache-2.0
// Prepared launches: an update is a block of one argument.
using System;

namespace Cucore {
public partial class PreparedLaunch {
  internal Kernel Kernel = null!;  // for messages
  internal int[] Forms = null!;
  internal int Count;

  //: cucore_prepared_launch_run
  public void Run() {
    IntPtr prepared = owned.Enter();
    try {
      if (CucoreNativePINVOKE.Run(prepared) != 0) CucoreNativePINVOKE.Check();
    } finally {
      owned.Leave();
    }
  }

  //: cucore_prepared_launch_update
  /// <param name="argument">converted to the type of the parameter, as by a launch</param>
  /// <exception cref="System.ObjectDisposedException">the argument is a buffer that was disposed</exception>
  public unsafe void Update(int index, Arg argument) {
    if (index < 0) throw new ArgumentOutOfRangeException(nameof(index));
    Arg passed = index < Count ? argument : (Arg)0;  // the library refuses the index
    HeldBuffers held = default(HeldBuffers);
    IntPtr prepared = owned.Enter();
    try {
      fixed (byte* block = new byte[LaunchConfig.HeadSize + passed.BlockSize]) {
        byte* to = passed.Write(LaunchConfig.Write(NoConfig, block, 1), Kernel, index < Count ? Forms : None, index, ref held);
        held.RefuseLoans("a prepared launch");
        if (CucoreNativePINVOKE.Update(prepared, (IntPtr)index, (IntPtr)block, (IntPtr)(to - block)) != 0) CucoreNativePINVOKE.Check();
      }
    } finally {
      owned.Leave();
      held.Leave();
    }
  }

  private static readonly LaunchConfig NoConfig = new LaunchConfig(1, 1);  // the head of a block for an update
  private static readonly int[] None = new int[0];

  /// <summary>The kernel.</summary>
  public override string ToString() {
    return Describe.Object("prepared launch", () => { CheckAlive(); return "prepared launch of " + Kernel.Label; });
  }
}
}
