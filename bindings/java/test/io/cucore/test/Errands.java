// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import io.cucore.BatchItem;
import io.cucore.Cache;
import io.cucore.CacheResult;
import io.cucore.CodeType;
import io.cucore.Cucore;
import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidCodeException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.Log;
import io.cucore.LogLevel;
import io.cucore.ObjectCode;
import io.cucore.Program;
import io.cucore.array.DType;
import io.cucore.array.Nd;
import io.cucore.array.NdArray;
import io.cucore.array.Scalar;
import io.cucore.array.Scope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Tests in a separate JVM: its environment, its end, its memory. */
public final class Errands {
  private Errands() {}

  /** Runs the errand that the first argument names. */
  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "version":
        System.out.print(Cucore.versionString());
        break;
      case "fail":
        fail(arguments[1]);
        break;
      case "faultAndReset":
        Faults.andReset();
        break;
      case "faultOfFutures":
        Faults.ofFutures();
        break;
      case "faultOfWait":
        Faults.ofWait(arguments[1]);
        break;
      case "otherDevice":
        ArgumentsTest.otherDevice();
        break;
      case "stress":
        Stress.run(Double.parseDouble(arguments[1]));
        break;
      case "faultsMeetFutures":
        Faults.meetFutures();
        break;
      case "printed":
        Printed.andEnd(arguments[1], Integer.parseInt(arguments[2]));
        break;
      case "exit":
        exit(arguments[1]);
        break;
      case "arrays":
        arrays(arguments[1]);
        break;
      case "memory":
        memory();
        break;
      case "cache":
        cache(arguments);
        break;
      case "cacheMemory":
        cacheMemory(Path.of(arguments[1]));
        break;
      case "batch":
        batch();
        break;
      default:
        throw new AssertionError(arguments[0]);
    }
  }

  private static void fail(String how) {
    try {
      if (how.equals("compile")) {
        World.compile(World.SOURCE).close();
      } else {
        new CudaDevice(0).close();
      }
      System.out.print("no failure");
    } catch (CucoreException e) {
      System.out.print(e.getClass().getSimpleName() + " " + e.status());
    }
  }

  /** Ends with all objects open and work in a stream. */
  private static void exit(String how) throws Exception {
    new Log(LogLevel.DEBUG, (level, message) -> {});
    CudaDevice device = new CudaDevice(0);
    CudaStream stream = new CudaStream(device);
    ObjectCode code = World.compile(World.SOURCE);
    Kernel kernel = code.kernel("scale");
    CudaBuffer buffer = new CudaBuffer(device, 4 << 20, stream);
    CudaEvent event = CudaEvent.timed(device);
    for (int i = 0; i < 50; ++i) {
      kernel.launch(stream, LaunchConfig.covering(1 << 20, 256), 2f, buffer, 1 << 20);
    }
    event.record(stream);
    stream.completion().thenRun(() -> {});
    Thread waiting = new Thread(stream::synchronize);
    waiting.setDaemon(true);
    waiting.start();
    end(how);
  }

  private static void end(String how) {
    if (how.equals("system")) {
      System.exit(0);
    } else if (how.equals("halt")) {
      Runtime.getRuntime().halt(0);
    }
  }

  /** Ends with operations that wait and that run, in an open scope and outside of it. */
  private static void arrays(String how) throws Exception {
    NdArray x = Nd.full(DType.FLOAT32, Scalar.of(1), 1 << 20);
    for (int i = 0; i < 100; ++i) {
      x.add(i).evaluate();
    }
    new Scope();
    NdArray waiting = x.sin().multiply(2);
    waiting.evaluateAsync().thenRun(() -> {});
    waiting.addAssign(1);
    Thread thread = new Thread(waiting::toFloatArray);
    thread.setDaemon(true);
    thread.start();
    end(how);
  }

  /** Compiles through the cache of a folder, or of the environment; prints the place where it was found. */
  private static void cache(String[] arguments) {
    try (Cache cache = arguments.length > 1 ? new Cache(Path.of(arguments[1])) : new Cache();
        Program program = CacheTest.program(World.SOURCE, "shared.cu")) {
      CacheResult result = cache.compile(program, CodeType.PTX);
      result.code().kernel("scale").close();
      System.out.print(result.outcome());
    }
  }

  private static void batch() {
    try (Program program = Program.ofCuda(World.SOURCE)) {
      Program.compileBatch(List.of(BatchItem.of(program, CodeType.PTX)));
    } catch (CucoreException e) {
      System.out.print(e.getClass().getSimpleName() + " " + e.getMessage());
    }
  }

  /** Hits, misses, builds that throw; prints the growth of the process in bytes. */
  private static void cacheMemory(Path folder) throws Exception {
    try (Cache cache = new Cache(folder);
        ObjectCode code = World.compile(World.SOURCE)) {
      cache.put(CacheTest.key(1), code);
      useAndFail(cache, 5_000);
      long before = resident();
      useAndFail(cache, 20_000);
      System.out.print(resident() - before);
    }
  }

  private static void useAndFail(Cache cache, int times) {
    for (int i = 0; i < times; ++i) {
      cache.getOrBuild(CacheTest.key(1), () -> null).code().close();
      try {
        cache.getOrBuild(CacheTest.key(2), () -> { throw new IllegalStateException(); });
        throw new AssertionError("nothing was thrown");
      } catch (IllegalStateException e) {
        // as expected
      }
      if (cache.getStatistics().entries() != 1) {
        throw new AssertionError("entries");
      }
    }
  }

  private static long resident() throws Exception {
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
  }

  /**
   * Creates and drops objects, closed and not; prints the median growth of the process in bytes. A leak is in each
   * round, a new arena of the allocator or of the compiler in one.
   */
  private static void memory() throws Exception {
    try (CudaDevice device = new CudaDevice(0);
        CudaStream stream = new CudaStream(device)) {
      long[] grown = new long[5];
      makeAndDrop(device, stream, 10_000);
      fail(device, 1_000);
      for (int round = 0; round < grown.length; ++round) {
        long before = resident();
        makeAndDrop(device, stream, 18_000);
        fail(device, 2_000);
        grown[round] = resident() - before;
      }
      Arrays.sort(grown);
      System.out.print(grown[grown.length / 2]);
    }
  }

  /** The arguments of a failed call, and its exception, must also be freed. */
  private static void fail(CudaDevice device, int times) {
    byte[] bytes = new byte[10_000];
    for (int i = 0; i < times; ++i) {
      try {
        ObjectCode.deserialize(bytes);
        throw new AssertionError("zeros are not a container");
      } catch (InvalidCodeException e) {
        // as expected
      }
      try {
        device.attribute(-1);
        throw new AssertionError("no attribute is -1");
      } catch (InvalidArgumentException e) {
        // as expected
      }
    }
  }

  private static void makeAndDrop(CudaDevice device, CudaStream stream, int count) throws Exception {
    for (int i = 0; i < count; ++i) {
      CudaEvent event = new CudaEvent(device);
      CudaBuffer buffer = new CudaBuffer(device, 256, stream);
      CudaStream other = new CudaStream(device);
      if (i % 4 != 0) {
        event.close();
        buffer.close();
        other.close();
      } else if (i % 1000 == 0) {
        System.gc(); // the size of native objects is unknown to the collector
        Thread.sleep(2);
      }
    }
  }
}
