// Every class holds its handle in a SafeHandle: not released while a call uses it.
%typemap(csclassmodifiers) SWIGTYPE "public partial class"
%typemap(csinterfaces) SWIGTYPE "System.IDisposable"
%typemap(csbody) SWIGTYPE %{
  internal sealed class Handle : System.Runtime.InteropServices.SafeHandle {
    public Handle(System.IntPtr pointer, bool own) : base(System.IntPtr.Zero, own) { SetHandle(pointer); }
    public override bool IsInvalid { get { return handle == System.IntPtr.Zero; } }
    [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="CSharp_Cucore_delete_$csclassname")]
    static extern void Release(System.IntPtr pointer);
    protected override bool ReleaseHandle() { Release(handle); return true; }
  }
  private readonly Handle swigCPtr;
  internal $csclassname(System.IntPtr cPtr, bool cMemoryOwn) { swigCPtr = new Handle(cPtr, cMemoryOwn); }
  internal static Handle getCPtr($csclassname obj) { return obj == null ? new Handle(System.IntPtr.Zero, false) : obj.swigCPtr; }
%}
%typemap(imtype, out="System.IntPtr") SWIGTYPE * "System.Runtime.InteropServices.SafeHandle"
%typemap(csdispose) SWIGTYPE %{
  /// <summary>Gives the native object back now rather than at the next collection.</summary>
  public void Dispose() { swigCPtr.Dispose(); }
%}
%typemap(csdisposing, methodname="Dispose", methodmodifiers="protected", parameters="bool disposing") SWIGTYPE {}
