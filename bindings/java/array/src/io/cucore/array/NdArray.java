// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaStream;
import io.cucore.DeviceMemory;
import io.cucore.InvalidHandleException;
import io.cucore.Status;
import io.cucore.Toggle;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * An N-dimensional array, or a view of one. Operations wait until elements are needed. An array that is
 * not closed is released when it is unreachable. Java's serialization stores the elements as a .npy file.
 */
public final class NdArray extends ArrayOperations implements AutoCloseable, DeviceMemory, Serializable {
  private static final long serialVersionUID = 1L;

  private static final int INDEX = 1;
  private static final int INVERSE = 2;
  private static final int COUNTS = 4;

  private final transient Releasing release;

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

  /** Waits for the elements.
   * @return the replacement, which is stored */
  private Object writeReplace() {
    return new StoredArray(this);
  }

  /** Refuses: only the replacement is read.
   * @param stream not used
   * @throws InvalidObjectException always */
  private void readObject(ObjectInputStream stream) throws InvalidObjectException {
    throw new InvalidObjectException("an array is read by its replacement");
  }

  /** Makes an array of nested arrays of Java, such as {@code double[][]}.
   * @param nested arrays of equal lengths
   * @return the array */
  public static NdArray ofNested(Object nested) {
    return Nested.toArray(Calls.notNull(nested, "nested"));
  }

  /** Copies the elements to nested arrays of Java: {@code double[][]} for two axes of FLOAT64. Waits.
   * @return arrays as {@link #ofNested} takes them */
  public Object toNested() {
    return Nested.ofArray(this);
  }

  /** Makes an array of the bytes of a buffer, from its position on, in the order of this machine.
   * @param data the bytes, which are copied
   * @param dtype the type of the elements
   * @param shape the sizes
   * @return the array */
  public static NdArray of(ByteBuffer data, DType dtype, long... shape) {
    Calls.notNull(data, "data");
    long size = Host.bytes(Calls.notNull(dtype, "dtype"), shape);
    Host.Region from = new Host.Region(data, size);
    return new NdArray(Natives.fromHost(Context.current(), dtype.getValue(), from.memory, from.offset, size, shape, null));
  }

  /** Makes an array over device memory, without a copy. Evaluate what was recorded before others write there.
   * @param buffer the memory, which the array keeps
   * @param offset the byte of the first element
   * @param dtype the type of the elements
   * @param shape the sizes; the last axis is consecutive
   * @return the array, whose writes go into the buffer at once */
  public static NdArray fromBuffer(CudaBuffer buffer, long offset, DType dtype, long... shape) {
    return new NdArray(Natives.fromBuffer(Context.current(), Calls.notNull(dtype, "dtype").getValue(), buffer, offset, shape, null));
  }

  /** Makes an array over device memory of any layout, without a copy, as {@link #fromBuffer(CudaBuffer, long, DType, long...)}.
   * @param buffer the memory, which the array keeps
   * @param offset the byte of the element at index 0
   * @param dtype the type of the elements
   * @param shape the sizes
   * @param byteStrides the distance of neighbours on each axis in bytes; also negative, or 0
   * @return the array, whose writes go into the buffer at once */
  public static NdArray fromBuffer(CudaBuffer buffer, long offset, DType dtype, long[] shape, long[] byteStrides) {
    return new NdArray(Natives.fromBuffer(Context.current(), Calls.notNull(dtype, "dtype").getValue(), buffer, offset, shape,
        Calls.notNull(byteStrides, "byteStrides")));
  }

  /** Evaluates the array and returns its memory for others. From now on, writes of the array go into it at once.
   * @return the memory, to close */
  public ArrayMemory buffer() {
    return new ArrayMemory(Natives.buffer(this));
  }

  /** Lends the memory to a launch, which takes arrays as arguments. Operations of the context that wait are queued before,
   * and later writes of the array go into its memory at once, as after {@link #buffer()}.
   * @param stream the stream of the launch, which waits for the array
   * @return the memory; the stream of the context waits for the launch when it is closed */
  @Override
  public Loan lend(CudaStream stream) {
    return new ArrayLoan(this, Calls.notNull(stream, "stream"));
  }

