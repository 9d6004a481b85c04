// SPDX-License-Identifier: Apache-2.0
// Scenarios about devices, streams, events, libraries and the log.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Cucore;

public static class Objects {
  public static void Properties() {
    CudaDevice device = World.Device;
    Check.Equal(0, device.Ordinal);
    Check.That(device.IsEmulated == Machine.IsCpu && device.Name.Length > 0 && device.PciBusId.Length > 0);
    var (major, minor) = device.ComputeCapability;
    Check.Equal($"sm_{major}{minor}", device.Arch);
    Check.Equal(16, device.Uuid.Length);
    Check.Equal(32, device.GetAttribute(DeviceAttribute.WarpSize));
    Check.Equal(32, device.GetAttribute("warp_size"));
    Check.Equal(32, device.GetAttribute("CU_DEVICE_ATTRIBUTE_WARP_SIZE"));
    string refusal = Check.Throws<InvalidArgumentException>(() => device.GetAttribute("WARP_SIZ")).Message;
    Check.That(refusal.EndsWith("; did you mean 'WARP_SIZE'?"), refusal);
    Check.Equal(major, device.GetAttribute(DeviceAttribute.ComputeCapabilityMajor));
    var memory = device.GetMemory();
    Check.That(memory.Free > 0 && memory.Free <= memory.Total);
    Check.That(device.StreamPriorities.Greatest <= device.StreamPriorities.Least);
    Check.That(CudaDevice.Count >= 1);
    using (CudaStream stream = World.Stream())
    using (CudaEvent timed = new CudaEvent(device, new EventOptions { Timing = true }))
    using (CudaEvent plain = new CudaEvent(device))
    using (CudaBuffer buffer = new CudaBuffer(device, 64, stream))
    using (CudaBuffer pinned = CudaBuffer.Pinned(device, 32)) {
      Check.That(stream.Native != 0 && timed.Native != 0 && buffer.Native == buffer.Address && buffer.Address != 0);
      Check.That(timed.HasTiming && !plain.HasTiming);
      Check.That(buffer.Size == 64 && buffer.HostPointer == 0 && pinned.HostPointer != 0 && pinned.Size == 32);
      foreach (CudaDevice owner in new[] { stream.Device, timed.Device, buffer.Device }) Check.Same(device.Uuid, owner.Uuid);
      Check.That(stream.Device.Equals(device) && buffer.Device.GetHashCode() == device.GetHashCode() && !stream.Equals(device));
      CudaStream gone = World.Stream();
      int hash = gone.GetHashCode();
      gone.Dispose();
      using (CudaStream next = World.Stream())
        Check.That(gone.GetHashCode() == hash && gone.Equals(gone) && !gone.Equals(next) && !next.Equals(gone));
    }
  }

  public static void PropertiesOfCode() {
    ObjectCode code = World.Code(World.Scale);
    Check.That(code.Type == CodeType.Ptx && code.Arch.StartsWith("compute_") && code.Name == "default_program");
    Check.Equal(1L, code.ImageCount);
    Check.That(code.Signature == SignatureState.Unsigned && code.SignatureKey == "" && code.Metadata.ContainsKey("producer"));
    Kernel kernel = code.GetKernel("scale");
    Check.That(kernel.Name == "scale" && kernel.Native != 0 && code.IsLoaded && code.Native != 0);
    Check.Equal((int?)3, kernel.ParameterCount);
    Check.Equal("4 bytes at 16", kernel.GetParameter(2).ToString());
    Check.That(kernel.GetAttribute(KernelAttribute.MaxThreadsPerBlock, World.Device) > 0);
    kernel.SetAttribute(KernelAttribute.MaxDynamicSharedSizeBytes, World.Device, 1024);
    Check.Equal(1024, kernel.GetAttribute(KernelAttribute.MaxDynamicSharedSizeBytes, World.Device));
    Check.That(kernel.Occupancy(World.Device, 128) > 0 && kernel.MaxPotentialBlockSize(World.Device).BlockSize > 0);
    Check.That(kernel.AvailableDynamicShared(World.Device, 1, 128) > 0);
    Check.Equal(Backend.Nvrtc, new CudaProgram(World.Scale).Backend);
  }

