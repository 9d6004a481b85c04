// SPDX-License-Identifier: Apache-2.0
// The kernels of object code by name: one object per kernel while a reference to it exists.
#pragma once

#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/compile/kernel_names.hpp"
#include "core/load/code_loader.hpp"

namespace cucore::core {

class Kernel;

class KernelTable {
 public:
  // `code` owns the table.
  KernelTable(const ObjectCode& code, CodeLoader& loader) : code_(code), loader_(loader) {}

  // Finds a kernel by an expression or by its name in the code. A new kernel keeps `code` alive.
  Ref<Kernel> find(std::string_view name);
  void forget(const Kernel& kernel) noexcept;

 private:
  std::string_view lowered_name(std::string_view name);
  [[noreturn]] void throw_none(std::string_view name) const;
  Ref<Kernel> live(std::string_view lowered) const;
  Ref<Kernel> create(std::string_view name, std::string_view lowered) const;

  const ObjectCode& code_;
  CodeLoader& loader_;
  std::once_flag names_once_;
  std::optional<KernelNames> names_;
  std::mutex mutex_;  // guards the members below
  // By a name of the code's symbols.
  std::unordered_map<std::string_view, Kernel*> kernels_;
};

}  // namespace cucore::core
