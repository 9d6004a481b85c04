#include "core/load/objectcode.hpp"

#include <algorithm>

#include "container/select.hpp"
#include "container/text.hpp"
#include "container/writer.hpp"
#include "core/compile/file.hpp"
#include "core/compile/linker_choice.hpp"
#include "core/compile/ltoir.hpp"
#include "core/compile/suggestion.hpp"
#include "core/load/kernel.hpp"
#include "core/objects/context_scope.hpp"
#include "image/arch.hpp"
#include "image/fatbin.hpp"
#include "support/sha256.hpp"
#include "support/text.hpp"

namespace cucore::core {

using container::Code;
using driver::check;
using driver::cuda;
using image::Arch;
using image::CodeType;
using image::Symbol;
using image::SymbolKind;

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

// The newest ISA that a driver reads, as its CUDA version says; 0 where this version does not know.
uint16_t newest_ptx(int cuda_version) {
  struct Row {
    int cuda;
    uint16_t isa;
  };
  constexpr Row ROWS[] = {{12000, 80}, {12010, 81}, {12020, 82}, {12030, 83},
                          {12040, 84}, {12050, 85}, {12060, 85}, {12070, 86},
                          {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91}};
  if (cuda_version > std::rbegin(ROWS)->cuda) return 0;
  uint16_t isa = 0;
  for (const Row& row : ROWS)
    if (cuda_version >= row.cuda) isa = row.isa;
  return isa;
}

std::string as_text(const container::MetadataValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return text(*number);
  if (const auto* string = std::get_if<std::string>(&value)) return *string;
  std::string lines;
  for (const std::string& line : std::get<std::vector<std::string>>(value))
    lines += (lines.empty() ? "" : "\n") + line;
  return lines;
}

// Most symbols have no expression, which "" must not find.
bool has_expression(const Symbol& symbol, const std::string& wanted) {
  return !symbol.expression.empty() && normal_expression(symbol.expression) == wanted;
}

}  // namespace

ObjectCode::ObjectCode(Code code, const container::SignatureInfo& signature)
    : code_(std::move(code)),
      arch_(code_.arch.text()),
      container_(is_bundle() ? container::write(code_) : image::Bytes()),
      signature_(signature.state),
      signature_key_(signature.state == container::SignatureState::UNSIGNED ? ""
                                                                            : hex(signature.key)) {}

ObjectCode::~ObjectCode() = default;

Ref<ObjectCode> ObjectCode::create(CodeType type, std::span<const std::byte> bytes,
                                   std::string name, std::string_view arch,
                                   const std::vector<image::NamedExpression>& names) {
  if (type < CodeType::PTX || type > CodeType::LIBRARY)
    throw Error(Status::INVALID_ARGUMENT,
                type == CodeType::BUNDLE
                    ? std::string("a BUNDLE is read with cucore_objectcode_deserialize()")
                    : text("type is ", static_cast<uint32_t>(type), ", not a cucore_code_type"));
  Code code = container::make_code(type, bytes, std::move(name), parse_arch(arch));
  code.symbols = image::merge_expressions(std::move(code.symbols), names);
  return make<ObjectCode>(std::move(code));
}

Ref<ObjectCode> ObjectCode::from_file(CodeType type, const std::string& path, std::string name,
                                      std::string_view arch,
                                      const std::vector<image::NamedExpression>& names) {
  const std::vector<std::byte> bytes = read_file(path);
  if (name.empty()) name = container::clean_text(path.substr(path.rfind('/') + 1));
  try {
    return create(type, bytes, std::move(name), arch, names);
  } catch (const Error& error) {
    throw Error(error.status(), path + ": " + error.message(), error.log(), error.origin());
  }
}

Ref<ObjectCode> ObjectCode::deserialize(std::span<const std::byte> bytes,
                                        const container::ReadOptions& options) {
  container::Contents contents = container::read_contents(bytes, options);
  return make<ObjectCode>(std::move(contents.code), contents.signature);
}

Ref<ObjectCode> ObjectCode::bundle(std::span<const ObjectCode* const> images) {
  if (images.empty())
    throw Error(Status::INVALID_ARGUMENT, "a bundle needs two images or more, got none");
  std::vector<const Code*> codes;
  for (const ObjectCode* image : images) codes.push_back(&image->code_);
  return make<ObjectCode>(container::make_bundle(codes, codes[0]->name));
}

size_t ObjectCode::image_count() const {
  if (code_.type == CodeType::FATBIN)
    return image::count_fatbin_entries(image::ByteView("FATBIN", code_.data()));
  return is_bundle() ? code_.images.size() : 1;
}

