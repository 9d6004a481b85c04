// SPDX-License-Identifier: Apache-2.0
// Every class holds its handle in a SafeHandle: not released while a call uses it. Quick calls
// count themselves in and out (Enter, Leave), which costs a third of SafeHandle's own counting.
%typemap(csimports) SWIGTYPE "#nullable enable annotations"
%typemap(csinterfaces) SWIGTYPE "System.IDisposable"
%typemap(csbody) SWIGTYPE %{
  internal sealed partial class Handle : System.Runtime.InteropServices.SafeHandle {
    internal static readonly Handle Null = new Handle(System.IntPtr.Zero, false);
    internal Handle(System.IntPtr pointer, bool own) : base(System.IntPtr.Zero, own) { SetHandle(pointer); }
    /// <summary>Whether there is nothing to release.</summary>
    public override bool IsInvalid { get { return handle == System.IntPtr.Zero; } }
    [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="CSharp_Cucore_delete_$csclassname")]
    static extern void Release(System.IntPtr pointer);
    /// <summary>Releases the reference.</summary>
    protected override bool ReleaseHandle() { if (!Ending.Keeps("$csclassname")) Leave(); return true; }

    // The users inside: quick calls, and SafeHandle itself until it releases. Far below 0 once it
    // is released.
    private int uses = 1;

    // The pointer, valid until Leave.
    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.AggressiveInlining)]
    internal System.IntPtr Enter() {
      if (System.Threading.Interlocked.Increment(ref uses) <= 0) Refuse();
      return handle;
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.AggressiveInlining)]
    internal void Leave() {
      if (System.Threading.Interlocked.Decrement(ref uses) == 0) Free();
    }

    // Enter, for a caller with its own exception.
    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.AggressiveInlining)]
    internal bool TryEnter() {
      if (System.Threading.Interlocked.Increment(ref uses) > 0) return true;
      Leave();
      return false;
    }

    private void Refuse() {
      Leave();
      throw new System.ObjectDisposedException("$csclassname");
    }

    // One of those that reach 0 releases; later ones are refused, or reach 0 again.
    private void Free() {
      if (System.Threading.Interlocked.CompareExchange(ref uses, int.MinValue / 2, 0) != 0) return;
      Release(handle);
      OnReleased();
    }

    partial void OnReleased();
  }
  private readonly Handle owned;
  // The handle for a call. The runtime's refusal of a released handle names no object.
  private Handle swigCPtr { get { CheckAlive(); return owned; } }
  // may also equal another object's, once this is disposed of
  private readonly System.IntPtr identity;
  internal $csclassname(System.IntPtr cPtr, bool cMemoryOwn) {
    owned = new Handle(cPtr, cMemoryOwn);
    identity = cPtr;
  }
  internal static Handle getCPtr($csclassname? obj) { return obj == null ? Handle.Null : obj.swigCPtr; }
  internal static Handle getCPtr($csclassname? obj, string parameter) {
    if (obj == null) throw Checked.Null(parameter);
    return obj.swigCPtr;
  }
%}
%typemap(imtype, out="System.IntPtr") SWIGTYPE * "System.Runtime.InteropServices.SafeHandle"
// Null causes an exception that names the parameter, unless it is allowed.
%typemap(csin) SWIGTYPE * "$csclassname.getCPtr($csinput, nameof($csinput))"
%define %nullable(CLASS, NAME)
%typemap(csin) CLASS *NAME "$csclassname.getCPtr($csinput)"
%typemap(cstype) CLASS *NAME "$csclassname?"
%enddef
%typemap(csin) OptionalStream * "CudaStream.getCPtr($csinput)"
%typemap(cstype) OptionalStream * "CudaStream?"
%typemap(csdispose) SWIGTYPE %{
  private volatile bool isDisposed;
  /// <summary>Releases the native object now instead of at the next collection. Calls of other
  /// threads that use it continue; once they have returned, calls throw
  /// ObjectDisposedException.</summary>
  public void Dispose() {
    isDisposed = true;
    owned.Dispose();
  }
  /// <summary>Whether Dispose was called.</summary>
  public bool IsDisposed { get { return isDisposed; } }
  /// <summary>Returns whether both are the same native object; for a disposed one, the same
  /// object.</summary>
  public override bool Equals(object? other) {
    return ReferenceEquals(this, other)
        || other is $csclassname that && identity == that.identity && !isDisposed && !that.isDisposed;
  }
  /// <summary>By the native object; stays after Dispose.</summary>
  public override int GetHashCode() { return identity.GetHashCode(); }
  // Runs before a result from memory is returned.
  private void CheckAlive() {
    if (isDisposed) throw new System.ObjectDisposedException("$csclassname");
  }
%}
%typemap(csdisposing, methodname="Dispose", methodmodifiers="protected", parameters="bool disposing") SWIGTYPE ""
// An allocation may need a collection first, and the collector counts its size.
%typemap(csconstruct, excode=SWIGEXCODE) Buffer %{: this(Make(() => $imcall), true) {$excode
    swigCPtr.AddPressure(Size);
  }
%}
