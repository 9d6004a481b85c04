// SPDX-License-Identifier: Apache-2.0
// Verification. After it the executor indexes registers, frames and slots without checks.
#include "ptx/verify.hpp"

#include "ptx/forms.hpp"
#include "ptx/operand_checker.hpp"

namespace cucore::ptx {

uint8_t Checker::place() {
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
std::string_view Checker::mixed_pattern() const {
  if (form_.op == Opcode::fma) return "dbba";
  if (form_.op == Opcode::add || form_.op == Opcode::sub) return "dba";
  return spec_of(form_.op).pattern;
}

void Checker::fail(const std::string& what) const {
  context_.lexer.fail(what + " in '" + std::string(form_.text) + "'");
}

void Checker::fail_operand(const std::string& what) const {
  fail("operand " + std::to_string(next_) + " must be " + what);
}

void Checker::fail_width(const char* what, Type type) const {
  const unsigned bits = type == Type::pred ? 1 : 8 * size_of(type);
  fail_operand("a " + std::to_string(bits) + "-bit " + what);
}

// A `d|p` for an opcode without a second destination would shift every slot.
void Checker::check_pair(std::string_view pattern) const {
  bool allowed = pattern.size() > 1 && pattern[1] == 'q';
  if (written_.has_pair && !allowed) fail("'|' has no meaning");
}

void Checker::by_pattern(std::string_view pattern) {
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

void Checker::put_rest() {
  while (!exhausted()) put(take());
}

// Checks a destination of type 0, a source of type 1, and other sources of the last type.
void Checker::by_types(std::string_view pattern) {
  check_pair(pattern);
  for (char letter : pattern) slot(letter);
}

void Checker::by_pattern_optional(std::string_view two) {
  slot(two[0]);
  if (exhausted()) return put_none();
  slot(two[1]);
}

void Checker::lop3() {
  if (form_.operation == Operation::none) return by_pattern("dNaaaiN");
  if (!written_.has_pair) fail("a predicate destination is missing");
  by_pattern("Sqaaaip");
}

void Checker::atom() {
  check_pair("");
  Operand& to = take();
  if (to.kind != OperandKind::SINK) scalar_or_vector(to, true);
  put(to);
  slot('m');
  slot('V');
  by_pattern_optional(form_.operation == Operation::cas ? "az" : "Nz");
}

void Checker::bar_red() {
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

void Checker::vote() {
  check_pair("");
  slot('d');
  slot('p');
  slot(form_.has(FLAG_SYNC) ? 'u' : 'N');
}

uint8_t place_operands(Context& context, Function& function, const Form& form,
                       WrittenOperands& written) {
  return Checker(context, function, form, written).place();
}

}  // namespace cucore::ptx
