// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;

/** 06: a complete job: compile, serialize, restore, find, launch, time with two events, check. */
class Pipeline {
  public static void main(String[] args) {
    String source =
        "extern \"C\" __global__ void scale(float a, float *data, int n) {\n"
            + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            + "  if (i < n) data[i] *= a;\n"
            + "}\n";
    byte[] stored;
    try (Program program = Program.ofCuda(source);
        ObjectCode code = program.compile(CodeType.PTX)) {
      stored = code.serialize();
    }
    float[] host = new float[1 << 20];
    for (int i = 0; i < host.length; ++i) {
      host[i] = i;
    }
    try (ObjectCode code = ObjectCode.deserialize(stored);
        CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        CudaEvent start = CudaEvent.timed(device);
        CudaEvent end = CudaEvent.timed(device);
        Kernel scale = code.kernel("scale");
        CudaBuffer data = new CudaBuffer(device, 4L * host.length, stream)) {
      data.write(host, stream);
      start.record(stream);
      scale.launch(stream, LaunchConfig.covering(host.length, 256), 2f, data, host.length);
      end.record(stream);
      data.read(host, stream);
      int wrong = 0;
      for (int i = 0; i < host.length; ++i) {
        wrong += host[i] == 2f * i ? 0 : 1;
      }
      System.out.printf("%s: kernel %.3f ms, %d wrong%n", device.getName(), start.elapsed(end), wrong);
      System.exit(wrong);
    }
  }
}
