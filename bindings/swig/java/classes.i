// SPDX-License-Identifier: Apache-2.0
// Every class: AutoCloseable, with a Cleaner instead of finalize(). The pointer is a lease
// (bindings/java/native/lease.hpp), so that a close never releases an object during a call.
%typemap(javaclassmodifiers) SWIGTYPE "public final class"
%typemap(javainterfaces) SWIGTYPE "AutoCloseable"
%typemap(javabody) SWIGTYPE %{
  private transient volatile long swigCPtr;
  private final transient java.lang.ref.Cleaner.Cleanable cleanable;

  $javaclassname(long lease, boolean owned) {
    swigCPtr = lease;
    cleanable = Cleaning.register(this, lease);
  }

  static long getCPtr($javaclassname object) {
    return object == null ? 0 : object.open();
  }

  private long open() {
    long lease = swigCPtr;
    if (lease == 0) {
      throw CucoreException.closed("$javaclassname");
    }
    return lease;
  }

  /** Whether {@link #close()} has been called.
   * @return true once closed */
  public boolean isClosed() {
    return swigCPtr == 0;
  }
%}
%typemap(javadestruct, methodname="close", methodmodifiers="/** Releases the native object. Calls that other threads are inside of end first; further calls\n   * throw {@link InvalidHandleException}. A second close does nothing. */\n  @Override public") SWIGTYPE {
    swigCPtr = 0;
    cleanable.clean();
  }
%typemap(in) SWIGTYPE * (cucore::java::Use use) {
  if ($input && !use.enter($input)) { cucore::java::raise_closed(jenv, $input_); return $null; }
  $1 = ($1_ltype)use.object();
}
%typemap(in) SWIGTYPE *self (cucore::java::Use use) {
  if (!use.enter($input)) { cucore::java::raise_closed(jenv, $input_); return $null; }
  $1 = ($1_ltype)use.object();
}
// null is refused here, unless the layer itself passes it.
%typemap(javain) SWIGTYPE * "$javaclassname.getCPtr(Given.notNull($javainput, \"$javainput\"))"
%define %nullable(CLASS, NAME)
%typemap(javain) CLASS *NAME "$javaclassname.getCPtr($javainput)"
%enddef
%typemap(out) SWIGTYPE * { $result = cucore::java::lease($1); }
%typemap(javain) OptionalStream *upload "CudaStream.getCPtr($javainput)"
%pragma(java) moduleclassmodifiers="final class"
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static { NativeLoader.load(); }
%}
%typemap(javaconstruct) Buffer {
    this(Allocation.allocate(() -> $imcall), true);
  }
%typemap(javaout) Buffer *Buffer::from_pool, Buffer *Buffer::pinned, Buffer *Buffer::managed {
    return new CudaBuffer(Allocation.allocate(() -> $jnicall), true);
  }
%typemap(javainterfaces) ObjectCode "AutoCloseable, java.io.Serializable"
