// SPDX-License-Identifier: Apache-2.0
import io.cucore.CodeType;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaFuture;
import io.cucore.CudaQueue;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * How late Java hears of a kernel's end in each way that there is, and how many ends a second: tables
 * in markdown. Latency is from the moment that a thread which does nothing but look sees the kernel's
 * last word in pinned memory.
 *
 * <p>CompletionBench [SAMPLES]
 */
public final class CompletionBench {
  // Reads a word `turns` times, then writes a value to another.
  private static final String PTX =
      ".version 8.0\n.target sm_75\n.address_size 64\n"
          + ".visible .entry work(.param .u64 word, .param .u32 turns, .param .u32 value)\n{\n"
          + "  .reg .pred %p;\n  .reg .b32 %r<5>;\n  .reg .b64 %rd<3>;\n"
          + "  ld.param.u64 %rd0, [word];\n  cvta.to.global.u64 %rd1, %rd0;\n"
          + "  ld.param.u32 %r0, [turns];\n  ld.param.u32 %r1, [value];\n  mov.u32 %r2, 0;\n"
          + "AGAIN:\n  setp.ge.u32 %p, %r2, %r0;\n  @%p bra DONE;\n  add.u32 %r2, %r2, 1;\n"
          + "  ld.volatile.global.u32 %r3, [%rd1+64];\n  bra AGAIN;\n"
          + "DONE:\n  membar.sys;\n  st.volatile.global.u32 [%rd1], %r1;\n  ret;\n}\n";
  private static final VarHandle WORD =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private final CudaStream stream;
  private final Kernel kernel;
  private final CudaBuffer pinned;
  private final ByteBuffer words;
  private volatile long heardAt;
  private int last;

  /** One way to receive the end. It calls heard on the thread that receives the end. */
  private interface Way {
    void begin(Runnable heard);
  }

  /** A thread that is already awake before it waits in some way. */
  private static final class Waiter implements Executor {
    private final AtomicReference<Runnable> next = new AtomicReference<>();
    private volatile boolean ended;

    Waiter() {
      Thread thread = new Thread(this::run, "waiter");
      thread.setDaemon(true);
      thread.start();
    }

    private void run() {
      while (!ended) {
        Runnable body = next.getAndSet(null);
        if (body != null) {
          body.run();
        } else {
          Thread.onSpinWait();
        }
      }
    }

    @Override
    public void execute(Runnable body) {
      next.set(body);
    }

    void end() {
      ended = true;
    }
  }

  private CompletionBench(CudaStream stream, Kernel kernel, CudaBuffer pinned) {
    this.stream = stream;
    this.kernel = kernel;
    this.pinned = pinned;
    words = pinned.asByteBuffer();
  }

  private void launch(int turns, int value) {
    kernel.launch(stream, ONE, pinned, turns, value);
  }

  private double nanosOf(int turns) {
    long start = System.nanoTime();
    launch(turns, last);
    stream.synchronize();
    return System.nanoTime() - start;
  }

  /** Returns the number of turns that take this long. */
  private int turnsFor(double nanos) {
    nanosOf(100);
    double few = nanosOf(1000);
    double many = nanosOf(21_000);
    return (int) (nanos / Math.max(1, (many - few) / 20_000));
  }

  private double latency(Way way, int turns) throws InterruptedException {
    int value = ++last;
    heardAt = 0;
    launch(turns, value);
    way.begin(() -> heardAt = System.nanoTime());
    while ((int) WORD.getOpaque(words, 0) != value) {
      Thread.onSpinWait();
    }
    long seen = System.nanoTime();
    while (heardAt == 0) {
      Thread.onSpinWait();
    }
    double late = heardAt - seen;
    stream.synchronize();
    TimeUnit.MICROSECONDS.sleep(200); // as after other work
    return late / 1000;
  }

