// SPDX-License-Identifier: Apache-2.0
// Converts a failed call to the exception of its status: CucoreException.Of() in C# chooses the
// class.
//
// The failure waits in its thread until the call is back in C#, which then fetches it by a delegate
// of its own. A stored delegate would be that of the last AppDomain. Failures of the others would
// go to it, and be lost after its end.
%insert(runtime) %{
#include <cucore.h>
typedef void (SWIGSTDCALL *CucoreRaise)(int status, const char *message, const char *log, const char *origin,
                                        int native_code, const char *native_name,
                                        const cucore_diagnostic_info *diagnostics, int diagnostic_count);
%}
%{
#include <atomic>
#include <utility>
#include <vector>
static std::atomic<int> pending_count;  // of all threads: read after each call
static thread_local bool is_pending;
static thread_local Failure *pending_failure;  // null: memory was exhausted
static void raise_no_memory() {
  is_pending = true;
  ++pending_count;
}
static void raise_failure(const Failure &failure) {
  pending_failure = new (std::nothrow) Failure(failure);
  raise_no_memory();
}
// A defect of this library.
static void raise_unexpected(const std::exception &unexpected) try {
  raise_failure(Failure(CUCORE_ERROR_INTERNAL, unexpected.what()));
} catch (const std::bad_alloc &) {
  raise_no_memory();
}
// Runs a body outside of the handler of %exception; the result is 0 after a failure.
template <class Action>
static auto guarded(Action &&action) -> decltype(action()) {
  try {
    return action();
  } catch (const Failure &failure) {
    raise_failure(failure);
  } catch (const std::bad_alloc &) {
    raise_no_memory();
  } catch (const std::exception &unexpected) {
    raise_unexpected(unexpected);
  }
  return {};
}
// For the errors of other libraries: takes the error.
extern "C" SWIGEXPORT void SWIGSTDCALL cucore_raise(int status, cucore_error *error) {
  guarded([&] { return raise_failure(Failure(static_cast<cucore_status>(status), error)), true; });
}
extern "C" SWIGEXPORT void *SWIGSTDCALL cucore_pending_count() { return &pending_count; }
extern "C" SWIGEXPORT int SWIGSTDCALL cucore_is_pending() { return is_pending; }
extern "C" SWIGEXPORT void SWIGSTDCALL cucore_take_pending(CucoreRaise raise) {
  if (!std::exchange(is_pending, false)) return;
  --pending_count;
  const std::unique_ptr<Failure> f(std::exchange(pending_failure, nullptr));
  if (!f) return raise(0, "", "", "", 0, "", nullptr, 0);
  std::vector<cucore_diagnostic_info> diagnostics;
  const size_t count = f->diagnostic_count();
  try { diagnostics.reserve(count); }
  catch (const std::bad_alloc &) { return raise(0, "", "", "", 0, "", nullptr, 0); }
  for (size_t i = 0; i < count; ++i) diagnostics.push_back(f->diagnostic(i));
  raise(f->status(), f->message(), f->log(), f->origin(), f->native_code(), f->native_name(), diagnostics.data(),
        static_cast<int>(diagnostics.size()));
}
%}
%pragma(csharp) imclassclassmodifiers="internal class"
%pragma(csharp) imclasscode=%{
  [System.Runtime.InteropServices.UnmanagedFunctionPointer(System.Runtime.InteropServices.CallingConvention.StdCall)]
  delegate void RaiseDelegate(int status, System.IntPtr message, System.IntPtr log, System.IntPtr origin, int nativeCode, System.IntPtr nativeName, System.IntPtr diagnostics, int diagnosticCount);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_pending_count")]
  static extern System.IntPtr PendingCount();
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_is_pending")]
  static extern int IsPending();
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_take_pending")]
  static extern void TakePending(RaiseDelegate raise);

  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_raise")]
  static extern void RaiseError(int status, System.IntPtr error);

  // The exception of an error of C, which it takes.
  internal static System.Exception Raised(int status, System.IntPtr error) {
    RaiseError(status, error);
    return SWIGPendingException.Retrieve();
  }

  // Replaces SWIG's class of this name, whose callbacks are common to the process.
  internal static unsafe class SWIGPendingException {
    private static readonly int* count = (int*)PendingCount();
    private static readonly RaiseDelegate raise = Raise;
    [System.ThreadStatic] private static System.Exception raised;

    internal static bool Pending { get { return System.Threading.Volatile.Read(ref *count) != 0 && IsPending() != 0; } }

    internal static System.Exception Retrieve() {
      TakePending(raise);
      System.Exception found = raised;
      raised = null;
      return found;
    }

    private static void Raise(int status, System.IntPtr message, System.IntPtr log, System.IntPtr origin, int nativeCode, System.IntPtr nativeName, System.IntPtr diagnostics, int diagnosticCount) {
      if (status == 0)
        raised = new System.OutOfMemoryException("no memory left");
      else
        raised = CucoreException.Of(new Failure(status, Utf8.Read(message), Utf8.Read(log), Utf8.Read(origin), nativeCode, Utf8.Read(nativeName), Diagnostic.Read(diagnostics, diagnosticCount)));
    }
  }
  // For callers of the functions of this class itself.
  internal static void Check() {
    if (SWIGPendingException.Pending) throw SWIGPendingException.Retrieve();
  }
%}
%exception {
  try { $action }
  catch (const Failure &failure) { raise_failure(failure); return $null; }
  catch (const Raised &raised) { raised.builder->rethrow(); return $null; }
  catch (const std::bad_alloc &) { raise_no_memory(); return $null; }
  catch (const std::exception &unexpected) { raise_unexpected(unexpected); return $null; }
}
