// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CucoreException;
import io.cucore.NotFoundException;
import io.cucore.Status;
import io.cucore.Toggle;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of operations, results that are written into arrays, and functions with parameters. */
class OperationTest {
  private static final double[] X = {1.25, -2.5, 3.75, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};

  @Test
  void theTableDescribesItself() {
    Operation add = Operation.of("add");
    assertEquals("add 2 1 0", add.getName() + " " + add.getOperands() + " " + add.getResults() + " " + add.getParameters());
    assertEquals("add", add.getNumpyName());
    assertEquals(add.getName(), Operation.of(add.getStandardName()).getName());
    assertEquals("add: " + add.getDescription(), add.toString());
    assertEquals(2, Operation.of("divmod").getResults());
    assertEquals(3, Operation.of("nan_to_num").getParameters());
    assertEquals(Natives.opCount(), Operation.all().stream().map(Operation::getName).distinct().count());
    assertTrue(Operation.all().stream().map(Operation::getName).collect(Collectors.toSet()).contains("logsumexp"));
    NotFoundException e = assertThrows(NotFoundException.class, () -> Operation.of("sine"));
    assertTrue(e.getMessage().contains("sine"), e.getMessage());
  }

  @Test
  void resultsAreWrittenIntoArrays() {
    try (Scope scope = new Scope()) {
      NdArray x = NdArray.of(new float[] {1, 2, 3, 4}, 2, 2);
      NdArray out = Nd.zeros(DType.FLOAT32, 2, 2);
      NdArray row = out.get(0);
      Operation.of("multiply").into(out, x, Scalar.of(2.5));
      assertArrayEquals(new float[] {2.5f, 5, 7.5f, 10}, out.toFloatArray());
      assertArrayEquals(new float[] {2.5f, 5}, row.toFloatArray()); // a view of it
      Operation.of("negative").intoWhere(out, x.greater(2), x);
      assertArrayEquals(new float[] {2.5f, 5, -3, -4}, out.toFloatArray());
      Operation.of("add").intoWhere(out.get(Slice.all(), Slice.at(1)), NdArray.of(new boolean[] {true, false}), x.get(Slice.all(), Slice.at(0)), Scalar.of(100));
      assertArrayEquals(new float[] {2.5f, 101, -3, -4}, out.toFloatArray());
      NdArray integers = Nd.zeros(DType.INT32, 2, 2);
      CucoreException e = assertThrows(CucoreException.class, () -> Operation.of("sqrt").into(integers, x));
      assertEquals(Status.DTYPE, e.getStatus());
      assertEquals(DType.FLOAT64, Operation.of("add").applyAs(DType.FLOAT64, x, x).getDType());
    }
  }

  @Test
  void typesPromoteWithoutACall() {
    try (Scope scope = new Scope()) {
      NdArray bytes = NdArray.of(new byte[] {1});
      assertEquals(DType.FLOAT64, Nd.resultType(DType.INT32, DType.FLOAT32));
      assertEquals(DType.INT8, Nd.resultType(bytes, Scalar.of(1)));
      assertEquals(DType.FLOAT32, Nd.resultType(bytes, NdArray.of(new float[] {1})));
      assertEquals(DType.BOOL, Operation.of("less").resultType(bytes, bytes));
      assertTrue(Nd.canCast(DType.INT8, DType.INT64, Casting.SAFE));
      assertFalse(Nd.canCast(DType.FLOAT64, DType.FLOAT32, Casting.SAFE));
      assertTrue(Nd.canCast(DType.FLOAT64, DType.FLOAT32, Casting.SAME_KIND));
      assertTrue(Nd.canCast(DType.FLOAT64, DType.INT8, Casting.UNSAFE));
      assertFalse(Nd.canCast(DType.FLOAT64, DType.INT8, Casting.NONE));
      for (DType each : DType.values()) {
        assertEquals(each == DType.DEFAULT ? 0 : each.size(), each == DType.DEFAULT ? 0 : Nd.dtypeSize(each));
        assertEquals(each == DType.DEFAULT ? "default" : each.name().toLowerCase(), each == DType.DEFAULT ? "default" : Nd.dtypeName(each));
      }
    }
  }

  @Test
  void roundsToDecimals() {
    try (Scope scope = new Scope()) {
      NdArray x = NdArray.of(new double[] {1.25, -2.35, 1234.5678});
      assertArrayEquals(new double[] {1, -2, 1235}, x.round(0).toDoubleArray());
      assertArrayEquals(new double[] {1.25, -2.35, 1234.57}, x.round(2).toDoubleArray());
      assertArrayEquals(new double[] {0, -0.0, 1200}, x.round(-2).toDoubleArray());
      NdArray integers = NdArray.of(new int[] {1250, -1350, 7});
      assertArrayEquals(new int[] {1250, -1350, 7}, integers.round(3).toIntArray());
      assertArrayEquals(new int[] {1200, -1400, 0}, integers.round(-2).toIntArray());
      assertEquals(DType.INT32, integers.round(-2).getDType());
    }
  }

