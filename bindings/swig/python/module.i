// What comes behind the sections in Python: functions that no other language needs.
%nothreadallow _register_errors;
%nothreadallow _register_enums;
%inline %{
void _register_errors(PyObject *make) { cucore::bind::register_errors(make); }
void _register_enums(PyObject *classes) { cucore::bind::register_enums(classes); }
%}
%init %{
  PyModule_AddObject(m, "_ENUMS", Py_BuildValue("(sssssssss)", "LogLevel", "Library", "DeviceAttribute",
      "DefaultStream", "SourceType", "CodeType", "Backend", "SymbolKind", "KernelAttribute"));
%}
