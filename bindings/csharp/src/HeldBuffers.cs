// SPDX-License-Identifier: Apache-2.0
// The buffers of one launch, which other threads cannot release until the launch has returned.
using System.Collections.Generic;

namespace Cucore {
internal struct HeldBuffers {
  private CudaBuffer.Handle first, second, third, fourth;  // without an object for the collector
  private List<CudaBuffer.Handle> more;

  /// <summary>Takes a handle that was entered.</summary>
  [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.AggressiveInlining)]
  internal void Add(CudaBuffer.Handle handle) {
    if (first == null) first = handle;
    else if (second == null) second = handle;
    else if (third == null) third = handle;
    else if (fourth == null) fourth = handle;
    else (more ?? (more = new List<CudaBuffer.Handle>())).Add(handle);
  }

  internal void Leave() {
    if (first == null) return;
    first.Leave();
    second?.Leave();
    third?.Leave();
    fourth?.Leave();
    more?.ForEach(each => each.Leave());
    this = default(HeldBuffers);
  }
}
}
