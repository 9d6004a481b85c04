// SPDX-License-Identifier: Apache-2.0
// Sections "Version" and "Error" of cucore.h. The error object becomes the exception of each language, in its language.i.
%inline %{
//: cucore_version
uint32_t version_number() { return cucore_version(); }
//: cucore_version_string
const char *version_string() { return cucore_version_string(); }
//: cucore_status_name
const char *status_name(int status) { return cucore_status_name(static_cast<cucore_status>(status)); }
%}
