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

// SWIG would call the parameter event_.
%namewarn("", rename="@%s") event;
