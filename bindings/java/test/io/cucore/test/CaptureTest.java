// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Capture;
import io.cucore.CaptureMode;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.ExecutableGraph;
import io.cucore.Fork;
import io.cucore.Graph;
import io.cucore.GraphNode;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.NodeKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Captures: the work of a stream becomes a graph. */
class CaptureTest {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private CudaDevice device;
  private CudaStream stream;
  private Kernel add;
  private Kernel mul;
  private CudaBuffer x;
  private ByteBuffer view;

  @BeforeEach
  void open() {
    device = World.device();
    stream = new CudaStream(device);
    add = World.graphCode().kernel("add");
    mul = World.graphCode().kernel("mul");
    x = CudaBuffer.managed(device, 4);
    view = x.asByteBuffer();
    view.putFloat(0, 1);
  }

  @AfterEach
  void close() {
    x.close();
    add.close();
    mul.close();
    stream.close();
    device.close();
  }

  private void run(Graph graph) {
    try (ExecutableGraph executable = graph.executable()) {
      executable.launch(stream);
      stream.synchronize();
    }
  }

  private float value() {
    return view.getFloat(0);
  }

  @Test
  void aCaptureBecomesAGraph() {
    GraphNode first;
    Graph graph;
    try (Capture capture = stream.capture()) {
      assertTrue(stream.isCapturing());
      assertSame(stream, capture.getStream());
      assertEquals(List.of(), stream.getCaptureNodes());
      add.launch(stream, ONE, x, 2f);
      first = stream.getCaptureNodes().get(0);
      mul.launch(stream, ONE, x, 10f);
      assertThrows(InvalidStateException.class, stream::synchronize);
      assertThrows(InvalidStateException.class, () -> x.read(new float[1], stream));
      assertEquals(2, capture.getGraph().getNodeCount());
      assertTrue(capture.toString().startsWith("Capture of CudaStream"), capture.toString());
      graph = capture.end();
      assertTrue(capture.toString().endsWith("(ended)"), capture.toString());
    }
    assertFalse(stream.isCapturing());
    assertEquals(1, value());
    GraphNode second = first.getDependents().get(0);
    assertEquals(NodeKind.KERNEL, first.getKind());
    assertEquals(Set.of(first, second), new HashSet<>(graph.getNodes()));
    try (ExecutableGraph executable = graph.executable()) {
      executable.launch(stream);
      stream.synchronize();
      assertEquals(30, value());
      executable.setKernel(first, add, ONE, x, 1f);
      executable.setArguments(first, add, x, 3f);
      executable.launch(stream);
      stream.synchronize();
      assertEquals(330, value());
    }
    graph.close();
  }

  /** Buffers of captured launches are objects, which the graph keeps. */
  @Test
  void aGraphKeepsBuffersOfItsLaunches() {
    CudaBuffer hidden = CudaBuffer.managed(device, 4);
    try (CudaBuffer alias = CudaBuffer.fromNative(device, hidden.getAddress(), 4);
        Capture capture = stream.capture()) {
      hidden.fill(0, stream);
      add.launch(stream, ONE, hidden, 5f);
      x.copyFrom(alias, 4, stream);
      hidden.close();
      try (Graph graph = capture.end()) {
        for (int i = 0; i < 100; ++i) { // over its old place, if it was freed
          try (CudaBuffer other = CudaBuffer.managed(device, 4)) {
            other.asByteBuffer().putFloat(0, 1000);
          }
        }
        System.gc();
        run(graph);
      }
    }
    assertEquals(5, value());
  }

  @Test
  void forksAreJoined() {
    try (CudaBuffer y = CudaBuffer.managed(device, 4)) {
      y.asByteBuffer().putFloat(0, 1);
      List<CudaStream> forks;
      CudaStream own;
      Graph graph;
      try (Capture capture = device.capture()) {
        own = capture.getStream();
        add.launch(own, ONE, x, 1f);
        try (Fork fork = capture.fork(2)) {
          forks = fork.getStreams();
          assertSame(forks.get(1), fork.stream(1));
          assertTrue(fork.toString().endsWith("into 2 streams"), fork.toString());
          mul.launch(fork.stream(0), ONE, x, 5f);
          mul.launch(fork.stream(1), ONE, y, 7f);
          fork.close();
          assertTrue(forks.stream().allMatch(CudaStream::isClosed));
        } // again
        add.launch(own, ONE, y, 1f);
        graph = capture.end();
      }
      assertTrue(own.isClosed());
      assertEquals(4, graph.getNodeCount());
      List<GraphNode> nodes = new ArrayList<>(graph.getNodes());
      GraphNode first = nodes.stream().filter(each -> each.getDependencies().isEmpty()).findFirst().get();
      GraphNode last = nodes.stream().filter(each -> each.getDependents().isEmpty()).findFirst().get();
      nodes.removeAll(List.of(first, last));
      for (GraphNode node : nodes) {
        assertEquals(List.of(first), node.getDependencies());
        assertEquals(List.of(last), node.getDependents());
      }
      run(graph);
      assertEquals(10, value());
      assertEquals(8, y.asByteBuffer().getFloat(0));
      graph.close();
    }
  }

