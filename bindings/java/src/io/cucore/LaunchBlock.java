// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A launch as one block of native memory, one for each thread: the head, then each argument's size,
 * kind and value. Crossing into native code once with an address costs the least.
 */
final class LaunchBlock {
  /** A thread's own map holds its block weakly: it would otherwise keep the class loader alive. */
  private static final ThreadLocal<WeakReference<LaunchBlock>> OF_THREAD = new ThreadLocal<>();
  private static final Map<Reference<Thread>, LaunchBlock> BLOCKS = new HashMap<>();
  private static final ReferenceQueue<Thread> ENDED = new ReferenceQueue<>();
  private static final int WORD = 8;
  /** Size and kind of a buffer, which is passed by its lease: see ArgumentKind of launch.hpp. */
  private static final long BUFFER =
      ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 1L << 32 | WORD : (long) WORD << 32 | 1;

  /** The head of a block for an update. */
  private static final LaunchConfig NO_CONFIG = LaunchConfig.of(1, 1);

  private final long record = Natives.openRecord(); // of this thread alone
  private ByteBuffer bytes;
  private LaunchConfig head;
  private long address;
  private int size;

  private LaunchBlock() {
    allocate(1024);
  }

  private static LaunchBlock ofThread() {
    WeakReference<LaunchBlock> known = OF_THREAD.get();
    LaunchBlock block = known == null ? null : known.get();
    if (block == null) {
      block = new LaunchBlock();
      keep(block);
      OF_THREAD.set(new WeakReference<>(block));
    }
    return block;
  }

  /** Not by a Cleaner: its thread holds what it will clean, and with it the class loader. */
  private static synchronized void keep(LaunchBlock block) {
    BLOCKS.put(new WeakReference<>(Thread.currentThread(), ENDED), block);
    for (Reference<?> each = ENDED.poll(); each != null; each = ENDED.poll()) {
      Natives.closeRecord(BLOCKS.remove(each).record);
    }
  }

  static void launch(
      long kernel, Kernel owner, CudaStream stream, LaunchConfig config, Object[] arguments) {
    LaunchBlock block = filled(owner, owner.signature(stream), config, arguments);
    int closed = Natives.launch(block.record, kernel, CudaStream.getCPtr(stream), block.address, block.size);
    Reference.reachabilityFence(owner);
    Reference.reachabilityFence(stream);
    Reference.reachabilityFence(arguments);
    if (closed >= 0) {
      throw closed(owner, config, arguments, closed);
    }
  }

  /** Launches with arguments in the layout of the parameter block. */
  static void launchPacked(long kernel, Kernel owner, CudaStream stream, LaunchConfig config, byte[] parameters) {
    LaunchBlock block = ofThread();
    block.begin(config, 0);
    block.addPlain(parameters);
    int closed = Natives.launchPacked(block.record, kernel, CudaStream.getCPtr(stream), block.address, block.size);
    Reference.reachabilityFence(owner);
    Reference.reachabilityFence(stream);
    if (closed >= 0) {
      throw closed(owner, config, new Object[0], closed);
    }
  }

  private static LaunchBlock filled(Kernel owner, Signature signature, LaunchConfig config, Object[] arguments) {
    signature.checkCount(owner, arguments.length);
    LaunchBlock block = ofThread();
    block.begin(config, arguments.length);
    for (int i = 0; i < arguments.length; ++i) {
      block.add(owner, i, signature.at(i), arguments[i]);
    }
    return block;
  }

  static PreparedLaunch prepare(
      long kernel, Kernel owner, CudaStream stream, LaunchConfig config, Object[] arguments) {
    LaunchBlock block = filled(owner, owner.signature(stream), config, arguments);
    long[] prepared = new long[1];
    int closed = Natives.prepare(
        block.record, kernel, CudaStream.getCPtr(stream), block.address, block.size, prepared);
    Reference.reachabilityFence(owner);
    Reference.reachabilityFence(stream);
    Reference.reachabilityFence(arguments);
    if (closed >= 0) {
      throw closed(owner, config, arguments, closed);
    }
    PreparedLaunch made = new PreparedLaunch(prepared[0], true);
    made.kernel = owner;
    made.signature = owner.signature(stream);
    made.count = arguments.length;
    return made;
  }

