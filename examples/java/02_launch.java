// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;

/** 02: find a kernel in object code, launch it on a device and read the result back. */
class Launch {
  public static void main(String[] args) {
    String source =
        "extern \"C\" __global__ void scale(float factor, float *data, int n) {\n"
            + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            + "  if (i < n) data[i] *= factor;\n"
            + "}\n";
    float[] data = new float[1000];
    for (int i = 0; i < data.length; ++i) {
      data[i] = i;
    }
    try (Program program = Program.ofCuda(source);
        ObjectCode code = program.compile(CodeType.PTX)) {
      if (CudaDevice.count() == 0) {
        System.out.println("compiled; launching needs a device");
        return;
      }
      try (CudaDevice device = CudaDevice.first();
          CudaStream stream = new CudaStream(device);
          Kernel scale = code.kernel("scale");
          CudaBuffer buffer = new CudaBuffer(device, 4L * data.length, stream)) {
        buffer.write(data, stream);
        scale.launch(stream, LaunchConfig.covering(data.length, 256), 3f, buffer, data.length);
        buffer.read(data, stream);
        int wrong = 0;
        for (int i = 0; i < data.length; ++i) {
          wrong += data[i] == 3f * i ? 0 : 1;
        }
        System.out.printf("%s: %d of %d values are wrong%n", device.getName(), wrong, data.length);
        System.exit(wrong);
      }
    }
  }
}
