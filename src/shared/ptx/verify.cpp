// SPDX-License-Identifier: Apache-2.0
// Verification. After it the executor indexes registers, frames and slots without checks.
#include "ptx/verify.hpp"

#include <utility>

#include "ptx/constants.hpp"
#include "ptx/forms.hpp"

namespace cucore::ptx {
namespace {

// Returns the bits of a width, for messages; a predicate has 1 bit.
unsigned bits_of(Type type) { return type == Type::pred ? 1 : 8 * size_of(type); }

bool same_width(Type a, Type b) {
  return (a == Type::pred) == (b == Type::pred) && size_of(a) == size_of(b);
}

// Returns an unsigned type of twice the width, for .wide.
Type widened(Type type) { return size_of(type) == 2 ? Type::b32 : Type::b64; }

// Only integers may be in a register that is wider than the value.
bool holds(Type reg, Type value) {
  if (is_float(value) || value == Type::pred) return same_width(reg, value);
  return reg != Type::pred && size_of(reg) >= size_of(value);
}

class Checker {
 public:
  Checker(Context& context, Function& function, const Form& form, WrittenOperands& written)
      : context_(context), function_(function), form_(form), written_(written) {}

  uint8_t place() {
    const OpcodeSpec& spec = spec_of(form_.op);
    switch (spec.rule) {
      case Rule::PATTERN:
        by_pattern(form_.type_count == 2 && form_.types[0] == Type::f32 ? mixed_pattern()
                                                                        : spec.pattern);
        if (is_video(form_.op)) check_video();
        break;
      case Rule::MOV:
        mov();
        break;
      case Rule::CVT:
        cvt();
        break;
      case Rule::CVT_PACK:
        by_types(form_.type_count == 3 ? "rbbu" : "rbbN");
        break;
      case Rule::LOP3:
        lop3();
        break;
      case Rule::ATOM:
        atom();
        break;
      case Rule::BAR_RED:
        bar_red();
        break;
      case Rule::SHFL:
        by_pattern(form_.has(FLAG_SYNC) ? "dqauuu" : "dqauuN");
        break;
      case Rule::VOTE:
        vote();
        break;
      case Rule::TENSOR:
        tensor();
        break;
      case Rule::MAP:
        tensor_map();
        break;
      case Rule::TEXTURE:
        texture();
        break;
      case Rule::SURFACE:
        surface();
        break;
      case Rule::BULK:
        bulk();
        break;
      case Rule::WGMMA:
        wgmma();
        break;
      case Rule::CALL:
        break;  // the parser places these operands
    }
    if (next_ != written_.count) fail("too many operands");
    return placed_;
  }

  // The operands of sums with narrower operands; other forms have their pattern.
  std::string_view mixed_pattern() const {
    if (form_.op == Opcode::fma) return "dbba";
    if (form_.op == Opcode::add || form_.op == Opcode::sub) return "dba";
    return spec_of(form_.op).pattern;
  }

  void check_argument(const Variable& formal, Operand& actual) {
    if (actual.kind == OperandKind::SYMBOL) {
      const Variable* variable = variable_of(actual);
      bool fits = variable->space == Space::param && !formal.is_register &&
                  (formal.is_unsized || variable->size == formal.size);
      if (!fits) argument_mismatch(formal);
    } else if (formal.is_register || formal.dimensions.empty()) {
      source(actual, formal.type);
    } else {
      argument_mismatch(formal);
    }
  }

  void check_result(const Variable& formal, const Operand& actual) {
    bool fits = false;
    if (actual.kind == OperandKind::SYMBOL) {
      const Variable* variable = variable_of(actual);
      fits = variable->space == Space::param && variable->size == formal.size;
    } else if (actual.kind == OperandKind::REG) {
      fits = formal.dimensions.empty() && same_width(type_of(actual), formal.type);
    }
    if (!fits) argument_mismatch(formal);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    context_.lexer.fail(what + " in '" + std::string(form_.text) + "'");
  }
  [[noreturn]] void fail_operand(const std::string& what) const {
    fail("operand " + std::to_string(next_) + " must be " + what);
  }
  [[noreturn]] void argument_mismatch(const Variable& formal) const {
    context_.lexer.fail("a call's argument does not fit parameter '" + std::string(formal.name) +
                        "'");
  }

