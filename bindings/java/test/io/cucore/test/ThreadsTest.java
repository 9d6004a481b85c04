// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.cucore.Checks;
import io.cucore.ChecksOptions;
import io.cucore.CodeType;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.Graph;
import io.cucore.GraphNode;
import io.cucore.InvalidHandleException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.NodeKind;
import io.cucore.ObjectCode;
import io.cucore.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Scenarios of threads, the collector and the end of the process: 8, 9, 11, 12, 13, 17. */
class ThreadsTest {
  private static void all(List<Callable<Void>> bodies) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(bodies.size());
    try {
      for (Future<Void> each : threads.invokeAll(bodies)) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void collect() throws InterruptedException {
    for (int i = 0; i < 3; ++i) {
      System.gc();
      Thread.sleep(5);
    }
  }

  @Test
  void collectedWhileInUse() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Thread collector = new Thread(() -> {
      while (!done.get()) {
        System.gc();
        LockSupport.parkNanos(2_000_000); // without a pause only the collector makes progress
      }
    });
    collector.start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(8);
    try (CudaDevice device = World.device()) {
      for (int i = 0; i < 100 && (i < 10 || System.nanoTime() < end); ++i) {
        float[] values = World.ramp(64);
        // Variables refer to none of these while the calls on them run.
        CudaStream stream = new CudaStream(device);
        CudaBuffer x = new CudaBuffer(device, 256, stream);
        x.write(values, stream);
        World.code().kernel("scale").launch(stream, LaunchConfig.of(1, 64), 2f, x, 64);
        x.read(values, stream);
        assertEquals(126f, values[63]);
        new CudaStream(device).synchronize();
        assertTrue(ObjectCode.fromBytes(CodeType.PTX, World.code().getBytes()).getSymbols().size() > 5);
      }
    } finally {
      done.set(true);
      collector.join();
    }
  }

  @Test
  void closeWhileInUse() throws Exception {
    int ended = 0;
    int refused = 0;
    try (CudaDevice device = World.device();
        CudaStream aside = new CudaStream(device);
        Gate gate = Gate.of(device, aside)) {
      for (int i = 0; i < 60; ++i) {
        CudaStream stream = new CudaStream(device);
        CudaBuffer x = new CudaBuffer(device, 4, stream);
        gate.hold(stream);
        boolean reads = i % 2 == 0;
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread inside = new Thread(() -> {
          try {
            if (reads) {
              x.read(new byte[4], stream);
            } else {
              stream.synchronize();
            }
          } catch (Throwable e) {
            failure.set(e);
          }
        });
        inside.start();
        Thread.sleep(i % 3);
        stream.close();
        x.close();
        gate.open();
        inside.join(20_000);
        assertTrue(!inside.isAlive());
        Throwable e = failure.get();
        assertTrue(e == null || e instanceof InvalidHandleException, String.valueOf(e));
        ended += e == null ? 1 : 0;
        refused += e == null ? 0 : 1;
      }
      aside.synchronize();
    }
    assertTrue(ended > 0, "no call ever got in: " + refused);
    closeWhileCompiling();
    closeInManyThreads();
  }

  private void closeWhileCompiling() throws Exception {
    for (int i = 0; i < 6; ++i) {
      Program program = Program.ofCuda(World.SOURCE);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread inside = new Thread(() -> {
        try {
          program.compile(CodeType.PTX).close();
        } catch (Throwable e) {
          failure.set(e);
        }
      });
      inside.start();
      Thread.sleep(i);
      program.close();
      inside.join();
      assertTrue(failure.get() == null || failure.get() instanceof InvalidHandleException, String.valueOf(failure.get()));
    }
  }

  /** Short calls and closes of one object from many threads, while slots are reused at once. */
  private void closeInManyThreads() throws Exception {
    try (CudaDevice device = World.device()) {
      AtomicReference<CudaEvent> shared = new AtomicReference<>(new CudaEvent(device));
      List<Callable<Void>> bodies = new ArrayList<>();
      for (int t = 0; t < 6; ++t) {
        boolean closes = t < 2;
        bodies.add(() -> {
          for (int i = 0; i < 20_000; ++i) {
            CudaEvent event = shared.get();
            try {
              if (closes) {
                event.close();
                shared.set(new CudaEvent(device));
              } else {
                assertTrue(event.query());
                assertTrue(!event.hasTiming() && event.getNativeHandle() != 0);
              }
            } catch (InvalidHandleException e) {
              // closed by another thread, as expected
            }
          }
          return null;
        });
      }
      all(bodies);
    }
  }

