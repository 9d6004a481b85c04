// SPDX-License-Identifier: Apache-2.0
// Options of launches that are attributes of the driver, and access windows of streams.
using System;
using Cucore;

public static class LaunchOptions {
  private static Kernel Scale() { return World.Kernel(World.Scale, "scale"); }

  private static CudaBuffer Ramp(CudaStream stream) {
    CudaBuffer buffer = new CudaBuffer(World.Device, 16, stream);
    buffer.Write(World.Floats(4), stream);
    return buffer;
  }

  public static void AreValues() {
    LaunchConfig plain = new LaunchConfig(1, 4);
    Check.Equal(0, plain.SharedCarveout);
    Check.Equal(ClusterScheduling.Default, plain.ClusterScheduling);
    LaunchConfig config = plain;
    config.SharedCarveout = 50;
    LaunchConfig copy = config;
    copy.SharedCarveout = -1;
    copy.PreferredCluster = (2, 3);
    copy.ClusterScheduling = ClusterScheduling.Balanced;
    copy.MemoryDomain = 1;
    copy.MemoryDomainMap = 2 | 3 << 8;
    copy.DeviceUpdatable = copy.NvlinkScheduling = copy.ProgrammaticAtStart = true;
    Check.Equal(0, plain.SharedCarveout);
    Check.Equal(50, config.SharedCarveout);
    Check.Equal("-1 (2, 3, 1) Balanced 1 770 True True True", $"{copy.SharedCarveout} {copy.PreferredCluster} {copy.ClusterScheduling} {copy.MemoryDomain} " +
                $"{copy.MemoryDomainMap} {copy.DeviceUpdatable} {copy.NvlinkScheduling} {copy.ProgrammaticAtStart}");
    Check.Equal("grid (1, 1, 1), block (4, 1, 1), and more", copy.ToString());
  }

  public static void RecordEvents() {
    using (CudaStream stream = World.Stream())
    using (CudaEvent first = new CudaEvent(World.Device), second = new CudaEvent(World.Device))
    using (CudaBuffer x = Ramp(stream)) {
      LaunchConfig config = new LaunchConfig(1, 4) { ProgrammaticEvent = first, ProgrammaticAtStart = true, CompletionEvent = second };
      config.SetAttribute(8, BitConverter.GetBytes(-1));
      Scale().Launch(stream, config, 3f, x, 4);
      first.Synchronize();
      second.Synchronize();
      using (PreparedLaunch prepared = Scale().Prepare(stream, config, 3f, x, 4)) prepared.Run();
      byte[] block = new byte[20];
      BitConverter.GetBytes(2f).CopyTo(block, 0);
      BitConverter.GetBytes(x.Address).CopyTo(block, 8);
      BitConverter.GetBytes(4).CopyTo(block, 16);
      Scale().LaunchPacked(stream, config, block);
      Check.Same(new[] { 0f, 18, 36, 54 }, x.ToArray<float>(stream));
      config.Priority = -1;
      Check.Contains("LaunchConfig.Attributes sets attribute 8 a second time", Check.Throws<InvalidArgumentException>(() => Scale().Launch(stream, config, 3f, x, 4)).Message);
    }
  }

  public static void NameDisposedObjects() {
    using (CudaStream stream = World.Stream())
    using (CudaEvent there = new CudaEvent(World.Device))
    using (CudaBuffer x = Ramp(stream)) {
      CudaEvent gone = new CudaEvent(World.Device);
      LaunchConfig config = new LaunchConfig(1, 4) { ProgrammaticEvent = there, CompletionEvent = gone };
      gone.Dispose();
      Check.Throws<ObjectDisposedException>(() => Scale().Launch(stream, config, 3f, x, 4));
      Check.Throws<ObjectDisposedException>(() => Scale().Prepare(stream, config, 3f, x, 4));
      there.Synchronize();
    }
  }

  public static void RefuseWrongSettings() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Ramp(stream)) {
      Refuses(stream, x, new LaunchConfig(1, 4) { SharedCarveout = 101 }, "LaunchConfig.SharedCarveout is 101");
      Refuses(stream, x, new LaunchConfig(1, 4) { MemoryDomain = 2 }, "LaunchConfig.MemoryDomain is 2, neither 0 nor 1");
      Refuses(stream, x, new LaunchConfig(1, 4) { ProgrammaticAtStart = true }, "LaunchConfig.ProgrammaticAtStart is 1");
      Check.Throws<InvalidStateException>(() => Scale().Launch(stream, new LaunchConfig(1, 4) { DeviceUpdatable = true }, 3f, x, 4));
      Check.Throws<ArgumentException>(() => new LaunchConfig(1, 4).SetAttribute(1, new byte[65]));
      Check.Throws<ArgumentNullException>(() => new LaunchConfig(1, 4).SetAttribute(1, null));
    }
  }

  private static void Refuses(CudaStream stream, CudaBuffer x, LaunchConfig config, string text) {
    Check.Contains(text, Check.Throws<InvalidArgumentException>(() => Scale().Launch(stream, config, 3f, x, 4)).Message);
  }

  public static void HaveWindows() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer x = Ramp(stream)) {
      AccessWindow window = new AccessWindow(x, 0, 16, 0.5f);
      Scale().Launch(stream, new LaunchConfig(1, 4) { AccessWindow = window }, 3f, x, 4);
      stream.SetAccessWindow(window);
      Scale().Launch(stream, new LaunchConfig(1, 4), 3f, x, 4);
      stream.SetAccessWindow(null);
      Check.Same(new[] { 0f, 9, 18, 27 }, x.ToArray<float>(stream));
      Check.Contains("AccessWindow.Offset is 8", Check.Throws<InvalidArgumentException>(() => stream.SetAccessWindow(new AccessWindow(x, 8, 16))).Message);
      Refuses(stream, x, new LaunchConfig(1, 4) { AccessWindow = new AccessWindow(x, 0, 16, 2) }, "AccessWindow.HitRatio is 2");
      Check.Throws<ArgumentNullException>(() => new AccessWindow(null, 0, 1));
      Check.Throws<ArgumentOutOfRangeException>(() => new AccessWindow(x, -1, 1));
    }
  }
}