  /** Passes one argument; an index out of range is refused by the library. */
  static void update(long prepared, PreparedLaunch owner, int index, Object value) {
    LaunchBlock block = ofThread();
    block.begin(NO_CONFIG, 1);
    if (index < owner.count) {
      block.add(owner.kernel, index, owner.signature.at(index), value);
    } else {
      block.add(0, Long.BYTES);
    }
    int closed = Natives.update(block.record, prepared, index, block.address, block.size);
    Reference.reachabilityFence(owner);
    Reference.reachabilityFence(value);
    if (closed >= 0) {
      throw closed(owner.kernel, index);
    }
  }

  /** Adds a kernel node and returns its number. */
  static long addKernel(
      long graph, Graph owner, long[] after, Kernel kernel, LaunchConfig config, Object[] arguments) {
    LaunchBlock block = filled(kernel, kernel.signature(owner.ordinal(), owner::getDevice), config, arguments);
    long[] node = new long[1];
    int closed = Natives.addKernel(
        block.record, graph, Kernel.getCPtr(kernel), after, block.address, block.size, node);
    Reference.reachabilityFence(owner);
    Reference.reachabilityFence(kernel);
    Reference.reachabilityFence(arguments);
    if (closed >= 0) {
      throw closed(kernel, config, arguments, closed);
    }
    return node[0];
  }

  /** The graph or the executable of a kernel node that is changed. */
  static final class Changed {
    final Object owner;
    final long lease;
    final boolean isExecutable;
    final int ordinal;
    final Supplier<CudaDevice> device;

    Changed(Object owner, long lease, int ordinal, Supplier<CudaDevice> device) {
      this.owner = owner;
      this.lease = lease;
      this.isExecutable = owner instanceof ExecutableGraph;
      this.ordinal = ordinal;
      this.device = device;
    }
  }

  /** Changes a kernel node; null leaves the options as they are. */
  static void setKernel(Changed in, GraphNode node, Kernel kernel, LaunchConfig config, Object[] arguments) {
    LaunchConfig head = config == null ? NO_CONFIG : config;
    LaunchBlock block = filled(kernel, kernel.signature(in.ordinal, in.device), head, arguments);
    int closed = block.setKernel(in, node, Kernel.getCPtr(kernel), config != null, true);
    Reference.reachabilityFence(kernel);
    Reference.reachabilityFence(arguments);
    if (closed >= 0) {
      throw closed(kernel, head, arguments, closed);
    }
  }

  /** Changes the options alone. */
  static void setConfig(Changed in, GraphNode node, LaunchConfig config) {
    LaunchBlock block = ofThread();
    block.begin(config, 0);
    int closed = block.setKernel(in, node, 0, true, false);
    if (closed >= 0) {
      throw config.tail().closed(closed);
    }
  }

  private int setKernel(Changed in, GraphNode node, long kernel, boolean hasOptions, boolean hasArguments) {
    int closed = Natives.setKernel(
        record, in.isExecutable, in.lease, node.number(), kernel, hasOptions, hasArguments, address, size);
    Reference.reachabilityFence(in.owner);
    return closed;
  }

  /** The failure of a block with a closed object: first those of the options, then buffers. */
  private static CucoreException closed(Kernel owner, LaunchConfig config, Object[] arguments, int which) {
    int before = config.tail() == null ? 0 : config.tail().objectCount();
    return which < before ? config.tail().closed(which) : closed(owner, indexOfBuffer(arguments, which - before));
  }

  /** Returns the position of one of the buffers among the arguments. */
  private static int indexOfBuffer(Object[] arguments, int which) {
    int left = which;
    for (int i = 0; i < arguments.length; ++i) {
      Object value = arguments[i] instanceof Arg ? ((Arg) arguments[i]).value : arguments[i];
      if (value instanceof CudaBuffer && left-- == 0) {
        return i;
      }
    }
    throw new AssertionError(which);
  }

  private void begin(LaunchConfig config, int count) {
    if (config != head) { // constant parts are already there
      writeHead(config);
    }
    config.putCount(bytes, count);
    size = config.size();
  }

  private void writeHead(LaunchConfig config) {
    if (config.size() > bytes.capacity()) {
      allocate(config.size());
    }
    config.put(bytes);
    head = config;
  }

