// SPDX-License-Identifier: Apache-2.0
package hello;

import io.cucore.CodeType;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import io.cucore.Program;

/** Compiles a kernel, launches it and prints its result. */
public final class Hello {
  private static final String SOURCE = "extern \"C\" __global__ void scale(float a, float *p) { p[threadIdx.x] *= a; }";

  private Hello() {}

  public static void main(String[] args) {
    float[] data = {1, 2, 3, 4};
    try (CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        Program program = Program.ofCuda(SOURCE);
        ObjectCode code = program.compile(CodeType.PTX);
        Kernel kernel = code.kernel("scale");
        CudaBuffer buffer = new CudaBuffer(device, 4L * data.length, stream)) {
      buffer.write(data, stream);
      kernel.launch(stream, LaunchConfig.of(1, data.length), 3f, buffer);
      buffer.read(data, stream);
    }
    System.out.println(java.util.Arrays.toString(data));
  }
}
