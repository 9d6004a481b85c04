// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.ExecutableGraph;
import io.cucore.ExecutableOptions;
import io.cucore.Graph;
import io.cucore.GraphNode;
import io.cucore.InvalidArgumentException;
import io.cucore.LaunchConfig;
import io.cucore.NotFoundException;
import io.cucore.NotUpdatableException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Executables of graphs, changes of their nodes, and whole updates. */
class GraphChangesTest extends GraphTesting {
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
}
