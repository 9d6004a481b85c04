// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.Cucore;
import io.cucore.CudaStream;

/** The native methods. They take Java objects, which stay reachable meanwhile, and return leases. */
final class Natives {
  static {
    Cucore.loadArrays();
  }

  private Natives() {}

  static native void close(long lease);

  static native int version();

  /** Throws the exception of a status. */
  static native void refuse(int status, String message);

  static native long contextDefault(int ordinal);

  static native long contextCreate(int ordinal, CudaStream stream, long[] options);

  static native int contextDevice(Context context);

  static native CudaStream contextStream(Context context);

  static native void contextEvaluate(Context context);

  static native void contextSynchronize(Context context);

  static native long[] contextQuery(Context context);

  static native long empty(Context context, int dtype, long[] shape);

  static native long full(Context context, int dtype, long[] shape, Scalar value);

  static native long arange(Context context, int dtype, Scalar start, Scalar step, long count);

  static native long linspace(Context context, int dtype, Scalar start, Scalar stop, long count, boolean endpoint);

  static native long eye(Context context, int dtype, long rows, long columns, long diagonal);

  static native long fromHost(Context context, int dtype, Object source, long offset, long size, long[] shape);

  static native long fromNpy(Context context, byte[] data);

  static native void write(NdArray array, Object source, long size);

  static native void read(NdArray array, Object target, long size);

  static native long[] item(NdArray array);

  static native void evaluate(NdArray[] arrays);

  static native String explain(NdArray[] arrays, int what);

  static native String print(NdArray array);

  static native byte[] toNpy(NdArray array);

  static native void setName(NdArray array, String name);

  static native long[] shape(NdArray array);

  static native long[] strides(NdArray array);

  static native int dtype(NdArray array);

  /** Returns bits: 1 pending, 2 a view, 4 contiguous, 8 writable. */
  static native int facts(NdArray array);

  static native boolean sharesMemory(NdArray array, NdArray other);

  static native long contextOf(NdArray array);

  static native long[] apply(int op, Operand[] operands, int dtype, int results);

  static native void applyInto(int op, Operand[] operands, NdArray out, NdArray where);

  static native long unary(int op, NdArray x);

  static native long binary(int op, Operand x, Operand y);

  static native void assign(int op, NdArray x, Operand value);

  static native long reduce(int op, NdArray x, int[] axes, boolean keepdims, int dtype, double correction, double order);

  static native long scan(int op, NdArray x, int axis, int dtype, boolean includeInitial);

  static native long generatorCreate(Context context, long seed);

  static native long random(Generator generator, int distribution, int dtype, Operand[] parameters, long[] shape);

  static native long select(NdArray x, long[] numbers, NdArray[] arrays);

  static native void assignSelect(NdArray x, long[] numbers, NdArray[] arrays, int op, Operand value);

  static native long cast(NdArray x, int dtype);

  static native long copy(NdArray x);

  static native long toContext(NdArray x, Context context);

  static native long reshape(NdArray x, long[] shape);

  static native long broadcast(NdArray x, long[] shape);

  static native long permute(NdArray x, int[] axes);

  static native long expand(NdArray x, int[] axes);

  static native long squeeze(NdArray x, int[] axes);

  static native long flip(NdArray x, int[] axes);

  static native long diagonal(NdArray x, long offset, int axis1, int axis2);

  static native long part(NdArray x, int part);

  static native long concat(NdArray[] arrays, int axis);

  static native long stack(NdArray[] arrays, int axis);

  static native long[] unstack(NdArray x, int axis, int count);

  static native long roll(NdArray x, long shift, int axis);

  static native long tile(NdArray x, long[] repeats);

  static native long repeat(NdArray x, long count, int axis);

  static native long take(NdArray x, NdArray indices, int axis);

  static native long takeAlong(NdArray x, NdArray indices, int axis);

  static native void putAlong(NdArray x, NdArray indices, Operand value, int axis);

  static native long compress(NdArray x, NdArray mask, int axis);

  static native long[] nonzero(NdArray x);

  static native long sort(NdArray x, int axis, boolean descending);

  static native long argsort(NdArray x, int axis, boolean descending);

  static native long searchsorted(NdArray sorted, NdArray values, boolean right);

  static native long[] unique(NdArray x);

  static native long matmul(NdArray x, NdArray y);

  static native long tensordot(NdArray x, NdArray y, int[] xAxes, int[] yAxes);

  static native long vecdot(NdArray x, NdArray y, int axis);
}
