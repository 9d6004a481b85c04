// SPDX-License-Identifier: Apache-2.0
// Any object with __cuda_stream__ is accepted as a stream.
%typemap(in) Stream * (cucore::bind::Object kept) {
  $1 = cucore::bind::stream_of($input, kept);
  if (!$1) SWIG_fail;
}
%typemap(in) OptionalStream * (cucore::bind::Object kept) {
  $1 = nullptr;
  if ($input != Py_None) {
    $1 = cucore::bind::stream_of($input, kept);
    if (!$1) SWIG_fail;
  }
}
%typemap(in) Stream *self {
  $1 = static_cast<Stream *>(cucore::bind::handle_of($input, cucore::bind::Type::Stream));
  if (!$1) SWIG_fail;
}
