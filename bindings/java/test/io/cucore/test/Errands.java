package io.cucore.test;

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
import java.nio.file.Files;
import java.nio.file.Path;

/** What a JVM of its own is for: its environment, its end, its memory. */
public final class Errands {
  private Errands() {}

  /** Runs the errand that the first argument names. */
  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "fail":
        fail(arguments[1]);
        break;
      case "exit":
        exit(arguments[1]);
        break;
      case "memory":
        memory();
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

  /** Ends with everything open and work in a stream. */
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
    if (how.equals("system")) {
      System.exit(0);
    } else if (how.equals("halt")) {
      Runtime.getRuntime().halt(0);
    }
  }

  private static long resident() throws Exception {
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
  }

  /** Makes and drops objects, closed and not; prints by how many bytes the process has grown. */
  private static void memory() throws Exception {
    try (CudaDevice device = new CudaDevice(0);
        CudaStream stream = new CudaStream(device)) {
      makeAndDrop(device, stream, 10_000);
      fail(device, 1_000);
      long before = resident();
      makeAndDrop(device, stream, 90_000);
      fail(device, 10_000);
      System.out.print(resident() - before);
    }
  }

  /** What a failed call was given, and its exception, must go too. */
  private static void fail(CudaDevice device, int times) {
    byte[] bytes = new byte[10_000];
    for (int i = 0; i < times; ++i) {
      try {
        ObjectCode.deserialize(bytes);
        throw new AssertionError("zeros are no container");
      } catch (InvalidCodeException e) {
        // as it should be
      }
      try {
        device.attribute(-1);
        throw new AssertionError("no attribute is -1");
      } catch (InvalidArgumentException e) {
        // as it should be
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
        System.gc(); // the collector does not see how large native objects are
        Thread.sleep(2);
      }
    }
  }
}
