// How the shared sections look in C#: names, types, exceptions, the body of every class. Which members
// are hidden behind fuller ones of csharp/src is said in tools/csharp.py.
%rename("%(camelcase)s", %$isfunction) "";
%rename("%(camelcase)s", %$isvariable) "";
// Optional parameters are C#'s own, in csharp/src.
%feature("compactdefaultargs");
%pragma(csharp) moduleclassmodifiers="internal class"

%include "csharp/exceptions.i"
%include "csharp/types.i"
%include "csharp/classes.i"
