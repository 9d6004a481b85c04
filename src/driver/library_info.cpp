#include "driver/library_info.hpp"

#include <string>

#include "driver/cuda.hpp"
#include "driver/nvjitlink_state.hpp"
#include "driver/nvrtc_state.hpp"
#include "driver/nvvm_state.hpp"
#include "support/interned.hpp"

namespace cucore::driver {
namespace {

LibraryInfo available(const std::string& path, int version) {
  return {interned(path), version / 1000, version % 1000 / 10, true, ""};
}

// Being missing is an answer here, not a failure; anything else, as memory, stays one.
template <class Open>
LibraryInfo told(Open&& open) {
  try {
    const auto& table = open();
    return available(table.path, table.version);
  } catch (const Error& error) {
    LibraryInfo info;
    info.reason = interned(error.message());
    return info;
  }
}

}  // namespace

LibraryInfo query(Library library) {
  switch (library) {
    case Library::DRIVER:
      return told([]() -> auto& { return cuda(); });
    case Library::NVRTC:
      return told([]() -> auto& { return nvrtc(); });
    case Library::NVJITLINK:
      return told([]() -> auto& { return nvjitlink(); });
    case Library::NVVM:
      return told([]() -> auto& { return nvvm(); });
  }
  throw Error(Status::INVALID_ARGUMENT, "cannot tell of library " +
                                            std::to_string(static_cast<int>(library)) +
                                            ": there is no such one");
}

void set_path(Library library, std::string_view path) {
  if (path.empty())
    throw Error(Status::INVALID_ARGUMENT, "cannot set a library's path: it is empty");
  if (library == Library::NVRTC) return nvrtc_state().set_path(path);
  if (library == Library::NVJITLINK) return nvjitlink_state().set_path(path);
  if (library == Library::NVVM) return nvvm_state().set_path(path);
  throw Error(Status::INVALID_ARGUMENT,
              library == Library::DRIVER
                  ? "cannot set the driver's path: choose it with cucore_driver_select"
                  : "cannot set the path of library " + std::to_string(static_cast<int>(library)) +
                        ": there is no such one");
}

}  // namespace cucore::driver
