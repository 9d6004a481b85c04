// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaFuture;
import io.cucore.CudaQueue;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** An errand: a kernel prints, one of the ways to wait follows, and the process ends at once. */
final class Printed {
  private static final String SOURCE =
      "extern \"C\" __global__ void say(int n) {\n"
          + "  for (int i = 0; i < n; ++i) __nanosleep(1000);\n"
          + "  printf(\"said %d\\n\", n);\n"
          + "}\n";

  interface Wait {
    void run() throws Exception;
  }

  private final CudaDevice device = World.device();
  private final CudaStream stream = new CudaStream(device);
  private final CudaEvent event = new CudaEvent(device);
  private final CudaQueue queue = new CudaQueue();
  private final CudaBuffer buffer = new CudaBuffer(device, 64, stream);

  private CudaEvent recorded() {
    event.record(stream);
    return event;
  }

  private CudaFuture future() {
    return CudaFuture.fromStream(stream, queue, 1);
  }

  private static void poll(BooleanSupplier query) {
    while (!query.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  Map<String, Wait> waits() {
    Executor here = Runnable::run;
    Map<String, Wait> waits = new LinkedHashMap<>();
    waits.put("stream", stream::synchronize);
    waits.put("event", () -> recorded().synchronize());
    waits.put("device", device::synchronize);
    waits.put("read", () -> buffer.read(new byte[64], stream));
    waits.put("future", () -> future().waitFor(20, TimeUnit.SECONDS));
    waits.put("queue", () -> {
      future();
      queue.waitFor(20, TimeUnit.SECONDS, 1);
    });
    waits.put("completion", () -> stream.completion().get(20, TimeUnit.SECONDS));
    waits.put("completionIn", () -> stream.completion(here).get(20, TimeUnit.SECONDS));
    waits.put("polledStream", () -> poll(stream::query));
    waits.put("polledEvent", () -> poll(recorded()::query));
    waits.put("polledFuture", () -> poll(future()::query));
    return waits;
  }

  static void andEnd(String name, int turns) throws Exception {
    Printed printed = new Printed();
    Kernel say = World.compile(SOURCE).kernel("say");
    say.launch(printed.stream, LaunchConfig.of(1, 1), turns);
    printed.waits().get(name).run();
    if (Machine.HAS_GPU) { // its driver may leave the text in C's stdout, which is written at exit
      System.exit(0);
    }
    Runtime.getRuntime().halt(0);
  }
}
