// A failed call becomes the exception of its status: CucoreException.Of() in C# chooses the class.
%insert(runtime) %{
#include <cucore.h>
typedef void (SWIGSTDCALL *CucoreRaise)(int status, const char *message, const char *log, const char *origin,
                                        int native_code, const char *native_name,
                                        const cucore_diagnostic_info *diagnostics, int diagnostic_count);
static CucoreRaise raise_callback = 0;
%}
%{
#include <vector>
extern "C" SWIGEXPORT void SWIGSTDCALL cucore_register_raise(CucoreRaise callback) { raise_callback = callback; }
static void raise_failure(const Failure &f) {
  std::vector<cucore_diagnostic_info> diagnostics;
  for (size_t i = 0; i < f.diagnostic_count(); ++i) diagnostics.push_back(f.diagnostic(i));
  raise_callback(f.status(), f.message(), f.log(), f.origin(), f.native_code(), f.native_name(), diagnostics.data(),
                 static_cast<int>(diagnostics.size()));
}
%}
%pragma(csharp) imclassclassmodifiers="internal class"
%pragma(csharp) imclasscode=%{
  [System.Runtime.InteropServices.UnmanagedFunctionPointer(System.Runtime.InteropServices.CallingConvention.StdCall)]
  delegate void RaiseDelegate(int status, System.IntPtr message, System.IntPtr log, System.IntPtr origin, int nativeCode, System.IntPtr nativeName, System.IntPtr diagnostics, int diagnosticCount);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_register_raise")]
  static extern void RegisterRaise(RaiseDelegate callback);
  static readonly RaiseDelegate raiseDelegate = Raise;
  static void Raise(int status, System.IntPtr message, System.IntPtr log, System.IntPtr origin, int nativeCode, System.IntPtr nativeName, System.IntPtr diagnostics, int diagnosticCount) {
    SWIGPendingException.Set(CucoreException.Of(new Failure(status, Utf8.Read(message), Utf8.Read(log), Utf8.Read(origin), nativeCode, Utf8.Read(nativeName), Diagnostic.Read(diagnostics, diagnosticCount))));
  }
  static int Init() { RegisterRaise(raiseDelegate); return 1; }
  internal static readonly int initialized = Init();
  // For what calls the functions of this class itself.
  internal static void Check() {
    if (SWIGPendingException.Pending) throw SWIGPendingException.Retrieve();
  }
%}
%exception {
  try { $action }
  catch (const Failure &failure) { raise_failure(failure); return $null; }
  catch (const Raised &raised) { raised.builder->rethrow(); return $null; }
  catch (const std::bad_alloc &) {
    SWIG_CSharpSetPendingException(SWIG_CSharpOutOfMemoryException, "no memory left");
    return $null;
  }
}