  /** Replaces all elements by those of a buffer, from its position on, in the order of this machine.
   * @param data as many bytes as the array has, the last axis first; the position stays */
  public void write(ByteBuffer data) {
    Host.Region from = new Host.Region(data, getBytes());
    Natives.write(this, from.memory, from.offset, getBytes());
  }

  /** Evaluates the array and copies its elements to a buffer, from its position on, in the order of this machine. Waits.
   * @param data has room for the array, the last axis first; the position stays */
  public void read(ByteBuffer data) {
    Host.Region to = new Host.Region(data, getBytes());
    if (data.isReadOnly()) {
      Calls.refuse(Status.INVALID_ARGUMENT, "data is read-only; expected a buffer that can be written");
    }
    Natives.read(this, to.memory, to.offset, getBytes());
  }

  /** Returns the number of axes.
   * @return 0 for a single element */
  public int getRank() {
    return (int) Natives.ndim(this);
  }

  /** Returns the type of the elements.
   * @return the dtype */
  public DType getDType() {
    return DType.of(Natives.dtypeOf(this));
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
    return new NdArray(Natives.select(this, items));
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
    if (Calls.notNull(items, "items").length == 0) {
      Calls.assign(op, this, value);
    } else {
      Natives.assignSelect(this, items, op, value);
    }
  }

  /** Queues the kernels. Does not wait.
   * @return this array */
  public NdArray evaluate() {
    Natives.evaluate(new NdArray[] {this});
    return this;
  }

  /** Queues the kernels. No thread waits for them.
   * @return completes with this array, or with the exception of the failure: also an index that was computed on the device
   *     and is out of range */
  public CompletableFuture<NdArray> evaluateAsync() {
    evaluate();
    try (Context context = getContext();
        CudaStream stream = context.getStream()) {
      return stream.completion().thenApply(nothing -> checked());
    }
  }

  private NdArray checked() {
    try {
      Host.check(this);
    } catch (InvalidHandleException e) {
      if (lease != 0) { // a closed array needs no elements
        throw e;
      }
    }
    return this;
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
    return cast(dtype, Toggle.DEFAULT);
  }

  /** Gives the elements another shape.
   * @param shape the sizes; one may be -1
   * @return a view where possible */
  public NdArray reshape(long... shape) {
    return reshape(shape, Toggle.DEFAULT);
  }

  /** Reverses the axes.
   * @return a view */
  public NdArray transpose() {
    return permute((int[]) null);
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
    long count = at >= 0 && at < shape.length ? shape[at] : 0;
    return Calls.arrays(Natives.unstack(this, axis, count));
  }

  /** Shifts the elements of an axis; those that leave it enter at the other end.
   * @param shift the distance
   * @param axis the axis
   * @return a new array */
  public NdArray roll(long shift, int axis) {
    return roll(new long[] {shift}, axis);
  }

  /** Repeats each element of an axis.
   * @param count how often
   * @param axis the axis
   * @return a new array */
  public NdArray repeat(long count, int axis) {
    return repeat(null, count, axis);
  }

  /** Repeats each element of an axis by its number in an array. Waits for the size of the result.
   * @param repeats a number for each element
   * @param axis the axis
   * @return a new array */
  public NdArray repeat(NdArray repeats, int axis) {
    return repeat(Calls.notNull(repeats, "repeats"), 0, axis);
  }

  /** Surrounds the array with zeros.
   * @param beforeAfter two numbers for each axis: the elements before it and after it
   * @return a new array */
  public NdArray pad(long... beforeAfter) {
    return pad(Scalar.of(0), beforeAfter);
  }

  /** Surrounds the array with equal elements.
   * @param value the element
   * @param beforeAfter two numbers for each axis: the elements before it and after it
   * @return a new array */
  public NdArray pad(Scalar value, long... beforeAfter) {
    return new NdArray(Natives.pad(this, beforeAfter, 0, Calls.notNull(value, "value")));
  }

