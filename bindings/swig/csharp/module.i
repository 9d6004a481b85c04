// SPDX-License-Identifier: Apache-2.0
// The part after the sections, for C#.
//
// One more reference, for objects that outlive it.
%extend Buffer {
  //: cucore_buffer_retain
  Buffer *share() { return cucore_buffer_retain($self); }
}
%extend ObjectCode {
  //: cucore_objectcode_retain
  ObjectCode *share() { return cucore_objectcode_retain($self); }
}
%extend Kernel {
  //: cucore_kernel_label
  const char *label() { return cucore_kernel_label($self); }
}

// The result of a builder's delegate for the library: a separate reference.
%{
extern "C" SWIGEXPORT void *SWIGSTDCALL cucore_csharp_retain_code(ObjectCode *code) { return cucore_objectcode_retain(code); }
%}
%pragma(csharp) imclasscode=%{
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_retain_code")]
  internal static extern System.IntPtr RetainCode(System.Runtime.InteropServices.SafeHandle code);
%}

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
