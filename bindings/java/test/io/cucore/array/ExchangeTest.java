// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Cache;
import io.cucore.CacheOptions;
import io.cucore.Capture;
import io.cucore.CodeType;
import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import io.cucore.Program;
import io.cucore.Status;
import io.cucore.Toggle;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory and files that others see, the settings of contexts, and the format of texts. */
class ExchangeTest {
  private static final float[] X = {0.5f, 1, 2, 4, 8, 16};

  private static String refusal(Status status, org.junit.jupiter.api.function.Executable body) {
    CucoreException e = assertThrows(CucoreException.class, body);
    assertEquals(status, e.getStatus(), e.toString());
    return e.getMessage();
  }

  private static float[] read(CudaBuffer buffer, CudaStream stream, int count) {
    float[] data = new float[count];
    buffer.read(data, stream);
    return data;
  }

  @Test
  void anArrayOverABufferSharesIt() {
    try (CudaDevice device = CudaDevice.first();
        Context context = new Context(device);
        CudaStream stream = context.getStream();
        CudaBuffer buffer = new CudaBuffer(device, 32, stream);
        Scope scope = new Scope(context)) {
      buffer.fill(0, stream);
      NdArray x = NdArray.fromBuffer(buffer, 8, DType.FLOAT32, 2, 3);
      x.set(NdArray.of(X, 2, 3));
      x.get(1).multiplyAssign(10);
      x.evaluate();
      assertArrayEquals(new float[] {0, 0, 0.5f, 1, 2, 40, 80, 160}, read(buffer, stream, 8));
      assertTrue(refusal(Status.INVALID_ARGUMENT, () -> NdArray.fromBuffer(buffer, 12, DType.FLOAT32, 6)).contains("buffer"));
      NdArray reversed = NdArray.fromBuffer(buffer, 28, DType.FLOAT32, new long[] {2, 3}, new long[] {-12, -4});
      assertArrayEquals(new float[] {160, 80, 40, 2, 1, 0.5f}, reversed.toFloatArray());
      assertEquals("byteStrides has 1 numbers; expected 2", refusal(Status.INVALID_ARGUMENT,
          () -> NdArray.fromBuffer(buffer, 0, DType.FLOAT32, new long[] {2, 3}, new long[] {4})));
      buffer.close();
      assertEquals("the CudaBuffer has been closed", refusal(Status.INVALID_HANDLE, () -> NdArray.fromBuffer(buffer, 0, DType.FLOAT32, 6)));
      assertArrayEquals(new float[] {0.5f, 1, 2, 40, 80, 160}, x.toFloatArray()); // keeps the memory
    }
  }

  @Test
  void othersUseTheMemoryOfAnArray() {
    try (CudaDevice device = CudaDevice.first();
        Context context = new Context(device);
        CudaStream stream = context.getStream();
        Scope scope = new Scope(context)) {
      NdArray x = NdArray.of(X).add(1);
      try (ArrayMemory memory = x.get(Slice.from(2)).buffer()) {
        assertEquals(8, memory.getOffset() % 256);
        assertTrue(memory.toString().startsWith("ArrayMemory at byte " + memory.getOffset() + " of CudaBuffer of "), memory.toString());
        byte[] all = new byte[(int) memory.getBuffer().getSize()];
        memory.getBuffer().read(all, stream);
        assertEquals(3, ByteBuffer.wrap(all).order(ByteOrder.nativeOrder()).getFloat((int) memory.getOffset()));
        x.multiplyAssign(2);
        memory.getBuffer().read(all, stream);
        assertEquals(6, ByteBuffer.wrap(all).order(ByteOrder.nativeOrder()).getFloat((int) memory.getOffset()));
      }
    }
  }

  private static final String SCALE = "extern \"C\" __global__ void scale(float a, float *x, const float *y, int n) {\n"
      + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      + "  if (i < n) x[i] = a * x[i] + y[i];\n"
      + "}\n";

