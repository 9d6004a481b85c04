// Section "Error" of cucore.h. The error object itself becomes each language's exception, in its
// language.i; what stays is the name of a status.
%quick(cucore_status_name)
%rename(status_name) cucore_status_name;
//: cucore_status_name
const char *cucore_status_name(int status);
%{
static const char *binding_status_name(int status) {
  return cucore_status_name(static_cast<cucore_status>(status));
}
#define cucore_status_name binding_status_name
%}
