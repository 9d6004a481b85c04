// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import io.cucore.Arg;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaMemoryPool;
import io.cucore.CudaStream;
import io.cucore.InvalidHandleException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Eight threads on four streams: kernels of random length, on buffers that are closed, dropped,
 * cancelled and timed out at random. No device may be lost, no result wrong, and memory stays flat.
 */
final class Stress {
  private static final String SOURCE =
      "extern \"C\" __global__ void work(unsigned *x, int n, unsigned add, int spins, unsigned never) {\n"
          + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          + "  unsigned v = 2 * i;\n"
          + "  for (int k = 0; k < spins; ++k) v = (v * 1664525u + 1013904223u) & ~1u;\n"
          + "  if (i < n) x[i] += add + (v == never);\n"
          + "}\n";
  private static final int THREADS = 8;
  private static final int STREAMS = 4;
  private static final int SHARED = 4;
  private static final int COUNT = 256;
  private static final int BYTES = 4 * COUNT;
  private static final int LARGE = 64 << 20;
  private static final int NEVER = 1; // v is even
  private static final LaunchConfig CONFIG = LaunchConfig.covering(COUNT, 64);
  private static final int MOST_GROWN = (Machine.HAS_GPU ? 128 : 32) << 20;
  private static final int LONGEST_SPIN = Machine.HAS_GPU ? 500_000 : 300;

  private final CudaDevice device = new CudaDevice(0);
  private final List<CudaStream> streams = new ArrayList<>();
  private final ObjectCode code = World.compile(SOURCE);
  private final AtomicReferenceArray<CudaBuffer> shared = new AtomicReferenceArray<>(SHARED);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicLong launches = new AtomicLong();
  private final AtomicLong checks = new AtomicLong();
  private final AtomicLong timeouts = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();

  private Stress() {
    for (int i = 0; i < STREAMS; ++i) {
      streams.add(new CudaStream(device));
    }
  }

  /** Runs for this many seconds and prints the figures; the first part lets the process reach its size. */
  static void run(double seconds) throws Exception {
    Stress stress = new Stress();
    stress.phase(1, seconds / 4);
    long resident = resident();
    long used = stress.usedMemory();
    stress.phase(2, seconds * 3 / 4);
    long grown = resident() - resident;
    long leaked = stress.usedMemory() - used;
    System.out.printf("stress of %.0f s: %d launches, %d results checked, %d timeouts, %d closed buffers refused; "
            + "resident %d KiB, %+d KiB; device memory %d KiB, %+d KiB%n", seconds, stress.launches.get(), stress.checks.get(),
        stress.timeouts.get(), stress.refusals.get(), resident >> 10, grown >> 10, used >> 10, leaked >> 10);
    if (grown > MOST_GROWN || leaked > 64 << 20) {
      throw new AssertionError("memory is not flat");
    }
  }

