// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;
import java.nio.*;
import java.nio.file.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
@HEADS@

/** The program around a fragment of a page: the objects that fragments use exist. */
class Page {
  @DECLARATIONS@

  public static void main(String[] args) throws Exception {
    String source = "extern \"C\" __global__ void scale(float factor, float *data, int n) {\n"
        + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        + "  if (i < n) data[i] *= factor;\n"
        + "}\n";
    float[] data = new float[1024];
    int n = data.length;
    try (Given given = new Given(source)) {
      given.run(source, data, n);
    }
  }

  static class Given implements AutoCloseable {
    final Program program;
    final ObjectCode code;

    Given(String source) {
      program = Program.ofCuda(source);
      code = program.compile(CodeType.PTX);
    }

    void run(String source, float[] data, int n) throws Exception {
      @BLOCK@
    }

    @Override
    public void close() {
      code.close();
      program.close();
    }
  }
}
