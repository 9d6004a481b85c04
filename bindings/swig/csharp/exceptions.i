// A failed call becomes the exception of its status: CucoreException.Make() in C# chooses the class.
%insert(runtime) %{
typedef void (SWIGSTDCALL *CucoreRaise)(int status, const char *message, const char *log, const char *origin,
                                        int native_code, const char *native_name);
static CucoreRaise raise_callback = 0;
%}
%{
extern "C" SWIGEXPORT void SWIGSTDCALL cucore_register_raise(CucoreRaise callback) { raise_callback = callback; }
static void raise_failure(const Failure &f) {
  raise_callback(f.status(), f.message(), f.log(), f.origin(), f.native_code(), f.native_name());
}
%}
%pragma(csharp) imclassclassmodifiers="internal class"
%pragma(csharp) imclasscode=%{
  [System.Runtime.InteropServices.UnmanagedFunctionPointer(System.Runtime.InteropServices.CallingConvention.StdCall)]
  delegate void RaiseDelegate(int status, System.IntPtr message, System.IntPtr log, System.IntPtr origin, int nativeCode, System.IntPtr nativeName);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_register_raise")]
  static extern void RegisterRaise(RaiseDelegate callback);
  static readonly RaiseDelegate raiseDelegate = Raise;
  static void Raise(int status, System.IntPtr message, System.IntPtr log, System.IntPtr origin, int nativeCode, System.IntPtr nativeName) {
    SWIGPendingException.Set(CucoreException.Make(status, Utf8.Read(message), Utf8.Read(log), Utf8.Read(origin), nativeCode, Utf8.Read(nativeName)));
  }
  static int Init() { RegisterRaise(raiseDelegate); return 1; }
  static readonly int initialized = Init();
%}
%exception {
  try { $action }
  catch (const Failure &failure) { raise_failure(failure); return $null; }
  catch (const std::bad_alloc &) {
    SWIG_CSharpSetPendingException(SWIG_CSharpOutOfMemoryException, "no memory left");
    return $null;
  }
}
