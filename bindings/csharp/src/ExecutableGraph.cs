// SPDX-License-Identifier: Apache-2.0
// Changes of the nodes of an executable.
using System;

namespace Cucore {
public partial class ExecutableGraph {
  private int ordinal = -1;  // its device's, once it was read

  //: cucore_executable_set_kernel
  /// <param name="kernel">the kernel, also the one before</param>
  /// <param name="config">the grid, the block and dynamic shared memory; the rest as before</param>
  /// <param name="arguments">one per parameter, in order, as for Kernel.Launch</param>
  public void SetKernel(GraphNode node, Kernel kernel, in LaunchConfig config, params Arg[] arguments) {
    NodeChange.Kernel(owned.Enter, owned.Leave, Opened, ref ordinal, true, node, kernel, config, true, arguments);
  }

  //: cucore_executable_set_kernel
  /// <param name="kernel">the kernel of the node. It is replaced if it is another one</param>
  /// <param name="arguments">one per parameter, in order, as for Kernel.Launch</param>
  public void SetArguments(GraphNode node, Kernel kernel, params Arg[] arguments) {
    NodeChange.Kernel(owned.Enter, owned.Leave, Opened, ref ordinal, true, node, kernel, NodeChange.NoConfig, false, arguments);
  }

  //: cucore_executable_set_kernel
  /// <param name="config">the grid, the block and dynamic shared memory; the kernel and its arguments stay</param>
  public void SetConfig(GraphNode node, in LaunchConfig config) { NodeChange.Config(owned.Enter, owned.Leave, true, node, config); }

  private CudaDevice Opened() { return Device; }

  //: cucore_executable_set_copy
  /// <param name="length">in bytes; by default all of source from sourceOffset on</param>
  /// <param name="offset">in bytes, in the destination</param>
  public void SetCopy(GraphNode node, CudaBuffer destination, CudaBuffer source, long? length = null, long offset = 0, long sourceOffset = 0) {
    RawSetCopy(node, destination, offset, source, sourceOffset, NodeRange.Of(source, nameof(source), sourceOffset, length));
  }

  //: cucore_executable_set_fill
  /// <param name="pattern">a value of 1, 2, 4 or 8 bytes without references</param>
  /// <param name="length">in bytes; by default up to the end</param>
  /// <param name="offset">in bytes, a multiple of the size of the pattern</param>
  public void SetFill<T>(GraphNode node, CudaBuffer buffer, T pattern, long offset = 0, long? length = null) where T : unmanaged {
    long size = NodeRange.Of(buffer, nameof(buffer), offset, length);
    NodeRange.WithPattern(pattern, (bytes, count) => RawSetFill(node, buffer, offset, size, bytes, count));
  }

  //: cucore_executable_set_enabled
  /// <param name="enabled">whether launches do its work</param>
  public void SetEnabled(GraphNode node, bool enabled) { RawSetEnabled(node, enabled ? 1 : 0); }
}
}
