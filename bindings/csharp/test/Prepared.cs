// SPDX-License-Identifier: Apache-2.0
// Prepared launches: converted once, run often, updated by index.
using System;
using System.Linq;
using Cucore;

public static class Prepared {
  private static readonly LaunchConfig Four = new LaunchConfig(1, 4);

  private static Kernel Scale() { return World.Kernel(World.Scale, "scale"); }

  private static CudaBuffer Ramp(CudaStream stream) {
    CudaBuffer buffer = new CudaBuffer(World.Device, 16, stream);
    buffer.Write(World.Floats(4), stream);
    return buffer;
  }

  public static void RunAgainWithNewArguments() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Ramp(stream), y = Ramp(stream))
    using (PreparedLaunch prepared = Scale().Prepare(stream, Four, 3f, x, 4)) {
      Check.Same(World.Floats(4), x.ToArray<float>(stream));
      prepared.Run();
      prepared.Run();
      prepared.Update(0, 10.0);
      prepared.Update(1, y);
      prepared.Update(2, 2L);
      prepared.Run();
      Check.Same(new[] { 0f, 9, 18, 27 }, x.ToArray<float>(stream));
      Check.Same(new[] { 0f, 10, 2, 3 }, y.ToArray<float>(stream));
      Check.Equal("prepared launch of scale", prepared.ToString());
    }
  }

  public static void RefuseWhatALaunchRefuses() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Ramp(stream)) {
      Check.Throws<InvalidArgumentException>(() => Scale().Prepare(stream, Four, 3f, x));
      Check.Throws<InvalidArgumentException>(() => Scale().Prepare(stream, new LaunchConfig(0, 4), 3f, x, 4));
      using (PreparedLaunch prepared = Scale().Prepare(stream, Four, 3f, x, 4)) {
        Check.Contains("argument 2 of kernel scale", Check.Throws<InvalidArgumentException>(() => prepared.Update(2, 1.5)).Message);
        Check.Contains("index is 3; kernel scale takes 3 arguments", Check.Throws<InvalidArgumentException>(() => prepared.Update(3, 1)).Message);
        Check.Throws<ArgumentOutOfRangeException>(() => prepared.Update(-1, 1));
        prepared.Run();
        Check.Same(new[] { 0f, 3, 6, 9 }, x.ToArray<float>(stream));
      }
    }
  }

  public static void KeepWhatTheyUse() {
    using (CudaStream stream = World.Stream()) {
      CudaBuffer x = Ramp(stream);
      Kernel scale = World.Code(World.Scale).GetKernel("scale");
      using (CudaBuffer view = CudaBuffer.FromNative(World.Device, x.Address, 16))
      using (PreparedLaunch prepared = scale.Prepare(stream, Four, 3f, x, 4)) {
        x.Dispose();
        prepared.Run();
        prepared.Update(0, 2f);
        prepared.Run();
        Check.Same(new[] { 0f, 6, 12, 18 }, view.ToArray<float>(stream));
      }
    }
  }

  public static void RefuseDisposedObjects() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Ramp(stream)) {
      CudaBuffer disposed = Ramp(stream);
      disposed.Dispose();
      Check.Contains("argument 1 of kernel scale", Check.Throws<ObjectDisposedException>(() => Scale().Prepare(stream, Four, 3f, disposed, 4)).Message);
      PreparedLaunch prepared = Scale().Prepare(stream, Four, 3f, x, 4);
      Check.Contains("argument 1 of kernel scale", Check.Throws<ObjectDisposedException>(() => prepared.Update(1, disposed)).Message);
      prepared.Dispose();
      Check.Throws<ObjectDisposedException>(() => prepared.Run());
      Check.Throws<ObjectDisposedException>(() => prepared.Update(0, 1f));
    }
  }

  public static void RunInSeveralThreads() {
    const string add = @"extern ""C"" __global__ void add(int *x, int n) { atomicAdd(x, n); }";
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = new CudaBuffer(World.Device, 4, stream)) {
      x.Write(new[] { 0 }, stream);
      using (PreparedLaunch prepared = World.Kernel(add, "add").Prepare(stream, new LaunchConfig(1, 1), x, 1)) {
        World.Together(4, thread => {
          for (int round = 0; round < 100; ++round) {
            prepared.Run();
            prepared.Update(1, 1);
          }
        });
        Check.Equal(400, x.ToArray<int>(stream).Single());
      }
    }
  }
}
