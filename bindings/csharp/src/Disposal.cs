// SPDX-License-Identifier: Apache-2.0
// DisposeAsync of streams and buffers. System.IAsyncDisposable exists in .NET Standard 2.1 and in
// Mono's class library, but not in .NET Standard 2.0. The methods are therefore public and return a
// Task on every target.
using System;
using System.Threading.Tasks;

namespace Cucore {
public partial class CudaStream {
  /// <summary>Disposes of the stream once all of its present work is complete. No thread waits for
  /// it. The task fails as the work does; the stream is disposed of in any case. Work that another
  /// thread adds meanwhile is not awaited, and continues.</summary>
  public async Task DisposeAsync() {
    if (IsDisposed) return;
    try {
      await SynchronizeAsync().ConfigureAwait(false);
    } finally {
      Dispose();
    }
  }
}

public partial class CudaBuffer {
  /// <summary>Does the same as Dispose without a wait, because the device frees the memory after
  /// the work that uses it.</summary>
  public Task DisposeAsync() {
    Dispose();
    return Task.CompletedTask;
  }
}

#if CUCORE_ASYNC_INTERFACES || NETSTANDARD2_1_OR_GREATER || NETCOREAPP3_0_OR_GREATER
public partial class CudaStream : IAsyncDisposable {
  ValueTask IAsyncDisposable.DisposeAsync() { return new ValueTask(DisposeAsync()); }
}

public partial class CudaBuffer : IAsyncDisposable {
  ValueTask IAsyncDisposable.DisposeAsync() { return new ValueTask(DisposeAsync()); }
}
#endif
}