  static bool is_predicate(const Operand& special) {
    return special.index == static_cast<uint32_t>(SpecialRegister::is_explicit_cluster);
  }

  Type type_of(const Operand& operand) const { return function_.registers[operand.index]; }

  const Variable* variable_of(const Operand& operand) const {
    if (operand.base == Base::MODULE_VARIABLE) return &context_.module.variables[operand.index];
    if (operand.base == Base::LOCAL_VARIABLE) return &function_.variables[operand.index];
    return nullptr;
  }

  bool exhausted() const { return next_ >= written_.count; }

  Operand& take() {
    if (exhausted()) fail("too few operands");
    Operand& operand = written_.items[next_++];
    return operand;
  }

  void put(const Operand& operand) {
    function_.operands.push_back(operand);
    ++placed_;
  }
  void put_none() { put(Operand{}); }

  // One function for each kind of slot

  void destination(const Operand& operand, Type type) {
    if (operand.kind != OperandKind::REG || operand.negated || !same_width(type_of(operand), type))
      fail_operand("a " + std::to_string(bits_of(type)) + "-bit register");
  }

  void relaxed_destination(const Operand& operand, Type type) {
    if (operand.kind != OperandKind::REG || operand.negated || !holds(type_of(operand), type))
      fail_operand("a register that holds ." + std::string(name_of(type)));
  }

  void immediate(Operand& operand, Type type) {
    auto bits = convert_constant({operand.literal, false, operand.bits}, type);
    if (!bits) fail_operand("a constant of type ." + std::string(name_of(type)));
    operand.bits = *bits;
  }

  void source(Operand& operand, Type type) {
    if (operand.kind == OperandKind::IMMEDIATE) return immediate(operand, type);
    if (operand.kind != OperandKind::REG || operand.negated || !same_width(type_of(operand), type))
      fail_operand("a " + std::to_string(bits_of(type)) + "-bit register or constant");
  }

  void signed_source(Operand& operand) {
    const bool negated = std::exchange(operand.negated, false);
    source(operand, Type::b32);
    operand.negated = negated;
  }

  void relaxed_source(Operand& operand, Type type) {
    if (operand.kind == OperandKind::IMMEDIATE) return immediate(operand, type);
    relaxed_destination(operand, type);
  }

  void predicate(Operand& operand) {
    if (operand.kind == OperandKind::IMMEDIATE) return immediate(operand, Type::pred);
    if (operand.kind != OperandKind::REG || type_of(operand) != Type::pred)
      fail_operand("a predicate");
  }

  void address_register(const Operand& operand) {
    if (operand.kind == OperandKind::SYMBOL || operand.kind == OperandKind::FUNCTION) return;
    if (operand.kind != OperandKind::REG || operand.negated || !is_address(type_of(operand)))
      fail_operand("an address");
  }

  static bool is_address(Type type) {
    return type != Type::pred && (size_of(type) == 4 || size_of(type) == 8);
  }

  void symbol_or_source(Operand& operand, Type type) {
    if (operand.kind == OperandKind::SYMBOL || operand.kind == OperandKind::FUNCTION) return;
    source(operand, type);
  }

  void memory(const Operand& operand) {
    if (operand.kind != OperandKind::MEMORY) fail_operand("an address in brackets");
    if (operand.base == Base::REG && !is_address(type_of(operand)))
      fail_operand("based on a 32- or 64-bit register");
    if (const Variable* variable = variable_of(operand)) check_variable_access(*variable, operand);
  }

  // The state space must be that of the variable. An access must not exceed a parameter, because
  // its frame is not checked at run time.
  void check_variable_access(const Variable& variable, const Operand& operand) {
    Space space = form_.space == Space::shared_cluster ? Space::shared : form_.space;
    bool is_ld_st = form_.op == Opcode::ld || form_.op == Opcode::st;
    if (space != Space::generic && space != variable.space && !has_two_spaces(form_.op))
      fail("'" + std::string(variable.name) + "' is in another state space");
    if (variable.space != Space::param || form_.op == Opcode::prefetch) return;
    if (is_opaque(variable.type) && names_objects()) return;
    uint64_t bytes = uint64_t{size_of(form_.types[0])} * form_.vector;
    bool inside = operand.bits <= variable.size && variable.size - operand.bits >= bytes;
    if (!is_ld_st || (!inside && !variable.is_unsized) || form_.types[0] == Type::pred)
      fail("access outside of parameter '" + std::string(variable.name) + "'");
    bool launch_parameter = function_.is_entry && operand.index < function_.input_count;
    if (form_.op == Opcode::st && launch_parameter) fail("a kernel's parameters are read-only");
  }

