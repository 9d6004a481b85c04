#include "core/objectcode.hpp"

#include <algorithm>

#include "container/arch.hpp"
#include "core/file.hpp"
#include "core/kernel.hpp"
#include "core/suggestion.hpp"
#include "support/text.hpp"

namespace cucore::core {

using container::Arch;
using container::Code;
using container::CodeType;
using container::Symbol;
using container::SymbolKind;
using driver::check;
using driver::cuda;

namespace {

Arch parse_arch(std::string_view arch) {
  if (arch.empty()) return {};
  const auto parsed = Arch::parse(arch);
  if (!parsed)
    throw Error(Status::INVALID_ARGUMENT,
                text("cucore_objectcode_options.arch is \"", arch,
                     "\"; write it as \"sm_90\", \"sm_90a\" or \"compute_90\""));
  return *parsed;
}

bool is_data(SymbolKind kind) {
  return kind != SymbolKind::KERNEL && kind != SymbolKind::DEVICE_FUNCTION;
}

std::string shown_name(const Symbol& symbol) {
  return symbol.expression.empty() ? symbol.lowered_name : symbol.expression;
}

// The device whose context is current, else device 0.
Ref<Device> current_device() {
  CUdevice native = 0;
  const bool is_current = cuda().cuCtxGetDevice(&native) == CUDA_SUCCESS;
  return Device::open(is_current ? static_cast<int>(native) : 0);
}

// Expressions are compared as C++ reads them: white space counts only between words.
std::string normal(std::string_view expression) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string out;
  bool space = false;
  for (const char c : expression) {
    if (c == ' ' || c == '\t' || c == '\n') {
      space = true;
      continue;
    }
    if (space && !out.empty() && is_word(out.back()) && is_word(c)) out += ' ';
    space = false;
    out += c;
  }
  return out;
}

// Most symbols have no expression, which "" must not find.
bool has_expression(const Symbol& symbol, const std::string& wanted) {
  return !symbol.expression.empty() && normal(symbol.expression) == wanted;
}

}  // namespace

ObjectCode::ObjectCode(Code code) : code_(std::move(code)), arch_(code_.arch.text()) {}

ObjectCode::~ObjectCode() = default;

Ref<ObjectCode> ObjectCode::create(CodeType type, std::span<const std::byte> bytes,
                                   std::string name, std::string_view arch,
                                   const std::vector<container::NamedExpression>& names) {
  if (type < CodeType::PTX || type > CodeType::LIBRARY)
    throw Error(Status::INVALID_ARGUMENT,
                type == CodeType::BUNDLE
                    ? std::string("a BUNDLE is read with cucore_objectcode_deserialize()")
                    : text("type is ", static_cast<uint32_t>(type), ", not a cucore_code_type"));
  if (type != CodeType::PTX && type != CodeType::CUBIN && type != CodeType::FATBIN)
    throw Error(Status::UNSUPPORTED, text("this version makes object code from PTX, CUBIN and "
                                          "FATBIN, not from ",
                                          container::code_type_name(type)));
  Code code = container::make_code(type, bytes, std::move(name), parse_arch(arch));
  code.symbols = container::merge_expressions(std::move(code.symbols), names);
  return make<ObjectCode>(std::move(code));
}

Ref<ObjectCode> ObjectCode::from_file(CodeType type, const std::string& path, std::string name,
                                      std::string_view arch,
                                      const std::vector<container::NamedExpression>& names) {
  const std::vector<std::byte> bytes = read_file(path);
  if (name.empty()) name = path.substr(path.rfind('/') + 1);
  try {
    return create(type, bytes, std::move(name), arch, names);
  } catch (const Error& error) {
    throw Error(error.status(), path + ": " + error.message(), error.log(), error.origin());
  }
}

std::string ObjectCode::label() const {
  std::string label = code_.name.empty() ? "object code" : code_.name;
  label += text(" (", container::code_type_name(code_.type));
  if (!arch_.empty()) label += " for " + arch_;
  return label + ")";
}

void ObjectCode::require_loadable() const {
  if (code_.type == CodeType::CUBIN && cuda().is_cpu)
    throw Error(Status::INVALID_CODE, text("cannot load ", label(),
                                           " on the CPU device: it runs PTX, and a CUBIN is "
                                           "machine code of a GPU; compile the program to PTX"));
  if (code_.type == CodeType::PTX || code_.type == CodeType::CUBIN ||
      code_.type == CodeType::FATBIN)
    return;
  throw Error(Status::INVALID_STATE, text("cannot load ", label(), ": link it first"));
}

