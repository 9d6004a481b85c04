// SPDX-License-Identifier: Apache-2.0
// DisposeAsync of streams and buffers. .NET Standard 2.1 and Mono's class library contain System.IAsyncDisposable.
// .NET Standard 2.0 does not, so the methods are public and return a Task on every target.
using System;
using System.Threading.Tasks;

namespace Cucore {
public partial class CudaStream {
  /// <summary>Disposes of the stream once all the work that is in it now is complete. No thread waits for it.
  /// The task fails as the work does; the stream is disposed of all the same.</summary>
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
  /// <summary>As Dispose: nothing has to wait, because the device frees the memory after the work that uses
  /// it.</summary>
  public Task DisposeAsync() {
    Dispose();
    return Task.CompletedTask;
  }
}

#if CUCORE_ASYNC_DISPOSABLE || NETSTANDARD2_1_OR_GREATER || NETCOREAPP3_0_OR_GREATER
public partial class CudaStream : IAsyncDisposable {
  ValueTask IAsyncDisposable.DisposeAsync() { return new ValueTask(DisposeAsync()); }
}

public partial class CudaBuffer : IAsyncDisposable {
  ValueTask IAsyncDisposable.DisposeAsync() { return new ValueTask(DisposeAsync()); }
}
#endif
}