  // The instructions on textures and surfaces. The executor checks the parameters that they name.
  bool names_objects() const {
    const Rule rule = spec_of(form_.op).rule;
    return rule == Rule::TEXTURE || rule == Rule::SURFACE || form_.op == Opcode::txq ||
           form_.op == Opcode::txq_level || form_.op == Opcode::suq;
  }

  void vector_element(Operand& element, bool is_destination) {
    if (element.kind == OperandKind::SINK && is_destination) return;
    if (is_destination) return relaxed_destination(element, form_.types[0]);
    relaxed_source(element, form_.types[0]);
  }

  void scalar_or_vector(Operand& operand, bool is_destination) {
    bool is_vector = operand.kind == OperandKind::VECTOR;
    if (form_.vector == 1) return vector_element(operand, is_destination);
    if (!is_vector || operand.count != form_.vector)
      fail_operand("a vector of " + std::to_string(form_.vector));
    for (unsigned i = 0; i < operand.count; ++i)
      vector_element(function_.elements[operand.index + i], is_destination);
  }

  void integer(Operand& operand) {
    if (operand.kind != OperandKind::IMMEDIATE || operand.literal != Literal::INTEGER)
      fail_operand("an integer constant");
  }

  void slot(char letter) {
    if (letter == 'q') return pair();
    if (letter == 'N') return put_none();
    Operand& operand = take();
    Type type = form_.types[0];
    switch (letter) {
      case 'd':
        destination(operand, type);
        break;
      case 'D':
        relaxed_destination(operand, type);
        break;
      case 'R':
        if (operand.kind == OperandKind::SINK) break;
        destination(operand, Type::b32);
        break;
      case 'S':
        if (operand.kind == OperandKind::SINK) break;
        destination(operand, type);
        break;
      case 'r':
        destination(operand, Type::b32);
        break;
      case 'w':
        destination(operand, wide_type());
        break;
      case 'a':
        source(operand, type);
        break;
      case 'x':
        source(operand, wide_type());
        break;
      case 'b':
        source(operand, form_.types[1]);
        break;
      case 'B':
        relaxed_source(operand, form_.types[form_.type_count - 1]);
        break;
      case 'u':
        source(operand, Type::b32);
        break;
      case 'h':
        source(operand, Type::b16);
        break;
      case 'n':
        signed_source(operand);
        break;
      case 'z':
        source(operand, Type::b64);
        break;
      case 'p':
        predicate(operand);
        break;
      case 'P':
        destination(operand, Type::pred);
        break;
      case 'i':
        integer(operand);
        break;
      case 'm':
        memory(operand);
        break;
      case 'v':
        scalar_or_vector(operand, true);
        break;
      case 'V':
        scalar_or_vector(operand, false);
        break;
      case 'X':
        address_register(operand);
        break;
      case 's':
        symbol_or_source(operand, type);
        break;
      case 'l':
        if (operand.kind != OperandKind::LABEL) fail_operand("a label");
        break;
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
        fragment(operand, letter);
        break;
      case 'T':
        if (operand.kind != OperandKind::TARGETS) fail_operand("a list of branch targets");
        break;
      default:
        break;
    }
    put(operand);
  }

  // The elements of a fragment are registers, or constants of a source.
  void fragment(Operand& operand, char letter) {
    static constexpr char MATRICES[] = "dabcd";
    const MatrixForm& matrix = form_.matrix;
    const char name = MATRICES[letter - '1'];
    const unsigned count = registers_of(form_.op, matrix, name);
    const Element element = name == 'a' || name == 'b' ? matrix.a : matrix.d;
    const Type type = element == Element::f64 ? Type::b64 : Type::b32;
    const bool loads = form_.op >= Opcode::wmma_load_a && form_.op <= Opcode::wmma_load_c;
    const bool is_result = letter == '1' || loads;
    auto check = [&](Operand& one) {
      if (is_result)
        destination(one, type);
      else
        source(one, type);
    };
    if (operand.kind != OperandKind::VECTOR && count == 1) return check(operand);
    if (operand.kind != OperandKind::VECTOR || operand.count != count)
      fail_operand("a vector of " + std::to_string(count));
    for (unsigned i = 0; i < count; ++i) check(function_.elements[operand.index + i]);
  }

