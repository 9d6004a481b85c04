// SPDX-License-Identifier: Apache-2.0
// The form of the shared sections in C#: names, types, exceptions, the body of every class.
// The script tools/csharp.py defines which members are hidden behind those of csharp/src.
%rename("%(camelcase)s", %$isfunction) "";
%rename("%(camelcase)s", %$isvariable) "";
// Optional parameters are C#'s own, in csharp/src.
%feature("compactdefaultargs");
%pragma(csharp) moduleclassmodifiers="internal class"

%include "csharp/exceptions.i"
%include "csharp/types.i"
%include "csharp/classes.i"
%include "csharp/waits.i"

// All parameters in one call. `data` has room for cucore_parameter_info; returns their number,
// which may exceed the room, or -1 if they are not known.
%{
template <class Function, class... Arguments>
static int64_t parameters_of(Function *function, void *data, size_t size, Arguments... arguments) {
  const size_t capacity = size / sizeof(cucore_parameter_info);
  auto *const out = static_cast<cucore_parameter_info *>(data);
  if (capacity) out[0].struct_size = sizeof *out;
  size_t count = 0;
  cucore_error *error = nullptr;
  const cucore_status status = function(arguments..., out, capacity, &count, &error);
  if (status == CUCORE_OK) return static_cast<int64_t>(count);
  if (status != CUCORE_ERROR_BUFFER_TOO_SMALL && status != CUCORE_ERROR_UNSUPPORTED) throw Failure(status, error);
  cucore_error_release(error);
  return status == CUCORE_ERROR_UNSUPPORTED ? -1 : static_cast<int64_t>(count);
}
%}
