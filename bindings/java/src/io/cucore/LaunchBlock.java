package io.cucore;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A launch as one block of native memory, one for each thread: the head, then each argument's size
 * and value. Crossing into native code once with an address costs the least.
 */
final class LaunchBlock {
  private static final ThreadLocal<LaunchBlock> OF_THREAD = ThreadLocal.withInitial(LaunchBlock::new);
  private static final int WORD = 8;

  private ByteBuffer bytes;
  private LaunchConfig head;
  private long address;
  private int size;

  private LaunchBlock() {
    allocate(1024);
  }

  static void launch(
      long kernel, Kernel owner, CudaStream stream, LaunchConfig config, Object[] arguments) {
    LaunchBlock block = OF_THREAD.get();
    block.begin(config, arguments.length);
    for (int i = 0; i < arguments.length; ++i) {
      block.add(owner, i, arguments[i]);
    }
    Natives.launch(kernel, CudaStream.getCPtr(stream), block.address, block.size);
    Reference.reachabilityFence(owner);
    Reference.reachabilityFence(stream);
    Reference.reachabilityFence(arguments);
  }

  private void begin(LaunchConfig config, int count) {
    if (config != head) { // what never changes is there already
      config.put(bytes);
      head = config;
    }
    bytes.putInt(LaunchConfig.HEAD - Integer.BYTES, count);
    size = LaunchConfig.HEAD;
  }

  private void add(Kernel kernel, int index, Object value) {
    if (value instanceof Integer) {
      add((Integer) value, Integer.BYTES);
    } else if (value instanceof CudaBuffer) {
      add(addressOf(kernel, index, (CudaBuffer) value), Long.BYTES);
    } else if (value instanceof Float) {
      add(Float.floatToRawIntBits((Float) value), Float.BYTES);
    } else if (value instanceof Long) {
      add((Long) value, Long.BYTES);
    } else if (value instanceof Arg) {
      ((Arg) value).put(this);
    } else if (value == null) {
      add(0, Long.BYTES);
    } else {
      addRarer(kernel, index, value);
    }
  }

  private void addRarer(Kernel kernel, int index, Object value) {
    if (value instanceof Double) {
      add(Double.doubleToRawLongBits((Double) value), Double.BYTES);
    } else if (value instanceof Short) {
      add((Short) value, Short.BYTES);
    } else if (value instanceof Byte) {
      add((Byte) value, Byte.BYTES);
    } else if (value instanceof Character) {
      add((Character) value, Character.BYTES);
    } else if (value instanceof Boolean) {
      add((Boolean) value ? 1 : 0, 1);
    } else if (value instanceof ByteBuffer) {
      add(Memory.bytesOf((ByteBuffer) value));
    } else {
      throw CucoreException.invalid(
          "argument " + index + " of kernel " + kernel.getName() + " is a "
              + value.getClass().getTypeName()
              + (value.getClass().isArray() ? ": copy it into a CudaBuffer, or make it a struct by Arg.of()"
                  : ", which no kernel takes"));
    }
  }

  private static long addressOf(Kernel kernel, int index, CudaBuffer buffer) {
    if (buffer.isClosed()) {
      throw Exceptions.of(new Failure(Status.INVALID_HANDLE,
          "argument " + index + " of kernel " + kernel.getName() + " is a CudaBuffer that has been closed"));
    }
    return buffer.getAddress();
  }

  void add(long bits, int length) {
    int at = room(WORD);
    bytes.putLong(at, Arg.inMemory(length, Integer.BYTES)); // the size, and nothing behind it
    bytes.putLong(at + WORD, Arg.inMemory(bits, length));
  }

  void add(byte[] struct) {
    int at = room((struct.length + WORD - 1) / WORD * WORD);
    bytes.putInt(at, struct.length);
    bytes.putInt(at + 4, 0);
    for (int i = 0; i < struct.length; ++i) {
      bytes.put(at + WORD + i, struct[i]);
    }
  }

  /** Where the next argument goes. */
  private int room(int valueSize) {
    int at = size;
    size = at + WORD + valueSize;
    if (size > bytes.capacity()) {
      ByteBuffer old = bytes;
      allocate(Math.max(size, 2 * old.capacity()));
      old.limit(at).position(0);
      bytes.duplicate().put(old);
    }
    return at;
  }

  private void allocate(int capacity) {
    bytes = ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
    address = Natives.addressOf(bytes);
  }
}
