// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;

import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.ExecutableGraph;
import io.cucore.Graph;
import io.cucore.InvalidArgumentException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.Status;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Common parts of the tests of graphs: a graph, a stream, kernels, and a number in managed memory. */
abstract class GraphTesting {
  static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  CudaDevice device;
  CudaStream stream;
  Graph graph;
  Kernel add;
  Kernel mul;
  CudaBuffer x;
  ByteBuffer view;

  @BeforeEach
  void open() {
    device = World.device();
    stream = new CudaStream(device);
    graph = new Graph(device);
    add = World.graphCode().kernel("add");
    mul = World.graphCode().kernel("mul");
    x = CudaBuffer.managed(device, 4);
    view = x.asByteBuffer();
    view.putFloat(0, 0);
  }

  @AfterEach
  void close() {
    for (AutoCloseable each : new AutoCloseable[] {x, add, mul, graph, stream, device}) {
      try {
        each.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  void run(ExecutableGraph executable) {
    executable.launch(stream);
    stream.synchronize();
  }

  /** Makes the graph an executable, and runs that. */
  void run() {
    try (ExecutableGraph executable = graph.executable()) {
      run(executable);
    }
  }

  float value() {
    return view.getFloat(0);
  }

  Kernel kernel(String name) {
    return World.graphCode().kernel(name);
  }

  static String refused(org.junit.jupiter.api.function.Executable body) {
    return assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, body).getMessage();
  }
}
