// SPDX-License-Identifier: Apache-2.0
#include "core/load/kernel_table.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/compile/suggestion.hpp"
#include "core/load/kernel.hpp"
#include "core/load/objectcode.hpp"
#include "support/concat.hpp"
#include "support/edit_distance.hpp"

namespace cucore::core {

using image::Symbol;
using image::SymbolKind;

namespace {

// Returns true if C++ gave this name in the code to a function that the source calls `name`; false
// for the instances of a template.
bool is_mangled(std::string_view in_code, std::string_view name) {
  const std::string part = concat(name.size(), name);
  const size_t found = in_code.find(part);
  const size_t end = found + part.size();
  if (name.empty() || found == in_code.npos || end >= in_code.size() || in_code[end] == 'I')
    return false;
  return in_code.starts_with("_Z" + part) || in_code.starts_with("_ZN");
}

// Returns what the caller can do to make the kernel part of the code; "" if nothing is known.
std::string remedy(std::string_view name, const std::vector<Symbol>& symbols,
                   const std::vector<std::string>& kernels) {
  if (name.find('<') != name.npos)
    return concat("; compile with the name expression \"", name, "\" to instantiate the template");
  for (const Symbol& symbol : symbols)
    if (symbol.kind == SymbolKind::KERNEL && is_mangled(symbol.lowered_name, name))
      return concat("; declare it extern \"C\", or compile with the name expression \"", name,
                    "\"");
  if (kernels.empty())
    return concat("; a template becomes a kernel only by a name expression such as \"", name,
                  "<float>\"");
  const auto nearest = std::ranges::min_element(
      kernels, {}, [&](const std::string& kernel) { return edit_distance(kernel, name); });
  return is_similar(*nearest, name) ? concat("; did you mean \"", *nearest, "\"?") : "";
}

}  // namespace

void KernelTable::throw_none(std::string_view name) const {
  std::vector<std::string> kernels;
  for (const Symbol& symbol : code_.symbols())
    if (symbol.kind == SymbolKind::KERNEL) kernels.push_back(shown_name(symbol));
  const std::string advice = remedy(name, code_.symbols(), kernels);
  throw Error(Status::NOT_FOUND, concat("no kernel \"", name, "\" in ", code_.label(), ": ",
                                        list_names(std::move(kernels), name), advice));
}

// A lowered name means one kernel; an expression may name several after a link.
std::string_view KernelTable::lowered_name(std::string_view name) {
  std::call_once(names_once_, [this] { names_.emplace(code_.symbols()); });
  const std::span<const std::string_view> meant = names_->find(name);
  if (meant.empty()) throw_none(name);
  if (meant.size() == 1) return meant[0];
  throw Error(Status::NOT_FOUND,
              concat("\"", name, "\" is ambiguous in ", code_.label(), ", where it names ",
                     meant.size(), " kernels; ask for one by its name in the code: ",
                     list_names({meant.begin(), meant.end()}, name)));
}

Ref<Kernel> KernelTable::live(std::string_view lowered) const {
  const auto found = kernels_.find(lowered);
  if (found == kernels_.end() || !found->second->try_add_reference()) return nullptr;
  return Ref<Kernel>::adopt(found->second);
}

Ref<Kernel> KernelTable::create(std::string_view name, std::string_view lowered) const {
  const std::string in_code(lowered);
  const Ref<Device> device = current_device();
  const Ref<LoadedImage> image = loader_.load(*device);
  const CUkernel native = image->find_kernel(in_code.c_str());
  if (!native) throw_none(name);
  return make<Kernel>(Ref<const ObjectCode>(&code_), in_code, std::string(name), *image, native,
                      *device);
}

Ref<Kernel> KernelTable::find(std::string_view name) {
  loader_.require_linked();
  const std::string_view lowered = lowered_name(name);
  {
    std::lock_guard lock(mutex_);
    if (Ref<Kernel> kernel = live(lowered)) return kernel;
  }
  Ref<Kernel> kernel = create(name, lowered);
  std::lock_guard lock(mutex_);
  if (Ref<Kernel> earlier = live(lowered)) return earlier;
  kernels_[lowered] = kernel.get();
  return kernel;
}

void KernelTable::forget(const Kernel& kernel) noexcept {
  std::lock_guard lock(mutex_);
  const auto found = kernels_.find(kernel.name());
  if (found != kernels_.end() && found->second == &kernel) kernels_.erase(found);
}

}  // namespace cucore::core
