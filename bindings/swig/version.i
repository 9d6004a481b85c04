// Section "Version" of cucore.h.
%quick(cucore_version)
%quick(cucore_version_string)
%rename(version_number) cucore_version;
%rename(version_string) cucore_version_string;
//: cucore_version
uint32_t cucore_version(void);
//: cucore_version_string
const char *cucore_version_string(void);
