// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cucore;
@HEADS@

// The program around a fragment of a page: the objects that fragments use exist. Its name is that of the class of
// every console project.
static class Program {
  const string Source = @"
extern ""C"" __global__ void scale(float factor, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}";
  static readonly string source = Source;
  static readonly int n = 1024;
  static readonly float[] floats = new float[1024], data = floats;
  static byte[] bytes;
  static ObjectCode code;
  static CudaDevice device;
  static CudaStream stream;
  static CudaBuffer buffer;
  static Kernel kernel;

  @DECLARATIONS@

  static async Task Block(CancellationToken cancellation) {
    @BLOCK@
    await Task.FromResult(0);
  }

  static void Main() {
    device = new CudaDevice();
    stream = new CudaStream(device);
    code = new CudaProgram(Source).Compile();
    kernel = code.GetKernel("scale");
    buffer = new CudaBuffer(device, n * sizeof(float), stream);
    buffer.Write(data, stream);
    Block(CancellationToken.None).GetAwaiter().GetResult();
    stream.Synchronize();
  }
}
