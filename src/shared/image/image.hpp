// SPDX-License-Identifier: Apache-2.0
// What can be known of an image from its bytes alone, and the proof that they are well formed: the
// driver is given a pointer without a length, so this is the only place where its size is checked.
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

// "PTX"; "unknown" for a number that is none.
const char* code_type_name(CodeType type);

// Which values a parameter accepts. The numbers are those of cucore.h and of the container.
enum class ParameterClass : uint32_t { UNKNOWN, INTEGER, FLOAT, POINTER, AGGREGATE };
inline constexpr uint32_t PARAMETER_CLASSES = 5;

// "integer"; "unknown" for a number that is not a class.
const char* parameter_class_name(ParameterClass parameter_class);

struct Parameter {
  uint32_t offset = 0;
  uint32_t size = 0;
  uint32_t alignment = 0;  // 0: the image does not say
  ParameterClass parameter_class = ParameterClass::UNKNOWN;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

enum class SymbolKind : uint16_t { KERNEL = 1, GLOBAL, CONSTANT, MANAGED, DEVICE_FUNCTION };

struct Symbol {
  std::string expression;  // as the user wrote it, "saxpy<float>"; empty: unknown
  std::string lowered_name;
  SymbolKind kind = SymbolKind::KERNEL;
  uint64_t size = 0;                                 // of data, in bytes; kernels 0
  std::optional<std::vector<Parameter>> parameters;  // nullopt: unknown, and for data
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

using Bytes = std::vector<std::byte>;

// One image. The bytes of a PTX end with exactly one NUL, so that they can be given to the driver
// as they are; data() does not count it.
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

// What the image says of a kernel's needs; nullopt where it does not.
struct KernelResources {
  std::string lowered_name;
  std::optional<uint32_t> registers;      // of one thread
  std::optional<uint32_t> static_shared;  // bytes of one block
  std::optional<uint32_t> stack;          // bytes of local memory of one thread's frame
  std::optional<uint32_t> max_threads;    // of one block, from __launch_bounds__
  std::optional<uint32_t> constant;       // bytes of the constant bank, parameters included
  std::optional<uint32_t> code;           // bytes of instructions
  std::optional<uint32_t> spill_stores;   // bytes, as ptxas -v says them
  std::optional<uint32_t> spill_loads;    // the same
  std::optional<std::vector<uint32_t>> exact_block;  // .reqntid: x, y, z
  friend bool operator==(const KernelResources&, const KernelResources&) = default;
};

// One image inside a fat binary.
struct FatbinEntry {
  CodeType type = CodeType::PTX;  // PTX, CUBIN, LTOIR, or 0 for what this version does not know
  uint16_t kind = 0;              // as the fat binary numbers it
  Arch arch;
  bool compressed = false;
  uint64_t stored_size = 0;
  uint64_t size = 0;  // once decompressed
  uint16_t ptx_isa = 0;
  uint16_t toolkit = 0;
  std::string name;  // identifier given by nvcc, mostly empty
  std::vector<Symbol> symbols;
  std::vector<KernelResources> resources;
};

struct ImageInfo {
  Arch arch;                               // of a fat binary: none
  uint16_t ptx_isa = 0;                    // major * 10 + minor of .version; 0: unknown
  uint16_t toolkit = 0;                    // major * 10 + minor of what made it; 0: unknown
  std::vector<Symbol> symbols;             // kernels first, in the order of the code, then the rest
  std::vector<KernelResources> resources;  // one for each kernel, in the same order
  std::vector<FatbinEntry> entries;        // of a fat binary
  // Of PTX and CUBIN: the names that no second input of a link may define. Weak and local
  // definitions, and declarations, are not among them.
  std::vector<std::string> strong;
};

// The first bytes of a container.
inline constexpr char CONTAINER_MAGIC[8] = {'\x89', 'C', 'U', 'C', 'O', '\r', '\n', '\x1a'};

// Checks untrusted bytes from the first to the last and says what they hold.
// PTX: zeros at the end are allowed and not counted; zeros elsewhere are refused.
// @throws Error INVALID_CODE "... at offset N ..." for anything that is not well formed.
ImageInfo inspect(CodeType type, std::span<const std::byte> bytes);
// The same for bytes that are a part of others, within what those may take.
ImageInfo inspect(CodeType type, std::span<const std::byte> bytes, MemoryBudget& budget);

// The same text without the zeros at its end.
std::span<const std::byte> trim_zeros(std::span<const std::byte> ptx);

// The kind that bytes look like by their first ones, for tools that take any file; nullopt if
// nothing known. LTOIR is opaque and never guessed. A container is reported as BUNDLE.
std::optional<CodeType> guess_type(std::span<const std::byte> bytes);

// Sets the classes that `to` lacks to those of `from`. Does nothing if the sizes differ.
void adopt_classes(std::vector<Parameter>& to, std::span<const Parameter> from);
// The same for each kernel of `to` that `from` has, by its name in the code.
void adopt_classes(std::vector<Symbol>& to, std::span<const Symbol> from);

// The same from symbols of PTX that marks pointers: it also decides which 64-bit words are
// pointers. Does nothing to a kernel of which any other class differs.
void adopt_stated_classes(std::vector<Symbol>& to, std::span<const Symbol> from);
// True if a parameter of a kernel has no class.
bool has_open_classes(std::span<const Symbol> symbols);

// Gives the symbols read from an image the expressions under which the compiler was asked for
// them. Every (expression, lowered name) gives one symbol: a symbol named by two expressions comes
// twice. Pairs that the image does not know are kept, as kernels with unknown parameters.
struct NamedExpression {
  std::string expression;
  std::string lowered_name;
};
std::vector<Symbol> merge_expressions(std::vector<Symbol> symbols,
                                      std::span<const NamedExpression> names);

}  // namespace cucore::image
