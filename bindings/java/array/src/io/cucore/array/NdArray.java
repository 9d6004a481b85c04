// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.CucoreException;
import io.cucore.CudaStream;
import io.cucore.Status;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * An N-dimensional array, or a view of one. Operations wait until elements are needed. An array that is
 * not closed is released when it is unreachable.
 */
public final class NdArray extends ArrayOperations implements AutoCloseable {
  private static final int PENDING = 1;
  private static final int VIEW = 2;
  private static final int CONTIGUOUS = 4;
  private static final int WRITABLE = 8;

  private final Releasing release;

  NdArray(long lease) {
    this.lease = lease;
    release = Releasing.of(this, lease);
    Scope.add(this);
  }

  @Override
  NdArray self() {
    return this;
  }

  /** Releases the array. Arrays that share its memory stay, and nothing waits. A second call does nothing. */
  @Override
  public void close() {
    lease = 0;
    release.now();
  }

  /** Returns whether {@link #close()} has been called.
   * @return true once closed */
  public boolean isClosed() {
    return lease == 0;
  }

  /** Makes an array of nested arrays of Java, such as {@code double[][]}.
   * @param nested arrays of equal lengths
   * @return the array */
  public static NdArray ofNested(Object nested) {
    return Nested.toArray(Calls.notNull(nested, "nested"));
  }

  /** Makes an array of the bytes of a buffer, from its position on, in the order of this machine.
   * @param data the bytes, which are copied
   * @param dtype the type of the elements
   * @param shape the sizes
   * @return the array */
  public static NdArray of(ByteBuffer data, DType dtype, long... shape) {
    Calls.notNull(data, "data");
    long size = Host.count(shape) * Calls.notNull(dtype, "dtype").size();
    if (size > data.remaining()) {
      Calls.refuse(Status.INVALID_ARGUMENT, "data has " + data.remaining() + " bytes; the shape needs " + size);
    }
    boolean isOfJava = data.hasArray();
    Object source = isOfJava ? data.array() : data;
    long offset = isOfJava ? data.arrayOffset() + data.position() : data.position();
    return new NdArray(Natives.fromHost(Context.current(), dtype.getValue(), source, offset, size, shape));
  }

  /** Returns the size of each axis, the slowest first.
   * @return the shape */
  public long[] getShape() {
    return Natives.shape(this);
  }

  /** Returns the distance of neighbours on each axis in bytes.
   * @return the strides */
  public long[] getStrides() {
    return Natives.strides(this);
  }

  /** Returns the number of axes.
   * @return 0 for a single element */
  public int getRank() {
    return getShape().length;
  }

  /** Returns the number of elements.
   * @return the product of the shape */
  public long getSize() {
    return Host.count(getShape());
  }

  /** Returns the type of the elements.
   * @return the dtype */
  public DType getDType() {
    return DType.of(Natives.dtype(this));
  }

  /** Returns whether the elements are not computed yet.
   * @return true for a pending array */
  public boolean isPending() {
    return (Natives.facts(this) & PENDING) != 0;
  }

  /** Returns whether the array shows a part of another one's memory, or in another order.
   * @return true for a view */
  public boolean isView() {
    return (Natives.facts(this) & VIEW) != 0;
  }

  /** Returns whether the elements are consecutive, the last axis first.
   * @return true for the order of C */
  public boolean isContiguous() {
    return (Natives.facts(this) & CONTIGUOUS) != 0;
  }

  /** Returns whether the array can be written.
   * @return false for a broadcast view */
  public boolean isWritable() {
    return (Natives.facts(this) & WRITABLE) != 0;
  }

  /** Returns whether both arrays have an element in common.
   * @param other another array
   * @return the exact answer */
  public boolean sharesMemory(NdArray other) {
    return Natives.sharesMemory(this, other);
  }

  /** Returns the context.
   * @return a context to close */
  public Context getContext() {
    return Context.of(Natives.contextOf(this));
  }

  /** Names the array in explanations.
   * @param name the name; an empty one removes it
   * @return this array */
  public NdArray named(String name) {
    Natives.setName(this, Calls.notNull(name, "name"));
    return this;
  }

  /** Returns a view of elements, or a copy of those that an array of indices names.
   * @param items one for each axis, from the first one on
   * @return the elements */
  public NdArray get(Slice... items) {
    long[] numbers = Slice.numbers(items);
    return new NdArray(Natives.select(this, numbers, Slice.arrays(items)));
  }

