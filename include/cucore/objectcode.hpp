/// @file cucore/objectcode.hpp
/// Compiled code: inspection, containers, signatures, loading.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_OBJECTCODE_HPP_INCLUDED
#define CUCORE_OBJECTCODE_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device.hpp"
#include "options.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

class Kernel;

/// Names that go with the bytes of object code made elsewhere.
struct ObjectCodeOptions {
  /// A name under which a kernel is found, and the name that it has in the code.
  struct Expression {
    std::string expression;
    std::string lowered_name;
  };

  std::string name{};  ///< for messages
  std::string arch{};  ///< if the bytes do not state it themselves
  std::vector<Expression> expressions{};
};

/// One symbol of object code. Strings live as long as the object code.
struct Symbol {
  std::string_view expression;    ///< the name as written, "saxpy<float>"; empty if unknown
  std::string_view lowered_name;  ///< the name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m"
  SymbolKind kind = SymbolKind::none;
  std::optional<std::size_t> parameter_count;  ///< of a kernel; unset: the code does not record it
  std::size_t size = 0;                        ///< of data, in bytes
};

/// One parameter of a kernel.
struct Parameter {
  std::size_t offset = 0;  ///< bytes from the start of the parameter block
  std::size_t size = 0;    ///< bytes
  ParameterClass parameter_class = ParameterClass::unknown;
};

/// The place of one parameter, in bytes.
struct ParameterPlace {
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// The needs of a kernel; -1 for each that its machine code does not state.
using ResourceInfo = cucore_resource_info;

/// A variable in device memory, valid while its code is loaded.
struct Global {
  Address address;
  std::size_t size = 0;  ///< in bytes
};

/// A key that signs or verifies containers. Its bytes are borrowed for the call.
struct Key {
  Bytes data{};
  KeyAlgorithm algorithm = KeyAlgorithm::none;
};

/// Options of ObjectCode::serialize().
struct SerializeOptions {
  std::optional<bool> compression{};  ///< true: zstd; default false
  std::optional<Key> signing_key{};   ///< unset: unsigned
};

/// Options of ObjectCode::deserialize().
struct DeserializeOptions {
  std::uint64_t max_code_size = 0;  ///< refuses images above this many bytes; 0: 1 GiB
  SignaturePolicy signature_policy = SignaturePolicy::none;
  std::vector<Key> keys{};  ///< that verify; `required` needs at least one
};

namespace detail {

inline cucore_key key(const Key& given) noexcept {
  return {given.data.data(), given.data.size(), static_cast<cucore_key_algorithm>(given.algorithm),
          0};
}

inline std::vector<cucore_key> keys(const std::vector<Key>& given) {
  std::vector<cucore_key> all;
  all.reserve(given.size());
  for (const Key& each : given) all.push_back(key(each));
  return all;
}

struct ObjectCodeOptionsOfC : Lists {
  explicit ObjectCodeOptionsOfC(const ObjectCodeOptions& options) {
    c.name = text(options.name);
    c.arch = text(options.arch);
    c.expressions =
        of(options.expressions, [](const auto& each) { return each.expression.c_str(); });
    c.lowered_names =
        of(options.expressions, [](const auto& each) { return each.lowered_name.c_str(); });
    c.expression_count = options.expressions.size();
  }
  cucore_objectcode_options c = CUCORE_OBJECTCODE_OPTIONS_INIT;
};

struct SerializeOptionsOfC {
  explicit SerializeOptionsOfC(const SerializeOptions& options) noexcept {
    c.compression = toggle(options.compression);
    if (!options.signing_key) return;
    signing_key = key(*options.signing_key);
    c.signing_key = &signing_key;
  }
  SerializeOptionsOfC(const SerializeOptionsOfC&) = delete;
  cucore_key signing_key{};
  cucore_serialize_options c = CUCORE_SERIALIZE_OPTIONS_INIT;
};

inline std::vector<Parameter> parameters_of(const std::vector<cucore_parameter_info>& infos) {
  std::vector<Parameter> all;
  all.reserve(infos.size());
  for (const cucore_parameter_info& info : infos)
    all.push_back({info.offset, info.size, static_cast<ParameterClass>(info.parameter_class)});
  return all;
}

// Calls a function that describes all parameters: for their number, then for the parameters.
template <class Describe>
Returned<std::vector<Parameter>> parameters(Describe&& describe) {
  using All = std::vector<Parameter>;
  std::size_t count = 0;
  cucore_error* error = nullptr;
  cucore_status status = describe(nullptr, 0, &count, &error);
  if (CUCORE_HPP_FAILED(status)) return failed<All>(status, error);
  if (count == 0) return All();
  std::vector<cucore_parameter_info> infos(count, CUCORE_PARAMETER_INFO_INIT);
  status = describe(infos.data(), infos.size(), &count, &error);
  if (CUCORE_HPP_FAILED(status)) return failed<All>(status, error);
  return parameters_of(infos);
}

}  // namespace detail

/// Compiled code that can be stored, linked and loaded.
class ObjectCode : public Owner<ObjectCode, cucore_objectcode> {
 public:
  ObjectCode() noexcept {}

