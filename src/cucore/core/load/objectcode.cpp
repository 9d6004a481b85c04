// SPDX-License-Identifier: Apache-2.0
#include "core/load/objectcode.hpp"

#include <algorithm>

#include "container/known_contents.hpp"
#include "container/text.hpp"
#include "core/compile/file.hpp"
#include "core/compile/ltoir.hpp"
#include "core/compile/suggestion.hpp"
#include "core/load/kernel.hpp"
#include "core/objects/context_scope.hpp"
#include "driver/stream_capture.hpp"
#include "image/arch.hpp"
#include "image/fatbin.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"
#include "support/sha256.hpp"

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
                concat("cucore_objectcode_options.arch is \"", arch,
                       "\"; write it as \"sm_90\", \"sm_90a\" or \"compute_90\""));
  return *parsed;
}

bool is_data(SymbolKind kind) {
  return kind != SymbolKind::KERNEL && kind != SymbolKind::DEVICE_FUNCTION;
}

std::string as_text(const container::MetadataValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return concat(*number);
  if (const auto* string = std::get_if<std::string>(&value)) return *string;
  std::string lines;
  for (const std::string& line : std::get<std::vector<std::string>>(value))
    lines += (lines.empty() ? "" : "\n") + line;
  return lines;
}

// Most symbols have no expression, so "" must not match them.
bool has_expression(const Symbol& symbol, const std::string& wanted) {
  return !symbol.expression.empty() && normal_expression(symbol.expression) == wanted;
}

}  // namespace

ObjectCode::ObjectCode(Code code) : ObjectCode(std::make_shared<const Code>(std::move(code))) {}

ObjectCode::ObjectCode(std::shared_ptr<const Code> code, const container::SignatureInfo& signature)
    : code_(std::move(code)),
      arch_(code_->arch.text()),
      container_(is_bundle() ? container::write(*code_) : image::Bytes()),
      signature_(signature.state),
      signature_key_(signature.state == container::SignatureState::UNSIGNED ? ""
                                                                            : hex(signature.key)),
      loader_(*this),
      kernels_(*this, loader_) {}

ObjectCode::~ObjectCode() = default;

Ref<LoadedImage> ObjectCode::load(const Device& device) const {
  Ref<LoadedImage> image = loader_.load(device);
  if (!image->is_entered()) image->enter(device, "load " + label());
  return image;
}

Ref<LoadedImage> ObjectCode::load_anywhere() const { return load(*current_device()); }

Ref<Kernel> ObjectCode::find_kernel(std::string_view name) const { return kernels_.find(name); }

void ObjectCode::forget(const Kernel& kernel) const noexcept { kernels_.forget(kernel); }

Ref<ObjectCode> ObjectCode::create(CodeType type, std::span<const std::byte> bytes,
                                   std::string name, std::string_view arch,
                                   const std::vector<image::NamedExpression>& names) {
  if (type < CodeType::PTX || type > CodeType::LIBRARY)
    throw Error(Status::INVALID_ARGUMENT,
                type == CodeType::BUNDLE
                    ? std::string("a BUNDLE is read with cucore_objectcode_deserialize()")
                    : concat("type is ", static_cast<uint32_t>(type), ", not a cucore_code_type"));
  Code code = container::make_code(type, bytes, std::move(name), parse_arch(arch));
  code.symbols = image::merge_expressions(std::move(code.symbols), names);
  return make<ObjectCode>(std::move(code));
}

namespace {

CodeType require_type(std::span<const std::byte> bytes) {
  if (const auto type = image::guess_type(bytes)) return *type;
  throw Error(Status::INVALID_CODE,
              "the type of the bytes is not known; expected PTX, a CUBIN, a FATBIN, an OBJECT, a "
              "LIBRARY or a container; pass the type, LTOIR is not detected");
}

}  // namespace

Ref<ObjectCode> ObjectCode::from_file(CodeType type, const std::string& path, std::string name,
                                      std::string_view arch,
                                      const std::vector<image::NamedExpression>& names) {
  const std::vector<std::byte> bytes = read_file(path);
  if (name.empty()) name = container::clean_text(path.substr(path.rfind('/') + 1));
  try {
    const CodeType found = type == CodeType{} ? require_type(bytes) : type;
    if (type == CodeType{} && found == CodeType::BUNDLE) return deserialize(bytes, {});
    return create(found, bytes, std::move(name), arch, names);
  } catch (const Error& error) {
    throw Error(error.status(), path + ": " + error.message(), error.log(), error.origin());
  }
}

Ref<ObjectCode> ObjectCode::of_loaded(Ref<LoadedImage> image, std::string name) {
  Code code;
  code.type = CodeType::PTX;  // which every device accepts
  code.name = std::move(name);
  auto made = make<ObjectCode>(std::move(code));
  made->loader_.adopt(std::move(image));
  return made;
}

Ref<ObjectCode> ObjectCode::deserialize(std::span<const std::byte> bytes,
                                        const container::ReadOptions& options) {
  container::SharedContents contents = container::read_shared(bytes, options);
  return make<ObjectCode>(std::move(contents.code), contents.signature);
}

