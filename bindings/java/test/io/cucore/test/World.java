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

  /** PTX, because conditions need no compiler in this form. */
  private static final String GRAPH_PTX =
      ".version 7.8\n"
          + ".target sm_75\n"
          + ".address_size 64\n"
          + ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
          + ".visible .entry add(.param .u64 to, .param .f32 value) {\n"
          + "  .reg .u64 %p; .reg .f32 %v, %x;\n"
          + "  ld.param.u64 %p, [to]; ld.param.f32 %v, [value];\n"
          + "  ld.global.f32 %x, [%p]; add.f32 %x, %x, %v; st.global.f32 [%p], %x;\n"
          + "  ret;\n"
          + "}\n"
          + ".visible .entry mul(.param .u64 to, .param .f32 value) {\n"
          + "  .reg .u64 %p; .reg .f32 %v, %x;\n"
          + "  ld.param.u64 %p, [to]; ld.param.f32 %v, [value];\n"
          + "  ld.global.f32 %x, [%p]; mul.f32 %x, %x, %v; st.global.f32 [%p], %x;\n"
          + "  ret;\n"
          + "}\n"
          + ".visible .entry decide(.param .u64 condition, .param .u32 value) {\n"
          + "  .reg .b64 %c; .reg .b32 %v;\n"
          + "  ld.param.u64 %c, [condition]; ld.param.u32 %v, [value];\n"
          + "  { .param .b64 a; .param .b32 b; st.param.b64 [a], %c; st.param.b32 [b], %v; call.uni cudaGraphSetConditional, (a, b); }\n"
          + "  ret;\n"
          + "}\n"
          + ".visible .entry count_down(.param .u64 condition, .param .u64 left) {\n"
          + "  .reg .b64 %c, %p; .reg .b32 %v;\n"
          + "  ld.param.u64 %c, [condition]; ld.param.u64 %p, [left];\n"
          + "  ld.global.u32 %v, [%p]; sub.u32 %v, %v, 1; st.global.u32 [%p], %v;\n"
          + "  { .param .b64 a; .param .b32 b; st.param.b64 [a], %c; st.param.b32 [b], %v; call.uni cudaGraphSetConditional, (a, b); }\n"
          + "  ret;\n"
          + "}\n";

  private static ObjectCode code;
  private static ObjectCode graphCode;

  private World() {}

  /** Returns the PTX of SOURCE, alive for all tests. */
  static synchronized ObjectCode code() {
    if (code == null) {
      code = compile(SOURCE, "fill<float>", "fill<int>");
    }
    return code;
  }

  /** Returns kernels of graphs: add, mul, decide, count_down. They are alive for all tests. */
  static synchronized ObjectCode graphCode() {
    if (graphCode == null) {
      graphCode = ObjectCode.fromBytes(CodeType.PTX, GRAPH_PTX.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    return graphCode;
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