  /** The launch comes after what computes its arrays, and before what is computed later, in any stream. */
  @Test
  void kernelsTakeArrays() {
    try (Program program = Program.ofCuda(SCALE);
        ObjectCode code = program.compile(CodeType.PTX);
        Kernel scale = code.kernel("scale");
        CudaDevice device = CudaDevice.first();
        CudaStream other = new CudaStream(device);
        Context context = new Context(device);
        CudaStream own = context.getStream();
        Scope scope = new Scope(context)) {
      LaunchConfig config = LaunchConfig.of(1, 64);
      for (CudaStream stream : List.of(own, other)) {
        NdArray x = Nd.arange(8).as(DType.FLOAT32).add(1);
        NdArray y = NdArray.of(new float[] {9, 9, 10, 20, 30, 40}).get(Slice.from(2)); // a view
        NdArray before = x.multiply(10);
        scale.launch(stream, config, 2f, x.get(Slice.from(4)), y, 4);
        assertArrayEquals(new float[] {1, 2, 3, 4, 20, 32, 44, 56}, x.toFloatArray());
        assertArrayEquals(new float[] {10, 20, 30, 40, 50, 60, 70, 80}, before.toFloatArray());
        x.addAssign(1);
        scale.launch(stream, config, 0f, x, x, 8);
        assertArrayEquals(new float[] {2, 3, 4, 5, 21, 33, 45, 57}, x.toFloatArray());
        scale.launch(stream, config, 1f, Nd.zeros(DType.FLOAT32, 0), Nd.zeros(DType.FLOAT32, 0), 0);
        assertArrayEquals(new float[] {10, 20, 30, 40}, y.toFloatArray());
      }
      NdArray x = NdArray.of(X, 2, 3);
      String strided = refusal(Status.INVALID_ARGUMENT, () -> scale.launch(other, config, 1f, x.transpose(), x, 6));
      assertEquals("an NdArray of the launch has the strides [4, 12]; expected consecutive elements; pass a copy, as by copy()", strided);
      String number = refusal(Status.INVALID_ARGUMENT, () -> scale.launch(other, config, x, x, x, 6));
      assertTrue(number.startsWith("argument 0 of kernel scale is the NdArray 0x") && number.endsWith("; expected a float; pass a number"), number);
      String prepared = refusal(Status.INVALID_ARGUMENT, () -> scale.prepare(other, config, 1f, x, x, 6));
      assertEquals("argument 1 of kernel scale has type io.cucore.array.NdArray; only a launch takes it: pass its CudaBuffer to a prepared one, and to a node", prepared);
      try (Capture capture = other.capture()) { // the stream of the array is outside
        String captured = refusal(Status.INVALID_STATE, () -> scale.launch(other, config, 1f, x, x, 6));
        assertTrue(captured.contains("work outside the capture"), captured);
        assertEquals(prepared, refusal(Status.INVALID_ARGUMENT, () -> capture.getGraph().kernel(scale, config, 1f, x, x, 6)));
        assertEquals(0, capture.end().getNodeCount());
      }
      x.close();
      refusal(Status.INVALID_HANDLE, () -> scale.launch(other, config, 1f, x, x, 6));
    }
  }

  /** A kernel may still run when its array is closed and when the memory is used again. */
  @Test
  void kernelsKeepTheMemoryOfArrays() {
    try (Program program = Program.ofCuda(SCALE);
        ObjectCode code = program.compile(CodeType.PTX);
        Kernel scale = code.kernel("scale");
        CudaDevice device = CudaDevice.first();
        CudaStream other = new CudaStream(device);
        CudaBuffer sum = new CudaBuffer(device, 4 * 1024, other)) {
      sum.fill(0, other);
      for (int i = 0; i < 100; ++i) {
        try (Scope scope = new Scope()) {
          scale.launch(other, LaunchConfig.covering(1024, 256), 1f, sum, Nd.full(DType.FLOAT32, Scalar.of(i), 1024), 1024);
        }
        Nd.full(DType.FLOAT32, Scalar.of(-1), 1024).evaluate().close();
      }
      float[] sums = read(sum, other, 1024);
      assertEquals(List.of(4950f, 4950f), List.of(sums[0], sums[1023]));
    }
  }

  @Test
  void elementsGoIntoPinnedMemoryWithoutAWait() {
    try (CudaDevice device = CudaDevice.first();
        Context context = new Context(device);
        CudaStream stream = context.getStream();
        CudaBuffer pinned = CudaBuffer.pinned(device, 64);
        Scope scope = new Scope(context)) {
      NdArray.of(X).multiply(3).readInto(pinned, 16);
      stream.synchronize();
      ByteBuffer view = pinned.asByteBuffer().order(ByteOrder.nativeOrder());
      assertEquals(48, view.getFloat(16 + 5 * 4));
      refusal(Status.INVALID_ARGUMENT, () -> NdArray.of(X).readInto(pinned, 48));
      assertEquals("offset is -1, below 0", refusal(Status.INVALID_ARGUMENT, () -> NdArray.of(X).readInto(pinned, -1)));
    }
  }

