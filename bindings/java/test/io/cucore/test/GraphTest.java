// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Box;
import io.cucore.Comparison;
import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.ExecutableGraph;
import io.cucore.ExecutableOptions;
import io.cucore.Graph;
import io.cucore.GraphNode;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.NodeInfo;
import io.cucore.NodeKind;
import io.cucore.NotFoundException;
import io.cucore.NotUpdatableException;
import io.cucore.Status;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Graphs by hand: nodes, edges, conditions, changes, executables, and what they keep. */
class GraphTest {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private CudaDevice device;
  private CudaStream stream;
  private Graph graph;
  private Kernel add;
  private Kernel mul;
  private CudaBuffer x;
  private ByteBuffer view;

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

  private void run(ExecutableGraph executable) {
    executable.launch(stream);
    stream.synchronize();
  }

  /** Makes the graph an executable, and runs that. */
  private void run() {
    try (ExecutableGraph executable = graph.executable()) {
      run(executable);
    }
  }

  private float value() {
    return view.getFloat(0);
  }

  private Kernel kernel(String name) {
    return World.graphCode().kernel(name);
  }

  @Test
  void orderIsThatOfTheEdges() {
    view.putFloat(0, 1);
    GraphNode first = graph.kernel(add, ONE, x, 2f);
    GraphNode second = graph.kernel(first, mul, ONE, x, 10f);
    GraphNode third = graph.kernel(null, add, ONE, x, 5f);
    assertSame(third, second.then(third));
    try (ExecutableGraph executable = graph.executable()) {
      assertEquals(1, value());
      run(executable);
      assertEquals((1 + 2) * 10 + 5, value());
      run(executable);
      assertEquals((35 + 2) * 10 + 5, value());
    }
    // The other order, from the same nodes.
    graph.removeEdge(first, second);
    graph.removeEdge(second, third);
    third.then(second).then(first);
    view.putFloat(0, 1);
    run();
    assertEquals((1 + 5) * 10 + 2, value());
  }

  @Test
  void edgesAreReadBack() {
    GraphNode a = graph.empty();
    GraphNode b = graph.empty();
    GraphNode c = graph.empty();
    GraphNode d = graph.empty(List.of(a, b));
    assertEquals(List.of(a, b, c, d), graph.getNodes());
    assertEquals(List.of(a, b), d.getDependencies());
    assertEquals(List.of(d), a.getDependents());
    assertEquals(List.of(), c.getDependents());
    graph.addEdge(a, c);
    graph.addEdge(b, c, false);
    assertEquals(List.of(a, b), c.getDependencies());
    GraphNode e = graph.empty(c);
    GraphNode f = graph.empty(Set.of(c));
    assertEquals(Set.of(e, f), new HashSet<>(c.getDependents()));
    assertEquals(6, graph.getNodeCount());
    assertEquals(6, new HashSet<>(graph.getNodes()).size());
    assertTrue(graph.getNodes().stream().noneMatch(each -> each.number() == 0));
    assertEquals("node " + a.number(), a.toString());
    assertSame(graph, a.getGraph());
    assertNotEquals(a, (Object) a.number());
    assertEquals(a.hashCode(), graph.getNodes().get(0).hashCode());
    assertEquals(a, a.iterator().next());
  }

  @Test
  void mistakesAboutEdgesAreRefused() {
    GraphNode a = graph.empty();
    GraphNode b = graph.empty();
    a.then(b);
    assertThrows(InvalidArgumentException.class, () -> a.then(a));
    assertThrows(InvalidArgumentException.class, () -> a.then(b));
    assertThrows(InvalidArgumentException.class, () -> b.then(a));
    assertThrows(InvalidArgumentException.class, () -> graph.empty(List.of(a, a)));
    assertThrows(InvalidArgumentException.class, () -> graph.addEdge(a, graph.empty(), true));
    try (Graph other = new Graph(device)) {
      assertThrows(NotFoundException.class, () -> other.empty(a));
    }
    String message = assertThrows(InvalidArgumentException.class, () -> graph.empty(Collections.singletonList(null))).getMessage();
    assertEquals("after[0] is null", message);
    b.remove();
    message = assertThrows(NotFoundException.class, () -> a.then(b)).getMessage();
    assertTrue(message.contains("node " + b.number() + " was removed"), message);
    assertEquals(List.of(), a.getDependents());
    assertFalse(graph.getNodes().contains(b));
  }

