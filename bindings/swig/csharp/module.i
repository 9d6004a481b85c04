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
extern "C" SWIGEXPORT void *SWIGSTDCALL cucore_csharp_prepare(Kernel *kernel, Stream *stream, const void *block, size_t size) {
  cucore_prepared_launch *prepared = nullptr;
  guarded([&] { return prepared = cucore::bind::prepare(kernel, stream, block, size), true; });
  return prepared;
}
extern "C" SWIGEXPORT int SWIGSTDCALL cucore_csharp_update(cucore_prepared_launch *prepared, size_t index, const void *block, size_t size) {
  return !guarded([&] { return cucore::bind::update(prepared, index, block, size), true; });
}
extern "C" SWIGEXPORT int SWIGSTDCALL cucore_csharp_run(cucore_prepared_launch *prepared) {
  return !guarded([&] { return cucore::bind::ok(cucore_prepared_launch_run, prepared), true; });
}
// Kernel nodes. The number of nodes before comes first, then the nodes. The result is 0 after a failure.
extern "C" SWIGEXPORT cucore_node SWIGSTDCALL cucore_csharp_add_kernel(Graph *graph, const cucore_node *after, Kernel *kernel, const void *block, size_t size) {
  const Nodes nodes(after + 1, after + 1 + after[0]);
  return guarded([&] { return cucore::bind::add_kernel(graph, nodes, kernel, block, size); });
}
// Without a kernel, the kernel and its arguments stay; without options, the options do.
extern "C" SWIGEXPORT int SWIGSTDCALL cucore_csharp_set_kernel(void *graph, int is_executable, cucore_node node, Kernel *kernel, int has_options, const void *block, size_t size) {
  const cucore::bind::KernelChange change = {node, kernel, has_options != 0, kernel != nullptr};
  return !guarded([&] {
    if (is_executable) cucore::bind::set_kernel(static_cast<ExecutableGraph *>(graph), change, block, size);
    else cucore::bind::set_kernel(static_cast<Graph *>(graph), change, block, size);
    return true;
  });
}
%}
%pragma(csharp) imclasscode=%{
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_launch")]
  internal static extern int Launch(System.IntPtr kernel, System.IntPtr stream, System.IntPtr block, System.IntPtr size);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_prepare")]
  internal static extern System.IntPtr Prepare(System.IntPtr kernel, System.IntPtr stream, System.IntPtr block, System.IntPtr size);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_update")]
  internal static extern int Update(System.IntPtr prepared, System.IntPtr index, System.IntPtr block, System.IntPtr size);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_run")]
  internal static extern int Run(System.IntPtr prepared);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_add_kernel")]
  internal static extern ulong AddKernel(System.IntPtr graph, ulong[] after, System.IntPtr kernel, System.IntPtr block, System.IntPtr size);
  [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="cucore_csharp_set_kernel")]
  internal static extern int SetKernel(System.IntPtr graph, int isExecutable, ulong node, System.IntPtr kernel, int hasOptions, System.IntPtr block, System.IntPtr size);
%}
