// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CucoreException;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.IndexException;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.Status;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Arrays from Java: values, views, writes, lifetimes and refusals. */
class NdArrayTest {
  private static final float[] X = {0.5f, 1, 2, 4, 8, 16};

  private static String refusal(Status status, Executable body) {
    CucoreException e = assertThrows(CucoreException.class, body);
    assertEquals(status, e.getStatus(), e.toString());
    return e.getMessage();
  }

  @Test
  void operationsRoundAsJavaDoes() {
    try (Scope scope = new Scope()) {
      NdArray x = NdArray.of(X);
      NdArray y = NdArray.of(new float[] {3, 5, 7, 11, 13, 17});
      float[] expected = new float[X.length];
      for (int i = 0; i < X.length; ++i) {
        expected[i] = (float) Math.sqrt(X[i]) * y.toFloatArray()[i] - X[i] / 2;
      }
      assertArrayEquals(expected, x.sqrt().multiply(y).subtract(x.divide(2)).toFloatArray());
      assertArrayEquals(expected, Nd.subtract(Nd.multiply(Nd.sqrt(x), y), Nd.divide(x, 2.0)).toFloatArray());
      assertArrayEquals(new float[] {0.5f, 0, -1, -3, -7, -15}, Nd.subtract(1, x).toFloatArray());
    }
  }

  @Test
  void typesPromoteAsInNumPy() {
    try (Scope scope = new Scope()) {
      NdArray bytes = NdArray.of(new byte[] {1, 2, 3});
      NdArray floats = NdArray.of(new float[] {1, 2, 3});
      assertEquals(DType.INT8, bytes.add(1).getDType());
      assertEquals(DType.FLOAT32, floats.add(0.5).getDType());
      assertEquals(DType.FLOAT64, bytes.add(0.5).getDType());
      assertEquals(DType.FLOAT32, bytes.add(floats).getDType());
      assertEquals(DType.BOOL, floats.less(2).getDType());
      assertEquals(DType.INT64, bytes.sum().getDType());
      assertEquals(DType.FLOAT64, bytes.divide(bytes).getDType());
      assertArrayEquals(new boolean[] {true, false, false}, floats.less(2).toBooleanArray());
    }
  }

  @Test
  void everyPrimitiveTypeCrosses() {
    try (Scope scope = new Scope()) {
      assertArrayEquals(new boolean[] {true, false}, NdArray.of(new boolean[] {true, false}).toBooleanArray());
      assertArrayEquals(new byte[] {-1, 2}, NdArray.of(new byte[] {-1, 2}).toByteArray());
      assertArrayEquals(new short[] {-300, 2}, NdArray.of(new short[] {-300, 2}).toShortArray());
      assertArrayEquals(new int[] {1 << 30, 2}, NdArray.of(new int[] {1 << 30, 2}).toIntArray());
      assertArrayEquals(new long[] {1L << 60, 2}, NdArray.of(new long[] {1L << 60, 2}).toLongArray());
      assertArrayEquals(new double[] {0.1, 2}, NdArray.of(new double[] {0.1, 2}).toDoubleArray());
      assertArrayEquals(new double[] {1, 2}, NdArray.of(new byte[] {1, 2}).toDoubleArray());
      assertArrayEquals(new float[0], NdArray.of(new float[0]).toFloatArray());
      ByteBuffer direct = ByteBuffer.allocateDirect(12).order(ByteOrder.nativeOrder()).putInt(9).putInt(7).putInt(5).position(4);
      assertArrayEquals(new int[] {7, 5}, NdArray.of(direct, DType.INT32, 2).toIntArray());
      ByteBuffer heap = ByteBuffer.allocate(12).order(ByteOrder.nativeOrder()).putInt(9).putInt(7).putInt(5).position(4);
      assertArrayEquals(new int[] {7, 5}, NdArray.of(heap, DType.INT32, 2).toIntArray());
      NdArray nested = NdArray.ofNested(new double[][] {{1, 2, 3}, {4, 5, 6}});
      assertArrayEquals(new long[] {2, 3}, nested.getShape());
      assertArrayEquals(new double[] {1, 2, 3, 4, 5, 6}, nested.toDoubleArray());
      assertArrayEquals(new double[][] {{1, 4}, {2, 5}, {3, 6}}, (double[][]) nested.transpose().toNested());
      assertArrayEquals(new int[][][] {{{1, 2, 3}, {4, 5, 6}}}, (int[][][]) nested.as(DType.INT32).reshape(1, 2, 3).toNested());
      assertArrayEquals(new boolean[] {true, false}, (boolean[]) NdArray.of(new boolean[] {true, false}).toNested());
      assertArrayEquals(new float[0][3], (float[][]) Nd.zeros(DType.FLOAT32, 0, 3).toNested());
      assertEquals("the array has the type UINT8 and 2 axes; expected a type that Java has, as by as(), and at least one axis",
          refusal(Status.INVALID_ARGUMENT, () -> nested.as(DType.UINT8).toNested()));
      refusal(Status.INVALID_ARGUMENT, () -> nested.sum().toNested());
    }
  }

