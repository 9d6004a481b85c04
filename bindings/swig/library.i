// SPDX-License-Identifier: Apache-2.0
// Section "Library" of cucore.h: functions for the libraries. The struct of a query is read field
// by field; each language makes a value of it.
%inline %{
//: cucore_library_query
const char *library_path(cucore_library library) { return info_of<cucore_library_info>(cucore_library_query, library).path; }
//: cucore_library_query
const char *library_reason(cucore_library library) { return info_of<cucore_library_info>(cucore_library_query, library).reason; }
//: cucore_library_query
const char *library_header_folders(cucore_library library) { return info_of<cucore_library_info>(cucore_library_query, library).header_folders; }
//: cucore_library_query
bool library_available(cucore_library library) { return info_of<cucore_library_info>(cucore_library_query, library).available != 0; }
//: cucore_library_query
Pair library_version(cucore_library library) {
  const cucore_library_info info = info_of<cucore_library_info>(cucore_library_query, library);
  return {info.version_major, info.version_minor};
}
//: cucore_library_set_path
void library_set_path(cucore_library library, const char *path) {
  ok(cucore_library_set_path, library, path);
}
//: cucore_library_symbol
uint64_t library_symbol(cucore_library library, const char *name) {
  return reinterpret_cast<uintptr_t>(made<void *>(cucore_library_symbol, library, name));
}
//: cucore_driver_select
void driver_select(const char *name_or_path) { ok(cucore_driver_select, name_or_path); }
%}
