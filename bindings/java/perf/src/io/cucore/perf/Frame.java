// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.ObjectCode;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One call of the library: its memory, references to its objects, its works, and its error. */
final class Frame implements AutoCloseable {
  static final int DEVICE = 0;
  static final int STREAM = 1;
  static final int KERNEL = 2;
  static final int CODE = 3;
  static final int BUFFER = 4;

  private final List<Object> kept = new ArrayList<>();
  private final List<long[]> references = new ArrayList<>();
  private final List<Long> works = new ArrayList<>();
  private final Memory error = memory(Long.BYTES);
  private volatile Throwable failure; // of a work

  Memory memory(int size) {
    Memory made = new Memory(size);
    kept.add(made);
    return made;
  }

  /** The address of the error that a call fills. */
  long error() {
    return error.address;
  }

  /** UTF-8 with a NUL at its end; 0 for null. */
  long text(String text) {
    if (text == null) {
      return 0;
    }
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a text contains a NUL character");
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return memory(bytes.length + 1).putBytes(bytes).address;
  }

  long texts(List<String> texts) {
    if (texts == null || texts.isEmpty()) {
      return 0;
    }
    Memory made = memory(texts.size() * Long.BYTES);
    for (int i = 0; i < texts.size(); ++i) {
      made.putLong(i * Long.BYTES, text(texts.get(i)));
    }
    return made.address;
  }

  long object(CudaDevice object) {
    return object(DEVICE, object);
  }

  long object(CudaStream object) {
    return object(STREAM, object);
  }

  long object(Kernel object) {
    return object(KERNEL, object);
  }

  long object(ObjectCode object) {
    return object(CODE, object);
  }

  long object(CudaBuffer object) {
    return object(BUFFER, object);
  }

  /** The handle of a roof, which stays reachable until the call ends; 0 for null. */
  long object(Roof roof) {
    if (roof == null) {
      return 0;
    }
    kept.add(roof);
    return roof.address();
  }

  /** The handle of an object, with a reference until the call ends; 0 for null. */
  private long object(int kind, Object object) {
    if (object == null) {
      return 0;
    }
    long address = Natives.retained(kind, object);
    references.add(new long[] {kind, address});
    return address;
  }

  /** Writes a function of C and its parameter for a work; both are 0 for null. */
  void work(Memory to, int at, int atNumber, Work work) {
    if (work != null) {
      to.putLong(at, Natives.work()).putLong(atNumber, work(work));
    }
  }

  /** Returns the number of a work, which C passes to {@link Works#run}. */
  long work(Work work) {
    long number = Works.add(work, this);
    works.add(number);
    return number;
  }

  void fail(Throwable thrown) {
    if (failure == null) {
      failure = thrown;
    }
  }

  /** Throws the exception of a failed call, or of its work. */
  void check(int status) {
    Throwable thrown = failure;
    if (thrown != null) {
      Natives.cucore_error_release(error.getLong(0));
      Frame.<RuntimeException>raise(thrown);
    }
    if (status != 0) {
      Natives.refuse(status, error.getLong(0));
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void raise(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** Throws the exception of a status with a message of this layer. */
  static void refuse(io.cucore.Status status, String message) {
    try (Frame frame = new Frame()) {
      Natives.refuse(status.getValue(), Natives.cucore_error_create(status.getValue(), frame.text(message), 0));
    }
  }

  static <T> T notNull(T value, String name) {
    if (value == null) {
      refuse(io.cucore.Status.INVALID_ARGUMENT, name + " is null");
    }
    return value;
  }

  /** A call of the library that writes a text: (memory, capacity, size, error). */
  interface Writer {
    int write(long buffer, long capacity, long size, long error);
  }

  /** Returns the text that a call writes. */
  static String text(Writer writer) {
    try (Frame frame = new Frame()) {
      Memory size = frame.memory(Long.BYTES);
      frame.check(writer.write(0, 0, size.address, frame.error()));
      Memory text = frame.memory((int) size.getLong(0) + 1);
      frame.check(writer.write(text.address, size.getLong(0), size.address, frame.error()));
      return Natives.text(text.address);
    }
  }

  @Override
  public void close() {
    for (long[] each : references) {
      Natives.released((int) each[0], each[1]);
    }
    works.forEach(Works::remove);
    Reference.reachabilityFence(kept);
  }
}
