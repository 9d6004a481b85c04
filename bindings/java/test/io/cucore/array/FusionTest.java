// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fusion never changes a bit, the named patterns move the least bytes, and contexts mix. */
class FusionTest {
  private static final int ROWS = 5;
  private static final int COLUMNS = 1031;
  private static final long BYTES = 4L * ROWS * COLUMNS;
  private static final Reduction EACH_ROW = Reduction.along(1).keepAxes();

  private CudaDevice device;
  private Context lazy;
  private Context eager;

  @BeforeEach
  void open() {
    device = CudaDevice.first();
    lazy = new Context(device);
    eager = new Context(device, ContextOptions.DEFAULT.withPolicy(Policy.EAGER));
  }

  @AfterEach
  void close() {
    eager.close();
    lazy.close();
    device.close();
  }

  /** A pattern of issue and documentation: its operands, and the result after each step. */
  private interface Expression {
    NdArray of(NdArray x, NdArray y, NdArray z, UnaryOperator<NdArray> step);
  }

  private static NdArray exponentials(NdArray x, UnaryOperator<NdArray> step) {
    return step.apply(step.apply(x.subtract(step.apply(x.max(EACH_ROW)))).exp());
  }

  private static NdArray centred(NdArray x, UnaryOperator<NdArray> step) {
    return step.apply(x.subtract(step.apply(x.mean(EACH_ROW))));
  }

  /** Each expression with the arrays of the full size that it reads. */
  private static Map<Expression, Integer> expressions() {
    Map<Expression, Integer> all = new LinkedHashMap<>();
    all.put((x, y, z, step) -> step.apply(step.apply(step.apply(x.sin()).multiply(step.apply(y.cos())))
        .add(step.apply(step.apply(z.negative()).multiply(z)).exp()).add(step.apply(x.add(1)).log())).sqrt(), 3);
    all.put((x, y, z, step) -> exponentials(x, step).divide(step.apply(exponentials(x, step).sum(EACH_ROW))), 1);
    all.put((x, y, z, step) -> step.apply(x.subtract(step.apply(x.max(EACH_ROW))))
        .subtract(step.apply(step.apply(exponentials(x, step).sum(EACH_ROW)).log())), 1);
    all.put((x, y, z, step) -> centred(x, step).divide(step.apply(step.apply(step.apply(x.var(EACH_ROW)).add(1e-5)).sqrt())), 1);
    all.put((x, y, z, step) -> centred(x, step).divide(step.apply(x.std(EACH_ROW))), 1);
    all.put((x, y, z, step) -> step.apply(x.multiply(y)).sum(), 2);
    all.put((x, y, z, step) -> step.apply(step.apply(x.multiply(x)).sum()).sqrt(), 1);
    all.put((x, y, z, step) -> step.apply(Nd.where(step.apply(x.greater(0.5)), step.apply(x.add(1)), y)).multiply(z), 3);
    return all;
  }

  private static long count(String counts, String name) {
    Matcher found = Pattern.compile("\"" + name + "\": *(\\d+)").matcher(counts);
    assertTrue(found.find(), name + " is not in " + counts);
    return Long.parseLong(found.group(1));
  }

  private static NdArray[] operands() {
    double[] numbers = ThreadLocalRandom.current().doubles(3L * ROWS * COLUMNS, 0.01, 2).toArray();
    NdArray all = NdArray.of(numbers, 3, ROWS, COLUMNS).as(DType.FLOAT32).evaluate();
    return new NdArray[] {all.get(0).copy().evaluate(), all.get(1).copy().evaluate(), all.get(2).copy().evaluate()};
  }

  /** Each of the patterns is one kernel that reads its operands once, and writes its result. */
  @Test
  void namedPatternsMoveInputsAndOutputs() {
    try (Scope scope = new Scope(lazy)) {
      NdArray[] given = operands();
      lazy.synchronize();
      int at = 0;
      for (Map.Entry<Expression, Integer> each : expressions().entrySet()) {
        List<NdArray> steps = new ArrayList<>();
        NdArray result = each.getKey().of(given[0], given[1], given[2], step -> {
          steps.add(step);
          return step;
        });
        steps.forEach(NdArray::close); // the plan stores none of them
        String counts = result.explain(Explanation.COUNTS);
        String where = "pattern " + at++ + ": " + counts;
        assertEquals(1, count(counts, "kernels"), where);
        assertEquals(0, count(counts, "temporaries"), where);
        assertEquals(each.getValue() * BYTES, count(counts, "bytes_read"), where);
        assertEquals(result.getBytes(), count(counts, "bytes_written"), where);
      }
      String both = Nd.explain(Explanation.COUNTS, given[0].mean(), given[0].var());
      assertEquals(List.of(1L, 0L, BYTES, 8L), List.of(count(both, "kernels"), count(both, "temporaries"), count(both, "bytes_read"),
          count(both, "bytes_written")), both);
    }
  }

