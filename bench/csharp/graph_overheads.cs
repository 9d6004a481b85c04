// SPDX-License-Identifier: Apache-2.0
// Measures the rows of bench/overheads/graphs.py as calls of the driver alone, in C, as platform calls written by hand,
// and in C#. The four take turns in one process. A figure is a median. A difference is the median of the
// differences of the turns; the interval encloses it with a confidence of 95 %.
using System;
using System.Linq;
using System.Runtime.InteropServices;
using Cucore;

sealed class GraphOverheads {
  const int Most = 1000, Rounds = 61;
  const double WarmNanoseconds = 200e6;
  enum Step { Begin, Launch, End, Create, AddFirst, Add, Release, Synchronize }  // those of graph_steps.h

  [DllImport("overheads_by_platform_call")] static extern int graphs_open();
  [DllImport("overheads_by_platform_call")] static extern double graphs_repeat(int number, int isBare, int count);
  [DllImport("overheads_by_platform_call")] static extern int graphs_once(int number);
  [DllImport("overheads_by_platform_call")] static extern int graphs_step(Step step);
  [DllImport("overheads_by_platform_call")] static extern double overheads_now();

  readonly CudaDevice device;
  readonly CudaStream stream;
  readonly Kernel kernel;
  readonly CudaBuffer buffer;
  readonly LaunchConfig config = new LaunchConfig(1, 1);

  internal GraphOverheads(CudaDevice device, CudaStream stream, Kernel kernel, CudaBuffer buffer) {
    this.device = device;
    this.stream = stream;
    this.kernel = kernel;
    this.buffer = buffer;
  }

  // Prints a table; the calls of C must be ready.
  internal void Measure() {
    Overheads.Must(graphs_open() == 0);
    Console.WriteLine("\n| µs, median | driver | C | P/Invoke by hand | C# | C# above the driver | above P/Invoke |\n|---|---|---|---|---|---|---|");
    using (Graph one = Built(1), hundred = Built(100), most = Built(Most))
    using (ExecutableGraph ofOne = one.Executable(), ofHundred = hundred.Executable(), ofMost = most.Executable()) {
      // A batch of launches fits into the driver's queue.
      Row("launch of a graph of 1 kernel", 0, 50, Once(0), () => ofOne.Launch(stream));
      Row("launch of a graph of 100 kernels", 1, 20, Once(1), () => ofHundred.Launch(stream));
      Row("launch of a graph of 1000 kernels", 2, 4, Once(2), () => ofMost.Launch(stream));
      Row("capture of 1000 kernels", 3, 1, CaptureByHand, Captured);
      Row("1000 kernel nodes by hand", 4, 1, BuildByHand, () => Built(Most).Dispose());
      Row("executable of 1000 kernels, made and dropped", 5, 1, Once(5), () => most.Executable().Dispose());
      Row("update of an executable of 1 kernel", 6, 20, Once(6), () => ofOne.Update(one));
      Row("update of an executable of 1000 kernels", 7, 5, Once(7), () => ofMost.Update(most));
      Row("100 kernels one by one, and a wait", 8, 2, () => {
        for (int i = 0; i < 100; ++i) Call(Step.Launch);
        Call(Step.Synchronize);
      }, () => {
        for (int i = 0; i < 100; ++i) Launch();
        stream.Synchronize();
      });
      Row("the same kernels as a graph, and a wait", 9, 2, Once(9), () => {
        ofHundred.Launch(stream);
        stream.Synchronize();
      });
    }
  }

  static void Call(Step step) { Overheads.Must(graphs_step(step) == 0); }

  static Action Once(int number) { return () => Overheads.Must(graphs_once(number) == 0); }

  void Launch() { kernel.Launch(stream, config, 1f, buffer, 0); }

  Graph Built(int size) {
    Graph graph = new Graph(device);
    GraphNode node = graph.Kernel(kernel, config, 1f, buffer, 0);
    for (int i = 1; i < size; ++i) node = graph.Kernel(node, kernel, config, 1f, buffer, 0);
    return graph;
  }

  void Captured() {
    using (Capture capture = stream.Capture()) {
      for (int i = 0; i < Most; ++i) Launch();
      capture.End().Dispose();
    }
  }

  static void CaptureByHand() {
    Call(Step.Begin);
    for (int i = 0; i < Most; ++i) Call(Step.Launch);
    Call(Step.End);
    Call(Step.Release);
  }

  static void BuildByHand() {
    Call(Step.Create);
    Call(Step.AddFirst);
    for (int i = 1; i < Most; ++i) Call(Step.Add);
    Call(Step.Release);
  }

  static double Repeat(int number, int isBare, int count) {
    double took = graphs_repeat(number, isBare, count);
    Overheads.Must(took >= 0);
    return took;
  }

  // The first call is not timed, because it finds the device idle. Repeat() does the same.
  double Settled(int count, Action call) {
    call();
    double took = Overheads.Nanoseconds(count, call);
    Call(Step.Synchronize);
    stream.Synchronize();
    return took;
  }

  void Row(string title, int number, int count, Action hand, Action managed) {
    for (double began = overheads_now(); overheads_now() - began < WarmNanoseconds;) {
      Settled(count, hand);
      Settled(count, managed);
    }
    double[][] all = Enumerable.Range(0, 4).Select(i => new double[Rounds]).ToArray();
    for (int i = 0; i < Rounds; ++i) {
      for (int turn = 0; turn < 4; ++turn) {
        int way = i % 2 == 0 ? turn : 3 - turn;
        all[way][i] = way < 2 ? Repeat(number, 1 - way, count) : Settled(count, way == 2 ? hand : managed);
      }
    }
    string medians = string.Join(" | ", all.Select(each => $"{Overheads.Median(each) / 1000:f3}"));
    Console.WriteLine($"| {title} | {medians} | {Difference(all[3], all[0])} | {Difference(all[3], all[2])} |");
  }

  static string Difference(double[] large, double[] small) {
    double[] all = large.Zip(small, (x, y) => (x - y) / 1000).OrderBy(x => x).ToArray();
    // The number of samples below the median is binomial, whatever their distribution is.
    int low = (int)Math.Max(0, Math.Floor((all.Length - 1.96 * Math.Sqrt(all.Length)) / 2));
    return $"{all[all.Length / 2]:f3} ({all[low]:f3} to {all[all.Length - 1 - low]:f3})";
  }
}