  /// Copies and checks bytes that a compiler wrote; no driver is needed. Fails with INVALID_CODE if
  /// the bytes are not of the type; the message contains the offset.
  static Returned<ObjectCode> create(CodeType type, Bytes data,
                                     const ObjectCodeOptions& options = {}) {
    const detail::ObjectCodeOptionsOfC of_c(options);
    return make<ObjectCode>(cucore_objectcode_create, static_cast<cucore_code_type>(type),
                            data.data(), data.size(), &of_c.c);
  }

  /// The same from a file. Fails with NOT_FOUND or IO.
  static Returned<ObjectCode> from_file(CodeType type, const Name& path,
                                        const ObjectCodeOptions& options = {}) {
    const detail::ObjectCodeOptionsOfC of_c(options);
    return make<ObjectCode>(cucore_objectcode_from_file, static_cast<cucore_code_type>(type),
                            path.c_str(), &of_c.c);
  }

  /// Reads the bytes that serialize() wrote, in any language. Fails with INVALID_CODE if they are
  /// damaged, with SIGNATURE if a required signature is missing or wrong.
  static Returned<ObjectCode> deserialize(Bytes data, const DeserializeOptions& options = {}) {
    const std::vector<cucore_key> keys = detail::keys(options.keys);
    cucore_deserialize_options c = CUCORE_DESERIALIZE_OPTIONS_INIT;
    c.max_code_size = options.max_code_size;
    c.signature_policy = static_cast<cucore_signature_policy>(options.signature_policy);
    c.keys = keys.data();
    c.key_count = keys.size();
    return make<ObjectCode>(cucore_objectcode_deserialize, data.data(), data.size(), &c);
  }

  /// Combines several images of one program, of which each device takes the one that fits best.
  static Returned<ObjectCode> bundle(Span<const ObjectCode> images) {
    std::vector<const cucore_objectcode*> handles;
    handles.reserve(images.size());
    for (const ObjectCode& image : images) handles.push_back(image.get());
    return make<ObjectCode>(cucore_objectcode_bundle, handles.data(), handles.size());
  }

  CodeType type() const noexcept { return static_cast<CodeType>(cucore_objectcode_type(get())); }

  /// The bytes, borrowed; PTX has a NUL after the last, which is not counted.
  Span<const std::byte> data() const noexcept {
    std::size_t size = 0;
    const void* const bytes = cucore_objectcode_data(get(), &size);
    return {static_cast<const std::byte*>(bytes), size};
  }

  /// The name of the program, or the one given.
  std::string_view name() const noexcept { return cucore_objectcode_name(get()); }
  /// The architecture, "sm_90" of a CUBIN, "compute_90" of PTX.
  std::string_view arch() const noexcept { return cucore_objectcode_arch(get()); }
  /// Warnings of the compile or link that made it.
  std::string_view log() const noexcept { return cucore_objectcode_log(get()); }
  /// The messages in the log, in its order.
  std::vector<Diagnostic> diagnostics() const {
    return detail::diagnostics(get(), cucore_objectcode_diagnostic_count,
                               cucore_objectcode_diagnostic_at);
  }

  /// Facts about how the code was made, by name, sorted.
  std::vector<std::pair<std::string_view, std::string_view>> metadata() const {
    std::vector<std::pair<std::string_view, std::string_view>> all;
    for (std::size_t i = 0; i < cucore_objectcode_metadata_count(get()); ++i)
      all.emplace_back(cucore_objectcode_metadata_key(get(), i),
                       cucore_objectcode_metadata_value(get(), i));
    return all;
  }

  /// The state of the signature of the container that this was read from.
  SignatureState signature() const noexcept {
    return static_cast<SignatureState>(cucore_objectcode_signature(get()));
  }
  /// The identifier of the key that signed the container; empty if it is unsigned.
  std::string_view signature_key() const noexcept { return cucore_objectcode_signature_key(get()); }

  std::size_t symbol_count() const noexcept { return cucore_objectcode_symbol_count(get()); }