  private void phase(int number, double seconds) throws Exception {
    long end = System.nanoTime() + (long) (seconds * 1e9);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; ++t) {
      long seed = 1000L * number + t;
      Thread thread = new Thread(() -> work(new SplittableRandom(seed), end, "seed " + seed));
      thread.start();
      threads.add(thread);
    }
    for (Thread each : threads) {
      each.join();
    }
    if (failure.get() != null) {
      throw new AssertionError("the stress failed", failure.get());
    }
    settle();
  }

  /** Returns when collections release no further memory of the device, at the latest after some seconds. */
  private void settle() throws Exception {
    for (int i = 0; i < SHARED; ++i) {
      shared.set(i, null);
    }
    long least = Long.MAX_VALUE;
    for (int round = 0, without = 0; round < 100 && without < 10; ++round) {
      System.gc();
      Thread.sleep(20);
      device.synchronize();
      try (CudaMemoryPool pool = device.getPool()) {
        pool.trim(0); // the pool keeps what was freed after the last wait
      }
      long used = usedMemory();
      without = used < least ? 0 : without + 1;
      least = Math.min(least, used);
    }
  }

  private void work(SplittableRandom random, long end, String name) {
    try (Kernel kernel = code.kernel("work")) {
      for (int i = 0; System.nanoTime() < end && failure.get() == null; ++i) {
        step(random, kernel);
        if (i % 8 == 0) {
          any(random).synchronize(); // threads must not run ahead of the device without end
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, new AssertionError(name, e));
    }
  }

  private void step(SplittableRandom random, Kernel kernel) throws Exception {
    switch (random.nextInt(8)) {
      case 0:
        closeAtOnce(random, kernel);
        break;
      case 1:
        drop(random, kernel);
        break;
      case 2:
        timeOut(random, kernel);
        break;
      case 3:
        cancel(random, kernel);
        break;
      case 4:
        useShared(random, kernel);
        break;
      case 5:
        shared.set(random.nextInt(SHARED), new CudaBuffer(device, BYTES, any(random)));
        break;
      default:
        check(random, kernel);
    }
  }

  private CudaStream any(SplittableRandom random) {
    return streams.get(random.nextInt(STREAMS));
  }

  private void launch(SplittableRandom random, Kernel kernel, CudaStream stream, Object buffer, int add) {
    int spins = random.nextInt(10) == 0 ? random.nextInt(10 * LONGEST_SPIN) : random.nextInt(LONGEST_SPIN);
    kernel.launch(stream, CONFIG, buffer, COUNT, add, spins, NEVER);
    launches.incrementAndGet();
  }

  private CudaBuffer filled(CudaStream stream, int value) {
    CudaBuffer made = new CudaBuffer(device, BYTES, stream);
    made.fill(value, stream);
    return made;
  }

  private void closeAtOnce(SplittableRandom random, Kernel kernel) {
    CudaStream owner = any(random);
    CudaStream user = any(random);
    try (CudaBuffer x = filled(owner, 0)) {
      user.waitStream(owner);
      launch(random, kernel, user, x, 1);
    }
  }

  /** Nothing is closed, and some of it is large: the collector must run before memory is exhausted. */
  private void drop(SplittableRandom random, Kernel kernel) {
    CudaStream owner = any(random);
    CudaStream user = any(random);
    Arg argument = Arg.of(random.nextInt(4) == 0
        ? random.nextBoolean() ? CudaBuffer.pinned(device, BYTES) : CudaBuffer.managed(device, BYTES)
        : new CudaBuffer(device, random.nextInt(4) == 0 ? LARGE : BYTES, owner));
    user.waitStream(owner);
    launch(random, kernel, user, argument, 1);
  }

  private void timeOut(SplittableRandom random, Kernel kernel) throws Exception {
    CudaStream owner = any(random);
    CudaStream user = any(random);
    try (CudaBuffer x = filled(owner, 0)) {
      user.waitStream(owner);
      launch(random, kernel, user, x, 1);
      user.completion().get(random.nextInt(500), TimeUnit.MICROSECONDS);
    } catch (TimeoutException e) {
      timeouts.incrementAndGet();
    }
  }

  private void cancel(SplittableRandom random, Kernel kernel) throws ExecutionException {
    CudaStream owner = any(random);
    CudaStream user = any(random);
    try (CudaBuffer x = filled(owner, 0)) {
      user.waitStream(owner);
      launch(random, kernel, user, x, 1);
      CompletableFuture<Void> completion = user.completion();
      completion.cancel(random.nextBoolean());
    }
  }

  /** Another thread may close the buffer at any time. */
  private void useShared(SplittableRandom random, Kernel kernel) {
    int slot = random.nextInt(SHARED);
    CudaBuffer x = shared.get(slot);
    if (x == null) {
      return;
    }
    try {
      for (int i = 0; i < 4; ++i) {
        if (random.nextInt(4) == 0) {
          x.close();
        }
        launch(random, kernel, any(random), random.nextBoolean() ? x : Arg.of(x), 1);
      }
    } catch (InvalidHandleException e) {
      refusals.incrementAndGet();
    }
  }

  /** Other threads never write the memory of this one, whatever was freed before. */
  private void check(SplittableRandom random, Kernel kernel) {
    int start = random.nextInt();
    int add = random.nextInt(1000);
    CudaStream owner = any(random);
    CudaBuffer x = filled(owner, start);
    int kernels = 1 + random.nextInt(3);
    CudaStream before = owner;
    for (int i = 0; i < kernels; ++i) {
      CudaStream user = any(random);
      user.waitStream(before);
      launch(random, kernel, user, x, add);
      before = user;
    }
    int[] got = new int[COUNT];
    x.read(got, before);
    for (int each : got) {
      if (each != start + kernels * add) {
        throw new AssertionError("wrong result: " + each + " instead of " + (start + kernels * add));
      }
    }
    checks.incrementAndGet();
    if (random.nextBoolean()) {
      x.close();
    }
  }

  private long usedMemory() {
    return device.getMemory().total() - device.getMemory().free();
  }

  private static long resident() throws Exception {
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
  }
}