  @Test
  void viewsShareAndWritesAreSeen() {
    try (Scope scope = new Scope()) {
      int[][] expected = new int[4][5];
      NdArray a = Nd.arange(20).as(DType.INT32).reshape(4, 5).copy();
      for (int i = 0; i < 20; ++i) {
        expected[i / 5][i % 5] = i;
      }
      NdArray part = a.get(Slice.of(1, 3), Slice.all());
      assertTrue(part.isView() && part.sharesMemory(a));
      part.addAssign(100);
      a.set(7, Slice.at(-1), Slice.by(2));
      a.get(Slice.all(), Slice.from(4)).multiplyAssign(-1);
      for (int i = 0; i < 20; ++i) {
        int row = i / 5;
        int column = i % 5;
        expected[row][column] += row == 1 || row == 2 ? 100 : 0;
        expected[row][column] = row == 3 && column % 2 == 0 ? 7 : expected[row][column];
        expected[row][column] *= column == 4 ? -1 : 1;
      }
      assertArrayEquals(Arrays.stream(expected).flatMapToInt(Arrays::stream).toArray(), a.toIntArray());
      NdArray mask = a.greater(50);
      a.set(0, Slice.of(mask));
      int[] cleared = Arrays.stream(expected).flatMapToInt(Arrays::stream).map(v -> v > 50 ? 0 : v).toArray();
      assertArrayEquals(cleared, a.toIntArray());
      assertFalse(a.broadcast(2, 4, 5).isWritable());
      assertEquals(cleared[7], a.get(1, 2).item().longValue());
    }
  }