Ref<LoadedImage> ObjectCode::load_anywhere() const { return load(*current_device()); }

Ref<LoadedImage> ObjectCode::load(const Device& device) const {
  {
    std::lock_guard lock(mutex_);
    if (library_) return library_;
  }
  require_loadable();
  std::lock_guard loading(load_mutex_);
  {
    std::lock_guard lock(mutex_);
    if (library_) return library_;
  }
  Ref<LoadedImage> library = LoadedImage::load(code_.bytes.data(), device, "load " + label());
  std::lock_guard lock(mutex_);
  library_ = library;
  return library;
}

bool ObjectCode::is_loaded() const {
  std::lock_guard lock(mutex_);
  return static_cast<bool>(library_);
}

void ObjectCode::throw_no_kernel(std::string_view name) const {
  std::vector<std::string> kernels;
  for (const Symbol& symbol : code_.symbols)
    if (symbol.kind == SymbolKind::KERNEL) kernels.push_back(shown_name(symbol));
  throw Error(Status::NOT_FOUND, text("no kernel \"", name, "\" in ", label(), ": ",
                                      list_names(std::move(kernels), name)));
}

std::string ObjectCode::lowered_kernel_name(std::string_view name) const {
  const std::string wanted = normal(name);
  for (const Symbol& symbol : code_.symbols)
    if (symbol.kind == SymbolKind::KERNEL &&
        (symbol.lowered_name == name || has_expression(symbol, wanted)))
      return symbol.lowered_name;
  throw_no_kernel(name);
}

Ref<Kernel> ObjectCode::live_kernel(const std::string& lowered) const {
  const auto found = kernels_.find(lowered);
  if (found == kernels_.end() || !found->second->try_add_reference()) return nullptr;
  return Ref<Kernel>::adopt(found->second);
}

Ref<Kernel> ObjectCode::find_kernel(std::string_view name) const {
  if (code_.type == CodeType::OBJECT || code_.type == CodeType::LIBRARY) require_loadable();
  const std::string lowered = lowered_kernel_name(name);
  {
    std::lock_guard lock(mutex_);
    if (Ref<Kernel> kernel = live_kernel(lowered)) return kernel;
  }
  const Ref<LoadedImage> library = load_anywhere();
  const CUkernel native = library->find_kernel(lowered.c_str());
  if (!native) throw_no_kernel(name);
  Ref<Kernel> kernel = make<Kernel>(Ref<const ObjectCode>(this), lowered, native);

  std::lock_guard lock(mutex_);
  if (Ref<Kernel> earlier = live_kernel(lowered)) return earlier;
  kernels_[lowered] = kernel.get();
  return kernel;
}

void ObjectCode::forget(const Kernel& kernel) const noexcept {
  std::lock_guard lock(mutex_);
  const auto found = kernels_.find(kernel.name());
  if (found != kernels_.end() && found->second == &kernel) kernels_.erase(found);
}

std::string ObjectCode::lowered_global_name(std::string_view name) const {
  std::vector<std::string> globals;
  const std::string wanted = normal(name);
  for (const Symbol& symbol : code_.symbols) {
    if (!is_data(symbol.kind)) continue;
    if (symbol.lowered_name == name || has_expression(symbol, wanted)) return symbol.lowered_name;
    globals.push_back(shown_name(symbol));
  }
  throw Error(Status::NOT_FOUND, text("no global variable \"", name, "\" in ", label(), ": ",
                                      list_names(std::move(globals), name)));
}

Global ObjectCode::find_global(std::string_view name, const Device& device) const {
  if (code_.type == CodeType::OBJECT || code_.type == CodeType::LIBRARY) require_loadable();
  const std::string lowered = lowered_global_name(name);
  const Ref<LoadedImage> library = load(device);
  const Ref<Context> context = device.context();
  const driver::ContextGuard guard(context->native());
  const auto& cu = cuda();
  Global global;
  CUresult result =
      cu.cuLibraryGetGlobal(&global.address, &global.size, library->native(), lowered.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    result =
        cu.cuLibraryGetManaged(&global.address, &global.size, library->native(), lowered.c_str());
  check(result, [&] {
    return text("find the global variable ", name, " in ", label(), " on ", device.label());
  });
  return global;
}

}  // namespace cucore::core
