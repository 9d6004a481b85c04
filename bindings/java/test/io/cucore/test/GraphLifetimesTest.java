// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CudaBuffer;
import io.cucore.ExecutableGraph;
import io.cucore.Graph;
import io.cucore.GraphNode;
import io.cucore.InvalidHandleException;
import io.cucore.Kernel;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lifetimes of graphs and executables, and of what they keep. */
class GraphLifetimesTest extends GraphTesting {
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
