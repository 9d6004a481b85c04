// SPDX-License-Identifier: Apache-2.0
import io.cucore.Capture;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.ExecutableGraph;
import io.cucore.Graph;
import io.cucore.GraphNode;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import java.util.Arrays;

/**
 * Measures the rows of bench/overheads/graphs.py as calls of the driver alone, in C, as native methods written by hand,
 * and in Java. The four take turns in one process. A figure is a median. A difference is the median of the
 * differences of the turns; the interval encloses it with a confidence of 95 %.
 */
final class GraphOverheads {
  private static final int MOST = 1000;
  private static final int ROUNDS = 61;
  private static final long WARM_NANOS = 400_000_000;
  // The numbers of graph_steps.h.
  private static final int BEGIN = 0;
  private static final int LAUNCH = 1;
  private static final int END = 2;
  private static final int CREATE = 3;
  private static final int ADD_FIRST = 4;
  private static final int ADD = 5;
  private static final int RELEASE = 6;
  private static final int SYNCHRONIZE = 7;

  private final CudaDevice device;
  private final CudaStream stream;
  private final Kernel kernel;
  private final CudaBuffer buffer;
  private final LaunchConfig config = LaunchConfig.of(1, 1);

  private GraphOverheads(CudaDevice device, CudaStream stream, Kernel kernel, CudaBuffer buffer) {
    this.device = device;
    this.stream = stream;
    this.kernel = kernel;
    this.buffer = buffer;
  }

  /** Prints a table; the calls of C must be ready. */
  static void measure(CudaDevice device, CudaStream stream, Kernel kernel, CudaBuffer buffer) throws Exception {
    Overheads.must(ByHand.beginGraphs() == 0);
    System.out.printf("%n| µs, median | driver | C | JNI by hand | Java | Java above the driver | above JNI |%n");
    System.out.printf("|---|---|---|---|---|---|---|%n");
    new GraphOverheads(device, stream, kernel, buffer).rows();
  }

  private static void step(int number) {
    Overheads.must(ByHand.stepGraph(number) == 0);
  }

  private static Overheads.Call once(int number) {
    return () -> Overheads.must(ByHand.onceGraph(number) == 0);
  }

  private void launch() {
    kernel.launch(stream, config, 1f, buffer, 0);
  }

  private Graph built(int size) {
    Graph graph = new Graph(device);
    GraphNode node = null;
    for (int i = 0; i < size; ++i) {
      node = graph.kernel(node, kernel, config, 1f, buffer, 0);
    }
    return graph;
  }

  private void capture() {
    try (Capture capture = stream.capture()) {
      for (int i = 0; i < MOST; ++i) {
        launch();
      }
      capture.end().close();
    }
  }

  private static void captureByHand() {
    step(BEGIN);
    for (int i = 0; i < MOST; ++i) {
      step(LAUNCH);
    }
    step(END);
    step(RELEASE);
  }

  private static void buildByHand() {
    step(CREATE);
    step(ADD_FIRST);
    for (int i = 1; i < MOST; ++i) {
      step(ADD);
    }
    step(RELEASE);
  }

  private void rows() throws Exception {
    try (Graph one = built(1);
        Graph hundred = built(100);
        Graph most = built(MOST);
        ExecutableGraph ofOne = one.executable();
        ExecutableGraph ofHundred = hundred.executable();
        ExecutableGraph ofMost = most.executable()) {
      // A batch of launches fits into the driver's queue.
      row("launch of a graph of 1 kernel", 0, 50, once(0), () -> ofOne.launch(stream));
      row("launch of a graph of 100 kernels", 1, 20, once(1), () -> ofHundred.launch(stream));
      row("launch of a graph of 1000 kernels", 2, 4, once(2), () -> ofMost.launch(stream));
      row("capture of 1000 kernels", 3, 1, GraphOverheads::captureByHand, this::capture);
      row("1000 kernel nodes by hand", 4, 1, GraphOverheads::buildByHand, () -> built(MOST).close());
      row("executable of 1000 kernels, made and dropped", 5, 1, once(5), () -> most.executable().close());
      row("update of an executable of 1 kernel", 6, 20, once(6), () -> ofOne.update(one));
      row("update of an executable of 1000 kernels", 7, 5, once(7), () -> ofMost.update(most));
      row("100 kernels one by one, and a wait", 8, 2, () -> {
        for (int i = 0; i < 100; ++i) {
          step(LAUNCH);
        }
        step(SYNCHRONIZE);
      }, () -> {
        for (int i = 0; i < 100; ++i) {
          launch();
        }
        stream.synchronize();
      });
      row("the same kernels as a graph, and a wait", 9, 2, once(9), () -> {
        ofHundred.launch(stream);
        stream.synchronize();
      });
    }
  }

  private double repeat(int number, boolean isBare, int count) {
    double took = ByHand.repeatGraph(number, isBare, count);
    Overheads.must(took >= 0);
    return took;
  }

  // The first call is not timed, because it finds the device idle. repeat() does the same.
  private double settled(int count, Overheads.Call call) throws Exception {
    call.run();
    double took = Overheads.nanos(count, call);
    step(SYNCHRONIZE);
    stream.synchronize();
    return took;
  }

  private void row(String title, int number, int count, Overheads.Call hand, Overheads.Call java) throws Exception {
    for (long began = System.nanoTime(); System.nanoTime() - began < WARM_NANOS; ) { // for the compilers of the JVM
      settled(count, hand);
      settled(count, java);
    }
    double[][] all = new double[4][ROUNDS];
    for (int i = 0; i < ROUNDS; ++i) {
      for (int turn = 0; turn < 4; ++turn) {
        int way = i % 2 == 0 ? turn : 3 - turn;
        all[way][i] = way < 2 ? repeat(number, way == 0, count) : settled(count, way == 2 ? hand : java);
      }
    }
    String aboveDriver = difference(all[3], all[0]);
    String aboveHand = difference(all[3], all[2]);
    System.out.printf("| %s |", title);
    for (double[] each : all) {
      System.out.printf(" %.3f |", Overheads.median(each) / 1000);
    }
    System.out.printf(" %s | %s |%n", aboveDriver, aboveHand);
  }

  private static String difference(double[] large, double[] small) {
    double[] all = new double[large.length];
    for (int i = 0; i < all.length; ++i) {
      all[i] = (large[i] - small[i]) / 1000;
    }
    Arrays.sort(all);
    // The number of samples below the median is binomial, whatever their distribution is.
    int low = (int) Math.max(0, Math.floor((all.length - 1.96 * Math.sqrt(all.length)) / 2));
    return String.format("%.3f (%.3f to %.3f)", all[all.length / 2], all[low], all[all.length - 1 - low]);
  }
}
