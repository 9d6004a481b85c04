// SPDX-License-Identifier: Apache-2.0
// C#'s part in the exchange of object code and arrays between languages: see exchange.py and arrays.py of bindings/exchange.
using System;
using System.IO;
using System.Linq;
using System.Runtime.Serialization.Formatters.Binary;
using Cucore;
using Cucore.Arrays;

static class Exchange {
  const string Source = @"extern ""C"" __global__ void triple(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 3;
}
";

  static void Launch(ObjectCode code) {
    using (CudaDevice device = new CudaDevice())
    using (CudaStream stream = new CudaStream(device))
    using (CudaBuffer buffer = new CudaBuffer(device, 4000, stream)) {
      float[] data = Enumerable.Range(0, 1000).Select(i => (float)i).ToArray();
      buffer.Write(data, stream);
      code.GetKernel("triple").Launch(stream, new LaunchConfig(4, 256), buffer, 1000);
      if (!buffer.ToArray<float>(stream).SequenceEqual(data.Select(x => 3 * x))) throw new Exception("wrong result");
    }
  }

  static ObjectCode Own(ObjectCode code) {
    BinaryFormatter formatter = new BinaryFormatter();
    MemoryStream stream = new MemoryStream();
    formatter.Serialize(stream, code);
    stream.Position = 0;
    return (ObjectCode)formatter.Deserialize(stream);
  }

  static void Main(string[] args) {
    if (args[0] == "arrays" || args[0] == "compressed") {
      NumpyFile.SaveAll(args[2], NumpyFile.LoadAll(args[1]), args[0] == "compressed");
      return;
    }
    CudaProgram program = new CudaProgram(Source, new ProgramOptions { Name = "triple.cu", Arch = "compute_80" });
    if (args[0] == "make") {
      File.WriteAllBytes(args[1], program.Compile(CodeType.Ptx, "triple").ToBytes());
      return;
    }
    if (args[0] == "cached") {
      Console.WriteLine(new Cache(args[1]).Compile(program, CodeType.Ptx, "triple").Outcome);
      return;
    }
    ObjectCode code = ObjectCode.Load(File.ReadAllBytes(args[1]));
    if (args[0] == "launch") {
      Launch(code);
      Console.WriteLine("ok");
    } else {
      File.WriteAllBytes(args[2], (args[0] == "own" ? Own(code) : code).ToBytes());
    }
  }
}
