// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;
import java.util.Arrays;

/**
 * 09: graphs: turns of a solver are captured once, a loop ends on the device, and an update changes a pointer.
 * The solver is that of Jacobi for a rod with fixed ends: each turn replaces each temperature by the mean of its
 * neighbours.
 */
class Graphs {
  static final String SOURCE =
      "extern \"C\" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned int value);\n"
          + "extern \"C\" __global__ void relax(const float *from, float *to, int n) {\n"
          + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          + "  if (i < n) to[i] = i == 0 || i == n - 1 ? from[i] : 0.5f * (from[i - 1] + from[i + 1]);\n"
          + "}\n"
          + "extern \"C\" __global__ void decide(const float *now, const float *before, int n, float limit, int *turns,\n"
          + "                                  unsigned long long condition) {\n"
          + "  float most = 0;\n"
          + "  for (int i = 0; i < n; ++i) most = fmaxf(most, fabsf(now[i] - before[i]));\n"
          + "  *turns += 1;\n"
          + "  cudaGraphSetConditional(condition, most > limit);\n"
          + "}\n";
  static final int N = 32;
  static final int TURNS = 50;
  static final LaunchConfig ONE = LaunchConfig.of(1, N);

  static CudaBuffer rod(CudaDevice device, CudaStream stream) {
    float[] start = new float[N];
    start[0] = 100;
    start[N - 1] = 50;
    CudaBuffer made = new CudaBuffer(device, 4 * N, stream);
    made.write(start, stream);
    return made;
  }

  static void turns(Kernel relax, CudaStream stream, CudaBuffer x, CudaBuffer y, int count) {
    for (int i = 0; i < count; ++i) {
      relax.launch(stream, ONE, x, y, N);
      relax.launch(stream, ONE, y, x, N);
    }
  }

  static void compare(String what, CudaStream stream, CudaBuffer plain, CudaBuffer other) {
    float[] expected = new float[N];
    float[] got = new float[N];
    plain.read(expected, stream);
    other.read(got, stream);
    System.out.printf("%s: %.3f degrees plain, %.3f as a graph%n", what, expected[N / 4], got[N / 4]);
    if (!Arrays.equals(expected, got)) {
      throw new AssertionError("the figures differ");
    }
  }

  public static void main(String[] args) {
    if (CudaDevice.count() == 0) {
      System.out.println("graphs need a device");
      return;
    }
    try (Program program = Program.ofCuda(SOURCE);
        ObjectCode code = program.compile(CodeType.PTX);
        Kernel relax = code.kernel("relax");
        Kernel decide = code.kernel("decide");
        CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        CudaBuffer a = rod(device, stream);
        CudaBuffer b = rod(device, stream);
        CudaBuffer x = rod(device, stream);
        CudaBuffer y = rod(device, stream);
        CudaBuffer u = rod(device, stream);
        CudaBuffer v = rod(device, stream);
        CudaBuffer other = rod(device, stream);
        CudaBuffer turns = new CudaBuffer(device, 4, stream)) {
      turns(relax, stream, a, b, TURNS); // plain launches: two for each turn

      // snippet: capture
      try (Capture capture = stream.capture()) {
        turns(relax, stream, x, y, TURNS); // nothing runs
        try (Graph graph = capture.end(); ExecutableGraph executable = graph.executable()) {
          executable.launch(stream); // all launches by one call
        }
      }
      // end of snippet
      compare(TURNS + " turns", stream, a, x);

      turns.fill(0, stream);
      // snippet: while
      try (Graph loop = new Graph(device)) {
        long condition = loop.condition(1); // each launch begins with it
        Graph body = loop.whileTrue(null, condition).body();
        GraphNode there = body.kernel(relax, ONE, u, v, N);
        GraphNode back = body.kernel(there, relax, ONE, v, u, N);
        body.kernel(back, decide, LaunchConfig.of(1, 1), u, v, N, 0.01f, turns, condition);
        try (ExecutableGraph converging = loop.executable()) {
          converging.launch(stream); // ends when no temperature changes by more than 0.01
        }
      }
      // end of snippet
      int[] count = new int[1];
      turns.read(count, stream);
      try (CudaBuffer p = rod(device, stream); CudaBuffer q = rod(device, stream)) {
        turns(relax, stream, p, q, count[0]);
        compare("the loop had " + count[0] + " turns", stream, p, u);
      }

      // snippet: update
      try (Graph step = new Graph(device)) {
        GraphNode node = step.kernel(relax, ONE, u, v, N);
        try (ExecutableGraph once = step.executable()) {
          once.setArguments(node, relax, u, other, N); // for later launches of this executable
          once.launch(stream);
        }
      }
      // end of snippet
      relax.launch(stream, ONE, u, v, N);
      compare("one more turn", stream, v, other);
    }
  }
}