  public static void StreamsAndEvents() {
    using (CudaStream first = World.Stream(), second = World.Stream())
    using (CudaEvent start = new CudaEvent(World.Device, new EventOptions { Timing = true }))
    using (CudaEvent end = new CudaEvent(World.Device, new EventOptions { Timing = true }))
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 4, first)) {
      first.Synchronize();
      Check.That(first.Query() && end.Query(), "nothing to wait for");
      start.Record(first);
      using (World.Busy(first)) {
        buffer.Fill(7, first);
        end.Record(first);
        second.WaitEvent(end);
        Check.That(!first.Query() && !end.Query() && !second.Query(), "work goes on");
        Check.Throws<NotReadyException>(() => start.Elapsed(end));
      }
      int[] got = new int[1];
      buffer.Read(got, second);
      Check.Equal(7, got[0]);
      end.Synchronize();
      Check.That(first.Query() && start.Elapsed(end) > 0);
      second.WaitStream(first);
      second.Synchronize();
      using (CudaStream borrowed = CudaStream.FromNative(World.Device, first.Native)) {
        Check.Equal(first.Native, borrowed.Native);
        borrowed.Synchronize();
      }
    }
    World.CheckScale(World.Device.GetDefaultStream(), World.Kernel(World.Scale, "scale"), 2);
    World.CheckScale(World.Device.GetDefaultStream(DefaultStream.PerThread), World.Kernel(World.Scale, "scale"), 2);
    using (new CudaStream(World.Device, new StreamOptions { Nonblocking = false, Priority = World.Device.StreamPriorities.Greatest })) {}
    Check.Throws<InvalidArgumentException>(() => new CudaStream(World.Device, new StreamOptions { Priority = 1000 }));
  }

  public static void Libraries() {
    World.Code(World.Scale);
    LibraryInfo nvrtc = CucoreLibrary.Query(Library.Nvrtc), driver = CucoreLibrary.Query(Library.Driver);
    Check.That(nvrtc.HeaderFolders != null && driver.HeaderFolders == "");
    Check.That(nvrtc.Available && nvrtc.Path.Contains("nvrtc") && nvrtc.Version.Major >= 12 && nvrtc.Reason == "");
    Check.That(driver.Available && driver.Path.Contains(Machine.IsCpu ? "cucore-cpu" : "cuda"), driver.ToString());
    Check.Throws<InvalidStateException>(() => CucoreLibrary.SetPath(Library.Nvrtc, "/nowhere"));
    CucoreLibrary.SelectDriver(Machine.IsCpu ? "cpu" : "nvidia");
    CucoreLibrary.SelectDriver(driver.Path);
    Check.Throws<InvalidStateException>(() => CucoreLibrary.SelectDriver(Machine.IsCpu ? "nvidia" : "cpu"));
    Check.Throws<InvalidArgumentException>(() => CucoreLibrary.Query((Library)99));
    Version version = new Version(CucoreLibrary.VersionText);
    Check.Equal(version.Major * 10000 + version.Minor * 100 + version.Build, CucoreLibrary.VersionNumber);
    Check.Equal("CUCORE_ERROR_COMPILATION", CucoreLibrary.NameOf(Status.Compilation));
  }

  public static void LibrarySymbols() {
    World.Code(World.Scale);
    Check.That(CucoreLibrary.GetSymbol(Library.Nvrtc, "nvrtcVersion") != IntPtr.Zero);
    NotFoundException missing = Check.Throws<NotFoundException>(() => CucoreLibrary.GetSymbol(Library.Nvrtc, "nvrtcNoSuch"));
    Check.That(missing.Message.Contains("'nvrtcNoSuch' in NVRTC"), missing.Message);
    Check.Throws<ArgumentNullException>(() => CucoreLibrary.GetSymbol(Library.Nvrtc, null));
  }

  public static void LogWrites() {
    List<string> messages = new List<string>();
    using (CucoreLog.Subscribe(LogLevel.Warning, (level, message) => { lock (messages) messages.Add($"{level} {message}"); })) {
      Check.That(CucoreLog.IsEnabled(LogLevel.Error) && !CucoreLog.IsEnabled(LogLevel.Info));
      CucoreLog.Write(LogLevel.Info, "below the level");
      CucoreLog.Write(LogLevel.Warning, "von außen");
    }
    Check.Equal("Warning von außen", string.Join("|", messages));
    Check.That(!CucoreLog.IsEnabled(LogLevel.Error));
    Check.Throws<ArgumentNullException>(() => CucoreLog.Write(LogLevel.Error, null));
  }

  public static void Log() {
    List<string> messages = new List<string>();
    using (CucoreLog.Subscribe(LogLevel.Debug, (level, message) => { lock (messages) messages.Add($"{level} {message}"); })) LoadNew("größe");
    int count = messages.Count;
    Check.That(messages.Any(m => m.StartsWith("Debug ")), "messages came");
    Check.That(messages.Any(m => m.Contains("größe")), "text that is not ASCII came");
    LoadNew("after");
    Thread.Sleep(50);
    Check.Equal(count, messages.Count);
  }

  // The shape of ILogger: levels as numbers, and IsEnabled before each message.
  public static void LogForwards() {
    List<string> messages = new List<string>();
    int least = 3;  // LogLevel.Warning of Microsoft.Extensions.Logging
    using (CucoreLog.Forward(level => level >= Volatile.Read(ref least), (level, message) => { lock (messages) messages.Add($"{level} {message}"); })) {
      CucoreLog.Write(LogLevel.Info, "disabled");
      CucoreLog.Write(LogLevel.Warning, "a warning");
      CucoreLog.Write(LogLevel.Error, "an error");
      for (int i = 0; i < 500 && Count(messages) < 2; ++i) Thread.Sleep(10);
      Volatile.Write(ref least, 1);
      CucoreLog.Write(LogLevel.Debug, "enabled now");
    }
    Check.Equal("3 a warning|4 an error|1 enabled now", string.Join("|", messages));
    Check.Equal("Cucore", CucoreLog.Category);
    Check.Equal("isEnabled", Check.Throws<ArgumentNullException>(() => CucoreLog.Forward(null, (level, message) => {})).ParamName);
    Check.Equal("log", Check.Throws<ArgumentNullException>(() => CucoreLog.Forward(level => true, null)).ParamName);
  }

  private static int Count(List<string> messages) { lock (messages) return messages.Count; }

  // A receiver that throws does no harm; a replaced one ends, while messages come.
  public static void LogThatThrows() {
    int calls = 0;
    using (CucoreLog.Subscribe(LogLevel.Debug, (level, message) => { ++calls; throw new Exception("of a receiver"); })) {
      LoadNew("thrown");
      for (int i = 0; i < 100 && calls < 2; ++i) Thread.Sleep(10);
      Check.That(calls >= 2, "the receiver is called again");
      World.Together(2, which => {
        for (int i = 0; i < 20; ++i)
          if (which == 0) LoadNew($"{i}"); else CucoreLog.Subscribe(LogLevel.Debug, (level, message) => {}).Dispose();
      });
    }
    Check.Throws<InvalidArgumentException>(() => CucoreLog.Subscribe((LogLevel)77, (level, message) => {}));
  }

  private static void LoadNew(string name) {
    byte[] bytes = World.Code(World.Scale).Data;
    using (ObjectCode code = ObjectCode.FromBytes(CodeType.Ptx, bytes, new ObjectCodeOptions { Name = name })) code.Load(World.Device);
  }
}
