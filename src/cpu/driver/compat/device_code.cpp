// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/compat/device_code.hpp"

#include <dlfcn.h>

#include <atomic>
#include <string>

namespace cucore::compat {
namespace {

const cucore_cpu_code* table_of(void* driver) {
  using GetTable = int (*)(const void**, const void*);
  const auto get = reinterpret_cast<GetTable>(dlsym(driver, "cuGetExportTable"));
  const void* table = nullptr;
  if (!get || get(&table, CUCORE_CPU_CODE_ID) != 0) return nullptr;
  return static_cast<const cucore_cpu_code*>(table);
}

const cucore_cpu_code* open_device() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&open_device), &self) == 0 || !self.dli_fname) return nullptr;
  const std::string path = self.dli_fname;
  const std::string driver = path.substr(0, path.rfind('/') + 1) + "libcuda.so.1";
  void* handle = dlopen(driver.c_str(), RTLD_NOW | RTLD_LOCAL);
  return handle ? table_of(handle) : nullptr;
}

}  // namespace

const cucore_cpu_code* device_code() {
  static std::atomic<const cucore_cpu_code*> known{nullptr};
  const cucore_cpu_code* table = known.load(std::memory_order_acquire);
  if (table) return table;
  table = open_device();
  known.store(table, std::memory_order_release);
  return table;
}

}  // namespace cucore::compat
