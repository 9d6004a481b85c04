// SPDX-License-Identifier: Apache-2.0
#include "core/load/objectcode.hpp"

#include <cstddef>

#include "capi/diagnostic.hpp"
#include "capi/guard.hpp"
#include "capi/keys.hpp"
#include "capi/parameters.hpp"
#include "container/reader.hpp"
#include "container/writer.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

using namespace cucore::capi;
using cucore::concat;
using cucore::counted;
using cucore::Error;
using cucore::Status;
using cucore::image::CodeType;
using cucore::image::NamedExpression;
using cucore::image::Symbol;
namespace core = cucore::core;
namespace container = cucore::container;
namespace image = cucore::image;

namespace {

constexpr size_t FIRST_OBJECTCODE_OPTIONS =
    offsetof(cucore_objectcode_options, expression_count) + sizeof(size_t);
constexpr size_t FIRST_SYMBOL_INFO = offsetof(cucore_symbol_info, size) + sizeof(size_t);
constexpr size_t FIRST_RESOURCES = offsetof(cucore_resource_info, code_size) + sizeof(int32_t);
constexpr size_t FIRST_SERIALIZE =
    offsetof(cucore_serialize_options, signing_key) + sizeof(const cucore_key*);
constexpr size_t FIRST_DESERIALIZE =
    offsetof(cucore_deserialize_options, key_count) + sizeof(size_t);

#define SAME(name) static_assert(CUCORE_CODE_TYPE_##name == static_cast<uint32_t>(CodeType::name))
SAME(PTX);
SAME(CUBIN);
SAME(LTOIR);
SAME(FATBIN);
SAME(OBJECT);
SAME(LIBRARY);
SAME(BUNDLE);
#undef SAME

#define SAME(name) \
  static_assert(CUCORE_SYMBOL_##name == static_cast<uint32_t>(image::SymbolKind::name))
SAME(KERNEL);
SAME(GLOBAL);
SAME(CONSTANT);
SAME(MANAGED);
SAME(DEVICE_FUNCTION);
#undef SAME

struct Options {
  std::string name, arch;
  std::vector<NamedExpression> names;
};

Options read(const cucore_objectcode_options* given) {
  const auto options =
      cucore::read_options(given, FIRST_OBJECTCODE_OPTIONS, "cucore_objectcode_options");
  const size_t count = options.expression_count;
  const auto expressions =
      require_strings(options.expressions, count, "cucore_objectcode_options.expressions");
  const auto lowered =
      require_strings(options.lowered_names, count, "cucore_objectcode_options.lowered_names");
  Options out;
  out.name = options.name ? options.name : "";
  out.arch = options.arch ? options.arch : "";
  for (size_t i = 0; i < count; ++i) out.names.push_back({expressions[i], lowered[i]});
  return out;
}

std::span<const std::byte> as_bytes(const void* data, size_t size) {
  return require_array(static_cast<const std::byte*>(data), size, "data");
}

const Symbol& symbol_at(const core::ObjectCode& code, size_t index, const char* argument) {
  const auto& symbols = code.symbols();
  if (index >= symbols.size())
    throw Error(Status::INVALID_ARGUMENT, concat(argument, " is ", index, "; ", code.label(),
                                                 " has ", counted(symbols.size(), "symbol")));
  return symbols[index];
}

cucore_symbol_info to_c(const Symbol& symbol) {
  return {.struct_size = 0,
          .expression = symbol.expression.c_str(),
          .lowered_name = symbol.lowered_name.c_str(),
          .kind = static_cast<cucore_symbol_kind>(symbol.kind),
          .parameter_count = symbol.parameters ? symbol.parameters->size() : SIZE_MAX,
          .size = symbol.size};
}

void store(const container::Parts& parts, void* buffer, size_t capacity, size_t* size) {
  *size = parts.size();
  if (!buffer) return;
  if (capacity < parts.size())
    throw Error(Status::BUFFER_TOO_SMALL,
                concat("capacity is ", capacity, " bytes, ", parts.size(), " are needed"));
  parts.copy_to(static_cast<std::byte*>(buffer));
}

container::SignaturePolicy to_policy(cucore_signature_policy policy) {
  if (policy != CUCORE_SIGNATURE_POLICY_NONE && policy != CUCORE_SIGNATURE_POLICY_REQUIRED)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_deserialize_options.signature_policy is ", static_cast<int>(policy),
                       ", not a cucore_signature_policy"));
  return policy == CUCORE_SIGNATURE_POLICY_REQUIRED ? container::SignaturePolicy::REQUIRED
                                                    : container::SignaturePolicy::NONE;
}

