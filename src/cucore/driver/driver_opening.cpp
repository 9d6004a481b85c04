// SPDX-License-Identifier: Apache-2.0
// The choice of the driver: the rules of cucore_driver_select() and of CUCORE_DRIVER.
#include "driver/driver_opening.hpp"

#include "driver/driver_table.hpp"
#include "driver/library_search.hpp"
#include "support/environment.hpp"
#include "support/loaded_file.hpp"
#include "support/log.hpp"

namespace cucore::driver {
namespace {

constexpr const char* CPU_DEVICE = "libcucore-cpu.so";

// A search that ends with the first library that is a driver, usable or not.
class DriverSearch {
 public:
  DriverSearch()
      : search_("a CUDA driver",
                [this](const OpenedLibrary& library) { return validate(library); }) {}
  DriverSearch(const DriverSearch&) = delete;
  DriverSearch& operator=(const DriverSearch&) = delete;

  bool open(const std::string& file) { return bool(search_.open(file)); }
  bool open(const std::string& file, const std::string& label) {
    return bool(search_.open(file, label));
  }
  bool open_at(const std::string& path, const std::string& label) {
    static constexpr const char* NAMES[] = {CPU_DEVICE};
    return bool(search_.open_at(path, NAMES, label));
  }

  Opened take() { return std::move(opened_); }
  Opened missing(const std::string& what, const std::string& advice) const {
    return {nullptr, Error(Status::LIBRARY_MISSING,
                           "cannot load " + what + ": tried " + search_.tried() + "; " + advice)};
  }

 private:
  std::string validate(const OpenedLibrary& library) {
    StartedDriver started = start_driver(library);
    opened_ = std::move(started.opened);
    return started.refusal;
  }

  Opened opened_;
  LibrarySearch search_;
};

Opened open_nvidia() {
  DriverSearch search;
  for (const char* file :
       {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"})
    if (search.open(file)) return search.take();
  return search.missing("the NVIDIA driver",
                        "install it, or set CUCORE_DRIVER=cpu to run PTX on the processor");
}

// Opens only the named library, or the one next to this library.
Opened open_cpu() {
  DriverSearch search;
  const std::string named = environment("CUCORE_CPU");
  if (!named.empty()) {
    if (search.open_at(named, "$CUCORE_CPU=" + named)) return search.take();
    return search.missing("the CPU device", "let CUCORE_CPU name its file, or unset it");
  }
  const std::string own = own_folder();
  if (!own.empty() && search.open(own + "/" + CPU_DEVICE)) return search.take();
  if (search.open(CPU_DEVICE)) return search.take();
  return search.missing("the CPU device", "set CUCORE_CPU to its file");
}

Opened open_path(const std::string& path) {
  DriverSearch search;
  if (search.open(path)) return search.take();
  return search.missing("the driver that was chosen", "choose another file");
}

bool has_device(const Opened& opened) {
  int count = 0;
  return opened.table && opened.table->cuDeviceGetCount(&count) == CUDA_SUCCESS && count > 0;
}

std::string reason_against(const Opened& nvidia) {
  return nvidia.error ? nvidia.error->message()
                      : "the NVIDIA driver " + nvidia.table->path + " has no device";
}

// A driver that does not work causes a warning; a missing one is usual.
void tell_of_cpu_device(const Opened& nvidia, const Opened& cpu) {
  const bool usual = !nvidia.error || nvidia.error->status() == Status::LIBRARY_MISSING ||
                     nvidia.error->status() == Status::NO_DEVICE;
  log(usual ? LogLevel::INFO : LogLevel::WARNING,
      "using the CPU device " + cpu.table->path + ": " + reason_against(nvidia));
}

Opened open_any() {
  Opened nvidia = open_nvidia();
  if (has_device(nvidia)) return nvidia;
  Opened cpu = open_cpu();
  if (cpu.table) {
    tell_of_cpu_device(nvidia, cpu);
    return cpu;
  }
  if (nvidia.table || nvidia.error->status() != Status::LIBRARY_MISSING) return nvidia;
  return {nullptr,
          Error(Status::LIBRARY_MISSING, nvidia.error->message() + "; " + cpu.error->message())};
}

}  // namespace

bool is_driver_choice(std::string_view choice) noexcept {
  return choice == "nvidia" || choice == "cpu" || choice == "auto" ||
         choice.find('/') != std::string_view::npos;
}

bool is_same_choice(std::string_view choice, const CudaTable& in_use, std::string_view opened_as) {
  const bool nvidia = !in_use.is_cpu && file_name_of(in_use.path).starts_with("libcuda.so");
  if (choice == opened_as) return true;
  if (choice == "cpu") return in_use.is_cpu;
  if (choice == "nvidia") return nvidia;
  if (choice == "auto") {
    int count = 0;
    return nvidia && in_use.cuDeviceGetCount(&count) == CUDA_SUCCESS && count > 0;
  }
  return real_path(std::string(choice).c_str()) == in_use.path;
}

Opened open_driver(const std::string& choice) {
  if (choice == "nvidia") return open_nvidia();
  if (choice == "cpu") return open_cpu();
  if (choice == "auto") return open_any();
  return open_path(choice);
}

}  // namespace cucore::driver