  @Test
  void reductionsSortsAndIndices() {
    try (Scope scope = new Scope()) {
      long[] values = {5, 3, 9, 1, 7, 3};
      NdArray a = NdArray.of(values, 2, 3);
      assertEquals(Arrays.stream(values).sum(), a.sum().item().longValue());
      assertArrayEquals(new long[] {values[0] + values[3], values[1] + values[4], values[2] + values[5]}, a.sum(0).toLongArray());
      assertArrayEquals(new long[] {2, 1}, a.max(Reduction.along(1).keepAxes()).getShape());
      double mean = Arrays.stream(values).average().getAsDouble();
      double squares = Arrays.stream(values).mapToDouble(v -> (v - mean) * (v - mean)).sum();
      assertEquals(squares / 5, a.var(Reduction.all().withCorrection(1)).item().doubleValue(), 1e-12);
      long[] sorted = values.clone();
      Arrays.sort(sorted);
      NdArray flat = a.reshape(-1);
      assertArrayEquals(sorted, flat.sort().toLongArray());
      assertArrayEquals(sorted, flat.take(flat.argsort(0, false), 0).toLongArray());
      assertArrayEquals(Arrays.stream(sorted).distinct().toArray(), flat.unique()[0].toLongArray());
      assertArrayEquals(IntStream.range(0, 6).filter(i -> values[i] > 4).asLongStream().toArray(), flat.greater(4).nonzero()[0].toLongArray());
      long[] sums = values.clone();
      Arrays.parallelPrefix(sums, Long::sum);
      assertArrayEquals(sums, flat.cumulativeSum(0).toLongArray());
      assertArrayEquals(sums, Nd.cumulativeSum(flat, 0).toLongArray());
      assertArrayEquals(new double[] {0, 5, 8, 17, 18, 25, 28}, flat.cumulativeSum(0, DType.FLOAT64, true, false).toDoubleArray());
      assertArrayEquals(new long[] {28, 23, 20, 11, 10, 3}, flat.cumulativeSum(0, DType.DEFAULT, false, true).toLongArray());
      assertEquals(DType.FLOAT32, flat.cumulativeSum(0, DType.FLOAT32, false, false).getDType());
      assertArrayEquals(new long[] {5, 3, 9, 1, 7, 3, 5, 3, 9, 1, 7, 3}, Nd.concat(0, a, a).toLongArray());
      long[] products = new long[4];
      for (int i = 0; i < 12; ++i) {
        products[i / 3] += values[i / 6 * 3 + i % 3] * values[i / 3 % 2 * 3 + i % 3];
      }
      assertArrayEquals(products, a.matmul(a.transpose()).toLongArray());
    }
  }

  @Test
  void namedPatternsAreOneKernel() {
    try (Scope scope = new Scope()) {
      NdArray x = Nd.linspace(0.1, 1, 4000).as(DType.FLOAT32).reshape(4, 1000).evaluate();
      NdArray y = Nd.linspace(1, 2, 4000).as(DType.FLOAT32).reshape(4, 1000).evaluate();
      Reduction rows = Reduction.along(1).keepAxes();
      NdArray e = x.subtract(x.max(rows)).exp();
      NdArray centred = x.subtract(x.mean(rows));
      List<NdArray> patterns = List.of(
          x.sin().multiply(y.cos()).add(y.negative().multiply(y).exp()).add(x.add(1).log()).sqrt(), e.divide(e.sum(rows)),
          x.subtract(x.max(rows)).subtract(e.sum(rows).log()), centred.divide(x.var(rows).add(1e-5).sqrt()),
          centred.divide(x.std(rows)), x.multiply(y).sum(), x.multiply(x).sum().sqrt(),
          Nd.where(x.greater(0.5), x.add(1), y).multiply(y));
      for (int i = 0; i < patterns.size(); ++i) {
        String counts = patterns.get(i).explain(Explanation.COUNTS);
        assertTrue(counts.replace(" ", "").contains("\"kernels\":1,\"temporaries\":0,"), i + ": " + counts);
      }
      String both = Nd.explain(Explanation.COUNTS, x.mean(), x.var());
      assertTrue(both.replace(" ", "").contains("\"kernels\":1,\"temporaries\":0,"), both);
    }
  }

  @Test
  void statisticsCountOneKernel() {
    try (CudaDevice device = CudaDevice.first();
        Context context = new Context(device);
        Scope scope = new Scope(context)) {
      NdArray x = NdArray.of(X);
      NdArray r = x.sin().add(x.cos()).multiply(x).named("r");
      assertTrue(r.isPending());
      assertTrue(r.explain().contains("r = "), r.explain());
      long before = context.getStatistics().get("kernels_launched");
      r.evaluate();
      assertFalse(r.isPending());
      assertEquals(before + 1, context.getStatistics().get("kernels_launched"));
      context.synchronize(); // computes the other arrays that Java still has
      assertEquals(0, context.getStatistics().get("pending"));
      assertTrue(context.getStatistics().get("reserved_bytes") > 0);
      context.trim(0);
      assertEquals(0, context.getStatistics().get("plans_cached"));
      assertEquals(0, context.getDevice());
    }
  }