  @Test
  void elementsAreReplacedFromJava() {
    try (Scope scope = new Scope()) {
      NdArray x = Nd.zeros(DType.FLOAT32, 2, 3);
      NdArray before = x.add(0);
      x.write(X);
      assertArrayEquals(X, x.toFloatArray());
      assertArrayEquals(new float[6], before.toFloatArray());
      x.transpose().write(X);
      assertArrayEquals(new float[] {0.5f, 2, 8, 1, 4, 16}, x.toFloatArray());
      for (ByteBuffer data : List.of(ByteBuffer.allocateDirect(32), ByteBuffer.allocate(32))) {
        data.order(ByteOrder.nativeOrder()).position(4);
        data.asFloatBuffer().put(X);
        x.write(data);
        assertArrayEquals(X, x.toFloatArray());
        x.write(data.asReadOnlyBuffer());
        assertArrayEquals(X, x.toFloatArray());
        ByteBuffer to = data.duplicate().order(ByteOrder.nativeOrder());
        x.multiply(2).read(to.position(8));
        assertEquals(List.of(1f, 32f), List.of(to.getFloat(8), to.getFloat(28)));
      }
      assertEquals("data has 2 elements of FLOAT32; the array has 6 of FLOAT32", refusal(Status.INVALID_ARGUMENT, () -> x.write(new float[2])));
      assertEquals("data has 6 elements of INT32; the array has 6 of FLOAT32", refusal(Status.INVALID_ARGUMENT, () -> x.write(new int[6])));
      assertEquals("data has 8 bytes; the array needs 24", refusal(Status.INVALID_ARGUMENT, () -> x.write(ByteBuffer.allocate(8))));
      assertTrue(refusal(Status.INVALID_ARGUMENT, () -> x.read(ByteBuffer.allocate(24).asReadOnlyBuffer())).startsWith("data is read-only"));
      refusal(Status.INVALID_STATE, () -> x.broadcast(2, 2, 3).write(new float[12]));
    }
  }

  @Test
  void filesOfNumpyHaveSeveralArrays(@TempDir Path folder) throws IOException {
    try (Scope scope = new Scope()) {
      Map<String, NdArray> arrays = new LinkedHashMap<>();
      arrays.put("x", NdArray.of(X, 2, 3));
      arrays.put("übrige", Nd.arange(5000));
      Path stored = folder.resolve("stored.npz");
      Path compressed = folder.resolve("compressed.npz");
      NumpyFile.saveAll(stored, arrays);
      NumpyFile.saveCompressed(compressed, arrays);
      assertTrue(Files.size(stored) > 40_000 && Files.size(compressed) < 20_000, Files.size(stored) + " " + Files.size(compressed));
      try (ZipFile zip = new ZipFile(stored.toFile())) {
        assertEquals(List.of("x.npy", "übrige.npy"), zip.stream().map(each -> each.getName()).collect(Collectors.toList()));
        assertArrayEquals(arrays.get("x").toNpy(), zip.getInputStream(zip.getEntry("x.npy")).readAllBytes());
      }
      for (Path file : List.of(stored, compressed)) {
        Map<String, NdArray> read = NumpyFile.loadAll(file);
        assertEquals(List.of("x", "übrige"), List.copyOf(read.keySet()));
        assertArrayEquals(X, read.get("x").toFloatArray());
        assertArrayEquals(new long[] {2, 3}, read.get("x").getShape());
        assertEquals(5000L * 4999 / 2, read.get("übrige").sum().item().longValue());
      }
      Path one = folder.resolve("one.npy");
      NumpyFile.save(one, arrays.get("x"));
      assertArrayEquals(X, NumpyFile.load(one).toFloatArray());
      IOException e = assertThrows(IOException.class, () -> NumpyFile.loadAll(one));
      assertEquals(one + " contains no arrays; expected a .npz file", e.getMessage());
      arrays.put("none", null);
      assertEquals("arrays.none is null", refusal(Status.INVALID_ARGUMENT, () -> NumpyFile.saveAll(stored, arrays)));
      assertEquals(2, NumpyFile.loadAll(stored).size()); // unchanged
    }
  }