  @Test
  void aNodeHasItsSettings() {
    try (CudaBuffer to = new CudaBuffer(device, 64, stream); CudaBuffer from = new CudaBuffer(device, 64, stream);
        CudaEvent event = new CudaEvent(device)) {
      GraphNode kernel = graph.kernel(add, LaunchConfig.builder().grid(2, 3).block(32).dynamicShared(16).build(), to, 1f);
      assertSame(kernel, kernel.label("stage ä"));
      NodeInfo info = kernel.getInfo();
      assertEquals(NodeKind.KERNEL, info.kind());
      assertEquals("add", info.kernel());
      assertEquals("stage ä", info.label());
      assertArrayEquals(new int[] {2, 3, 1}, info.grid());
      assertArrayEquals(new int[] {32, 1, 1}, info.block());
      assertArrayEquals(new int[] {0, 0, 0}, info.cluster());
      assertEquals(16, info.dynamicShared());
      assertEquals("KERNEL add [2, 3, 1] x [32, 1, 1] \"stage ä\"", info.toString());
      GraphNode copy = graph.copy(kernel, to, from, 16, 4, 8);
      info = copy.getInfo();
      assertEquals(NodeKind.COPY, copy.getKind());
      assertEquals(to.getAddress() + 4, info.destination());
      assertEquals(from.getAddress() + 8, info.source());
      assertEquals(16, info.size());
      assertEquals(1, info.dependencyCount());
      assertEquals(0, info.dependentCount());
      assertEquals(1, kernel.getInfo().dependentCount());
      assertEquals(64, graph.copy(to, from).getInfo().size());
      GraphNode fill = graph.fill(null, to, (short) 0x0201, 2, 8);
      info = fill.getInfo();
      assertEquals(NodeKind.FILL, info.kind());
      assertEquals(to.getAddress() + 2, info.destination());
      assertEquals(8, info.size());
      assertEquals(0x0201, info.pattern());
      assertEquals(2, info.patternSize());
      assertEquals(64, graph.fill(to, 0).getInfo().size());
      GraphNode record = graph.record(event);
      assertEquals(NodeKind.RECORD, record.getKind());
      assertEquals(NodeKind.WAIT, graph.wait(record, event).getKind());
      try (CudaEvent same = record.getEvent()) {
        assertEquals(event.getNativeHandle(), same.getNativeHandle());
      }
      assertEquals(event.getNativeHandle(), record.getInfo().event());
      assertNotEquals(0, record.getInfo().nativeHandle());
      assertThrows(InvalidArgumentException.class, fill::getEvent);
      String text = graph.dot();
      assertTrue(text.contains("stage ä") && text.contains("add"), text);
      assertEquals(text, graph.dot(0));
      kernel.label("");
      assertEquals("", kernel.getLabel());
      assertFalse(graph.dot().contains("stage"));
    }
  }