  /** Returns an element of the first axis, or of more axes.
   * @param indices a number for each axis; negative ones count from the end
   * @return the part of the array; a copy if it is a single element */
  public NdArray get(long... indices) {
    Slice[] items = new Slice[Calls.notNull(indices, "indices").length];
    for (int i = 0; i < items.length; ++i) {
      items[i] = Slice.at(indices[i]);
    }
    return get(items);
  }

  /** Writes elements.
   * @param value is broadcast to them
   * @param items choose them; none: all */
  public void set(Operand value, Slice... items) {
    put(0, value, items);
  }

  /** Writes elements.
   * @param value for each one
   * @param items choose them; none: all */
  public void set(double value, Slice... items) {
    put(0, Scalar.of(value), items);
  }

  /** Writes elements.
   * @param value for each one
   * @param items choose them; none: all */
  public void set(long value, Slice... items) {
    put(0, Scalar.of(value), items);
  }

  /** Writes elements.
   * @param value for each one
   * @param items choose them; none: all */
  public void set(boolean value, Slice... items) {
    put(0, Scalar.of(value), items);
  }

  private void put(int op, Operand value, Slice[] items) {
    long[] numbers = Slice.numbers(items);
    Calls.notNull(value, "value");
    if (items.length == 0) {
      Natives.assign(op, this, value);
    } else {
      Natives.assignSelect(this, numbers, Slice.arrays(items), op, value);
    }
  }

  /** Evaluates an array of one element and returns it. Waits.
   * @return the number */
  public Scalar item() {
    return Scalar.of(Natives.item(this));
  }

  /** Queues the kernels. Does not wait.
   * @return this array */
  public NdArray evaluate() {
    Natives.evaluate(new NdArray[] {this});
    return this;
  }

  /** Queues the kernels. No thread waits for them.
   * @return completes with this array, or with the exception of the failure */
  public CompletableFuture<NdArray> evaluateAsync() {
    evaluate();
    try (Context context = getContext();
        CudaStream stream = context.getStream()) {
      return stream.completion().thenApply(nothing -> this);
    }
  }

  /** Describes the kernels that an evaluation would launch now.
   * @return the plan */
  public String explain() {
    return explain(Explanation.PLAN);
  }

  /** Describes what an evaluation would do now.
   * @param what the kind of the description
   * @return the text */
  public String explain(Explanation what) {
    return Natives.explain(new NdArray[] {this}, Calls.notNull(what, "what").getValue());
  }

  /** Converts the elements.
   * @param dtype the type
   * @return an array of the type */
  public NdArray as(DType dtype) {
    return new NdArray(Natives.cast(this, Calls.notNull(dtype, "dtype").getValue()));
  }

  /** Copies the array. The elements are copied when one of both is written, at the earliest.
   * @return the copy */
  public NdArray copy() {
    return new NdArray(Natives.copy(this));
  }

  /** Copies the array to another context.
   * @param context another stream or device
   * @return the copy */
  public NdArray toContext(Context context) {
    return new NdArray(Natives.toContext(this, context));
  }

  /** Gives the elements another shape.
   * @param shape the sizes; one may be -1
   * @return a view where possible */
  public NdArray reshape(long... shape) {
    return new NdArray(Natives.reshape(this, shape));
  }

  /** Reverses the axes.
   * @return a view */
  public NdArray transpose() {
    return new NdArray(Natives.permute(this, null));
  }

  /** Reorders the axes.
   * @param axes the axis of this array for each axis of the result
   * @return a view */
  public NdArray permute(int... axes) {
    return new NdArray(Natives.permute(this, Calls.notNull(axes, "axes")));
  }

  /** Repeats elements without memory for them.
   * @param shape the sizes
   * @return a view that cannot be written */
  public NdArray broadcast(long... shape) {
    return new NdArray(Natives.broadcast(this, shape));
  }

  /** Adds axes of size 1.
   * @param axes their places in the result
   * @return a view */
  public NdArray expand(int... axes) {
    return new NdArray(Natives.expand(this, axes));
  }

  /** Removes axes of size 1.
   * @param axes the axes
   * @return a view */
  public NdArray squeeze(int... axes) {
    return new NdArray(Natives.squeeze(this, axes));
  }

  /** Reverses the elements of axes.
   * @param axes the axes
   * @return a view */
  public NdArray flip(int... axes) {
    return new NdArray(Natives.flip(this, axes));
  }

  /** Returns a diagonal of two axes, as the last axis of the result.
   * @param offset the column of its first element
   * @param axis1 the axis of rows
   * @param axis2 the axis of columns
   * @return a view */
  public NdArray diagonal(long offset, int axis1, int axis2) {
    return new NdArray(Natives.diagonal(this, offset, axis1, axis2));
  }

