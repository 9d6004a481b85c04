// SPDX-License-Identifier: Apache-2.0
// Constant expressions with C's operators on 64-bit integers, and float literals.
#include "ptx/constants.hpp"

#include <bit>
#include <charconv>
#include <cstring>

namespace cucore::ptx {
namespace {

constexpr int MAX_DEPTH = 64;

class ConstantParser {
 public:
  explicit ConstantParser(Lexer& lexer) : lexer_(lexer) {}

  Constant atom() { return number(); }

  Constant conditional(int depth) {
    Constant condition = binary(0, depth);
    if (!lexer_.accept('?')) return condition;
    Constant yes = conditional(deeper(depth));
    lexer_.expect(':');
    Constant no = conditional(deeper(depth));
    return integer(condition).bits != 0 ? yes : no;
  }

 private:
  struct Operator {
    const char* text;
    uint8_t length;
    uint8_t precedence;
  };

  int deeper(int depth) {
    if (depth >= MAX_DEPTH) lexer_.fail("constant expression is nested too deeply");
    return depth + 1;
  }

  Constant integer(Constant value) {
    if (value.literal != Literal::INTEGER) lexer_.fail("integer constant expected");
    return value;
  }

  // Longer operators come before their prefixes.
  const Operator* next_operator() {
    static constexpr Operator OPERATORS[] = {
        {"||", 2, 1}, {"&&", 2, 2}, {"==", 2, 6}, {"!=", 2, 6}, {"<<", 2, 8}, {">>", 2, 8},
        {"<=", 2, 7}, {">=", 2, 7}, {"|", 1, 3},  {"^", 1, 4},  {"&", 1, 5},  {"<", 1, 7},
        {">", 1, 7},  {"+", 1, 9},  {"-", 1, 9},  {"*", 1, 10}, {"/", 1, 10}, {"%", 1, 10}};
    if (std::strchr("|&=!<>^+-*/%", lexer_.peek()) == nullptr || *lexer_.position() == 0)
      return nullptr;
    const char* at = lexer_.position();
    for (const Operator& op : OPERATORS)
      if (std::strncmp(at, op.text, op.length) == 0) return &op;
    return nullptr;
  }

  Constant binary(int lowest, int depth) {
    Constant left = unary(depth);
    for (;;) {
      const Operator* op = next_operator();
      if (op == nullptr || op->precedence <= lowest) return left;
      lexer_.advance_to(lexer_.position() + op->length);
      Constant right = binary(op->precedence, deeper(depth));
      left = combine(op->text, integer(left), integer(right));
    }
  }

  static bool is(const char* text, const char* op) { return std::strcmp(text, op) == 0; }

  Constant combine(const char* op, const Constant& a, const Constant& b) {
    Constant result{Literal::INTEGER, a.is_unsigned || b.is_unsigned, 0};
    if (op[0] == '/' || op[0] == '%') {
      result.bits = divide(op[0], a.bits, b.bits, result.is_unsigned);
    } else if (is(op, ">>")) {
      result.is_unsigned = a.is_unsigned;
      result.bits = shift_right(a, b.bits);
    } else if (std::optional<bool> order = compare(op, a, b, result.is_unsigned)) {
      result = {Literal::INTEGER, false, *order};
    } else {
      result.bits = wrapping(op, a.bits, b.bits);
    }
    return result;
  }

  uint64_t divide(char op, uint64_t a, uint64_t b, bool is_unsigned) {
    if (b == 0) lexer_.fail("division by zero in a constant expression");
    if (is_unsigned) return op == '/' ? a / b : a % b;
    if (b == ~uint64_t{0}) return op == '/' ? 0 - a : 0;  // the minimum has no positive counterpart
    auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    return static_cast<uint64_t>(op == '/' ? x / y : x % y);
  }

  static uint64_t shift_right(const Constant& a, uint64_t count) {
    if (a.is_unsigned) return count > 63 ? 0 : a.bits >> count;
    return static_cast<uint64_t>(static_cast<int64_t>(a.bits) >> (count > 63 ? 63 : count));
  }

  static std::optional<bool> compare(const char* op, const Constant& a, const Constant& b,
                                     bool is_unsigned) {
    auto x = static_cast<int64_t>(a.bits), y = static_cast<int64_t>(b.bits);
    bool less = is_unsigned ? a.bits < b.bits : x < y;
    bool equal = a.bits == b.bits;
    if (is(op, "==")) return equal;
    if (is(op, "!=")) return !equal;
    if (is(op, "<")) return less;
    if (is(op, ">")) return !less && !equal;
    if (is(op, "<=")) return less || equal;
    if (is(op, ">=")) return !less;
    if (is(op, "&&")) return a.bits != 0 && b.bits != 0;
    if (is(op, "||")) return a.bits != 0 || b.bits != 0;
    return std::nullopt;
  }

  static uint64_t wrapping(const char* op, uint64_t a, uint64_t b) {
    switch (op[0]) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '&':
        return a & b;
      case '|':
        return a | b;
      case '^':
        return a ^ b;
      default:
        return b > 63 ? 0 : a << b;  // "<<"
    }
  }

  Constant unary(int depth) {
    switch (lexer_.peek()) {
      case '-':
        return negate(operand_of_unary(depth));
      case '+':
        return operand_of_unary(depth);
      case '~': {
        Constant value = integer(operand_of_unary(depth));
        value.bits = ~value.bits;
        return value;
      }
      case '!':
        return {Literal::INTEGER, false, integer(operand_of_unary(depth)).bits == 0};
      case '(':
        return parenthesis(depth);
      default:
        return number();
    }
  }

  Constant operand_of_unary(int depth) {
    lexer_.advance_to(lexer_.position() + 1);
    return unary(deeper(depth));
  }

