using System;
using Cucore;

// The wrapper, its types and its exceptions work.
internal static class Smoke {
  private static void Check(bool condition, string what) { if (!condition) throw new Exception(what); }

  private static int Main() {
    bool caught = false;
    try { new CudaDevice(1000).Dispose(); }
    catch (CucoreException e) { caught = e.Status == Status.InvalidArgument && e.Message.Contains("1000"); }
    Check(caught, "typed error");
    using (CudaDevice device = new CudaDevice())
    using (CudaStream stream = new CudaStream(device))
    using (CudaBuffer buffer = new CudaBuffer(device, 16, stream)) {
      Check(buffer.Size == 16 && device.IsEmulated && device.Arch.StartsWith("sm_"), "properties");
      stream.Synchronize();
    }
    Console.WriteLine("ok");
    return 0;
  }
}
