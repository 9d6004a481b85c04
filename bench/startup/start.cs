// SPDX-License-Identifier: Apache-2.0
// The first call, and with a file of PTX the first launch of its kernel "nothing".
using System.IO;
using Cucore;

static class Start {
  static void Main(string[] arguments) {
    int version = CucoreLibrary.VersionNumber;
    if (version == 0 || arguments.Length == 0) return;
    using (var device = new CudaDevice())
    using (var stream = new CudaStream(device))
    using (var code = ObjectCode.FromBytes(CodeType.Ptx, File.ReadAllBytes(arguments[0])))
    using (var kernel = code.GetKernel("nothing")) {
      kernel.Launch(stream, new LaunchConfig(1, 1));
      stream.Synchronize();
    }
  }
}
