// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Box;
import io.cucore.Comparison;
import io.cucore.CudaBuffer;
import io.cucore.CudaEvent;
import io.cucore.ExecutableGraph;
import io.cucore.ExecutableOptions;
import io.cucore.GraphNode;
import io.cucore.InvalidArgumentException;
import io.cucore.NodeInfo;
import io.cucore.NodeKind;
import io.cucore.NotUpdatableException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The work of nodes: copies, fills, boxes, events, functions, memory, words. */
class GraphWorkTest extends GraphTesting {
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
}
