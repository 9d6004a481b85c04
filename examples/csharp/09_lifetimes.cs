// SPDX-License-Identifier: Apache-2.0
// 09: leave a block by a timeout while a kernel still uses the buffer, and continue with the device.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cucore;

static class Example {
  const int N = 1 << 16;
  const string Source = @"extern ""C"" __global__ void slow(volatile int *go, int *data, int n) {
  while (*go == 0) {}
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = i;
}";

  static async Task<bool> TryToWait(CudaDevice device, Kernel slow, CudaStream first, CudaStream second, CudaBuffer go) {
    // snippet: timeout
    try {
      using (var timeout = new CancellationTokenSource(TimeSpan.FromMilliseconds(20)))
      using (var data = new CudaBuffer(device, N * 4, first)) {
        second.WaitStream(first);  // the memory is usable after this point of the first stream
        slow.Launch(second, new LaunchConfig(1, 256), go, data, N);  // records that the second stream uses the buffer
        await second.SynchronizeAsync(timeout.Token);
      }
      return true;
    } catch (OperationCanceledException) {  // the kernel still runs: the device frees the memory after it
      return false;
    }
    // end of snippet
  }

  static int Main() {
    if (CudaDevice.Count == 0) { Console.WriteLine("lifetimes need a device to be seen"); return 0; }
    using (var device = new CudaDevice())
    using (var slow = new CudaProgram(Source).Compile(CodeType.Ptx).GetKernel("slow"))
    using (CudaStream first = new CudaStream(device), second = new CudaStream(device))
    using (CudaBuffer go = CudaBuffer.Pinned(device, 4), other = new CudaBuffer(device, N * 4, first)) {
      go.Fill(0, first);
      other.Fill(7, first);
      first.Synchronize();
      bool inTime = TryToWait(device, slow, first, second, go).Result;
      go.Fill(1, first);  // lets the kernel continue, in memory that it still owns
      second.Synchronize();
      int wrong = other.ToArray<int>(first).Count(each => each != 7);
      Console.WriteLine($"{(inTime ? "in time" : "timed out")}; {wrong} of {N} values of another buffer are wrong");
      return wrong + (inTime ? 1 : 0);
    }
  }
}