  /** Finds the elements that are not 0. Waits for their number.
   * @return their indices, one array for each axis */
  public NdArray[] nonzero() {
    return Calls.arrays(Natives.nonzero(this, getRank()));
  }

  /** Sorts the last axis; equal elements keep their order.
   * @return a new array */
  public NdArray sort() {
    return sort(-1, false);
  }

  /** Finds where values belong in this sorted array.
   * @param values the values
   * @param right whether behind equal elements
   * @return an array of INT64 */
  public NdArray searchsorted(NdArray values, boolean right) {
    return searchsorted(values, right, null);
  }

  /** Finds the different elements. Waits for their number.
   * @return them, the first place of each, the number of each element among them, and how often each occurs */
  public NdArray[] unique() {
    return Calls.arrays(Natives.unique(this, INDEX | INVERSE | COUNTS));
  }

  /** Returns the nearest numbers with some decimals; of two, the even one.
   * @param decimals digits behind the point; negative ones round to tens, hundreds and so on
   * @return a new array of the same type */
  public NdArray round(int decimals) {
    return Rounding.round(this, decimals);
  }

  /** Replaces NaN by 0, and infinities by the greatest and the least finite number of the type.
   * @return a new array */
  public NdArray nanToNum() {
    return Rounding.nanToNum(this);
  }

  /** Replaces NaN and infinities.
   * @param nan for NaN
   * @param posinf for the positive infinity
   * @param neginf for the negative infinity
   * @return a new array */
  public NdArray nanToNum(double nan, double posinf, double neginf) {
    return Rounding.nanToNum(this, nan, posinf, neginf);
  }

  /** Returns whether elements are almost equal: relatively by 1e-5, or absolutely by 1e-8.
   * @param y the second operand
   * @return an array of BOOL */
  public NdArray isclose(Operand y) {
    return isclose(y, 1e-5, 1e-8, false);
  }

  /** Returns whether {@code |x - y|} is at most {@code absolute + relative * |y|}.
   * @param y the second operand
   * @param relative the relative tolerance
   * @param absolute the absolute tolerance
   * @param equalNan whether NaN equals NaN
   * @return an array of BOOL */
  public NdArray isclose(Operand y, double relative, double absolute, boolean equalNan) {
    return Operation.of("isclose").apply(this, Calls.notNull(y, "y"), Scalar.of(relative), Scalar.of(absolute), Scalar.of(equalNan));
  }

  /** Returns whether all elements are almost equal, as {@link #isclose(Operand)} compares them. Waits for them.
   * @param y the second operand
   * @return whether they are */
  public boolean allclose(Operand y) {
    return Comparison.all(isclose(y));
  }

  /** Returns whether all elements are almost equal, as {@link #isclose(Operand, double, double, boolean)} compares them. Waits for them.
   * @param y the second operand
   * @param relative the relative tolerance
   * @param absolute the absolute tolerance
   * @param equalNan whether NaN equals NaN
   * @return whether they are */
  public boolean allclose(Operand y, double relative, double absolute, boolean equalNan) {
    return Comparison.all(isclose(y, relative, absolute, equalNan));
  }

  /** Returns whether shape and elements are equal. Waits for the elements.
   * @param y the other array, of any type
   * @return whether they are */
  public boolean arrayEqual(NdArray y) {
    return Comparison.arrayEqual(this, Calls.notNull(y, "y"));
  }

  /** Returns the elements as NumPy prints them, in a format. Waits for them.
   * @param options the format
   * @return the text */
  public String toString(PrintOptions options) {
    return Calls.notNull(options, "options").print(this);
  }

  /** Returns the elements as NumPy prints them. Waits for them, but never fails. */
  @Override
  public String toString() {
    if (lease == 0) {
      return "NdArray (closed)";
    }
    try {
      return PrintOptions.DEFAULT.print(this);
    } catch (CucoreException e) {
      return lease == 0 ? "NdArray (closed)" : "NdArray: " + e.getMessage();
    }
  }
}
