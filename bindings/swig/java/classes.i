// Every class: AutoCloseable, with a Cleaner instead of finalize().
%typemap(javaclassmodifiers) SWIGTYPE "public final class"
%typemap(javainterfaces) SWIGTYPE "AutoCloseable"
%typemap(javabody) SWIGTYPE %{
  private transient volatile long swigCPtr;
  private transient final java.lang.ref.Cleaner.Cleanable cleanable;

  private static final class Release implements Runnable {
    private final long pointer;
    Release(long pointer) { this.pointer = pointer; }
    @Override public void run() { $imclassname.delete_$javaclassname(pointer); }
  }

  $javaclassname(long cPtr, boolean cMemoryOwn) {
    swigCPtr = cPtr;
    cleanable = cMemoryOwn ? Resources.register(this, new Release(cPtr)) : null;
  }

  static long getCPtr($javaclassname obj) {
    return obj == null ? 0 : obj.swigCPtr;
  }

  static long swigRelease($javaclassname obj) {
    return getCPtr(obj);
  }
%}
%typemap(javafinalize) SWIGTYPE ""
%typemap(javadestruct, methodname="close", methodmodifiers="@Override public synchronized") SWIGTYPE {
    if (swigCPtr != 0) {
      swigCPtr = 0;
      if (cleanable != null) cleanable.clean();
    }
  }
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static { NativeLoader.load(); }
%}