  @Test
  void aContextUsesTheStreamOfItsUser() {
    try (CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        Context context = new Context(device, stream, Policy.EAGER, MathMode.ACCURATE);
        CudaStream same = context.getStream();
        Scope scope = new Scope(context)) {
      assertEquals(stream.getNativeHandle(), same.getNativeHandle());
      assertFalse(NdArray.of(X).add(1).isPending());
      stream.close();
      assertArrayEquals(new float[] {1, 2, 4, 8, 16, 32}, NdArray.of(X).multiply(2).toFloatArray());
    }
  }

  @Test
  void evaluationsCanBeAwaited() throws Exception {
    try (NdArray x = NdArray.of(X);
        NdArray doubled = x.multiply(2)) {
      NdArray same = doubled.evaluateAsync().get(60, TimeUnit.SECONDS);
      assertTrue(same == doubled && !doubled.isPending());
    }
  }

  @Test
  void aScopeClosesWhatIsMadeInside() {
    NdArray inside;
    NdArray kept;
    try (Scope scope = new Scope()) {
      inside = NdArray.of(X);
      kept = scope.keep(inside.add(1));
      assertEquals("Scope of 1 array", scope.toString());
    }
    assertTrue(inside.isClosed());
    assertEquals("the NdArray has been closed", refusal(Status.INVALID_HANDLE, inside::sin));
    assertThrows(InvalidHandleException.class, () -> kept.add(inside));
    assertEquals("NdArray (closed)", inside.toString());
    assertArrayEquals(new float[] {1.5f, 2, 3, 5, 9, 17}, kept.toFloatArray());
    kept.close();
    kept.close();
    Scope outer = new Scope();
    Scope inner = new Scope();
    assertTrue(refusal(Status.INVALID_STATE, outer::close).contains("close it first"));
    inner.close();
    outer.close();
  }

  @Test
  void refusalsSayWhatIsWrong() {
    try (Scope scope = new Scope()) {
      NdArray x = NdArray.of(X, 2, 3);
      assertTrue(refusal(Status.SHAPE, () -> x.add(NdArray.of(X))).contains("(2, 3) and (6,) do not broadcast"));
      refusal(Status.INDEX, () -> x.get(2));
      refusal(Status.DTYPE, () -> x.bitwiseAnd(1));
      assertEquals("data has 6 elements; the shape [4] has 4", refusal(Status.INVALID_ARGUMENT, () -> NdArray.of(X, 4)));
      assertEquals("nested has 1 elements on axis 1; expected 2, as in the first one",
          refusal(Status.INVALID_ARGUMENT, () -> NdArray.ofNested(new int[][] {{1, 2}, {3}})));
      assertEquals("y is null", refusal(Status.INVALID_ARGUMENT, () -> x.add((Operand) null)));
      assertEquals("items[0] is null", refusal(Status.INVALID_ARGUMENT, () -> x.get((Slice) null)));
      assertEquals("arrays[1] is null", refusal(Status.INVALID_ARGUMENT, () -> Nd.concat(0, x, null)));
      assertThrows(InvalidArgumentException.class, () -> Nd.sqrt(null));
    }
  }

  @Test
  void textsAreThoseOfNumPy() {
    try (Scope scope = new Scope()) {
      assertEquals("[[0 1 2]\n [3 4 5]]", Nd.arange(6).reshape(2, 3).toString());
      assertEquals("[1.  2.5]", NdArray.of(new double[] {1, 2.5}).toString());
      assertEquals("1:3 ::-1 ... None", Slice.of(1, 3) + " " + Slice.by(-1) + " " + Slice.rest() + " " + Slice.newAxis());
      assertEquals("3 2.5 true 1.0-2.0i", Scalar.of(3) + " " + Scalar.of(2.5) + " " + Scalar.of(true) + " " + Scalar.complex(1, -2));
    }
  }

