// SPDX-License-Identifier: Apache-2.0
// The device and the object code that the tests share.
using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using Cucore;

internal static class World {
  internal const string Scale = @"extern ""C"" __global__ void scale(float a, float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) data[i] *= a; }";
  // Runs until the host sets the flag, which is in pinned memory.
  internal const string Wait = @"extern ""C"" __global__ void wait(volatile int *flag) { while (*flag == 0) {} }";
  internal const string Big = @"extern ""C"" __global__ void __launch_bounds__(64) big(int *p) { if (p) *p = 1; }";
  // Kernels of graphs. PTX, because conditions need no compiler in this form.
  private const string GraphPtx = @".version 7.8
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry add(.param .u64 to, .param .f32 value) {
  .reg .u64 %p; .reg .f32 %v, %x;
  ld.param.u64 %p, [to]; ld.param.f32 %v, [value];
  ld.global.f32 %x, [%p]; add.f32 %x, %x, %v; st.global.f32 [%p], %x;
  ret;
}
.visible .entry mul(.param .u64 to, .param .f32 value) {
  .reg .u64 %p; .reg .f32 %v, %x;
  ld.param.u64 %p, [to]; ld.param.f32 %v, [value];
  ld.global.f32 %x, [%p]; mul.f32 %x, %x, %v; st.global.f32 [%p], %x;
  ret;
}
.visible .entry decide(.param .u64 condition, .param .u32 value) {
  .reg .b64 %c; .reg .b32 %v;
  ld.param.u64 %c, [condition]; ld.param.u32 %v, [value];
  { .param .b64 a; .param .b32 b; st.param.b64 [a], %c; st.param.b32 [b], %v; call.uni cudaGraphSetConditional, (a, b); }
  ret;
}
.visible .entry count_down(.param .u64 condition, .param .u64 left) {
  .reg .b64 %c, %p; .reg .b32 %v;
  ld.param.u64 %c, [condition]; ld.param.u64 %p, [left];
  ld.global.u32 %v, [%p]; sub.u32 %v, %v, 1; st.global.u32 [%p], %v;
  { .param .b64 a; .param .b32 b; st.param.b64 [a], %c; st.param.b32 [b], %v; call.uni cudaGraphSetConditional, (a, b); }
  ret;
}";

  internal static readonly CudaDevice Device = new CudaDevice();
  private static readonly ConcurrentDictionary<string, ObjectCode> compiled = new ConcurrentDictionary<string, ObjectCode>();

  internal static ObjectCode Code(string source) { return compiled.GetOrAdd(source, text => new CudaProgram(text).Compile()); }
  internal static Kernel Kernel(string source, string name) { return Code(source).GetKernel(name); }
  internal static readonly ObjectCode GraphCode = ObjectCode.FromBytes(CodeType.Ptx, System.Text.Encoding.ASCII.GetBytes(GraphPtx));
  internal static CudaStream Stream() { return new CudaStream(Device); }
  internal static float[] Floats(int n) { return Enumerable.Range(0, n).Select(i => (float)i).ToArray(); }

  internal static void CheckScale(CudaStream stream, Kernel kernel, float factor, int n = 1000) {
    using (CudaBuffer buffer = new CudaBuffer(Device, n * sizeof(float), stream)) {
      buffer.Write(Floats(n), stream);
      kernel.Launch(stream, new LaunchConfig((n + 255) / 256, 256), factor, buffer, n);
      Check.Same(Floats(n).Select(x => factor * x), buffer.ToArray<float>(stream));
    }
  }

  // The stream has work until the result is disposed of.
  internal static IDisposable Busy(CudaStream stream) { return new Gate(stream); }

  // Flags of disposed gates. NVIDIA's driver frees pinned memory when the device is idle, and other
  // calls block until then. A later test makes such calls while its gate holds a stream.
  private static readonly ConcurrentBag<CudaBuffer> flags = new ConcurrentBag<CudaBuffer>();

  // A reset frees pinned memory, that of the flags too.
  internal static void ResetDevice() {
    while (flags.TryTake(out CudaBuffer flag)) flag.Dispose();
    Device.Reset();
  }

  private sealed class Gate : IDisposable {
    private readonly CudaBuffer flag;
    private readonly CudaStream stream;

    internal Gate(CudaStream stream) {
      this.stream = stream;
      if (!flags.TryTake(out flag)) flag = CudaBuffer.Pinned(Device, sizeof(int));
      Set(0);
      Kernel(Wait, "wait").Launch(stream, new LaunchConfig(1, 1), flag);
    }

    private unsafe void Set(int value) { Volatile.Write(ref *(int*)flag.HostPointer, value); }

    public void Dispose() {
      Set(1);
      try {
        stream.Synchronize();
      } catch (ObjectDisposedException) { // by DisposeAsync, which waited for the kernel
      }
      flags.Add(flag);
    }
  }

  // Runs an action in threads and throws the first of their exceptions.
  internal static void Together(int threads, Action<int> action) {
    Exception failure = null;
    Thread[] all = Enumerable.Range(0, threads).Select(i => new Thread(() => {
      try { action(i); } catch (Exception e) { Interlocked.CompareExchange(ref failure, e, null); }
    })).ToArray();
    foreach (Thread thread in all) thread.Start();
    foreach (Thread thread in all) thread.Join();
    if (failure != null) throw new Exception("in a thread", failure);
  }

  internal static void Collect() {
    for (int i = 0; i < 3; ++i) {
      GC.Collect();
      GC.WaitForPendingFinalizers();
    }
  }
}
