// SPDX-License-Identifier: Apache-2.0
// Section "Device" of cucore.h: what the conventions do not cover.
%extend Device {
  //: cucore_device_uuid
  Bytes uuid() {
    static thread_local uint8_t uuid[16];
    ok(cucore_device_uuid, held($self), uuid);
    return {uuid, sizeof uuid};
  }
  //: cucore_device_trim_graph_memory
  void trim_graph_memory(bool reset_peaks = false) { ok(cucore_device_trim_graph_memory, held($self), reset_peaks); }
}

%inline %{
// Of a name of CUdevice_attribute. Each language has its attributes by name.
int device_attribute_number(const char *name) { return cucore::bind::device_attribute_number(name); }
%}