  void integer_in(std::string_view values) {
    Operand& operand = take();
    integer(operand);
    const auto value = static_cast<int64_t>(operand.bits);
    const bool sign = values == "sign";
    if (sign ? value != 1 && value != -1 : value != 0 && value != 1)
      fail_operand(sign ? "1 or -1" : "0 or 1");
    put(operand);
  }

  // {D, A, B, metadata, selector, scale of D, negations, transpositions}; A is a fragment or, like
  // B, a descriptor.
  void wgmma() {
    check_pair("");
    const MatrixForm& matrix = form_.matrix;
    slot('1');
    const bool in_registers = !exhausted() && written_.items[next_].kind == OperandKind::VECTOR;
    slot(in_registers ? '2' : 'z');
    slot('z');
    for (char letter : std::string_view(matrix.is_sparse ? "ui" : "NN")) slot(letter);
    slot('p');
    const bool scales = !is_integer(matrix.a) && matrix.a != Element::b1;
    for (int i = 0; i < 2; ++i) scales ? integer_in("sign") : put_none();
    const bool transposes = scales && bits_of(matrix.a) == 16;
    transposes && !in_registers ? integer_in("flag") : put_none();
    transposes ? integer_in("flag") : put_none();
  }

  Type wide_type() const {
    return form_.mul == MulMode::wide ? widened(form_.types[0]) : form_.types[0];
  }

  void pair() {
    if (!written_.has_pair) return put_none();
    Operand& operand = take();
    if (operand.kind != OperandKind::SINK) destination(operand, Type::pred);
    put(operand);
  }

  // A `d|p` for an opcode without a second destination would shift every slot.
  void check_pair(std::string_view pattern) const {
    bool allowed = pattern.size() > 1 && pattern[1] == 'q';
    if (written_.has_pair && !allowed) fail("'|' has no meaning");
  }

