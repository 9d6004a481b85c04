// SPDX-License-Identifier: Apache-2.0
// 09: graphs: turns of a solver are captured once, a loop ends on the device, and an update changes a pointer.
// The solver is that of Jacobi for a rod with fixed ends: each turn replaces each temperature by the mean of its
// neighbours.
using System;
using System.Linq;
using Cucore;

static class Solver {
  const int N = 32, Turns = 50;
  const string Source = @"
extern ""C"" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned int value);

extern ""C"" __global__ void relax(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i == 0 || i == n - 1 ? from[i] : 0.5f * (from[i - 1] + from[i + 1]);
}
extern ""C"" __global__ void decide(const float *now, const float *before, int n, float limit, int *turns,
                                  unsigned long long condition) {
  float most = 0;
  for (int i = 0; i < n; ++i) most = fmaxf(most, fabsf(now[i] - before[i]));
  *turns += 1;
  cudaGraphSetConditional(condition, most > limit);
}";
  static readonly LaunchConfig One = new LaunchConfig(1, N);

  static CudaBuffer Rod(CudaStream stream) {
    using (CudaDevice device = stream.Device) {
      var made = new CudaBuffer(device, 4 * N, stream);
      made.Write(Enumerable.Range(0, N).Select(i => i == 0 ? 100f : i == N - 1 ? 50f : 0f).ToArray(), stream);
      return made;
    }
  }

  static void Relax(Kernel relax, CudaStream stream, CudaBuffer x, CudaBuffer y, int turns) {
    for (int i = 0; i < turns; ++i) {
      relax.Launch(stream, One, x, y, N);
      relax.Launch(stream, One, y, x, N);
    }
  }

  static void Compare(string what, CudaStream stream, CudaBuffer plain, CudaBuffer other) {
    float[] expected = plain.ToArray<float>(stream), got = other.ToArray<float>(stream);
    Console.WriteLine($"{what}: {expected[N / 4]:0.000} degrees plain, {got[N / 4]:0.000} as a graph");
    if (!expected.SequenceEqual(got)) throw new Exception("the figures differ");
  }

  static void Main() {
    if (CudaDevice.Count == 0) {
      Console.WriteLine("graphs need a device");
      return;
    }
    using (var device = new CudaDevice())
    using (ObjectCode code = new CudaProgram(Source).Compile(CodeType.Ptx))
    using (Kernel relax = code.GetKernel("relax"), decide = code.GetKernel("decide"))
    using (var stream = new CudaStream(device))
    using (CudaBuffer a = Rod(stream), b = Rod(stream), x = Rod(stream), y = Rod(stream), u = Rod(stream), v = Rod(stream), other = Rod(stream))
    using (var turns = new CudaBuffer(device, 4, stream)) {
      Relax(relax, stream, a, b, Turns);  // plain launches: two for each turn

      // snippet: capture
      using (Capture capture = stream.Capture()) {
        Relax(relax, stream, x, y, Turns);  // nothing runs
        using (Graph graph = capture.End())
        using (ExecutableGraph executable = graph.Executable())
          executable.Launch(stream);  // all launches by one call
      }
      // end of snippet
      Compare($"{Turns} turns", stream, a, x);

      turns.Fill(0, stream);
      // snippet: while
      using (var loop = new Graph(device)) {
        ulong condition = loop.Condition(1);  // each launch begins with it
        Graph body = loop.While(condition).Body();
        GraphNode there = body.Kernel(relax, One, u, v, N);
        GraphNode back = body.Kernel(there, relax, One, v, u, N);
        body.Kernel(back, decide, new LaunchConfig(1, 1), u, v, N, 0.01f, turns, condition);
        using (ExecutableGraph converging = loop.Executable())
          converging.Launch(stream);  // ends when no temperature changes by more than 0.01
      }
      // end of snippet
      int count = turns.ToArray<int>(stream)[0];
      using (CudaBuffer p = Rod(stream), q = Rod(stream)) {
        Relax(relax, stream, p, q, count);
        Compare($"the loop had {count} turns", stream, p, u);
      }

      // snippet: update
      using (var step = new Graph(device)) {
        GraphNode node = step.Kernel(relax, One, u, v, N);
        using (ExecutableGraph once = step.Executable()) {
          once.SetArguments(node, relax, u, other, N);  // for later launches of this executable
          once.Launch(stream);
        }
      }
      // end of snippet
      relax.Launch(stream, One, u, v, N);
      Compare("one more turn", stream, v, other);
    }
  }
}