  static Constant negate(Constant value) {
    if (value.literal == Literal::F32) value.bits ^= uint64_t{1} << 31;
    if (value.literal == Literal::F64) value.bits ^= uint64_t{1} << 63;
    if (value.literal == Literal::INTEGER) value.bits = 0 - value.bits;
    return value;
  }

  // Reads a cast `(.u64) x` or an expression in parentheses.
  Constant parenthesis(int depth) {
    lexer_.expect('(');
    bool to_unsigned = lexer_.accept_word(".u64"), to_signed = lexer_.accept_word(".s64");
    if (to_unsigned || to_signed) {
      lexer_.expect(')');
      Constant value = integer(unary(deeper(depth)));
      value.is_unsigned = to_unsigned;
      return value;
    }
    Constant value = conditional(deeper(depth));
    lexer_.expect(')');
    return value;
  }

  Constant number() {
    lexer_.peek();
    const char* at = lexer_.position();
    if (at[0] == 'W' && lexer_.accept_word("WARP_SZ")) return {Literal::INTEGER, false, 32};
    if (!is_class(at[0], CHAR_DIGIT) && !(at[0] == '.' && is_class(at[1], CHAR_DIGIT)))
      lexer_.fail_near("expected a constant");
    if (at[0] == '0') {
      switch (at[1]) {
        case 'x':
        case 'X':
          return digits(at + 2, 16);
        case 'b':
        case 'B':
          return digits(at + 2, 2);
        case 'f':
        case 'F':
          return float_bits(at + 2, 8, Literal::F32);
        case 'd':
        case 'D':
          return float_bits(at + 2, 16, Literal::F64);
        default:
          break;
      }
    }
    return is_decimal_float(at) ? decimal_float(at) : digits(at, at[0] == '0' ? 8 : 10);
  }

  static bool is_decimal_float(const char* at) {
    while (is_class(*at, CHAR_DIGIT)) ++at;
    return *at == '.' || *at == 'e' || *at == 'E';
  }

  // Returns the end of the number at `at`; a `%` after it is the operator.
  static const char* word_end(const char* at) {
    while (goes_on(*at)) ++at;
    return at;
  }

  static bool goes_on(char c) { return is_class(c, CHAR_WORD) && c != '%'; }

  Constant digits(const char* at, int base) {
    uint64_t value = 0;
    auto [stop, error] = std::from_chars(at, word_end(at), value, base);
    if (error == std::errc::result_out_of_range) lexer_.fail("integer constant is too large");
    bool octal_zero = base == 8 && error == std::errc::invalid_argument;
    if (error != std::errc() && !octal_zero) lexer_.fail_near("malformed number");
    bool is_unsigned = *stop == 'U';
    if (is_unsigned) ++stop;
    if (goes_on(*stop)) lexer_.fail_near("malformed number");
    lexer_.advance_to(stop);
    // As in C, a number that does not fit a signed 64-bit integer is unsigned.
    return {Literal::INTEGER, is_unsigned || value >> 63 != 0, value};
  }

  Constant float_bits(const char* at, int width, Literal literal) {
    uint64_t value = 0;
    auto [stop, error] = std::from_chars(at, word_end(at), value, 16);
    if (error != std::errc() || stop != at + width || goes_on(*stop))
      lexer_.fail_near("malformed floating-point constant");
    lexer_.advance_to(stop);
    return {literal, false, value};
  }

  Constant decimal_float(const char* at) {
    const char* stop = at;
    while (is_class(*stop, CHAR_DOTTED) ||
           ((*stop == '+' || *stop == '-') && (stop[-1] == 'e' || stop[-1] == 'E')))
      ++stop;
    double value = 0;
    auto result = std::from_chars(at, stop, value);
    if (result.ec != std::errc() || result.ptr != stop)
      lexer_.fail_near("malformed floating-point constant");
    lexer_.advance_to(stop);
    return {Literal::F64, false, std::bit_cast<uint64_t>(value)};
  }

  Lexer& lexer_;
};

uint64_t cut(uint64_t bits, unsigned bytes) {
  return bytes >= 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1);
}

uint64_t float32_bits(const Constant& constant) {
  if (constant.literal == Literal::F32) return constant.bits;
  return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(constant.bits)));
}

uint64_t float64_bits(const Constant& constant) {
  if (constant.literal == Literal::F64) return constant.bits;
  auto single = std::bit_cast<float>(static_cast<uint32_t>(constant.bits));
  return std::bit_cast<uint64_t>(static_cast<double>(single));
}

}  // namespace

Constant parse_constant(Lexer& lexer) { return ConstantParser(lexer).conditional(0); }

uint64_t parse_integer(Lexer& lexer, const char* what) {
  Constant value = parse_constant(lexer);
  if (value.literal != Literal::INTEGER) lexer.fail(std::string(what) + " must be an integer");
  return value.bits;
}

uint64_t parse_integer_atom(Lexer& lexer, const char* what) {
  Constant value = ConstantParser(lexer).atom();
  if (value.literal != Literal::INTEGER) lexer.fail(std::string(what) + " must be an integer");
  return value.bits;
}

std::optional<uint64_t> convert_constant(const Constant& constant, Type type) {
  if (type == Type::pred) return constant.bits != 0;
  if (constant.literal == Literal::INTEGER) {
    if (type == Type::f32 || type == Type::f64) return std::nullopt;
    return cut(constant.bits, size_of(type));
  }
  if (type == Type::f32) return float32_bits(constant);
  if (type == Type::f64) return float64_bits(constant);
  bool same_width = size_of(type) == (constant.literal == Literal::F32 ? 4u : 8u);
  bool untyped = type == Type::b32 || type == Type::b64;
  return same_width && untyped ? std::optional(constant.bits) : std::nullopt;
}

}  // namespace cucore::ptx