  private void add(Kernel kernel, int index, int code, Object value) {
    if (value instanceof CudaBuffer) {
      addBuffer(kernel, index, code, (CudaBuffer) value);
    } else if (value instanceof Integer && (code == Signature.INT || Signature.isUnknown(code))) {
      add((Integer) value, Integer.BYTES);
    } else if (value instanceof Float && (code == Signature.FLOAT || Signature.isUnknown(code))) {
      add(Float.floatToRawIntBits((Float) value), Float.BYTES);
    } else if (value instanceof Number || value instanceof Character || value instanceof Boolean) {
      addNumber(kernel, index, code, value);
    } else if (value instanceof Arg) {
      addArg(kernel, index, code, ((Arg) value).value);
    } else if (value instanceof ByteBuffer) {
      if (!Memory.isInOrder((ByteBuffer) value)) {
        throw Memory.wrongOrder((ByteBuffer) value, "argument " + index + " of kernel " + kernel.label());
      }
      addStruct(kernel, index, code, Memory.bytesOf((ByteBuffer) value));
    } else if (value == null) {
      Conversion.checkPointer(kernel, index, code, "null");
      add(0, Long.BYTES);
    } else {
      throw noArgument(kernel, index, value);
    }
  }

  private void addBuffer(Kernel kernel, int index, int code, CudaBuffer buffer) {
    if (code != Signature.POINTER) {
      Conversion.checkPointer(kernel, index, code, "a CudaBuffer");
    }
    long lease = buffer.leaseOrZero();
    if (lease == 0) {
      throw closed(kernel, index);
    }
    int at = room(WORD);
    bytes.putLong(at, BUFFER);
    bytes.putLong(at + WORD, lease);
  }

  private void addNumber(Kernel kernel, int index, int code, Object value) {
    int size = Conversion.sizeOf(value);
    if (size == 0) {
      throw noArgument(kernel, index, value);
    }
    if (Signature.isUnknown(code) || code == Conversion.codeOf(value, size)) {
      add(Conversion.bits(value), size);
    } else {
      add(Conversion.bits(kernel, index, code, value), Signature.sizeOf(code));
    }
  }

  /** Adds the value of an Arg, which may have a form of its own. */
  private void addArg(Kernel kernel, int index, int code, Object value) {
    if (value instanceof byte[]) {
      addStruct(kernel, index, code, (byte[]) value);
    } else if (value instanceof Struct.Value) {
      Struct.Value struct = (Struct.Value) value;
      Conversion.checkRecord(kernel, index, code, struct);
      add(struct.bytes);
    } else if (value instanceof Arg.Address) {
      Conversion.checkPointer(kernel, index, code, value.toString());
      add(((Arg.Address) value).value, Long.BYTES);
    } else {
      add(kernel, index, code, value);
    }
  }

  private void addStruct(Kernel kernel, int index, int code, byte[] struct) {
    Conversion.checkStruct(kernel, index, code, struct.length);
    add(struct);
  }

  private static CucoreException noArgument(Kernel kernel, int index, Object value) {
    return CucoreException.invalid("argument " + index + " of kernel " + kernel.label() + " has type "
        + value.getClass().getTypeName()
        + (value.getClass().isArray() ? "; copy it into a CudaBuffer, or make it a struct by Arg.of()"
            : value instanceof DeviceMemory ? "; only a launch takes it: pass its CudaBuffer to a prepared one, and to a node"
            : Struct.isRecord(value.getClass()) ? "; make it a struct by Arg.struct()" : ", which no kernel takes"));
  }

  private static CucoreException closed(Kernel kernel, int index) {
    return Exceptions.of(new Failure(Status.INVALID_HANDLE, "argument " + index + " of kernel "
        + kernel.label() + " is a CudaBuffer that has been closed; expected an open one; close it"
        + " after the launch has returned"));
  }

  private void add(long bits, int length) {
    int at = room(WORD);
    bytes.putLong(at, Arg.inMemory(length, Integer.BYTES)); // the size, and 0 for a value
    bytes.putLong(at + WORD, Arg.inMemory(bits, length));
  }

  private void add(byte[] struct) {
    int at = room((struct.length + WORD - 1) / WORD * WORD);
    bytes.putInt(at, struct.length);
    bytes.putInt(at + 4, 0);
    for (int i = 0; i < struct.length; ++i) {
      bytes.put(at + WORD + i, struct[i]);
    }
  }

  private void addPlain(byte[] parameters) {
    int at = room(parameters.length);
    size -= WORD; // no size and kind, which an argument has
    for (int i = 0; i < parameters.length; ++i) {
      bytes.put(at + i, parameters[i]);
    }
  }

  /** Returns the position of the next argument. */
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
