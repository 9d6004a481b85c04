// SPDX-License-Identifier: Apache-2.0
// Section "Launch" of cucore.h. A launch is passed as one block of bytes, in the layout of
// cpp/launch.hpp. Each language fills it from its own arguments; Python packs in C instead.
%extend Kernel {
  //: cucore_kernel_parameters
  ParameterInfos parameters(Device *device_or_null) {
    return cucore::bind::parameters_of(cucore_kernel_parameters, held($self), held(device_or_null));
  }
}
%extend ObjectCode {
  //: cucore_objectcode_symbol_parameters
  ParameterInfos symbol_parameters(size_t symbol) {
    return cucore::bind::parameters_of(cucore_objectcode_symbol_parameters, held($self), symbol);
  }
}
#if defined(SWIGPYTHON)
%extend Stream {
  //: cucore_stream_set_access_window
  void set_access_window(const AccessWindow *window_or_null) {
    ok(cucore_stream_set_access_window, held($self), window_or_null);
  }
}
%extend Kernel {
  //: cucore_kernel_max_active_clusters
  int32_t max_active_clusters(Device *device, const LaunchConfig &config) {
    return made<int32_t>(cucore_kernel_max_active_clusters, held($self), held(device), &config);
  }
  //: cucore_kernel_launch_packed
  void launch_packed(Stream *stream, const LaunchConfig &config, const void *data, size_t size) {
    ok(cucore_kernel_launch_packed, held($self), held(stream), &config, data, size);
  }
}
#else
%extend Stream {
  //: cucore_stream_set_access_window
  void set_access_window(Buffer *buffer_or_null, size_t offset, size_t size, float hit_ratio, cucore_access_property hit,
                         cucore_access_property miss) {
    const auto buffer = held(buffer_or_null);
    const cucore_access_window window = {buffer, offset, size, hit_ratio, hit, miss, 0};
    ok(cucore_stream_set_access_window, held($self), window.buffer ? &window : nullptr);
  }
}
%extend Kernel {
  //: cucore_kernel_max_active_clusters
  int32_t max_active_clusters(Device *device, const void *data, size_t size) {
    const cucore::bind::LaunchOptions options(data, size, nullptr);
    return made<int32_t>(cucore_kernel_max_active_clusters, held($self), held(device), &options.get());
  }
  //: cucore_kernel_launch
  void launch(Stream *stream, const void *data, size_t size) {
    cucore::bind::launch(held($self), held(stream), data, size);
  }
  //: cucore_kernel_launch_packed
  void launch_packed(Stream *stream, const void *data, size_t size) {
    cucore::bind::launch_packed(held($self), held(stream), data, size);
  }
}
#endif