Ref<ObjectCode> ObjectCode::bundle(std::span<const ObjectCode* const> images) {
  if (images.empty())
    throw Error(Status::INVALID_ARGUMENT, "a bundle needs two images or more, got none");
  std::vector<const Code*> codes;
  for (const ObjectCode* image : images) codes.push_back(image->code_.get());
  return make<ObjectCode>(container::make_bundle(codes, codes[0]->name));
}

size_t ObjectCode::image_count() const {
  if (code_->type == CodeType::FATBIN)
    return image::count_fatbin_entries(image::ByteView("FATBIN", code_->data()));
  return is_bundle() ? code_->images.size() : 1;
}

// Returns an entry of a fat binary, decompressed.
Ref<const ObjectCode> ObjectCode::entry_at(size_t index) const {
  image::FatbinImage image =
      image::read_fatbin_entry(image::ByteView("FATBIN", code_->data()), index);
  const image::FatbinEntry& entry = image.entry;
  if (image.bytes.empty() || entry.type == CodeType{})
    throw Error(Status::UNSUPPORTED,
                concat("image ", index, " of ", label(),
                       image.bytes.empty() ? " is scrambled" : " is of a kind that is not known: ",
                       image.bytes.empty() ? "" : concat(entry.kind)));
  Code code = container::make_code(entry.type, image.bytes, code_->name, entry.arch);
  image::adopt_classes(code.symbols, code_->symbols);
  return make<ObjectCode>(std::move(code));
}

Ref<const ObjectCode> ObjectCode::image_at(size_t index) const {
  if (index >= image_count())
    throw Error(Status::INVALID_ARGUMENT, concat("index is ", index, "; ", label(), " holds ",
                                                 counted(image_count(), "image")));
  if (code_->type == CodeType::FATBIN) return entry_at(index);
  if (!is_bundle()) return Ref<const ObjectCode>(this);
  Code code;
  static_cast<image::Image&>(code) = code_->images[index];
  if (index < code_->image_metadata.size()) code.metadata = code_->image_metadata[index];
  return make<ObjectCode>(std::move(code));
}

std::string ObjectCode::label() const {
  std::string label = code_->name.empty() ? "object code" : code_->name;
  label += concat(" (", image::code_type_name(code_->type));
  if (!arch_.empty()) label += " for " + arch_;
  return label + ")";
}

const std::vector<Symbol>& ObjectCode::symbols() const {
  if (!varies_by_device()) return code_->symbols;
  std::call_once(symbols_once_, [this] { symbols_ = find_symbols(); });
  return symbols_;
}

std::vector<Symbol> ObjectCode::find_symbols() const {
  if (!is_bundle()) return symbols_of_ltoir(*code_);
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
    if (code_->type == CodeType::CUBIN)
      resources_ = image::inspect(code_->type, code_->data()).resources;
  });
  for (const image::KernelResources& kernel : resources_)
    if (kernel.lowered_name == lowered_name) return &kernel;
  return nullptr;
}

const std::vector<Diagnostic>& ObjectCode::diagnostics() const {
  std::call_once(diagnostics_once_, [this] { diagnostics_ = parse_diagnostics(code_->log); });
  return diagnostics_;
}

const std::vector<std::pair<std::string, std::string>>& ObjectCode::metadata() const {
  std::call_once(metadata_once_, [this] {
    for (const auto& [key, value] : code_->metadata) metadata_.emplace_back(key, as_text(value));
  });
  return metadata_;
}

const container::Parts& ObjectCode::parts() const {
  std::call_once(parts_once_, [this] {
    parts_.emplace(container::write_parts(*code_));
    container::KnownContents::add_written(parts_->digest(), code_);
  });
  return *parts_;
}

std::string ObjectCode::lowered_global_name(std::string_view name) const {
  std::vector<std::string> globals;
  const std::string wanted = normal_expression(name);
  for (const Symbol& symbol : symbols()) {
    if (!is_data(symbol.kind)) continue;
    if (symbol.lowered_name == name || has_expression(symbol, wanted)) return symbol.lowered_name;
    globals.push_back(shown_name(symbol));
  }
  throw Error(Status::NOT_FOUND, concat("no global variable \"", name, "\" in ", label(), ": ",
                                        list_names(std::move(globals), name)));
}

Global ObjectCode::find_global(std::string_view name, const Device& device) const {
  loader_.require_linked();
  const std::string lowered = lowered_global_name(name);
  const Ref<LoadedImage> library = load(device);
  const PrimaryScope primary(device);
  const driver::RelaxedCaptures relaxed;
  const auto& cu = cuda();
  Global global;
  CUresult result =
      cu.cuLibraryGetGlobal(&global.address, &global.size, library->native(), lowered.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    result =
        cu.cuLibraryGetManaged(&global.address, &global.size, library->native(), lowered.c_str());
  check(result, [&] {
    return concat("find the global variable ", name, " in ", label(), " on ", device.label());
  });
  return global;
}

}  // namespace cucore::core