  /** Returns the real parts.
   * @return a view of a complex array */
  public NdArray real() {
    return new NdArray(Natives.part(this, 1));
  }

  /** Returns the imaginary parts.
   * @return a view of a complex array */
  public NdArray imag() {
    return new NdArray(Natives.part(this, 2));
  }

  /** Splits an axis into its elements.
   * @param axis the axis
   * @return one array for each */
  public NdArray[] unstack(int axis) {
    long[] shape = getShape();
    int at = axis < 0 ? axis + shape.length : axis;
    int count = at >= 0 && at < shape.length ? Math.toIntExact(shape[at]) : 0;
    return Calls.arrays(Natives.unstack(this, axis, count));
  }

  /** Shifts the elements of an axis; those that leave it enter at the other end.
   * @param shift the distance
   * @param axis the axis
   * @return a new array */
  public NdArray roll(long shift, int axis) {
    return new NdArray(Natives.roll(this, shift, axis));
  }

  /** Repeats the array along its axes.
   * @param repeats how often, for each axis
   * @return a new array */
  public NdArray tile(long... repeats) {
    return new NdArray(Natives.tile(this, repeats));
  }

  /** Repeats each element of an axis.
   * @param count how often
   * @param axis the axis
   * @return a new array */
  public NdArray repeat(long count, int axis) {
    return new NdArray(Natives.repeat(this, count, axis));
  }

  /** Takes elements of an axis.
   * @param indices their numbers
   * @param axis the axis
   * @return a new array */
  public NdArray take(NdArray indices, int axis) {
    return new NdArray(Natives.take(this, indices, axis));
  }

  /** Takes an element of an axis for each index.
   * @param indices an array with the same number of axes
   * @param axis the axis
   * @return an array in the shape of the indices */
  public NdArray takeAlong(NdArray indices, int axis) {
    return new NdArray(Natives.takeAlong(this, indices, axis));
  }

  /** Writes an element of an axis for each index.
   * @param indices an array with the same number of axes
   * @param value is broadcast to them
   * @param axis the axis */
  public void putAlong(NdArray indices, Operand value, int axis) {
    Natives.putAlong(this, indices, value, axis);
  }

  /** Selects the elements of an axis for which a mask is true. Waits for their number.
   * @param mask one axis
   * @param axis the axis
   * @return a new array */
  public NdArray compress(NdArray mask, int axis) {
    return new NdArray(Natives.compress(this, mask, axis));
  }

  /** Finds the elements that are not 0. Waits for their number.
   * @return their indices, one array for each axis */
  public NdArray[] nonzero() {
    return Calls.arrays(Natives.nonzero(this));
  }

  /** Sorts the last axis; equal elements keep their order.
   * @return a new array */
  public NdArray sort() {
    return sort(-1, false);
  }

  /** Sorts an axis; equal elements keep their order.
   * @param axis the axis
   * @param descending whether the largest is first
   * @return a new array */
  public NdArray sort(int axis, boolean descending) {
    return new NdArray(Natives.sort(this, axis, descending));
  }

  /** Returns the places that sort() takes the elements from.
   * @param axis the axis
   * @param descending whether the largest is first
   * @return an array of INT64 */
  public NdArray argsort(int axis, boolean descending) {
    return new NdArray(Natives.argsort(this, axis, descending));
  }

  /** Finds where values belong in this sorted array.
   * @param values the values
   * @param right whether behind equal elements
   * @return an array of INT64 */
  public NdArray searchsorted(NdArray values, boolean right) {
    return new NdArray(Natives.searchsorted(this, values, right));
  }

  /** Finds the different elements. Waits for their number.
   * @return them, the first place of each, the number of each element among them, and how often each occurs */
  public NdArray[] unique() {
    return Calls.arrays(Natives.unique(this));
  }

  /** Multiplies matrices, as NumPy's operator @.
   * @param y the right factor
   * @return the product */
  public NdArray matmul(NdArray y) {
    return new NdArray(Natives.matmul(this, y));
  }

  /** Returns the bytes of a .npy file. Waits.
   * @return the file */
  public byte[] toNpy() {
    return Natives.toNpy(this);
  }

  /** Returns the elements as NumPy prints them. Waits for them, but never fails. */
  @Override
  public String toString() {
    if (lease == 0) {
      return "NdArray (closed)";
    }
    try {
      return Natives.print(this);
    } catch (CucoreException e) {
      return lease == 0 ? "NdArray (closed)" : "NdArray: " + e.getMessage();
    }
  }
}
