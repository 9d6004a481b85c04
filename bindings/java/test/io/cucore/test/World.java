// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cucore.CodeType;
import io.cucore.CucoreException;
import io.cucore.CudaDevice;
import io.cucore.ObjectCode;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import io.cucore.Status;
import org.junit.jupiter.api.function.Executable;

/** Common parts of many tests: kernels compiled once, one device, the expectations for a failure. */
final class World {
  static final String SOURCE =
      "extern \"C\" __global__ void scale(float a, float *x, int n) {\n"
          + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          + "  if (i < n) x[i] *= a;\n"
          + "}\n"
          + "extern \"C\" __global__ void nothing() {}\n"
          + "extern \"C\" __global__ void wait_for(volatile int *flag) { while (*flag == 0); }\n"
          + "extern \"C\" __global__ void fault(int *x) { if (x) x[1ll << 40] = 1; }\n"
          + "extern \"C\" __global__ void add_one(int *x, int n) {\n"
          + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          + "  if (i < n) x[i] += 1;\n"
          + "}\n"
          + "__device__ int counter = 7;\n"
          + "extern \"C\" __global__ void count(int *out) { *out = atomicAdd(&counter, 1); }\n"
          + "struct Mixed { char c; double d; short s; };\n"
          + "extern \"C\" __global__ void kinds(unsigned char *out, bool b, signed char i1, short i2, int i4,\n"
          + "    long long i8, float f, double d, char16_t c, Mixed m, void *null, void *address) {\n"
          + "  unsigned char *p = out;\n"
          + "#define PUT(v) { const unsigned char *q = (const unsigned char *)&v; \\\n"
          + "  for (int k = 0; k < (int)sizeof v; ++k) *p++ = q[k]; }\n"
          + "  PUT(b) PUT(i1) PUT(i2) PUT(i4) PUT(i8) PUT(f) PUT(d) PUT(c) PUT(m.c) PUT(m.d) PUT(m.s) PUT(null) PUT(address)\n"
          + "}\n"
          + "template <typename T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value; }\n";

  private static ObjectCode code;

  private World() {}

  /** Returns the PTX of SOURCE, alive for all tests. */
  static synchronized ObjectCode code() {
    if (code == null) {
      code = compile(SOURCE, "fill<float>", "fill<int>");
    }
    return code;
  }

  static ObjectCode compile(String source, String... names) {
    ProgramOptions options = ProgramOptions.builder().arch("compute_80").name("world.cu").build();
    try (Program program = Program.ofCuda(source, options)) {
      return program.compile(CodeType.PTX, names);
    }
  }

  static <E extends CucoreException> E assertFails(Class<E> type, Status status, Executable body) {
    E failure = assertThrows(type, body);
    assertEquals(type, failure.getClass());
    assertEquals(status, failure.status());
    return failure;
  }

  static CudaDevice device() {
    return new CudaDevice(0);
  }

  static float[] ramp(int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; ++i) {
      values[i] = i;
    }
    return values;
  }
}
