// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.ExecutableGraph;
import io.cucore.Graph;
import io.cucore.GraphNode;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.InvalidStateException;
import io.cucore.LaunchConfig;
import io.cucore.NodeInfo;
import io.cucore.NodeKind;
import io.cucore.NotFoundException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Graphs by hand: nodes, edges, settings, arguments, children, clones. */
class GraphTest extends GraphTesting {
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
}
