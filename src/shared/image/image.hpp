// SPDX-License-Identifier: Apache-2.0
// Reads all facts that the bytes of an image contain, and checks that the image is well formed. The
// driver receives a pointer without a length, so no later check of the size exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "image/arch.hpp"

namespace cucore::image {

class MemoryBudget;

// The numbers are those of cucore.h.
enum class CodeType : uint32_t { PTX = 1, CUBIN, LTOIR, FATBIN, OBJECT, LIBRARY, BUNDLE };

// Returns a name such as "PTX"; "unknown" for an undefined number.
const char* code_type_name(CodeType type);

// The values that a parameter accepts. The numbers are those of cucore.h and of the container.
enum class ParameterClass : uint32_t { UNKNOWN, INTEGER, FLOAT, POINTER, AGGREGATE };
inline constexpr uint32_t PARAMETER_CLASSES = 5;

// Returns a name such as "integer"; "unknown" for an undefined number.
const char* parameter_class_name(ParameterClass parameter_class);

struct Parameter {
  uint32_t offset = 0;
  uint32_t size = 0;
  uint32_t alignment = 0;  // 0: not recorded in the image
  ParameterClass parameter_class = ParameterClass::UNKNOWN;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

enum class SymbolKind : uint16_t { KERNEL = 1, GLOBAL, CONSTANT, MANAGED, DEVICE_FUNCTION };

struct Symbol {
  std::string expression;  // as the user wrote it, "saxpy<float>"; empty: not recorded
  std::string lowered_name;
  SymbolKind kind = SymbolKind::KERNEL;
  uint64_t size = 0;                                 // bytes of a variable; 0 for a kernel
  std::optional<std::vector<Parameter>> parameters;  // nullopt: not recorded, or a variable
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

using Bytes = std::vector<std::byte>;

// One image. A PTX ends with exactly one NUL, so that the driver accepts it without a copy; data()
// does not count the NUL.
struct Image {
  CodeType type = CodeType::PTX;
  Arch arch;
  uint16_t ptx_isa = 0;
  uint16_t toolkit = 0;
  std::string name;
  Bytes bytes;
  std::vector<Symbol> symbols;

  std::span<const std::byte> data() const {
    return {bytes.data(), bytes.size() - (type == CodeType::PTX && !bytes.empty() ? 1 : 0)};
  }
  friend bool operator==(const Image&, const Image&) = default;
};

// The resources that a kernel needs, from the image; nullopt if the image does not record them.
struct KernelResources {
  std::string lowered_name;
  std::optional<uint32_t> registers;      // per thread
  std::optional<uint32_t> static_shared;  // bytes per block
  std::optional<uint32_t> stack;          // bytes of local memory per thread
  std::optional<uint32_t> max_threads;    // per block, from __launch_bounds__
  std::optional<uint32_t> constant;       // bytes of the constant bank, parameters included
  std::optional<uint32_t> code;           // bytes of instructions
  std::optional<uint32_t> spill_stores;   // bytes, as ptxas -v reports them
  std::optional<uint32_t> spill_loads;    // bytes, as ptxas -v reports them
  std::optional<std::vector<uint32_t>> exact_block;  // .reqntid: x, y, z
  friend bool operator==(const KernelResources&, const KernelResources&) = default;
};

// One image inside a fat binary.
struct FatbinEntry {
  CodeType type = CodeType::PTX;  // PTX, CUBIN, LTOIR, or 0 if this version does not recognise it
  uint16_t kind = 0;              // number in the fat binary
  Arch arch;
  bool compressed = false;
  uint64_t stored_size = 0;
  uint64_t size = 0;  // after decompression
  uint16_t ptx_isa = 0;
  uint16_t toolkit = 0;
  std::string name;  // identifier from nvcc, usually empty
  std::vector<Symbol> symbols;
  std::vector<KernelResources> resources;
};

struct ImageInfo {
  Arch arch;             // not set for a fat binary
  uint16_t ptx_isa = 0;  // major * 10 + minor of .version; 0: not recorded
  // major * 10 + minor of the toolkit that made it; 0: not recorded
  uint16_t toolkit = 0;
  std::vector<Symbol> symbols;             // kernels first, in the order of the code, then the rest
  std::vector<KernelResources> resources;  // one per kernel, in the same order
  std::vector<FatbinEntry> entries;        // fat binary only
  // PTX and CUBIN: the names that only one input of a link may define. Weak definitions, local
  // definitions and declarations are not among them.
  std::vector<std::string> strong;
};

// The first bytes of a container.
inline constexpr char CONTAINER_MAGIC[8] = {'\x89', 'C', 'U', 'C', 'O', '\r', '\n', '\x1a'};

// Checks all bytes of an untrusted image and returns a description. PTX may end with zeros, which
// are not counted; zeros elsewhere are refused.
// @throws Error INVALID_CODE "... at offset N ..." for a malformed image
ImageInfo inspect(CodeType type, std::span<const std::byte> bytes);
// Does the same for a part of a larger input, within that input's budget.
ImageInfo inspect(CodeType type, std::span<const std::byte> bytes, MemoryBudget& budget);

// Returns the text without the zeros at its end.
std::span<const std::byte> trim_zeros(std::span<const std::byte> ptx);

// Returns the kind of image that the first bytes indicate, for tools that accept any file; nullopt
// if none matches. LTOIR is opaque and never guessed. A container is reported as BUNDLE.
std::optional<CodeType> guess_type(std::span<const std::byte> bytes);

// Sets the classes that `to` lacks to those of `from`. Does nothing if the sizes differ.
void adopt_classes(std::vector<Parameter>& to, std::span<const Parameter> from);
// Does the same for each kernel of `to` that `from` also has, by its name in the code.
void adopt_classes(std::vector<Symbol>& to, std::span<const Symbol> from);

// Does the same from symbols of PTX that marks pointers, and also decides which 64-bit words are
// pointers. Does nothing to a kernel if any other class differs.
void adopt_stated_classes(std::vector<Symbol>& to, std::span<const Symbol> from);
// Returns true if a parameter of a kernel has no class.
bool has_open_classes(std::span<const Symbol> symbols);

// Assigns to the symbols of an image the expressions that the compiler received for them. Every
// (expression, lowered name) produces one symbol, so a symbol with two expressions appears twice.
// Pairs that the image does not contain become kernels with unknown parameters.
struct NamedExpression {
  std::string expression;
  std::string lowered_name;
};
std::vector<Symbol> merge_expressions(std::vector<Symbol> symbols,
                                      std::span<const NamedExpression> names);

}  // namespace cucore::image