  private static List<Integer> bytes(ByteBuffer of) {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < of.capacity(); ++i) {
      all.add((int) of.get(i));
    }
    return all;
  }

  @Test
  void copiesAndFillsRun() {
    try (CudaBuffer from = CudaBuffer.managed(device, 8); CudaBuffer to = CudaBuffer.managed(device, 8)) {
      ByteBuffer seen = to.asByteBuffer();
      GraphNode fill = graph.fill(from, (byte) 7);
      GraphNode copy = graph.copy(fill, to, from);
      try (ExecutableGraph executable = graph.executable(ExecutableOptions.builder().upload(stream).build())) {
        run(executable);
        assertEquals(Collections.nCopies(8, 7), bytes(seen));
        executable.setFill(fill, from, (short) 0x0201, 0, 4);
        executable.setCopy(copy, to, from, 4, 4, 0);
        run(executable);
        assertEquals(List.of(7, 7, 7, 7, 1, 2, 1, 2), bytes(seen));
        graph.setFill(fill, from, (byte) 3, 0, 2);
        graph.setCopy(copy, to, from, 2, 0, 0);
        run(executable); // as it was made and changed
        assertEquals(List.of(7, 7, 7, 7, 1, 2, 1, 2), bytes(seen));
        executable.setFill(fill, from, (byte) 9);
        executable.setCopy(copy, to, from);
        run(executable);
        assertEquals(Collections.nCopies(8, 9), bytes(seen));
      }
      run();
      assertEquals(List.of(3, 3, 9, 9, 9, 9, 9, 9), bytes(seen));
      assertThrows(InvalidArgumentException.class, () -> graph.setCopy(copy, to, from, 9, 0, 0));
      assertThrows(InvalidArgumentException.class, () -> graph.setFill(copy, from, (byte) 3));
      assertThrows(InvalidArgumentException.class, () -> graph.fill(from, "text"));
    }
  }

  @Test
  void boxesAreCopied() {
    try (CudaBuffer from = CudaBuffer.managed(device, 16); CudaBuffer to = CudaBuffer.managed(device, 8)) {
      ByteBuffer given = from.asByteBuffer();
      for (int i = 0; i < 16; ++i) {
        given.put(i, (byte) (i + 1));
      }
      to.fill((byte) 0, stream);
      Box target = Box.in(to).from(1).shape(3, 0);
      Box source = Box.in(from).shape(4, 2).at(1, 1, 1); // byte 1 + 4 + 8
      assertEquals(4, source.rowBytes());
      assertEquals("box at (1, 1, 1) of " + from, source.toString());
      stream.copyBox(Box.in(to), Box.in(from).at(2, 1, 0).shape(4, 0), 2, 2, 1);
      stream.synchronize();
      assertEquals(List.of(7, 8, 11, 12, 0, 0, 0, 0), bytes(to.asByteBuffer()));
      GraphNode copy = graph.copyBox(null, target, source, 2, 1, 1);
      NodeInfo info = copy.getInfo();
      assertEquals(to.getAddress() + 1, info.destination());
      assertEquals(from.getAddress() + 13, info.source());
      assertEquals(List.of(2L, 2L, 1L, 1L, 3L, 1L, 4L, 2L),
          List.of(info.size(), info.width(), info.height(), info.depth(), info.destinationRowBytes(),
              info.destinationSliceRows(), info.sourceRowBytes(), info.sourceSliceRows()));
      try (ExecutableGraph executable = graph.executable()) {
        run(executable);
        assertEquals(List.of(7, 14, 15, 12, 0, 0, 0, 0), bytes(to.asByteBuffer()));
        executable.setCopyBox(copy, Box.in(to), Box.in(from), 3, 1, 1);
        run(executable);
        assertEquals(List.of(1, 2, 3, 12, 0, 0, 0, 0), bytes(to.asByteBuffer()));
        assertThrows(NotUpdatableException.class, () -> executable.setCopyBox(copy, Box.in(to), Box.in(from), 1, 2, 1));
      }
      graph.setCopyBox(copy, Box.in(to).shape(4, 0), Box.in(from).shape(8, 0), 1, 2, 1);
      run();
      assertEquals(List.of(1, 2, 3, 12, 9, 0, 0, 0), bytes(to.asByteBuffer()));
      String message = assertThrows(InvalidArgumentException.class,
          () -> stream.copyBox(Box.in(to), Box.in(from).shape(1, 0), 2, 1, 1)).getMessage();
      assertTrue(message.contains("Box.rowBytes of the source is 1; expected 0 or at least 2"), message);
      assertThrows(InvalidArgumentException.class, () -> Box.in(to).at(0, -1, 0));
      assertThrows(InvalidArgumentException.class, () -> Box.in(null));
    }
  }

  @Test
  void eventsAreRecordedAndWaitedFor() {
    try (CudaEvent first = CudaEvent.timed(device); CudaEvent second = CudaEvent.timed(device)) {
      GraphNode record = graph.record(first);
      graph.wait(record, first);
      try (ExecutableGraph executable = graph.executable()) {
        run(executable);
        assertTrue(first.query());
        executable.setEvent(record, second);
        graph.setEvent(record, second);
        assertEquals(second.getNativeHandle(), record.getInfo().event());
        run(executable);
        assertTrue(first.elapsed(second) >= 0);
      }
    }
  }

  @Test
  void aKernelNodeIsChanged() {
    try (CudaBuffer y = CudaBuffer.managed(device, 4)) {
      ByteBuffer other = y.asByteBuffer();
      view.putFloat(0, 1);
      other.putFloat(0, 100);
      GraphNode node = graph.kernel(add, ONE, x, 2f);
      try (ExecutableGraph executable = graph.executable(); ExecutableGraph untouched = graph.executable()) {
        executable.setArguments(node, add, x, 3);
        run(executable);
        assertEquals(4, value());
        executable.setArguments(node, mul, x, 3f); // of another kernel
        run(executable);
        assertEquals(12, value());
        executable.setKernel(node, mul, ONE, y, 2.0);
        run(executable);
        assertEquals(12, value());
        assertEquals(200, other.getFloat(0));
        executable.setConfig(node, LaunchConfig.builder().grid(1).block(1).dynamicShared(8).build());
        run(executable);
        assertEquals(400, other.getFloat(0));
        graph.setKernel(node, add, LaunchConfig.builder().grid(1).block(2).dynamicShared(8).build(), x, 10f);
        assertArrayEquals(new int[] {2, 1, 1}, node.getInfo().block());
        assertEquals(8, node.getInfo().dynamicShared());
        graph.setConfig(node, ONE);
        assertArrayEquals(new int[] {1, 1, 1}, node.getInfo().block());
        run(untouched);
        assertEquals(14, value());
        run();
        assertEquals(24, value());
        graph.setArguments(node, add, x, 100f);
        run();
        assertEquals(124, value());
      }
    }
  }

  private static String refused(org.junit.jupiter.api.function.Executable body) {
    return assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, body).getMessage();
  }

  @Test
  void argumentsAreConvertedAndRefusedAsByALaunch() {
    String message = refused(() -> graph.kernel(add, ONE, x, "x"));
    assertTrue(message.startsWith("argument 1 of kernel add has type java.lang.String"), message);
    assertEquals("kernel add takes 2 arguments, got 1", refused(() -> graph.kernel(add, ONE, x)));
    message = refused(() -> graph.kernel(add, LaunchConfig.of(0, 1), x, 1f));
    assertTrue(message.contains("grid[0] is 0"), message);
    CudaBuffer closed = new CudaBuffer(device, 4, stream);
    closed.close();
    message = assertThrows(InvalidHandleException.class, () -> graph.kernel(add, ONE, closed, 1f)).getMessage();
    assertTrue(message.startsWith("argument 0 of kernel add is a CudaBuffer that has been closed"), message);
    CudaEvent event = new CudaEvent(device);
    LaunchConfig withEvent = LaunchConfig.builder().grid(1).block(1).completionEvent(event).build();
    event.close();
    message = assertThrows(InvalidHandleException.class, () -> graph.kernel(add, withEvent, x, 1f)).getMessage();
    assertTrue(message.startsWith("LaunchConfig.completionEvent has been closed"), message);
    assertEquals(0, graph.getNodeCount());
    GraphNode node = graph.kernel(add, ONE, x, 2.0);
    try (ExecutableGraph executable = graph.executable()) {
      String pointer = "argument 0 of kernel add is the double 1.5; expected a pointer";
      assertTrue(refused(() -> graph.setArguments(node, add, 1.5, 2f)).startsWith(pointer));
      assertTrue(refused(() -> executable.setArguments(node, add, 1.5, 2f)).startsWith(pointer));
      assertEquals("kernel add takes 2 arguments, got 1", refused(() -> graph.setKernel(node, add, ONE, x)));
      assertEquals("kernel add takes 2 arguments, got 1", refused(() -> executable.setKernel(node, add, ONE, x)));
      assertThrows(InvalidHandleException.class, () -> graph.setConfig(node, withEvent));
      assertThrows(InvalidHandleException.class, () -> executable.setArguments(node, add, closed, 1f));
      assertThrows(InvalidArgumentException.class, () -> graph.setArguments(graph.empty(), add, x, 1f));
      run(executable);
      assertEquals(2, value(), "a refused update changed an argument");
    }
  }

  /** A buffer given inline lives as long as the graph, its executables and their launches. */
  @Test
  void keepsWhatItUses() {
    Kernel own = kernel("add");
    CudaBuffer hidden = CudaBuffer.managed(device, 4);
    CudaBuffer alias = CudaBuffer.fromNative(device, hidden.getAddress(), 4);
    Graph made = new Graph(device);
    GraphNode fill = made.fill(hidden, 0);
    GraphNode node = made.kernel(fill, own, ONE, hidden, 1f);
    made.copy(node, x, alias);
    hidden.close();
    own.close();
    for (int i = 0; i < 100; ++i) { // over its old place, if it was freed
      try (CudaBuffer other = CudaBuffer.managed(device, 4)) {
        other.asByteBuffer().putFloat(0, 1000);
      }
    }
    ExecutableGraph executable = made.executable();
    made.close();
    System.gc();
    run(executable);
    assertEquals(1, value());
    String message = assertThrows(InvalidHandleException.class, () -> made.setArguments(node, add, x, 2f)).getMessage();
    assertTrue(message.contains("Graph"), message);
    assertThrows(InvalidHandleException.class, node::getInfo);
    executable.close();
    assertThrows(InvalidHandleException.class, () -> executable.launch(stream));
    assertThrows(InvalidHandleException.class, () -> executable.setConfig(node, ONE));
    alias.close();
  }

  @Test
  void aChildRunsAsItWas() {
    try (Graph inner = new Graph(device)) {
      GraphNode step = inner.kernel(add, ONE, x, 1f);
      GraphNode child = graph.child(inner);
      inner.setArguments(step, add, x, 10f);
      try (ExecutableGraph executable = graph.executable()) {
        run(executable);
        assertEquals(1, value());
        executable.setChild(child, inner);
        run(executable);
        assertEquals(11, value());
      }
      graph.setChild(child, inner);
      Graph body = child.body();
      GraphNode inside = body.getNodes().get(0);
      body.setArguments(inside, add, x, 100f);
      run();
      assertEquals(111, value());
      assertEquals(1, body.getNodeCount());
      assertEquals("add", inside.getInfo().kernel());
      assertThrows(InvalidArgumentException.class, () -> child.body(1));
      assertThrows(CucoreException.class, body::executable);
      assertNotEquals(0, body.getNativeHandle());
      child.remove();
      assertThrows(InvalidStateException.class, body::empty);
      assertEquals(0, body.getNativeHandle());
      body.close();
    }
  }

  @Test
  void aCloneHasTheSameNodes() {
    GraphNode node = graph.kernel(add, ONE, x, 1f).label("a");
    try (Graph clone = graph.clone(); CudaDevice same = clone.getDevice()) {
      assertEquals(graph.getNodes(), clone.getNodes());
      assertEquals("a", clone.getNodes().get(0).getLabel());
      clone.setArguments(node, add, x, 5f);
      run();
      try (ExecutableGraph executable = clone.executable()) {
        run(executable);
      }
      assertEquals(6, value());
      assertEquals(device, same);
    }
  }

  @Test
  void ifRunsOneOfTwoGraphs() {
    for (int decision : new int[] {0, 1, 7}) {
      try (Graph own = new Graph(device)) {
        view.putFloat(0, 0);
        long condition = own.condition(0);
        GraphNode decide = own.kernel(kernel("decide"), ONE, condition, decision);
        GraphNode node = own.ifElse(decide, condition);
        node.body(0).kernel(add, ONE, x, 1f);
        node.body(1).kernel(add, ONE, x, 100f);
        assertEquals(NodeKind.CONDITIONAL, node.getKind());
        assertEquals(List.of(decide), node.getDependencies());
        assertEquals(condition, node.getInfo().condition());
        float expected = decision == 0 ? 100 : 1;
        try (ExecutableGraph executable = own.executable()) {
          run(executable);
          assertEquals(expected, value());
          Graph then = node.body(0);
          then.setArguments(then.getNodes().get(0), add, x, 50f);
          executable.update(own);
          run(executable);
          assertEquals(expected + (decision == 0 ? 100 : 50), value());
        }
        assertEquals(1, node.body(1).getNodeCount());
      }
    }
  }

  @Test
  void aConditionHasAValueAtEachLaunch() {
    long condition = graph.condition(1);
    Graph then = graph.ifThen(null, condition).body();
    then.kernel(add, ONE, x, 1f);
    then.kernel(kernel("decide"), ONE, condition, 0);
    try (ExecutableGraph executable = graph.executable()) {
      run(executable);
      run(executable);
    }
    assertEquals(2, value());
  }

  @Test
  void aConditionKeepsItsValueBetweenLaunches() {
    long condition = graph.condition(0, false);
    GraphNode node = graph.ifElse(null, condition);
    for (int i = 0; i < 2; ++i) {
      node.body(i).kernel(add, ONE, x, i == 0 ? 100f : 1f);
      node.body(i).kernel(kernel("decide"), ONE, condition, i);
    }
    // The value of the first launch is not defined. From then on, each launch decides the next one.
    try (ExecutableGraph executable = graph.executable()) {
      run(executable);
      run(executable);
      assertEquals(101, value());
      run(executable);
      run(executable);
      assertEquals(202, value());
    }
  }

  @Test
  void whileRunsUntilTheConditionIsZero() {
    try (CudaBuffer left = CudaBuffer.managed(device, 4)) {
      left.asByteBuffer().putInt(0, 5);
      long condition = graph.condition(1);
      try (Graph body = graph.whileTrue(null, condition).body()) {
        GraphNode step = body.kernel(add, ONE, x, 2f);
        body.kernel(step, kernel("count_down"), ONE, condition, left);
      }
      run();
      assertEquals(10, value());
    }
  }

  @Test
  void switchRunsTheGraphAtTheIndex() {
    int[] expected = {1, 2, 3, 0};
    for (int i = 0; i < expected.length; ++i) {
      try (Graph own = new Graph(device)) {
        view.putFloat(0, 0);
        GraphNode node = own.switchTo(null, own.condition(i), 3);
        for (int k = 0; k < 3; ++k) {
          node.body(k).kernel(add, ONE, x, k + 1f);
        }
        try (ExecutableGraph executable = own.executable()) {
          run(executable);
        }
        assertEquals(expected[i], value());
      }
    }
  }

  @Test
  void mistakesAboutConditionsAreRefused() {
    long condition = graph.condition(0);
    graph.whileTrue(null, condition);
    assertThrows(InvalidArgumentException.class, () -> graph.whileTrue(null, condition));
    assertThrows(InvalidArgumentException.class, () -> graph.switchTo(null, graph.condition(0), 0));
    for (int many : new int[] {65537, 1 << 28, Integer.MAX_VALUE}) {
      assertThrows(InvalidArgumentException.class, () -> graph.switchTo(null, graph.condition(0), many));
    }
    assertEquals("value is -1, below 0", refused(() -> graph.condition(-1)));
    assertEquals("count is -1, below 0", refused(() -> graph.switchTo(null, condition, -1)));
    assertEquals(1, graph.getNodeCount());
  }

  @Test
  void aWholeUpdateReplacesTheWork() {
    view.putFloat(0, 1);
    GraphNode node = graph.kernel(add, ONE, x, 1f);
    try (ExecutableGraph executable = graph.executable()) {
      try (Graph other = new Graph(device)) {
        other.kernel(mul, ONE, x, 3f);
        executable.update(other);
      }
      run(executable);
      assertEquals(3, value());
      executable.setArguments(node, mul, x, 2f);
      run(executable);
      assertEquals(6, value());
      graph.empty();
      String message = assertThrows(NotUpdatableException.class, () -> executable.update(graph)).getMessage();
      assertFalse(message.contains("cucore_"), message);
      run(executable);
      assertEquals(12, value(), "a refused update changed the executable");
    }
  }

  @Test
  void aNodeIsLeftOutAndTakenIn() {
    GraphNode node = graph.kernel(add, ONE, x, 1f);
    GraphNode empty = graph.empty();
    try (ExecutableGraph executable = graph.executable()) {
      assertTrue(executable.isEnabled(node));
      executable.setEnabled(node, false);
      assertFalse(executable.isEnabled(node));
      run(executable);
      assertEquals(0, value());
      executable.setEnabled(node, true);
      run(executable);
      assertEquals(1, value());
      assertThrows(InvalidArgumentException.class, () -> executable.setEnabled(empty, false));
      GraphNode late = graph.kernel(add, ONE, x, 1f);
      assertThrows(NotFoundException.class, () -> executable.setArguments(late, add, x, 1f));
    }
  }

  @Test
  void anExecutableHasOptions() {
    graph.empty();
    ExecutableOptions options = ExecutableOptions.builder().freeOnLaunch(true).nodePriority(true).build();
    assertEquals("freeOnLaunch=true, nodePriority=true", options.toString());
    try (ExecutableGraph executable = graph.executable(options); CudaDevice same = executable.getDevice()) {
      executable.upload(stream);
      run(executable);
      assertEquals(device, same);
      assertNotEquals(0, executable.getNativeHandle());
      assertNotEquals(graph.getNativeHandle(), executable.getNativeHandle());
      assertEquals("ExecutableGraph 0x" + Long.toHexString(executable.getNativeHandle()) + " of device 0", executable.toString());
    }
    assertEquals("Graph of 1 node", graph.toString());
  }

  @Test
  void functionsOfJavaAreNodes() {
    List<Float> seen = Collections.synchronizedList(new ArrayList<>());
    GraphNode first = graph.kernel(add, ONE, x, 1f);
    GraphNode host = graph.host(first, () -> seen.add(value()));
    GraphNode last = graph.kernel(host, add, ONE, x, 10f);
    assertEquals(List.of(first), host.getDependencies());
    assertEquals(List.of(last), host.getDependents());
    assertSame(graph, host.getGraph());
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    graph.host(last, () -> threads.add(Thread.currentThread()), Runnable::run);
    try (ExecutableGraph executable = graph.executable()) {
      run(executable);
      run(executable);
    }
    assertEquals(List.of(1f, 12f), seen);
    assertEquals(22, value());
    assertEquals(2, threads.size());
    assertEquals(List.of(), graph.host(null, () -> {}).getDependencies());
  }

  @Test
  void graphsAllocateMemory() {
    CudaBuffer inside = graph.buffer(null, 64, device);
    GraphNode allocation = graph.allocationOf(inside);
    assertEquals(NodeKind.ALLOCATION, allocation.getKind());
    assertEquals(inside.getAddress(), allocation.getInfo().destination());
    GraphNode filled = graph.fill(allocation, inside, 1f);
    GraphNode last = graph.copy(graph.kernel(filled, add, ONE, inside, 1f), x, inside, 4, 0, 0);
    GraphNode end = graph.free(last, inside);
    assertEquals(NodeKind.FREE, end.getKind());
    assertEquals(List.of(last), end.getDependencies());
    try (ExecutableGraph executable = graph.executable()) {
      run(executable);
      run(executable);
    }
    assertEquals(2, value());
    assertThrows(InvalidArgumentException.class, () -> graph.buffer(null, 0));
    assertEquals("length is -1, below 0", refused(() -> graph.buffer(null, -1)));
    inside.close();
  }

  @Test
  void wordsAreNodes() {
    try (CudaBuffer words = CudaBuffer.pinned(device, 16)) {
      ByteBuffer seen = words.asByteBuffer();
      seen.putLong(0, 3);
      seen.putLong(8, 0);
      GraphNode wait = graph.waitValue(null, words, 0, 3, 8, Comparison.EQUAL);
      GraphNode write = graph.writeValue(wait, words, 8, 7, 8);
      assertEquals(Comparison.EQUAL, wait.getInfo().comparison());
      assertEquals(Comparison.UNKNOWN, write.getInfo().comparison());
      assertEquals(7, write.getInfo().pattern());
      run();
      assertEquals(7, seen.getLong(8));
      assertThrows(InvalidArgumentException.class, () -> graph.writeValue(null, words, 0, 1, 3));
    }
  }

  /** A graph, its executables and launches in flight keep a function; then it is dropped. */
  @Test
  void functionsLiveAsLongAsTheirGraph() throws Exception {
    List<Object> ran = Collections.synchronizedList(new ArrayList<>());
    Object data = new Object();
    WeakReference<Object> gone = new WeakReference<>(data);
    Graph own = new Graph(device);
    own.host(null, counting(ran, data));
    data = null;
    ExecutableGraph executable = own.executable();
    own.close();
    System.gc();
    run(executable);
    run(executable);
    assertEquals(2, ran.size());
    assertNotNull(gone.get(), "the executable lost its function");
    ran.clear();
    executable.close();
    for (int i = 0; i < 600 && gone.get() != null; ++i) {
      System.gc();
      Thread.sleep(50);
    }
    assertNull(gone.get(), "the function lives on");
  }

  private static Runnable counting(List<Object> ran, Object data) {
    return () -> ran.add(data);
  }

  @Test
  void threadsBuildUpdateAndLaunch() throws Exception {
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; ++t) {
      Thread thread = new Thread(() -> {
        try (CudaStream own = new CudaStream(device); CudaBuffer y = CudaBuffer.managed(device, 4); Graph built = new Graph(device)) {
          ByteBuffer sum = y.asByteBuffer();
          sum.putFloat(0, 0);
          GraphNode node = built.kernel(add, ONE, y, 1f);
          try (ExecutableGraph executable = built.executable()) {
            for (int i = 0; i < 50; ++i) {
              executable.setArguments(node, add, y, i);
              executable.launch(own);
            }
            own.synchronize();
          }
          assertEquals(49 * 50 / 2, sum.getFloat(0));
        } catch (Throwable e) {
          failures.add(e);
        }
      });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), new ArrayList<>(failures));
  }

  /** One thread closes a graph while another adds to it: each call works or is refused. */
  @Test
  void isClosedWhileItIsUsed() throws Exception {
    for (int i = 0; i < 50; ++i) {
      Graph raced = new Graph(device);
      Thread closing = new Thread(raced::close);
      closing.start();
      try {
        while (closing.isAlive()) {
          raced.kernel(add, ONE, x, 1f).label("a");
        }
      } catch (InvalidHandleException e) {
        assertTrue(raced.isClosed());
      }
      closing.join();
    }
  }
}