  /// One symbol: kernels first, in the order of the code. No driver is needed.
  Returned<Symbol> symbol_at(std::size_t index) const {
    cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_objectcode_symbol_at(get(), index, &info, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Symbol>(status, error);
    Symbol out{
        info.expression, info.lowered_name, static_cast<SymbolKind>(info.kind), {}, info.size};
    if (info.parameter_count != SIZE_MAX) out.parameter_count = info.parameter_count;
    return out;
  }

  /// All symbols.
  Returned<std::vector<Symbol>> symbols() const {
    std::vector<Symbol> all;
    const std::size_t count = symbol_count();
    for (std::size_t i = 0; i < count; ++i) {
      Returned<Symbol> each = symbol_at(i);
#if CUCORE_HPP_EXCEPTIONS
      all.push_back(each);
#else
      if (!each) return each.error();
      all.push_back(*each);
#endif
    }
    return all;
  }

  /// The place of one parameter of the kernel that is the symbol at an index.
  Returned<ParameterPlace> symbol_parameter_at(std::size_t symbol, std::size_t index) const {
    ParameterPlace out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_objectcode_symbol_parameter_at(get(), symbol, index, &out.offset, &out.size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<ParameterPlace>(status, error);
    return out;
  }

  /// All parameters of the kernel that is the symbol at an index. Fails with UNSUPPORTED if the
  /// code does not record them.
  Returned<std::vector<Parameter>> symbol_parameters(std::size_t symbol) const {
    return detail::parameters([&](cucore_parameter_info* out, std::size_t capacity,
                                  std::size_t* count, cucore_error** error) {
      return cucore_objectcode_symbol_parameters(get(), symbol, out, capacity, count, error);
    });
  }

  /// The needs of the kernel that is the symbol at an index. Fails with UNSUPPORTED if the code is
  /// not machine code.
  Returned<ResourceInfo> symbol_resources(std::size_t symbol) const {
    ResourceInfo out = CUCORE_RESOURCE_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_objectcode_symbol_resources(get(), symbol, &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<ResourceInfo>(status, error);
    return out;
  }

  /// The number of images of a bundle or a fat binary; otherwise 1.
  std::size_t image_count() const noexcept { return cucore_objectcode_image_count(get()); }

  /// One image of a bundle or a fat binary, decompressed.
  Returned<ObjectCode> image_at(std::size_t index) const {
    return make<ObjectCode>(cucore_objectcode_image_at, get(), index);
  }

  /// The container format that every language reads. Equal objects have equal bytes.
  Returned<std::vector<std::byte>> serialize(const SerializeOptions& options = {}) const {
    using All = std::vector<std::byte>;
    const detail::SerializeOptionsOfC of_c(options);
    std::size_t size = 0;
    cucore_error* error = nullptr;
    cucore_status status = cucore_objectcode_serialize(get(), &of_c.c, nullptr, 0, &size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<All>(status, error);
    All bytes(size);
    status = cucore_objectcode_serialize(get(), &of_c.c, bytes.data(), size, &size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<All>(status, error);
    return bytes;
  }

  /// The same into memory of the caller; returns the size. Fails with BUFFER_TOO_SMALL.
  Returned<std::size_t> serialize_to(MutableBytes buffer,
                                     const SerializeOptions& options = {}) const {
    const detail::SerializeOptionsOfC of_c(options);
    return value<std::size_t>(cucore_objectcode_serialize, get(), &of_c.c, buffer.data(),
                              buffer.size());
  }

  /// Loads the code now. Fails with INVALID_CODE if the driver refuses it; the error has the log.
  Returned<void> load(const Device& device) const {
    return call(cucore_objectcode_load, get(), device.get());
  }
  bool is_loaded() const noexcept { return cucore_objectcode_is_loaded(get()) != 0; }

  /// Finds a kernel by a name expression, "saxpy<float>", or by its name in the code; loads the
  /// code if it is not loaded yet. Fails with NOT_FOUND; the message lists the kernels.
  Returned<Kernel> find_kernel(const Name& name) const;

  /// Finds a variable on a device. Fails with NOT_FOUND; the message lists the variables.
  Returned<Global> find_global(const Name& name, const Device& device) const {
    std::uint64_t address = 0;
    std::size_t size = 0;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_objectcode_find_global(get(), name.c_str(), device.get(), &address, &size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Global>(status, error);
    return Global{Address(address), size};
  }

  /// The CUlibrary; loads the code if it is not loaded yet. Null if that fails.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_objectcode_native(get()));
  }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_OBJECTCODE_HPP_INCLUDED