// An entry of a fat binary, decompressed.
Ref<const ObjectCode> ObjectCode::entry_at(size_t index) const {
  image::FatbinImage image =
      image::read_fatbin_entry(image::ByteView("FATBIN", code_.data()), index);
  const image::FatbinEntry& entry = image.entry;
  if (image.bytes.empty() || entry.type == CodeType{})
    throw Error(Status::UNSUPPORTED,
                text("image ", index, " of ", label(),
                     image.bytes.empty() ? " is scrambled" : " is of a kind that is not known: ",
                     image.bytes.empty() ? "" : text(entry.kind)));
  Code code = container::make_code(entry.type, image.bytes, code_.name, entry.arch);
  image::adopt_classes(code.symbols, code_.symbols);
  return make<ObjectCode>(std::move(code));
}

Ref<const ObjectCode> ObjectCode::image_at(size_t index) const {
  if (index >= image_count())
    throw Error(Status::INVALID_ARGUMENT,
                text("index is ", index, "; ", label(), " holds ", image_count(),
                     image_count() == 1 ? " image" : " images"));
  if (code_.type == CodeType::FATBIN) return entry_at(index);
  if (!is_bundle()) return Ref<const ObjectCode>(this);
  Code code;
  static_cast<image::Image&>(code) = code_.images[index];
  if (index < code_.image_metadata.size()) code.metadata = code_.image_metadata[index];
  return make<ObjectCode>(std::move(code));
}

std::string ObjectCode::label() const {
  std::string label = code_.name.empty() ? "object code" : code_.name;
  label += text(" (", image::code_type_name(code_.type));
  if (!arch_.empty()) label += " for " + arch_;
  return label + ")";
}

void ObjectCode::require_loadable() const {
  if (code_.type == CodeType::CUBIN && cuda().is_cpu)
    throw Error(Status::INVALID_CODE, text("cannot load ", label(),
                                           " on the CPU device: it runs PTX, and a CUBIN is "
                                           "machine code of a GPU; compile the program to PTX"));
  if (code_.type == CodeType::OBJECT || code_.type == CodeType::LIBRARY)
    throw Error(Status::INVALID_STATE, text("cannot load ", label(), ": link it first"));
}

// The image that a device gets, and the architecture to link it for if it is LTOIR.
struct ObjectCode::Choice {
  const image::Image* image;
  size_t index = 0;
  uint16_t linked_for = 0;
  std::pair<size_t, uint16_t> key() const { return {index, linked_for}; }
};

ObjectCode::Choice ObjectCode::choose(const Device& device) const {
  Choice choice{&code_};
  if (is_bundle()) {
    const uint16_t nvjitlink = nvjitlink_toolkit();
    choice.index = container::select(
        code_, {.device = device.capability(),
                .ptx_isa = device.is_emulated() ? uint16_t{0} : newest_ptx(cuda().version),
                .ptx_only = device.is_emulated(),
                .can_link_ltoir = nvjitlink != 0,
                .nvjitlink = nvjitlink});
    choice.image = &code_.images[choice.index];
  }
  if (choice.image->type == CodeType::LTOIR) choice.linked_for = device.capability();
  return choice;
}

Ref<LoadedImage> ObjectCode::load_anywhere() const { return load(*current_device()); }

Ref<LoadedImage> ObjectCode::loaded(const Choice& choice) const {
  std::lock_guard lock(mutex_);
  const auto found = libraries_.find(choice.key());
  return found == libraries_.end() ? nullptr : found->second;
}

Ref<LoadedImage> ObjectCode::load(const Device& device) const {
  require_loadable();
  const Choice choice = choose(device);
  if (Ref<LoadedImage> earlier = loaded(choice)) return earlier;
  std::lock_guard loading(load_mutex_);
  if (Ref<LoadedImage> earlier = loaded(choice)) return earlier;
  Ref<LoadedImage> library = load_choice(choice, device);
  std::lock_guard lock(mutex_);
  libraries_[choice.key()] = library;
  return library;
}

Ref<LoadedImage> ObjectCode::load_choice(const Choice& choice, const Device& device) const {
  const image::Image& image = *choice.image;
  if (image.type != CodeType::LTOIR)
    return LoadedImage::load(image.bytes.data(), device, "load " + label(), image.symbols,
                             may_print(image.type, image.bytes));
  Code input;
  static_cast<image::Image&>(input) = image;
  input.metadata = is_bundle() && choice.index < code_.image_metadata.size()
                       ? code_.image_metadata[choice.index]
                       : code_.metadata;
  const Code linked = link_ltoir(input, device.capability(), device.is_emulated());
  return LoadedImage::load(linked.bytes.data(), device,
                           text("load ", label(), ", linked for ", linked.arch.text()),
                           linked.symbols, may_print(linked.type, linked.bytes));
}

