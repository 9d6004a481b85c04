// SPDX-License-Identifier: Apache-2.0
// The machine of the tests, the CPU device or a GPU, and the tests that it cannot run.
using System;
using Cucore;

internal sealed class Skipped : Exception {
  internal Skipped(string why) : base(why) {}
}

internal static class Machine {
  internal static bool IsCpu { get { return World.Device.IsEmulated; } }

  internal static void NeedsDevices(int count) {
    if (CudaDevice.Count < count) throw new Skipped($"needs {count} devices, here is {CudaDevice.Count}");
  }
}