int32_t or_unknown(const std::optional<uint32_t>& value) {
  return value ? static_cast<int32_t>(*value) : -1;
}

cucore_resource_info to_c(const image::KernelResources& kernel) {
  return {.struct_size = 0,
          .registers = or_unknown(kernel.registers),
          .static_shared = or_unknown(kernel.static_shared),
          .stack = or_unknown(kernel.stack),
          .max_threads = or_unknown(kernel.max_threads),
          .constant = or_unknown(kernel.constant),
          .code_size = or_unknown(kernel.code),
          .spill_stores = or_unknown(kernel.spill_stores),
          .spill_loads = or_unknown(kernel.spill_loads)};
}

// Returns the key and the value of one fact; null for an index out of range.
const std::pair<std::string, std::string>* metadata_at(const cucore_objectcode* code,
                                                       size_t index) {
  const std::pair<std::string, std::string>* found = nullptr;
  guard(nullptr, [&] {
    const auto& all = use(code, "code").metadata();
    if (index < all.size()) found = &all[index];
  });
  return found;
}

const std::string& label_of(const Symbol& symbol) {
  return symbol.expression.empty() ? symbol.lowered_name : symbol.expression;
}

const std::vector<image::Parameter>& parameters_of(const core::ObjectCode& code,
                                                   const Symbol& kernel) {
  if (!kernel.parameters)
    throw Error(Status::UNSUPPORTED,
                concat(code.label(), " does not say what parameters ", label_of(kernel), " has"));
  return *kernel.parameters;
}

const image::Parameter& parameter_at(const core::ObjectCode& code, size_t symbol, size_t index) {
  const Symbol& kernel = symbol_at(code, symbol, "symbol");
  const auto& parameters = parameters_of(code, kernel);
  if (index >= parameters.size())
    throw Error(Status::INVALID_ARGUMENT, concat("index is ", index, "; ", label_of(kernel),
                                                 " has ", counted(parameters.size(), "parameter")));
  return parameters[index];
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_objectcode_create(cucore_code_type type, const void* data,
                                                  size_t size,
                                                  const cucore_objectcode_options* options,
                                                  cucore_objectcode** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const auto bytes = as_bytes(data, size);
    require(out, "out");
    const Options with = read(options);
    *out = wrap(core::ObjectCode::create(static_cast<CodeType>(type), bytes, with.name, with.arch,
                                         with.names));
  });
}

CUCORE_API cucore_status cucore_objectcode_from_file(cucore_code_type type, const char* path,
                                                     const cucore_objectcode_options* options,
                                                     cucore_objectcode** out,
                                                     cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(path, "path");
    require(out, "out");
    const Options with = read(options);
    *out = wrap(core::ObjectCode::from_file(static_cast<CodeType>(type), path, with.name, with.arch,
                                            with.names));
  });
}

CUCORE_API cucore_objectcode* cucore_objectcode_retain(const cucore_objectcode* code) {
  return retain(code);
}

CUCORE_API void cucore_objectcode_release(cucore_objectcode* code) { release(code); }

CUCORE_API cucore_code_type cucore_objectcode_type(const cucore_objectcode* code) {
  const auto* self = peek(code);
  return self ? static_cast<cucore_code_type>(self->code().type) : static_cast<cucore_code_type>(0);
}

CUCORE_API const void* cucore_objectcode_data(const cucore_objectcode* code, size_t* size) {
  const auto* self = peek(code);
  if (size) *size = self ? self->data().size() : 0;
  return self ? self->data().data() : nullptr;
}

CUCORE_API const char* cucore_objectcode_name(const cucore_objectcode* code) {
  const auto* self = peek(code);
  return self ? self->code().name.c_str() : "";
}

CUCORE_API const char* cucore_objectcode_arch(const cucore_objectcode* code) {
  const auto* self = peek(code);
  return self ? self->arch().c_str() : "";
}

CUCORE_API const char* cucore_objectcode_log(const cucore_objectcode* code) {
  const auto* self = peek(code);
  return self ? self->code().log.c_str() : "";
}