  private void measureLatency(int micros, int samples, Executor own) throws InterruptedException {
    Waiter waiter = new Waiter();
    int turns = turnsFor(micros * 1000.0);
    Executor direct = Runnable::run;
    System.out.printf("%n| after a kernel of %d µs | median µs | 90 %% | 99 %% |%n|---|---|---|---|%n", micros);
    try (CudaQueue queue = new CudaQueue()) {
      row("polling `query()`", turns, samples, heard -> waiter.execute(() -> {
        while (!stream.query()) {
          Thread.onSpinWait();
        }
        heard.run();
      }));
      row("`synchronize()`", turns, samples, heard -> waiter.execute(() -> {
        stream.synchronize();
        heard.run();
      }));
      row("`CudaQueue.waitFor`", turns, samples, heard -> {
        CudaFuture.fromStream(stream, queue, 1).close();
        waiter.execute(() -> {
          queue.waitFor(-1, TimeUnit.SECONDS, 1);
          heard.run();
        });
      });
      row("`completion(Runnable::run).join()`", turns, samples, heard -> {
        CompletableFuture<Void> done = stream.completion(direct);
        waiter.execute(() -> {
          done.join();
          heard.run();
        });
      });
      waiter.end(); // the rest needs no waiting thread
      row("`completion(Runnable::run)`, `thenRun`", turns, samples, heard -> stream.completion(direct).thenRun(heard));
      row("`completion()`, `thenRun` in the common pool", turns, samples, heard -> stream.completion().thenRun(heard));
      row("`completion(executor)`, `thenRun` in its thread", turns, samples, heard -> stream.completion(own).thenRun(heard));
    }
  }

  private void row(String name, int turns, int samples, Way way) throws InterruptedException {
    for (int i = 0; i < Math.max(300, samples / 2); ++i) {
      latency(way, Math.min(turns, 100)); // for the compilers of the JVM
    }
    double[] all = new double[samples];
    for (int i = 0; i < samples; ++i) {
      all[i] = latency(way, turns);
    }
    Arrays.sort(all);
    System.out.printf("| %s | %.1f | %.1f | %.1f |%n", name, all[samples / 2], all[(int) (0.9 * (samples - 1))],
        all[(int) (0.99 * (samples - 1))]);
  }

  private double perSecond(int count, int batch) {
    ArrayDeque<CompletableFuture<Void>> pending = new ArrayDeque<>();
    Executor direct = Runnable::run;
    long start = System.nanoTime();
    for (int made = 0; made < count; ++made) {
      if (pending.size() == batch) {
        pending.remove().join();
      }
      pending.add(stream.completion(direct));
    }
    pending.forEach(CompletableFuture::join);
    return count / ((System.nanoTime() - start) / 1e9);
  }

  private double synchronizedPerSecond(int count) {
    long start = System.nanoTime();
    for (int i = 0; i < count; ++i) {
      launch(0, last);
      stream.synchronize();
    }
    return count / ((System.nanoTime() - start) / 1e9);
  }

  private void measureThroughput(int samples) {
    int count = 50 * samples;
    perSecond(count, 1000);
    System.out.printf("%n| completions per second, made and received by one thread | |%n|---|---|%n");
    System.out.printf("| `completion()`, 1000 pending | %.0f |%n", perSecond(count, 1000));
    System.out.printf("| `completion()`, one at a time | %.0f |%n", perSecond(count / 20, 1));
    System.out.printf("| an empty kernel and `synchronize()` | %.0f |%n", synchronizedPerSecond(count / 20));
  }

  /** Runs it all. */
  public static void main(String[] arguments) throws Exception {
    int samples = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2000;
    ExecutorService own = Executors.newSingleThreadExecutor();
    try (CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        CudaBuffer pinned = CudaBuffer.pinned(device, 4096);
        ObjectCode code = ObjectCode.fromBytes(CodeType.PTX, PTX.getBytes(StandardCharsets.US_ASCII));
        Kernel kernel = code.kernel("work")) {
      System.out.println("Java " + System.getProperty("java.version") + ", " + device.getName() + ", " + samples + " samples a row");
      CompletionBench bench = new CompletionBench(stream, kernel, pinned);
      bench.measureLatency(20, samples, own);
      bench.measureLatency(2000, samples / 4, own);
      bench.measureThroughput(samples);
    }
    own.shutdown();
  }
}