  @Test
  void replacesNanAndInfinities() {
    try (Scope scope = new Scope()) {
      NdArray x = NdArray.of(X);
      assertArrayEquals(new double[] {1.25, -2.5, 3.75, 0, Double.MAX_VALUE, -Double.MAX_VALUE}, x.nanToNum().toDoubleArray());
      assertArrayEquals(new double[] {1.25, -2.5, 3.75, 7, 8, 9}, x.nanToNum(7, 8, 9).toDoubleArray());
      assertEquals(Float.MAX_VALUE, x.as(DType.FLOAT32).nanToNum().toFloatArray()[4]);
      assertEquals(65504, x.as(DType.FLOAT16).nanToNum().toDoubleArray()[4]);
      assertEquals(0x1.FEp127, x.as(DType.BFLOAT16).nanToNum().toDoubleArray()[4]);
      assertArrayEquals(new int[] {3, 4}, NdArray.of(new int[] {3, 4}).nanToNum().toIntArray());
    }
  }

  @Test
  void comparesAlmostEqualElements() {
    try (Scope scope = new Scope()) {
      NdArray x = NdArray.of(X);
      NdArray y = NdArray.of(new double[] {1.25 * (1 + 9e-6), -2.5 * (1 + 2e-5), 3.75, Double.NaN, Double.POSITIVE_INFINITY, 0});
      assertArrayEquals(new boolean[] {true, false, true, false, true, false}, x.isclose(y).toBooleanArray());
      assertArrayEquals(new boolean[] {true, true, true, true, true, false}, x.isclose(y, 1e-4, 0, true).toBooleanArray());
      assertTrue(x.allclose(x, 0, 0, true) && !x.allclose(x) && !x.allclose(y));
      NdArray numbers = x.get(Slice.to(3));
      assertTrue(numbers.allclose(numbers.multiply(1 + 1e-7)) && !numbers.allclose(Scalar.of(1.25)));
      assertTrue(numbers.arrayEqual(numbers.copy()) && numbers.as(DType.INT32).arrayEqual(NdArray.of(new byte[] {1, -2, 3})));
      assertFalse(numbers.arrayEqual(numbers.get(Slice.to(1))) || numbers.arrayEqual(numbers.add(1e-9)) || x.arrayEqual(x)); // NaN
      assertArrayEquals(new boolean[] {false, true, false}, x.get(Slice.to(3)).isclose(Scalar.of(-2), 0, 0.5, false).toBooleanArray());
    }
  }

  @Test
  void padsWithNumbers() {
    try (Scope scope = new Scope()) {
      NdArray x = NdArray.of(new int[] {1, 2, 3, 4}, 2, 2);
      assertArrayEquals(new int[] {0, 0, 0, 1, 2, 0, 3, 4, 0}, x.pad(1, 0, 0, 1).toIntArray());
      assertArrayEquals(new int[] {1, 2, 9, 3, 4, 9}, x.pad(Scalar.of(9), 0, 0, 0, 1).toIntArray());
      CucoreException e = assertThrows(CucoreException.class, () -> x.pad(1, 0, 0));
      assertEquals("beforeAfter has 3 numbers; expected 4", e.getMessage());
    }
  }

  @Test
  void searchesWithASorter() {
    try (Scope scope = new Scope()) {
      double[] values = {5, 1, 3};
      NdArray x = NdArray.of(values);
      NdArray wanted = NdArray.of(new double[] {0, 3, 9});
      assertArrayEquals(new long[] {0, 1, 3}, x.searchsorted(wanted, false, x.argsort(0, false)).toLongArray());
      assertArrayEquals(new long[] {0, 2, 3}, x.sort().searchsorted(wanted, true).toLongArray());
      assertArrayEquals(new long[] {0, 1, 3}, Nd.searchsorted(x, wanted, false, x.argsort(0, false)).toLongArray());
    }
  }

  @Test
  void listsOfOneCountMustBeEqual() {
    try (Scope scope = new Scope()) {
      NdArray x = Nd.arange(6).reshape(2, 3);
      assertArrayEquals(new long[] {5, 3, 4, 2, 0, 1}, x.roll(new long[] {1, 1}, 0, 1).toLongArray());
      assertArrayEquals(new long[] {5, 0, 1, 2, 3, 4}, x.roll(new long[] {1}, (int[]) null).toLongArray());
      CucoreException e = assertThrows(CucoreException.class, () -> x.roll(new long[] {1, 1}, 0));
      assertEquals("axes has 1 elements; expected 2, as many as shifts", e.getMessage());
      assertArrayEquals(new long[] {0, 0, 1, 2, 2, 2}, Nd.arange(3).repeat(NdArray.of(new int[] {2, 1, 3}), 0).toLongArray());
      assertThrows(CucoreException.class, () -> x.permute(1, 0).reshape(new long[] {6}, Toggle.OFF));
      assertArrayEquals(new long[] {0, 3, 1, 4, 2, 5}, x.permute(1, 0).reshape(new long[] {6}, Toggle.ON).toLongArray());
      assertEquals(1, Arrays.stream(x.unstack(0)).map(each -> each.getShape().length).distinct().count());
    }
  }
}
