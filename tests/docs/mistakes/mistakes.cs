// SPDX-License-Identifier: Apache-2.0
// Makes ten mistakes of beginners and prints the message of each, on one line.
using System;
using Cucore;

static class Mistakes {
  const string Source = @"extern ""C"" __global__ void scale(float factor, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
";

  static void Print(string name, Action mistake) {
    try {
      mistake();
      Console.WriteLine($"{name}: no message");
    } catch (Exception e) {
      Console.WriteLine($"{name}: {e.Message.Replace("\n", "; ")}");
    }
  }

  static ObjectCode Compile(string source, string arch = null) {
    return new CudaProgram(source, new ProgramOptions { Name = "scale.cu", Arch = arch }).Compile();
  }

  static void Main() {
    var host = new float[1000];
    var config = new LaunchConfig(4, 256);
    using (var device = new CudaDevice())
    using (var stream = new CudaStream(device))
    using (var code = Compile(Source))
    using (var scale = code.GetKernel("scale"))
    using (var buffer = new CudaBuffer(device, 4 * host.Length, stream)) {
      Print("wrong type", () => scale.Launch(stream, config, 2f, buffer, 2.5));
#if HOST_ARRAY  // the compiler refuses it
      Print("host array", () => scale.Launch(stream, config, 2f, host, 1000));
#endif
      Print("grid", () => scale.Launch(stream, new LaunchConfig(1, 2048), 2f, buffer, 1000));
      Print("kernel name", () => code.GetKernel("scal"));
      Print("extern \"C\"", () => Compile(Source.Replace("extern \"C\" ", "")).GetKernel("scale"));
      Print("syntax", () => Compile(Source.Replace("threadIdx.x;", "threadIdx.x")));
      Print("architecture", () => Compile(Source, "sm_30"));
      Print("missing stream", () => scale.Launch(null, config, 2f, buffer, 1000));
      Print("missing header", () => Compile("#include \"mine.h\"\n" + Source));
      Print("out of bounds", () => {
        scale.Launch(stream, new LaunchConfig(8, 256), 2f, buffer, 2000);  // the buffer has 1000 elements
        stream.Synchronize();
      });
    }
  }
}