  @Test
  void filesOfNumPyCross() {
    try (Scope scope = new Scope()) {
      byte[] file = NdArray.of(X, 3, 2).toNpy();
      assertEquals("\u0093NUMPY", new String(file, 0, 6, java.nio.charset.StandardCharsets.ISO_8859_1));
      assertArrayEquals(X, Nd.fromNpy(file).toFloatArray());
      assertArrayEquals(new long[] {3, 2}, Nd.fromNpy(file).getShape());
    }
  }

  @Test
  void filesBeyondTheSizeOfAnArrayAreRefused() {
    try (NdArray large = Nd.empty(DType.UINT8, 1L << 32)) {
      String message = refusal(Status.INVALID_ARGUMENT, large::toNpy);
      assertTrue(message.contains("an array of Java has at most 2147483639"), message);
    }
  }

  @Test
  void randomNumbersFollowFromTheSeed() {
    try (Scope scope = new Scope();
        Generator one = new Generator(7);
        Generator same = new Generator(7)) {
      double[] numbers = one.uniform(DType.FLOAT64, 1000).toDoubleArray();
      assertArrayEquals(numbers, same.uniform(DType.FLOAT64, 1000).toDoubleArray());
      assertTrue(Arrays.stream(numbers).allMatch(n -> n >= 0 && n < 1) && Arrays.stream(numbers).distinct().count() > 990);
      assertTrue(Arrays.stream(one.integers(-2, 3, 500).toLongArray()).allMatch(n -> n >= -2 && n < 3));
    }
  }