  void by_pattern(std::string_view pattern) {
    check_pair(pattern);
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] == '*') return put_rest();
      bool optional = i + 1 < pattern.size() && pattern[i + 1] == '?';
      i += optional;
      if (optional && exhausted())
        put_none();
      else
        slot(pattern[i - optional]);
    }
  }

  void put_rest() {
    while (!exhausted()) put(take());
  }

  // Checks a destination of type 0, a source of type 1, and other sources of the last type.
  void by_types(std::string_view pattern) {
    check_pair(pattern);
    for (char letter : pattern) slot(letter);
  }

  void mov() {
    check_pair("");
    Operand& to = take();
    Operand& from = take();
    if (to.kind == OperandKind::VECTOR) {
      split_elements(to, true);
      source(from, form_.types[0]);
    } else {
      destination(to, form_.types[0]);
      mov_source(from);
    }
    put(to);
    put(from);
  }

  void mov_source(Operand& from) {
    Type type = form_.types[0];
    switch (from.kind) {
      case OperandKind::VECTOR:
        return split_elements(from, false);
      case OperandKind::SPECIAL:
        if (type == Type::pred && !is_predicate(from)) fail_operand("a predicate");
        return;
      case OperandKind::SYMBOL:
      case OperandKind::FUNCTION:
        if (!is_address(type) || is_float(type)) fail("an address needs 32 or 64 bits");
        return;
      default:
        return source(from, type);
    }
  }

  void split_elements(const Operand& vector, bool is_destination) {
    unsigned bytes = size_of(form_.types[0]);
    if (vector.count < 2 || bytes == 0 || bytes % vector.count != 0)
      fail("a vector that does not fill its type");
    static constexpr Type TYPES[] = {Type::none, Type::b8,   Type::b16,  Type::none, Type::b32,
                                     Type::none, Type::none, Type::none, Type::b64};
    Type type = TYPES[bytes / vector.count];
    if (type == Type::none) fail("a vector that does not fill its type");
    for (unsigned i = 0; i < vector.count; ++i) {
      Operand& element = function_.elements[vector.index + i];
      if (is_destination && element.kind == OperandKind::SINK) continue;
      if (is_destination)
        destination(element, type);
      else
        source(element, type);
    }
  }

  // Checks one source; packed results take two, and .rs also takes random bits.
  void cvt() {
    check_pair("");
    Type from = form_.types[1];
    if (is_quad(form_.types[0])) return cvt_quad();
    bool packs = from == Type::f32 && is_packed(form_.types[0]);
    slot('D');
    slot('B');
    if (packs)
      slot('B');
    else
      put_none();
    if (form_.rounding == Rounding::rs)
      slot('u');
    else
      put_none();
  }

  // Four sources of f32 in a vector, and random bits.
  void cvt_quad() {
    slot('D');
    Operand& vector = take();
    if (vector.kind != OperandKind::VECTOR || vector.count != 4) fail_operand("a vector of 4");
    for (unsigned i = 0; i < vector.count; ++i)
      relaxed_source(function_.elements[vector.index + i], Type::f32);
    put(vector);
    put_none();
    slot('u');
  }

  static bool is_packed(Type type) {
    return type == Type::f16x2 || type == Type::bf16x2 ||
           (type >= Type::e4m3x2 && type <= Type::ue8m0x2);
  }

  void lop3() {
    if (form_.operation == Operation::none) return by_pattern("dNaaaiN");
    if (!written_.has_pair) fail("a predicate destination is missing");
    by_pattern("Sqaaaip");
  }

  void atom() {
    check_pair("");
    Operand& to = take();
    if (to.kind != OperandKind::SINK) scalar_or_vector(to, true);
    put(to);
    slot('m');
    slot('V');
    by_pattern_optional(form_.operation == Operation::cas ? "az" : "Nz");
  }

  void by_pattern_optional(std::string_view two) {
    slot(two[0]);
    if (exhausted()) return put_none();
    slot(two[1]);
  }

  void bar_red() {
    check_pair("");
    bool is_count = form_.operation == Operation::popc;
    if (is_count != (form_.types[0] == Type::u32)) fail("a type that does not fit");
    slot('d');
    slot('u');
    if (written_.count == 4)
      slot('u');
    else
      put_none();
    slot('p');
  }

  void bulk() {
    check_pair("");
    for (char letter :
         {'m', 'm', 'u', form_.has(FLAG_SYNC) ? 'm' : 'N', form_.has(FLAG_MULTICAST) ? 'h' : 'N',
          form_.has(FLAG_CACHE_HINT) ? 'z' : 'N', form_.has(FLAG_BYTE_MASK) ? 'h' : 'N'})
      slot(letter);
  }

  // Coordinates of a tensor, or offsets in a box of pixels.
  void coordinates(unsigned count, Type type) {
    Operand& vector = take();
    if (vector.kind != OperandKind::VECTOR || vector.count != count)
      fail_operand("a vector of " + std::to_string(count));
    for (unsigned i = 0; i < count; ++i) source(function_.elements[vector.index + i], type);
    put(vector);
  }

  void offsets() {
    if (form_.mode == Mode::im2col_w || form_.mode == Mode::im2col_w_128)
      return coordinates(2, Type::b16);
    if (form_.mode != Mode::im2col) return put_none();
    coordinates(form_.dimensions - 2u, Type::b16);
  }

  // Four rows have a column in common.
  unsigned tensor_coordinates() const {
    return form_.mode == Mode::gather4 || form_.mode == Mode::scatter4 ? 5 : form_.dimensions;
  }

  void tensor() {
    check_pair("");
    bool loads = form_.space2 == Space::global;
    if (loads) slot('m');
    slot('m');
    coordinates(tensor_coordinates(), Type::b32);
    if (form_.space2 != Space::generic) slot('m');
    if (loads || form_.space2 == Space::generic) offsets();
    if (loads) slot(form_.has(FLAG_MULTICAST) ? 'h' : 'N');
    slot(form_.has(FLAG_CACHE_HINT) ? 'z' : 'N');
  }

  // The members with one value per dimension have a number.
  void tensor_map() {
    check_pair("");
    slot('m');
    if (form_.mode >= Mode::box_dim && form_.mode <= Mode::element_stride) slot('i');
    slot('a');
  }

  // The numbers of a place: layers are unsigned. A last number without a meaning may follow three.
  void texel_place(Type type) {
    static constexpr uint8_t COUNTS[] = {0, 1, 2, 3, 2, 3, 3, 4, 3, 4};
    const unsigned count = COUNTS[form_.dimensions];
    const Geometry geometry = form_.geometry();
    const bool has_layer = geometry == Geometry::a1d || geometry == Geometry::a2d ||
                           geometry == Geometry::acube || geometry == Geometry::a2dms;
    const Operand& vector = take();
    const bool fits = vector.count == count || (count == 3 && vector.count == 4);
    if (vector.kind != OperandKind::VECTOR || !fits)
      fail_operand("a vector of " + std::to_string(count));
    for (unsigned i = 0; i < vector.count; ++i)
      source(function_.elements[vector.index + i], i == 0 && has_layer ? Type::u32 : type);
    put(vector);
  }

  void gradient() {
    static constexpr uint8_t COUNTS[] = {0, 1, 2, 3, 1, 2, 3, 3};
    const unsigned count = COUNTS[form_.dimensions];
    Operand& vector = take();
    if (vector.kind != OperandKind::VECTOR) {
      if (count != 1) fail_operand("a vector of " + std::to_string(count));
      source(vector, Type::f32);
    } else if (vector.count != count && (count != 3 || vector.count != 4)) {
      fail_operand("a vector of " + std::to_string(count));
    }
    for (unsigned i = 0; vector.kind == OperandKind::VECTOR && i < vector.count; ++i)
      source(function_.elements[vector.index + i], Type::f32);
    put(vector);
  }

  void texture() {
    const Operand& to = take();
    if (to.kind != OperandKind::VECTOR || to.count != form_.vector)
      fail_operand("a vector of " + std::to_string(form_.vector));
    for (unsigned i = 0; i < to.count; ++i) {
      const Operand& element = function_.elements[to.index + i];
      if (element.kind != OperandKind::SINK) destination(element, form_.types[0]);
    }
    put(to);
    pair();
    object(Type::texref);
    texel_place(form_.types[1]);
    sampler();
    const bool gradients = form_.op == Opcode::tex_grad;
    if (form_.op == Opcode::tex_level)
      number(form_.types[1]);
    else
      gradients ? gradient() : put_none();
    gradients ? gradient() : put_none();
    texel_offsets();
    exhausted() ? put_none() : depth();
  }

  // A handle in a register, or a variable.
  void object(Type type) {
    const Operand& operand = take();
    memory(operand);
    const Variable* variable = variable_of(operand);
    if (variable != nullptr && variable->type != type)
      fail_operand("a ." + std::string(name_of(type)) + " or a register");
    put(operand);
  }

  void sampler() {
    if (!written_.has_sampler) return put_none();
    Operand& operand = take();
    const Variable* variable = operand.kind == OperandKind::SYMBOL ? variable_of(operand) : nullptr;
    if (variable != nullptr ? variable->type != Type::samplerref
                            : operand.kind != OperandKind::REG || type_size(operand) != 8)
      fail_operand("a .samplerref or a 64-bit register");
    put(operand);
  }

  unsigned type_size(const Operand& operand) const { return size_of(type_of(operand)); }

  void number(Type type) {
    Operand& operand = take();
    source(operand, type);
    put(operand);
  }

  // Offsets of texels precede the depth. That of a line can be written without braces.
  void texel_offsets() {
    static constexpr uint8_t COUNTS[] = {0, 1, 2, 3, 1, 2, 0, 0, 2, 2};
    const unsigned count = COUNTS[form_.dimensions];
    if (exhausted()) return put_none();
    Operand& vector = written_.items[next_];
    const bool is_scalar = count == 1 && vector.kind == OperandKind::REG &&
                           !is_float(type_of(vector)) && type_size(vector) == 4;
    if (is_scalar) return number(Type::s32);
    if (vector.kind != OperandKind::VECTOR) return put_none();
    take();
    if (vector.count != count && (count != 3 || vector.count != 4))
      fail_operand("a vector of " + std::to_string(count));
    for (unsigned i = 0; i < vector.count; ++i)
      source(function_.elements[vector.index + i], Type::s32);
    put(vector);
  }

  // Space has no depth to compare with, and whole places have no filter for it.
  void depth() {
    if (form_.geometry() == Geometry::d3 || form_.types[1] != Type::f32)
      fail("a depth has no meaning");
    number(Type::f32);
  }

  // "{%r1}" is a register.
  void value_of_surface(bool is_destination) {
    Operand& operand = take();
    if (form_.vector == 1 && operand.kind == OperandKind::VECTOR && operand.count == 1)
      operand = Operand(function_.elements[operand.index]);
    scalar_or_vector(operand, is_destination);
    put(operand);
  }

  void surface() {
    check_pair("");
    const bool loads = form_.op == Opcode::suld_b;
    if (loads) value_of_surface(true);
    object(Type::surfref);
    texel_place(Type::b32);
    if (!loads) value_of_surface(false);
  }

  // A register has the parts that its place permits: all parts of a packed source, some parts of a
  // packed destination, one part of others.
  void check_selector(const Operand& operand, bool is_destination) const {
    const VideoSelector chosen = VideoSelector::of(operand);
    if (operand.kind != OperandKind::REG || chosen.part_bytes == 0) return;
    const bool packs = form_.op >= Opcode::vadd2;
    const unsigned parts = name_of(form_.op).ends_with('4') ? 4 : 2;
    const unsigned limit = packs && !is_destination ? 2 * parts : 4 / chosen.part_bytes;
    bool fits = !packs || chosen.part_bytes == 4 / parts;
    fits = fits && (!packs           ? chosen.count == 1
                    : is_destination ? chosen.count <= parts
                                     : chosen.count == parts);
    for (unsigned i = 0; i < chosen.count; ++i) {
      fits = fits && chosen.part(i) < limit;
      if (packs && is_destination && i != 0) fits = fits && chosen.part(i) > chosen.part(i - 1);
    }
    if (!fits) fail("a selector of parts that does not fit");
  }

  // A second operation or parts of a scalar destination need a third source, and exclude each
  // other.
  void check_video() {
    const Operand* operands = &function_.operands[function_.operands.size() - placed_];
    for (unsigned k = 0; k < 3; ++k) check_selector(operands[k], k == 0);
    if (operands[3].kind == OperandKind::REG && VideoSelector::of(operands[3]).part_bytes != 0)
      fail("a selector of parts that does not fit");
    if (form_.op == Opcode::vmad) return check_signs(operands);
    if (form_.op >= Opcode::vadd2) return;
    const bool merges = VideoSelector::of(operands[0]).part_bytes != 0;
    const bool combines = form_.operation != Operation::none;
    if (merges && combines) fail("parts of the result exclude a second operation");
    if ((merges || combines) && operands[3].kind == OperandKind::NONE)
      fail("a third source is missing");
  }

  // The minus sign of a product excludes that of the addend, and .po excludes all.
  void check_signs(const Operand* operands) const {
    const bool a = operands[1].negated, b = operands[2].negated, c = operands[3].negated;
    if (VideoSelector::of(operands[0]).part_bytes != 0) fail("parts of the result have no meaning");
    if (form_.has(FLAG_PLUS_ONE) ? a || b || c : a != b && c)
      fail("minus signs that exclude each other");
  }

  void vote() {
    check_pair("");
    slot('d');
    slot('p');
    slot(form_.has(FLAG_SYNC) ? 'u' : 'N');
  }

  Context& context_;
  Function& function_;
  const Form& form_;
  WrittenOperands& written_;
  uint8_t next_ = 0;
  uint8_t placed_ = 0;
};

}  // namespace

uint8_t place_operands(Context& context, Function& function, const Form& form,
                       WrittenOperands& written) {
  return Checker(context, function, form, written).place();
}

void check_call(Context& context, Function& function, const Signature& signature,
                const Operand& returns, const Operand& inputs) {
  Lexer& lexer = context.lexer;
  bool open_ended = !signature.inputs.empty() && signature.inputs.back().is_unsized;
  size_t least = signature.inputs.size() - (open_ended ? 1 : 0);
  if (returns.count != signature.returns.size())
    lexer.fail("a call with a wrong number of results");
  if (inputs.count < least || (inputs.count > signature.inputs.size()))
    lexer.fail("a call with a wrong number of arguments");
  Form form;
  form.text = "call";
  WrittenOperands none;
  Checker checker(context, function, form, none);
  for (size_t i = 0; i < returns.count; ++i)
    checker.check_result(signature.returns[i], function.elements[returns.index + i]);
  for (size_t i = 0; i < inputs.count; ++i)
    checker.check_argument(signature.inputs[i], function.elements[inputs.index + i]);
}

}  // namespace cucore::ptx