  private static Object stored(Object object) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream to = new ObjectOutputStream(bytes)) {
      to.writeObject(object);
    }
    try (ObjectInputStream from = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return from.readObject();
    }
  }

  @Test
  void arraysAreSerialized() throws Exception {
    try (Scope scope = new Scope()) {
      NdArray x = NdArray.of(X, 2, 3);
      for (DType dtype : List.of(DType.FLOAT32, DType.BFLOAT16, DType.UINT8, DType.COMPLEX128)) {
        NdArray given = x.as(dtype).transpose();
        NdArray read = (NdArray) stored(given);
        assertEquals(dtype, read.getDType());
        assertTrue(read.arrayEqual(given));
      }
      NdArray[] both = (NdArray[]) stored(new NdArray[] {x, x});
      assertTrue(both[0] == both[1] && !both[0].sharesMemory(x));
      x.close();
      assertEquals("the NdArray has been closed", refusal(Status.INVALID_HANDLE, () -> stored(x)));
    }
  }

  @Test
  void contextsHaveSettings() {
    try (CudaDevice device = CudaDevice.first();
        Cache cache = new Cache(CacheOptions.builder().directory("").build());
        Context small = new Context(device, ContextOptions.DEFAULT.withDefaultFloat(DType.FLOAT32).withCache(cache).withMaxDepth(3)
            .withMaxPending(100).withMaxBytes(1 << 20).withMaxRetainedBytes(1 << 16));
        Scope scope = new Scope(small)) {
      assertEquals(DType.FLOAT32, Nd.linspace(0, 1, 5).getDType());
      assertEquals(DType.FLOAT32, Nd.eye(3, DType.DEFAULT).getDType());
      NdArray x = NdArray.of(X);
      for (int i = 0; i < 8; ++i) {
        x = x.add(1);
      }
      assertTrue(small.getStatistics().get("by_depth") > 0, small.getStatistics().toString());
      refusal(Status.OUT_OF_DEVICE_MEMORY, () -> Nd.zeros(DType.FLOAT64, 1 << 20).add(1).evaluate());
      assertArrayEquals(new float[] {8.5f, 9, 10, 12, 16, 24}, x.toFloatArray());
      assertEquals("maxBytes is -1, below 0", refusal(Status.INVALID_ARGUMENT, () -> new Context(device, ContextOptions.DEFAULT.withMaxBytes(-1))));
      assertEquals("ContextOptions.defaultFloat is neither float32 nor float64",
          refusal(Status.INVALID_ARGUMENT, () -> new Context(device, ContextOptions.DEFAULT.withDefaultFloat(DType.INT32))));
      assertEquals("count is -1, below 0", refusal(Status.INVALID_ARGUMENT, () -> ContextOptions.DEFAULT.withMaxDepth(-1)));
      assertEquals("ContextOptions EAGER, FAST", ContextOptions.DEFAULT.withPolicy(Policy.EAGER).withMath(MathMode.FAST).toString());
      assertEquals("ContextOptions LAZY, ACCURATE", ContextOptions.DEFAULT.toString());
    }
  }

  @Test
  void textsHaveAFormat() {
    try (Scope scope = new Scope()) {
      NdArray x = NdArray.of(new double[] {1.23456789, 1e-5, 100});
      assertEquals("[1.23e+00 1.00e-05 1.00e+02]", x.toString(PrintOptions.DEFAULT.withPrecision(2)));
      assertEquals("[  1.23   0.   100.  ]", x.toString(PrintOptions.DEFAULT.withPrecision(2).suppressSmall()));
      assertEquals("[  1.   0. 100.]", x.toString(PrintOptions.DEFAULT.withPrecision(0).suppressSmall()));
      assertEquals("[0 ... 9]", Nd.arange(10).toString(PrintOptions.DEFAULT.withThreshold(5).withEdgeItems(1)));
      assertEquals("[0 1 2\n 3 4 5]", Nd.arange(6).toString(PrintOptions.DEFAULT.withLineWidth(7)));
      assertTrue(refusal(Status.INVALID_ARGUMENT, () -> x.toString(PrintOptions.DEFAULT.withEdgeItems(-4))).startsWith("PrintOptions.edgeItems is -4; expected "));
      assertTrue(PrintOptions.DEFAULT.withEdgeItems(2).toString().contains("edge items 2"));
    }
  }

  @Test
  void generatorsContinueFromAState() {
    try (Scope scope = new Scope();
        Generator one = new Generator(7);
        Generator other = new Generator(99)) {
      one.uniform(DType.FLOAT32, 10);
      long[] state = one.getState();
      assertArrayEquals(new long[] {7, 10, 0, 0}, state);
      float[] next = one.uniform(DType.FLOAT32, 5).toFloatArray();
      other.setState(state);
      assertArrayEquals(next, other.uniform(DType.FLOAT32, 5).toFloatArray());
      assertEquals("state has 2 numbers; expected 4", refusal(Status.INVALID_ARGUMENT, () -> other.setState(1, 2)));
    }
  }

  /** The address of a tensor of DLPack goes to other native libraries, and comes from them. */
  @Test
  void tensorsShareMemory() {
    try (CudaDevice device = CudaDevice.first();
        Context context = new Context(device);
        CudaStream stream = context.getStream();
        Scope scope = new Scope(context)) {
      NdArray x = NdArray.of(X, 2, 3);
      long tensor = x.toDlpack(stream, true, Toggle.DEFAULT);
      NdArray same = Nd.fromDlpack(tensor, true, Toggle.OFF);
      same.get(0).set(7);
      assertArrayEquals(new float[] {7, 7, 7, 4, 8, 16}, x.toFloatArray());
      assertArrayEquals(new long[] {2, 3}, same.getShape());
      NdArray copied = Nd.fromDlpack(x.toDlpack(null, false, Toggle.ON), false, Toggle.DEFAULT);
      copied.set(0);
      assertArrayEquals(new float[] {7, 7, 7, 4, 8, 16}, x.toFloatArray());
      assertFalse(Arrays.equals(x.toFloatArray(), copied.toFloatArray()));
    }
  }
}