CUCORE_API size_t cucore_objectcode_symbol_count(const cucore_objectcode* code) {
  size_t count = 0;
  guard(nullptr, [&] { count = use(code, "code").symbols().size(); });
  return count;
}

CUCORE_API cucore_status cucore_objectcode_symbol_at(const cucore_objectcode* code, size_t index,
                                                     cucore_symbol_info* out,
                                                     cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(require(out, "out"), FIRST_SYMBOL_INFO);
    const core::ObjectCode& self = use(code, "code");
    const Symbol& symbol = symbol_at(self, index, "index");
    cucore::write_info(out, to_c(symbol), FIRST_SYMBOL_INFO, "cucore_symbol_info");
  });
}

CUCORE_API cucore_status cucore_objectcode_symbol_parameter_at(const cucore_objectcode* code,
                                                               size_t symbol, size_t index,
                                                               size_t* offset, size_t* size,
                                                               cucore_error** error) {
  return guard(error, [&] {
    clear(offset, size);
    const core::ObjectCode& self = use(code, "code");
    require(offset, "offset");
    require(size, "size");
    const image::Parameter& parameter = parameter_at(self, symbol, index);
    *offset = parameter.offset;
    *size = parameter.size;
  });
}

CUCORE_API cucore_status cucore_objectcode_symbol_parameters(const cucore_objectcode* code,
                                                             size_t symbol,
                                                             cucore_parameter_info* out,
                                                             size_t capacity, size_t* count,
                                                             cucore_error** error) {
  return guard(error, [&] {
    clear(count);
    ParameterArray array(out, capacity, count);
    const core::ObjectCode& self = use(code, "code");
    array.write(parameters_of(self, symbol_at(self, symbol, "symbol")));
  });
}

CUCORE_API cucore_status cucore_objectcode_symbol_resources(const cucore_objectcode* code,
                                                            size_t symbol,
                                                            cucore_resource_info* out,
                                                            cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(require(out, "out"), FIRST_RESOURCES);
    const core::ObjectCode& self = use(code, "code");
    const Symbol& kernel = symbol_at(self, symbol, "symbol");
    const auto* found = self.resources(kernel.lowered_name);
    if (!found)
      throw Error(Status::UNSUPPORTED, concat(self.label(), " does not say what ", label_of(kernel),
                                              " needs: machine code of a kernel does"));
    cucore::write_info(out, to_c(*found), FIRST_RESOURCES, "cucore_resource_info");
  });
}

CUCORE_API size_t cucore_objectcode_diagnostic_count(const cucore_objectcode* code) {
  size_t count = 0;
  guard(nullptr, [&] { count = use(code, "code").diagnostics().size(); });
  return count;
}

CUCORE_API cucore_status cucore_objectcode_diagnostic_at(const cucore_objectcode* code,
                                                         size_t index, cucore_diagnostic_info* out,
                                                         cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(require(out, "out"), FIRST_DIAGNOSTIC);
    write_diagnostic(use(code, "code").diagnostics(), index, out);
  });
}

CUCORE_API size_t cucore_objectcode_metadata_count(const cucore_objectcode* code) {
  const auto* self = peek(code);
  return self ? self->code().metadata.size() : 0;
}

CUCORE_API const char* cucore_objectcode_metadata_key(const cucore_objectcode* code, size_t index) {
  const auto* found = metadata_at(code, index);
  return found ? found->first.c_str() : "";
}

CUCORE_API const char* cucore_objectcode_metadata_value(const cucore_objectcode* code,
                                                        size_t index) {
  const auto* found = metadata_at(code, index);
  return found ? found->second.c_str() : "";
}

CUCORE_API int32_t cucore_objectcode_signature(const cucore_objectcode* code) {
  const auto* self = peek(code);
  return self ? static_cast<int32_t>(self->signature()) : 0;
}

CUCORE_API const char* cucore_objectcode_signature_key(const cucore_objectcode* code) {
  const auto* self = peek(code);
  return self ? self->signature_key().c_str() : "";
}

CUCORE_API cucore_status cucore_objectcode_bundle(const cucore_objectcode* const* images,
                                                  size_t count, cucore_objectcode** out,
                                                  cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    std::vector<const core::ObjectCode*> codes;
    for (const cucore_objectcode* image : require_array(images, count, "images"))
      codes.push_back(&use(image, concat("images[", codes.size(), "]").c_str()));
    require(out, "out");
    *out = wrap(core::ObjectCode::bundle(codes));
  });
}