  /** Arrays that nobody closes: their release never waits, and memory stays flat. */
  @Test
  void forgottenArraysAreReleased() throws Exception {
    long before = Releasing.released();
    NdArray x = NdArray.of(X);
    for (int i = 0; i < 100_000; ++i) {
      x.add(i);
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (Releasing.released() - before < 100_000 && System.nanoTime() < end) {
      System.gc();
      Thread.sleep(20);
    }
    assertTrue(Releasing.released() - before >= 100_000, "released " + (Releasing.released() - before));
    assertArrayEquals(X, x.toFloatArray());
    x.close();
  }

  @Test
  void threadsShareAnArray() throws Exception {
    try (NdArray sum = Nd.zeros(DType.INT64, 8)) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; ++i) {
        Thread thread = new Thread(() -> {
          for (int k = 0; k < 100; ++k) {
            sum.addAssign(1);
          }
        });
        threads.add(thread);
        thread.start();
      }
      for (Thread each : threads) {
        each.join();
      }
      long[] expected = new long[8];
      Arrays.fill(expected, 400);
      assertArrayEquals(expected, sum.toLongArray());
    }
  }

  @Test
  void sizesThatWrapAreRefused() {
    for (ByteBuffer data : List.of(ByteBuffer.allocate(8), ByteBuffer.allocateDirect(8))) {
      String negative = refusal(Status.SHAPE, () -> NdArray.of(data, DType.INT8, -1));
      assertEquals("the size of a dimension is -1; expected 0 or more", negative);
      refusal(Status.SHAPE, () -> NdArray.of(data, DType.INT8, -1, -8));
      refusal(Status.SHAPE, () -> NdArray.of(data, DType.INT64, (1L << 61) + 1));
      refusal(Status.SHAPE, () -> NdArray.of(data, DType.INT8, 6148914691236517206L, 3));
      assertEquals(0, NdArray.of(data, DType.INT64, 3, 0).getSize());
    }
    String large = refusal(Status.INVALID_ARGUMENT, () -> Nd.zeros(DType.INT8, 1).broadcast(1L << 20, 1L << 20).toNested());
    assertEquals("the array has 1099511627776 elements; an array of Java holds 2147483639", large);
    refusal(Status.INVALID_ARGUMENT, () -> Nd.zeros(DType.INT8, 1L << 32, 0).toNested());
  }

  @Test
  void operationsTakeNumbersAlone() {
    Operation add = Operation.of("add");
    assertEquals("add: 0 operands and parameters; expected 2", refusal(Status.INVALID_ARGUMENT, add::apply));
    assertEquals(DType.FLOAT32, add.applyAs(DType.FLOAT32, Scalar.of(1), Scalar.of(2)).getDType());
    NdArray out = Nd.zeros(DType.INT32, 2);
    add.into(out, Scalar.of(1), Scalar.of(2));
    assertArrayEquals(new int[] {3, 3}, out.toIntArray());
    add.intoWhere(out, NdArray.of(new boolean[] {true, false}), Scalar.of(4), Scalar.of(5));
    assertArrayEquals(new int[] {9, 3}, out.toIntArray());
  }

  @Test
  void unsignedNumbersRoundOnce() {
    long bits = Long.MIN_VALUE + 1025; // more than half of a step above 2^63
    NdArray x = NdArray.of(ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(0, bits), DType.UINT64, 1);
    assertEquals(0x1.0000000000001p63, x.item().doubleValue());
  }

  /** The index is computed on the device, so that only the end of the kernel shows it. */
  @Test
  void futuresFailAsTheKernelsDo() throws Exception {
    try (Scope scope = new Scope()) {
      NdArray wrong = NdArray.of(new long[] {1, 99}).add(0);
      NdArray y = Nd.arange(5).get(Slice.of(wrong));
      NdArray dependent = y.reshape(2, 1).add(1);
      NdArray other = Nd.arange(5).add(1);
      for (NdArray each : List.of(y, dependent)) {
        Throwable cause = assertThrows(ExecutionException.class, () -> each.evaluateAsync().get(60, TimeUnit.SECONDS)).getCause();
        assertEquals(IndexException.class, cause.getClass());
        assertTrue(cause.getMessage().startsWith("index 99 is out of range for axis 0 of size 5"), cause.getMessage());
      }
      assertEquals(other, other.evaluateAsync().get(60, TimeUnit.SECONDS));
      NdArray empty = Nd.zeros(DType.INT8, 0, 3);
      assertEquals(empty, empty.evaluateAsync().get(60, TimeUnit.SECONDS));
      NdArray single = other.sum();
      assertEquals(single, single.evaluateAsync().get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void aFileIsReplacedOnlyByArraysThatHaveElements() throws Exception {
    Path file = Files.createTempFile("arrays", ".npz");
    try (Scope scope = new Scope()) {
      NumpyFile.saveAll(file, Map.of("x", NdArray.of(X)));
      NdArray wrong = Nd.arange(5).get(Slice.of(NdArray.of(new long[] {99}).add(0)));
      refusal(Status.INDEX, () -> NumpyFile.saveAll(file, Map.of("x", wrong)));
      NdArray closed = Nd.arange(3);
      closed.close();
      refusal(Status.INVALID_HANDLE, () -> NumpyFile.saveCompressed(file, Map.of("x", closed)));
      assertArrayEquals(X, NumpyFile.loadAll(file).get("x").toFloatArray());
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void aScopeForgetsArraysThatTheProgramCloses() throws Exception {
    try (Scope scope = new Scope()) {
      NdArray x = Nd.arange(5);
      List<WeakReference<NdArray>> closed = new ArrayList<>();
      for (int i = 0; i < 1000; ++i) {
        NdArray each = x.add(1);
        each.close();
        closed.add(new WeakReference<>(each));
      }
      assertEquals("Scope of 1 array", scope.toString());
      System.gc();
      long kept = closed.stream().filter(each -> each.get() != null).count();
      assertTrue(kept <= 200, kept + " closed arrays are kept");
    }
  }
}
