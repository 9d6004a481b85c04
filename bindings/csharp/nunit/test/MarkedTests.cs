// SPDX-License-Identifier: Apache-2.0
// Tests with the attributes of NUnit; those named Bad must fail. try_nunit.py compares the results.
using System;
using System.Collections.Generic;
using Cucore;
using Cucore.NUnit;
using NUnit.Framework;

[TestFixture]
public class MarkedTests {
  private static readonly List<CudaEvent> kept = new List<CudaEvent>();
  private static readonly CudaDevice device = new CudaDevice();
  private static readonly ObjectCode code =
      new CudaProgram("extern \"C\" __global__ void store(int *p, int at) { p[at] = 1; }").Compile();

  internal static void Store(int at) {
    using (CudaStream stream = new CudaStream(device))
    using (CudaBuffer data = new CudaBuffer(device, 64, stream)) {
      code.GetKernel("store").Launch(stream, new LaunchConfig(1, 1), data, at);
      stream.Synchronize();
    }
  }

  [Test, NoCheckReports] public void CheckedGood() { Store(0); }
  [Test, NoCheckReports("memory")] public void CheckedBad() { Store(16); }
  [Test, NoCheckReports(Suppressions = "out-of-bounds store")] public void CheckedSuppressed() { Store(16); }
  [Test, NoLeaks] public void LeaksGood() { Store(0); }
  [Test, NoLeaks] public void LeaksBad() { kept.Add(new CudaEvent(device)); }
  [Test, NoLeaks, NoCheckReports("memory")] public void BothGood() { Store(0); }
  [Test, NoLeaks, NoCheckReports("memory")] public void BothBad() { Store(16); }
  [Test, FailsAllocation(1)] public void SurviveGood() {
    try {
      Store(0);
      Assert.Fail();
    } catch (OutOfDeviceMemoryException) {
    }
  }
  [Test, FailsAllocation(1)] public void SurviveBad() { Store(0); }
  [Test, FailsAllocation(99)] public void SurviveWithoutAFaultBad() { Store(0); }
}

[TestFixture, NoCheckReports("memory")]
public static class StaticMarkedTests {
  [Test] public static void StaticGood() { MarkedTests.Store(0); }
  [Test] public static void StaticBad() { MarkedTests.Store(16); }
}

internal static class MarkedProgram {
  private static int Main(string[] args) { return global::NUnit.ConsoleRunner.Runner.Main(args); }
}
