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
  //: cucore_objectcode_symbol_parameters
  int64_t symbol_parameters(size_t symbol, void *data, size_t size) {
    return parameters_of(cucore_objectcode_symbol_parameters, data, size, $self, symbol);
  }
}
%extend Kernel {
  //: cucore_kernel_label
  const char *label() { return cucore_kernel_label($self); }
  //: cucore_kernel_parameters
  int64_t parameters(void *data, size_t size, Device *device_or_null) {
    return parameters_of(cucore_kernel_parameters, data, size, $self, device_or_null);
  }
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
  try {
    cucore::bind::launch(kernel, stream, block, size);
    return 0;
  } catch (const Failure &failure) {
    raise_failure(failure);
  } catch (const std::bad_alloc &) {
    raise_no_memory();
  }
  return 1;
}
%}
%pragma(csharp) imclasscode=%{
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_launch")]
  internal static extern int Launch(System.IntPtr kernel, System.IntPtr stream, System.IntPtr block, System.IntPtr size);
%}