bool ObjectCode::is_loaded() const {
  std::lock_guard lock(mutex_);
  return !libraries_.empty();
}

const std::vector<Symbol>& ObjectCode::symbols() const {
  if (!varies_by_device()) return code_.symbols;
  std::call_once(symbols_once_, [this] { symbols_ = find_symbols(); });
  return symbols_;
}

std::vector<Symbol> ObjectCode::find_symbols() const {
  if (!is_bundle()) return symbols_of_ltoir(code_);
  std::vector<Symbol> all;
  for (size_t i = 0; i < image_count(); ++i) {
    const Ref<const ObjectCode> image = image_at(i);
    for (const Symbol& symbol : image->symbols()) {
      const auto is_same = [&](const Symbol& other) {
        return other.expression == symbol.expression && other.lowered_name == symbol.lowered_name;
      };
      if (const auto found = std::ranges::find_if(all, is_same); found == all.end())
        all.push_back(symbol);
      else if (found->parameters && symbol.parameters)
        image::adopt_classes(*found->parameters, *symbol.parameters);
    }
  }
  return all;
}

const image::KernelResources* ObjectCode::resources(const std::string& lowered_name) const {
  std::call_once(resources_once_, [this] {
    if (code_.type == CodeType::CUBIN)
      resources_ = image::inspect(code_.type, code_.data()).resources;
  });
  for (const image::KernelResources& kernel : resources_)
    if (kernel.lowered_name == lowered_name) return &kernel;
  return nullptr;
}

const std::vector<Diagnostic>& ObjectCode::diagnostics() const {
  std::call_once(diagnostics_once_, [this] { diagnostics_ = parse_diagnostics(code_.log); });
  return diagnostics_;
}

const std::vector<std::pair<std::string, std::string>>& ObjectCode::metadata() const {
  std::call_once(metadata_once_, [this] {
    for (const auto& [key, value] : code_.metadata) metadata_.emplace_back(key, as_text(value));
  });
  return metadata_;
}

void ObjectCode::throw_no_kernel(std::string_view name) const {
  std::vector<std::string> kernels;
  for (const Symbol& symbol : symbols())
    if (symbol.kind == SymbolKind::KERNEL) kernels.push_back(shown_name(symbol));
  throw Error(Status::NOT_FOUND, text("no kernel \"", name, "\" in ", label(), ": ",
                                      list_names(std::move(kernels), name)));
}

// A lowered name means one kernel; an expression may have come to mean several by linking.
std::string_view ObjectCode::lowered_kernel_name(std::string_view name) const {
  std::call_once(names_once_, [this] { kernel_names_.emplace(symbols()); });
  const std::span<const std::string_view> meant = kernel_names_->find(name);
  if (meant.empty()) throw_no_kernel(name);
  if (meant.size() == 1) return meant[0];
  throw Error(Status::NOT_FOUND,
              text("\"", name, "\" is ambiguous in ", label(), ", where it names ", meant.size(),
                   " kernels; ask for one by its name in the code: ",
                   list_names({meant.begin(), meant.end()}, name)));
}

Ref<Kernel> ObjectCode::live_kernel(std::string_view lowered) const {
  const auto found = kernels_.find(lowered);
  if (found == kernels_.end() || !found->second->try_add_reference()) return nullptr;
  return Ref<Kernel>::adopt(found->second);
}

Ref<Kernel> ObjectCode::find_kernel(std::string_view name) const {
  if (code_.type == CodeType::OBJECT || code_.type == CodeType::LIBRARY) require_loadable();
  const std::string_view known = lowered_kernel_name(name);
  {
    std::lock_guard lock(mutex_);
    if (Ref<Kernel> kernel = live_kernel(known)) return kernel;
  }
  const std::string lowered(known);
  const Ref<Device> device = current_device();
  const Ref<LoadedImage> library = load(*device);
  const CUkernel native = library->find_kernel(lowered.c_str());
  if (!native) throw_no_kernel(name);
  Ref<Kernel> kernel = make<Kernel>(Ref<const ObjectCode>(this), lowered, std::string(name),
                                    *library, native, *device);

  std::lock_guard lock(mutex_);
  if (Ref<Kernel> earlier = live_kernel(known)) return earlier;
  kernels_[known] = kernel.get();
  return kernel;
}

void ObjectCode::forget(const Kernel& kernel) const noexcept {
  std::lock_guard lock(mutex_);
  const auto found = kernels_.find(kernel.name());
  if (found != kernels_.end() && found->second == &kernel) kernels_.erase(found);
}

std::string ObjectCode::lowered_global_name(std::string_view name) const {
  std::vector<std::string> globals;
  const std::string wanted = normal_expression(name);
  for (const Symbol& symbol : symbols()) {
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
  const PrimaryScope primary(device);
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