CUCORE_API size_t cucore_objectcode_image_count(const cucore_objectcode* code) {
  size_t count = 0;
  guard(nullptr, [&] { count = use(code, "code").image_count(); });
  return count;
}

CUCORE_API cucore_status cucore_objectcode_image_at(const cucore_objectcode* code, size_t index,
                                                    cucore_objectcode** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::ObjectCode& self = use(code, "code");
    require(out, "out");
    *out = wrap(self.image_at(index));
  });
}

CUCORE_API cucore_status cucore_objectcode_serialize(const cucore_objectcode* code,
                                                     const cucore_serialize_options* options,
                                                     void* buffer, size_t capacity, size_t* size,
                                                     cucore_error** error) {
  return guard(error, [&] {
    clear(size);
    const core::ObjectCode& self = use(code, "code");
    require(size, "size");
    if (capacity != 0) require(buffer, "buffer");
    const auto given = cucore::read_options(options, FIRST_SERIALIZE, "cucore_serialize_options");
    container::WriteOptions how;
    require_zero(given.reserved, "cucore_serialize_options.reserved");
    how.compress = require_toggle(given.compression, false, "cucore_serialize_options.compression");
    if (given.signing_key)
      how.sign =
          to_key<container::SigningKey>(*given.signing_key, "cucore_serialize_options.signing_key");
    if (how.compress || how.sign)
      store(container::write_parts(self.code(), how), buffer, capacity, size);
    else
      store(self.parts(), buffer, capacity, size);
  });
}

CUCORE_API cucore_status cucore_objectcode_deserialize(const void* data, size_t size,
                                                       const cucore_deserialize_options* options,
                                                       cucore_objectcode** out,
                                                       cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const auto bytes = as_bytes(data, size);
    require(out, "out");
    const auto given =
        cucore::read_options(options, FIRST_DESERIALIZE, "cucore_deserialize_options");
    container::ReadOptions how;
    how.max_image_size = given.max_code_size;
    require_zero(given.reserved, "cucore_deserialize_options.reserved");
    how.policy = to_policy(given.signature_policy);
    for (const cucore_key& key :
         require_array(given.keys, given.key_count, "cucore_deserialize_options.keys"))
      how.keys.push_back(to_key<container::VerifyingKey>(key, "cucore_deserialize_options.keys"));
    if (how.policy == container::SignaturePolicy::REQUIRED && how.keys.empty())
      throw Error(
          Status::INVALID_ARGUMENT,
          "cucore_deserialize_options.signature_policy is REQUIRED and the list of keys is empty");
    *out = wrap(core::ObjectCode::deserialize(bytes, how));
  });
}

CUCORE_API cucore_status cucore_objectcode_load(const cucore_objectcode* code,
                                                const cucore_device* device, cucore_error** error) {
  return guard(error, [&] {
    const core::ObjectCode& self = use(code, "code");
    self.load(use(device, "device"));
  });
}

CUCORE_API int32_t cucore_objectcode_is_loaded(const cucore_objectcode* code) {
  const auto* self = peek(code);
  return self && self->is_loaded();
}

CUCORE_API cucore_status cucore_objectcode_find_kernel(const cucore_objectcode* code,
                                                       const char* name, cucore_kernel** out,
                                                       cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::ObjectCode& self = use(code, "code");
    require(name, "name");
    require(out, "out");
    *out = wrap(self.find_kernel(name));
  });
}

CUCORE_API cucore_status cucore_objectcode_find_global(const cucore_objectcode* code,
                                                       const char* name,
                                                       const cucore_device* device,
                                                       uint64_t* address, size_t* size,
                                                       cucore_error** error) {
  return guard(error, [&] {
    clear(address, size);
    const core::ObjectCode& self = use(code, "code");
    require(name, "name");
    const core::Device& on = use(device, "device");
    require(address, "address");
    require(size, "size");
    const core::Global global = self.find_global(name, on);
    *address = global.address;
    *size = global.size;
  });
}

CUCORE_API void* cucore_objectcode_native(const cucore_objectcode* code) {
  void* native = nullptr;
  guard(nullptr, [&] { native = use(code, "code").load_anywhere()->native(); });
  return native;
}

}  // extern "C"
