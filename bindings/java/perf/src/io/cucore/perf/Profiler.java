// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.Kernel;
import java.util.function.Function;

/** Records what a program does on its devices, from begin to end. {@link Perf#profile()} is shorter for one block of work. */
public final class Profiler extends Handle {
  /** Creates a profiler with the defaults. */
  public Profiler() {
    this(new ProfilerOptions());
  }

  /**
   * Creates a profiler. It records nothing before {@link #begin()}.
   *
   * @param options the options
   */
  public Profiler(ProfilerOptions options) {
    super(create(Frame.notNull(options, "options")), Natives::cucore_profiler_release);
  }

  private static long create(ProfilerOptions options) {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Long.BYTES);
      frame.check(Natives.cucore_profiler_create(options.write(frame).address, out.address, frame.error()));
      return out.getLong(0);
    }
  }

  /** Begins a session, which observes the operations of all threads of the process. */
  public void begin() {
    try (Frame frame = new Frame()) {
      frame.check(Natives.cucore_profiler_begin(address(), frame.error()));
    }
  }

  /**
   * Ends the session, waits for the work that was timed, and returns the report. Open ranges end.
   *
   * @return the report
   */
  public Report end() {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Long.BYTES);
      frame.check(Natives.cucore_profiler_end(address(), out.address, frame.error()));
      return new Report(out.getLong(0));
    }
  }

  /**
   * Begins a range. Launches of this thread count in it until it ends. Ranges nest.
   *
   * @param name the name
   */
  public void beginRange(String name) {
    try (Frame frame = new Frame()) {
      frame.check(Natives.cucore_profiler_begin_range(address(), frame.text(Frame.notNull(name, "name")), frame.error()));
    }
  }

  /** Ends the innermost range of this thread. */
  public void endRange() {
    try (Frame frame = new Frame()) {
      frame.check(Natives.cucore_profiler_end_range(address(), frame.error()));
    }
  }

  /**
   * Calls a work in a range, with a new stream, and waits for the stream. A session of COUNTERS calls it again, once for each
   * pass that the counters need.
   *
   * @param range the name of the range
   * @param work the work, whose exception is thrown again
   */
  public void run(String range, Work work) {
    Frame.notNull(work, "work");
    try (Frame frame = new Frame()) {
      frame.check(Natives.cucore_profiler_run(address(), frame.text(Frame.notNull(range, "range")), Natives.work(), frame.work(work), frame.error()));
    }
  }

  /**
   * Declares how many bytes and operations the launches of a kernel have.
   *
   * @param kernel the kernel
   * @param amounts called on the thread of each launch. Its exceptions go to the handler of uncaught exceptions
   */
  public void declare(Kernel kernel, Function<Launch, Declaration> amounts) {
    declare(Frame.notNull(kernel, "kernel").getName(), amounts);
  }

  /**
   * Does the same for a kernel by its name in the code.
   *
   * @param kernel the name
   * @param amounts called on the thread of each launch
   */
  public void declare(String kernel, Function<Launch, Declaration> amounts) {
    long number = Works.add(Frame.notNull(amounts, "amounts"));
    boolean isDone = false;
    try (Frame frame = new Frame()) {
      frame.check(Natives.cucore_profiler_declare(address(), frame.text(Frame.notNull(kernel, "kernel")), Natives.amounts(), number, Natives.destroy(), frame.error()));
      isDone = true;
    } finally {
      if (!isDone) {
        Works.remove(number);
      }
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "Profiler (closed)" : "Profiler";
  }
}
