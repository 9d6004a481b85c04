// SPDX-License-Identifier: Apache-2.0
// The part after the sections, for C#.
%extend Kernel {
  //: cucore_kernel_label
  const char *label() { return cucore_kernel_label($self); }
}

// A launch without the cost of a wrapper: the caller already holds the handles.
%{
extern "C" SWIGEXPORT int SWIGSTDCALL cucore_csharp_launch(Kernel *kernel, Stream *stream, const void *block, size_t size) {
  return !guarded([&] { return cucore::bind::launch(kernel, stream, block, size), true; });
}
%}
%pragma(csharp) imclasscode=%{
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_launch")]
  internal static extern int Launch(System.IntPtr kernel, System.IntPtr stream, System.IntPtr block, System.IntPtr size);
%}