  private static int[] bits(NdArray x) {
    float[] numbers = x.as(DType.FLOAT32).toFloatArray();
    int[] bits = new int[numbers.length];
    for (int i = 0; i < bits.length; ++i) {
      bits[i] = Float.floatToRawIntBits(numbers[i]);
    }
    return bits;
  }

  /** One kernel, a kernel per operation, and kernels that end anywhere compute the same bits. */
  @Test
  void fusedBitsAreThoseOfSingleOperations() {
    List<int[]> expected = new ArrayList<>();
    NdArray[] given;
    try (Scope scope = new Scope(lazy)) {
      given = operands();
      for (NdArray each : given) {
        scope.keep(each);
      }
      for (Expression each : expressions().keySet()) {
        expected.add(bits(each.of(given[0], given[1], given[2], step -> step)));
      }
    }
    try (Scope scope = new Scope(lazy)) {
      int at = 0;
      for (Expression each : expressions().keySet()) {
        String where = "pattern " + at;
        NdArray parts = each.of(given[0], given[1], given[2], step -> ThreadLocalRandom.current().nextBoolean() ? step.evaluate() : step);
        assertArrayEquals(expected.get(at), bits(parts), where);
        assertArrayEquals(expected.get(at++), bits(each.of(given[0], given[1], given[2], NdArray::evaluate)), where);
      }
    }
    try (Scope scope = new Scope(eager)) {
      NdArray[] same = {given[0].toContext(eager), given[1].toContext(eager), given[2].toContext(eager)};
      int at = 0;
      for (Expression each : expressions().keySet()) {
        NdArray result = each.of(same[0], same[1], same[2], step -> step);
        assertTrue(!result.isPending());
        assertArrayEquals(expected.get(at++), bits(result));
      }
    }
    for (NdArray each : given) {
      each.close();
    }
  }

  /** Copies between the streams of two contexts wait for one another on the device. */
  @Test
  void twoContextsMix() {
    try (Context other = new Context(device);
        CudaStream first = lazy.getStream();
        CudaStream second = other.getStream()) {
      assertTrue(first.getNativeHandle() != second.getNativeHandle());
      NdArray x = made(lazy, 0);
      NdArray y = made(other, 1);
      long[] expected = {0, 1};
      for (int i = 0; i < 40; ++i) { // Fibonacci's numbers, in turns
        try (NdArray here = y.toContext(lazy)) {
          x.addAssign(here);
        }
        try (NdArray there = x.toContext(other)) {
          y.addAssign(there);
        }
        expected[0] += expected[1];
        expected[1] += expected[0];
      }
      assertEquals(List.of(expected[0], expected[0]), List.of(x.min().item().longValue(), x.max().item().longValue()));
      assertEquals(List.of(expected[1], expected[1]), List.of(y.min().item().longValue(), y.max().item().longValue()));
      try (NdArray sum = x.add(y)) { // operands of two contexts
        assertEquals(expected[0] + expected[1], sum.max().item().longValue());
      }
      x.close();
      y.close();
    }
  }

  private static NdArray made(Context context, long value) {
    try (Scope scope = new Scope(context)) {
      return scope.keep(Nd.full(DType.INT64, Scalar.of(value), 1 << 14));
    }
  }

  /** Rounds of one expression need one kernel, and no more memory than the first of them. */
  @Test
  void roundsHaveFlatMemory() {
    try (Scope scope = new Scope(lazy)) {
      NdArray x = NdArray.of(new float[1 << 12]);
      for (int i = 0; i < 1000; ++i) {
        x = round(x);
      }
      lazy.synchronize();
      Map<String, Long> before = lazy.getStatistics();
      for (int i = 0; i < 10_000; ++i) {
        x = round(x);
      }
      lazy.synchronize();
      Map<String, Long> after = lazy.getStatistics();
      long kernels = after.get("kernels_compiled") + after.get("kernels_from_disk") - before.get("kernels_compiled") - before.get("kernels_from_disk");
      assertTrue(kernels <= 1, kernels + " more kernels, for the last rounds: " + after);
      assertEquals(before.get("peak_bytes"), after.get("peak_bytes"), after.toString());
      assertEquals(1.0f, x.toFloatArray()[7], 1e-6f);
    }
  }

  /** Closes its operand, and thus keeps no chain of arrays. */
  private static NdArray round(NdArray x) {
    NdArray half = x.multiply(0.5);
    NdArray next = half.add(0.5);
    half.close();
    x.close();
    return next;
  }
}
