// SPDX-License-Identifier: Apache-2.0
// Initial values of module variables: nested lists of constants and addresses.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/constants.hpp"
#include "ptx/declarations.hpp"

namespace cucore::ptx {
namespace {

class InitializerParser {
 public:
  InitializerParser(Context& context, Variable& variable, uint32_t index)
      : context_(context), lexer_(context.lexer), variable_(variable), index_(index) {
    element_ = size_of(variable.type);
    if (element_ == 0 || element_ > 8) lexer_.fail("a variable of this type has no initial value");
  }

  void parse() {
    if (lexer_.peek() == '{')
      list(0, 0);
    else
      value(0);
    if (variable_.is_unsized) settle_size();
  }

 private:
  // Returns the bytes per item of a list at this depth.
  uint64_t stride(size_t depth) const {
    uint64_t bytes = element_;
    if (depth < variable_.dimensions.size()) bytes *= variable_.vector;
    for (size_t d = depth + 1; d < variable_.dimensions.size(); ++d)
      bytes *= variable_.dimensions[d];
    return bytes;
  }

  size_t max_depth() const { return variable_.dimensions.size() + (variable_.vector > 1 ? 1 : 0); }

  // As in C, scalars inside an outer list fill it in order.
  uint64_t list(uint64_t offset, size_t depth) {
    if (depth >= std::max<size_t>(1, max_depth())) lexer_.fail("too many nested braces");
    lexer_.expect('{');
    while (lexer_.peek() != '}') {
      if (lexer_.peek() == '{') {
        uint64_t whole = std::max<uint64_t>(1, stride(depth));
        list(offset, depth + 1);
        if (whole > MAX_VARIABLE_BYTES || offset + whole > MAX_VARIABLE_BYTES)
          lexer_.fail("initial values are too large");
        offset += whole;
      } else {
        value(offset);
        offset += element_;
      }
      if (!lexer_.accept(',')) break;
    }
    lexer_.expect('}');
    return offset;
  }

  void value(uint64_t offset) {
    if (!variable_.is_unsized && (offset > variable_.size || variable_.size - offset < element_))
      lexer_.fail("too many initial values for '" + std::string(variable_.name) + "'");
    char c = lexer_.peek();
    bool name = is_class(c, CHAR_WORD) && !is_class(c, CHAR_DIGIT) &&
                std::strncmp(lexer_.position(), "WARP_SZ", 7) != 0;
    if (name) return address(offset, ~uint64_t{0});
    Constant constant = parse_constant(lexer_);
    if (lexer_.peek() == '(') return masked(offset, constant);
    store(offset, converted(constant));
  }

  // An integer may be the value of a float or the bits of an integer.
  uint64_t converted(const Constant& constant) {
    bool whole = constant.literal == Literal::INTEGER;
    if (whole && (variable_.type == Type::f32 || variable_.type == Type::f64)) {
      auto number = constant.is_unsigned ? static_cast<double>(constant.bits)
                                         : static_cast<double>(static_cast<int64_t>(constant.bits));
      return *convert_constant({Literal::F64, false, std::bit_cast<uint64_t>(number)},
                               variable_.type);
    }
    auto bits = convert_constant(constant, variable_.type);
    if (!bits) lexer_.fail("an integer is needed as initial value");
    return *bits;
  }

  // Reads "0xFF00(symbol + 4)": one or more bytes of an address or number.
  void masked(uint64_t offset, const Constant& mask) {
    if (mask.literal != Literal::INTEGER || mask.bits == 0) lexer_.fail("malformed mask");
    lexer_.expect('(');
    if (is_class(lexer_.peek(), CHAR_DIGIT) || lexer_.peek() == '-') {
      uint64_t value = parse_integer(lexer_, "a masked value");
      store(offset, (value & mask.bits) >> std::countr_zero(mask.bits));
    } else {
      address(offset, mask.bits);
    }
    lexer_.expect(')');
  }

  void address(uint64_t offset, uint64_t mask) {
    Relocation relocation;
    relocation.offset = offset;
    relocation.mask = mask;
    relocation.shift = static_cast<uint8_t>(std::countr_zero(mask));
    relocation.size = static_cast<uint8_t>(element_);
    std::string_view name = lexer_.expect_word("a symbol");
    if (name == "generic" && lexer_.accept('(')) {
      relocation.is_generic = true;
      name = lexer_.expect_word("a symbol");
      relocation.addend = addend();
      lexer_.expect(')');
    }
    relocation.addend += addend();
    store(offset, 0);
    auto place = static_cast<uint32_t>(variable_.relocations.size());
    context_.pending_relocations.push_back({index_, place, name, lexer_.line()});
    variable_.relocations.push_back(relocation);
  }

  int64_t addend() {
    char c = lexer_.peek();
    if (c != '+' && c != '-') return 0;
    return static_cast<int64_t>(parse_integer(lexer_, "an offset"));
  }

  void store(uint64_t offset, uint64_t bits) {
    std::vector<uint8_t>& bytes = variable_.bytes;
    if (bytes.size() < offset + element_) grow(offset + element_);
    for (unsigned i = 0; i < element_; ++i)
      bytes[offset + i] = static_cast<uint8_t>(bits >> (8 * i));
  }

  // Gaps in nested lists use memory without text, so the module has a limit for them.
  void grow(uint64_t size) {
    uint64_t more = size - variable_.bytes.size();
    if (more > context_.initial_bytes_left) lexer_.fail("initial values are too large");
    context_.initial_bytes_left -= more;
    variable_.bytes.resize(size);
  }

  // Sets the size of `x[] = {...}` from the values.
  void settle_size() {
    uint64_t whole = std::max<uint64_t>(1, stride(0));
    variable_.size = (variable_.bytes.size() + whole - 1) / whole * whole;
    if (!variable_.dimensions.empty()) variable_.dimensions[0] = variable_.size / whole;
    variable_.is_unsized = false;
  }

  Context& context_;
  Lexer& lexer_;
  Variable& variable_;
  uint32_t index_;
  unsigned element_;
};

}  // namespace

void parse_initializer(Context& context, Variable& variable, uint32_t index) {
  InitializerParser(context, variable, index).parse();
}

}  // namespace cucore::ptx