  @Test
  void aForkHasOneStreamOrNone() {
    try (Capture capture = stream.capture()) {
      add.launch(stream, ONE, x, 1f);
      CudaStream only;
      try (Fork fork = capture.fork(1)) {
        assertEquals(1, fork.getStreams().size());
        assertTrue(fork.toString().endsWith("into 1 stream"), fork.toString());
        only = fork.stream(0);
        mul.launch(only, ONE, x, 5f);
      }
      assertTrue(only.isClosed());
      try (Fork none = capture.fork(0)) {
        assertEquals(List.of(), none.getStreams());
        assertTrue(none.toString().endsWith("into 0 streams"), none.toString());
      }
      add.launch(stream, ONE, x, 1f);
      try (Graph graph = capture.end()) {
        assertEquals(3, graph.getNodeCount());
        run(graph);
      }
    }
    assertEquals(11, value());
  }

  @Test
  void aCaptureContinuesAGraph() {
    try (Graph graph = new Graph(device)) {
      GraphNode first = graph.kernel(add, ONE, x, 1f);
      GraphNode last = graph.empty();
      try (Capture capture = stream.capture(CaptureMode.THREAD, graph, first)) {
        assertSame(graph, capture.getGraph());
        assertEquals(List.of(first), stream.getCaptureNodes());
        mul.launch(stream, ONE, x, 10f);
        List<GraphNode> nodes = new ArrayList<>(stream.getCaptureNodes());
        nodes.add(last);
        stream.setCaptureNodes(nodes);
        mul.launch(stream, ONE, x, 2f);
        assertSame(graph, capture.end());
      }
      List<GraphNode> nodes = graph.getNodes();
      assertEquals(List.of(first), nodes.get(2).getDependencies());
      assertEquals(Set.of(nodes.get(2), last), new HashSet<>(nodes.get(3).getDependencies()));
      run(graph);
      assertEquals(40, value());
    }
  }

  @Test
  void anExceptionDropsACapture() {
    assertThrows(ArithmeticException.class, () -> {
      try (Capture capture = stream.capture()) {
        add.launch(stream, ONE, x, 1f);
        throw new ArithmeticException();
      }
    });
    assertFalse(stream.isCapturing());
    assertThrows(InvalidStateException.class, () -> {
      try (Capture capture = stream.capture(); Capture second = stream.capture()) {
        throw new AssertionError();
      }
    });
    assertFalse(stream.isCapturing());
    String message = assertThrows(InvalidStateException.class, () -> {
      try (CudaStream fork = new CudaStream(device); Capture capture = stream.capture(CaptureMode.PROCESS)) {
        fork.waitStream(stream);
        add.launch(fork, ONE, x, 1f);
        capture.end();
      }
    }).getMessage();
    assertTrue(message.contains("not joined"), message);
    assertTrue(message.contains("CudaStream.waitStream()"), message);
    assertThrows(InvalidArgumentException.class, () -> {
      try (Capture capture = stream.capture()) {
        capture.fork(-1);
      }
    });
    Capture closed = stream.capture();
    closed.close();
    assertThrows(InvalidStateException.class, closed::end);
    assertThrows(InvalidStateException.class, closed::getGraph);
    assertEquals(1, value());
    try (Capture capture = stream.capture()) {
      add.launch(stream, ONE, x, 1f);
      run(capture.end());
    }
    assertEquals(2, value());
  }

  @Test
  void aStreamMayBeClosedInItsCapture() {
    try (Capture capture = stream.capture()) {
      stream.close();
    }
    stream = new CudaStream(device);
    try (Capture capture = stream.capture()) {
      add.launch(stream, ONE, x, 1f);
      run(capture.end());
    }
    assertEquals(2, value());
  }

  @Test
  void eventsInAGraphActAtEachLaunch() {
    try (CudaEvent event = new CudaEvent(device); Capture capture = stream.capture()) {
      event.recordInGraph(stream);
      stream.waitInGraph(event);
      try (Graph graph = capture.end()) {
        List<NodeKind> kinds = graph.getNodes().stream().map(GraphNode::getKind).collect(Collectors.toList());
        assertEquals(List.of(NodeKind.RECORD, NodeKind.WAIT), kinds);
        run(graph);
      }
      assertTrue(event.query());
    }
  }

  @Test
  void functionsAreCaptured() {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    try (Capture capture = stream.capture()) {
      stream.launchHost(() -> seen.add("captured"));
      try (Graph graph = capture.end()) {
        assertEquals(List.of(), seen);
        run(graph);
        run(graph);
      }
    }
    assertEquals(List.of("captured", "captured"), seen);
  }
}
