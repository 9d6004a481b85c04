// SPDX-License-Identifier: Apache-2.0
// Waits in slices: Mono stops a thread only while it runs C#. Otherwise a process that ends would
// wait for the device or the compiler. csharp/src/Waits.cs has the loops.
%{
#include "waiting.hpp"
using cucore::bind::begin_wait;
using cucore::bind::Waiting;

// Returns 1 once it is over.
extern "C" SWIGEXPORT int SWIGSTDCALL cucore_csharp_wait_slice(void *waiting, int milliseconds) {
  return static_cast<Waiting *>(waiting)->wait(std::chrono::milliseconds(milliseconds));
}
extern "C" SWIGEXPORT void SWIGSTDCALL cucore_csharp_wait_end(void *waiting, int is_over) {
  const std::unique_ptr<Waiting> ended(static_cast<Waiting *>(waiting));
  guarded([&] { return is_over ? ended->require_success(), 0 : 0; });
}
// Returns 1 once it is complete, 0 after the time, and 0 with a failure pending.
extern "C" SWIGEXPORT int SWIGSTDCALL cucore_csharp_wait_future(Future *future, int64_t nanoseconds) {
  cucore_error *error = nullptr;
  const cucore_status status = cucore_future_wait(future, nanoseconds, &error);
  if (status == CUCORE_ERROR_NOT_READY) cucore_error_release(error);
  if (status != CUCORE_OK && status != CUCORE_ERROR_NOT_READY) cucore_raise(status, error);
  return status == CUCORE_OK;
}
%}
// Waits until a descriptor is readable, a task awaits another one, or the time is over.
%{
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
static int wake_descriptor() {
  static const int descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return descriptor;
}
extern "C" SWIGEXPORT void SWIGSTDCALL cucore_csharp_wake_poll() {
  const uint64_t one = 1;
  if (write(wake_descriptor(), &one, sizeof one) < 0) return;  // the time of the poll remains
}
// The last entry is for the wake.
extern "C" SWIGEXPORT void SWIGSTDCALL cucore_csharp_poll(pollfd *all, int count, int milliseconds) {
  all[count - 1].fd = wake_descriptor();
  for (int i = 0; i < count; ++i) all[i].events = POLLIN;
  ::poll(all, count, milliseconds);
  uint64_t woken = 0;
  if (all[count - 1].revents && read(all[count - 1].fd, &woken, sizeof woken) < 0) return;  // another thread read it
}
%}
%pragma(csharp) imclasscode=%{
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_wake_poll")]
  internal static extern void WakePoll();
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_poll")]
  internal static extern void Poll([System.Runtime.InteropServices.In, System.Runtime.InteropServices.Out] Polled[] all, int count, int milliseconds);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_wait_slice")]
  internal static extern int WaitSlice(System.IntPtr waiting, int milliseconds);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_wait_end")]
  internal static extern void WaitEnd(System.IntPtr waiting, int isOver);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_wait_future")]
  internal static extern int WaitFuture(System.Runtime.InteropServices.SafeHandle future, long nanoseconds);
%}
//: waits