  @Test
  void finalizerThread() throws Exception {
    try (CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device);
        CudaBuffer x = new CudaBuffer(device, 4000, stream);
        Kernel scale = World.code().kernel("scale")) {
      float[] values = World.ramp(1000);
      x.write(values, stream);
      for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 50; ++i) {
          new CudaEvent(device).record(stream);
          new CudaBuffer(device, 64, new CudaStream(device));
          World.code().kernel("nothing").launch(stream, LaunchConfig.of(1, 1));
        }
        scale.launch(stream, LaunchConfig.covering(1000, 128), round % 2 == 0 ? 2f : 0.5f, x, 1000);
        collect();
      }
      float[] got = new float[1000];
      x.read(got, stream);
      assertArrayEquals(values, got);
    }
  }

  /** Adds one to x by an executable that nothing refers to afterwards. Only the returned node refers to its graph. */
  private static GraphNode forgetAGraph(CudaDevice device, CudaStream stream, Kernel add, CudaBuffer x) {
    Graph graph = new Graph(device);
    GraphNode node = graph.kernel(add, LaunchConfig.of(1, 1), x, 1f);
    graph.executable().launch(stream);
    return node;
  }

  private static long graphsAlive(Checks checks) {
    checks.query();
    return checks.callCount("cuGraphCreate") - checks.callCount("cuGraphDestroy")
        + checks.callCount("cuGraphInstantiateWithParams") - checks.callCount("cuGraphExecDestroy");
  }

  @Test
  void finalizerThreadOfGraphs() throws Exception {
    assumeTrue(World.device().isEmulated(), "counts the calls of the CPU device");
    try (CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device);
        CudaBuffer x = CudaBuffer.managed(device, 4);
        Kernel add = World.graphCode().kernel("add");
        Checks checks = new Checks(ChecksOptions.builder().kinds("none").build())) {
      x.asByteBuffer().putFloat(0, 0);
      for (int round = 0; round < 20; ++round) {
        List<GraphNode> views = new ArrayList<>();
        for (int i = 0; i < 10; ++i) {
          views.add(forgetAGraph(device, stream, add, x));
        }
        collect();
        for (GraphNode view : views) {
          assertEquals(NodeKind.KERNEL, view.getKind());
        }
      }
      stream.synchronize();
      assertEquals(200, x.asByteBuffer().getFloat(0));
      for (int i = 0; i < 1000 && graphsAlive(checks) != 0; ++i) {
        collect();
      }
      assertEquals(0, graphsAlive(checks));
      assertEquals(200, checks.callCount("cuGraphDestroy"));
      assertEquals(200, checks.callCount("cuGraphExecDestroy"));
    }
  }

  @Test
  void exit() throws Exception {
    for (String how : new String[] {"return", "system", "halt"}) {
      Child child = Child.run(Map.of(), List.of(), "exit", how);
      assertEquals("", child.output);
      assertEquals(0, child.code);
    }
  }

  @Test
  void eightThreads() throws Exception {
    List<Callable<Void>> bodies = new ArrayList<>();
    for (int t = 0; t < 8; ++t) {
      int factor = t + 2;
      bodies.add(() -> {
        String source = "extern \"C\" __global__ void k(float *x) { x[threadIdx.x] *= " + factor + "; }";
        try (CudaDevice device = World.device();
            ObjectCode code = World.compile(source);
            Kernel own = code.kernel("k");
            Kernel shared = World.code().kernel("scale");
            CudaStream stream = new CudaStream(device);
            CudaBuffer x = new CudaBuffer(device, 1024, stream)) {
          for (int i = 0; i < 50; ++i) {
            float[] values = World.ramp(256);
            x.write(values, stream);
            own.launch(stream, LaunchConfig.of(1, 256), x);
            shared.launch(stream, LaunchConfig.of(2, 128), 0.5f, x, 256);
            x.read(values, stream);
            for (int k = 0; k < 256; ++k) {
              assertEquals(k * factor * 0.5f, values[k]);
            }
          }
        }
        return null;
      });
    }
    all(bodies);
  }

  @Test
  void memoryIsFlat() throws Exception {
    Child child = Child.run(Map.of(), List.of("-Xmx48m", "-Xms48m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"), "memory");
    assertEquals(0, child.code, child.output);
    long grown = Long.parseLong(child.output);
    System.out.println("memory is flat: " + grown / 1024 + " KiB more after 18 000 further events, buffers and streams");
    assertTrue(grown < 2 << 20, grown + " bytes more");
  }
}
