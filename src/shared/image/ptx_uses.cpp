// SPDX-License-Identifier: Apache-2.0
// Finds uses of parameters in the instructions of PTX.
#include "image/ptx_uses.hpp"

#include <algorithm>
#include <unordered_map>

namespace cucore::image {

namespace {

constexpr std::string_view BLANK = " \t\r\n\v\f";

std::string_view trim(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(BLANK), text.size()));
  const size_t last = text.find_last_not_of(BLANK);
  return text.substr(0, last == text.npos ? 0 : last + 1);
}

// The parts of "ld.param.u64 %rd1, [k_param_0]".
struct Instruction {
  std::string_view opcode;
  std::string_view operands;
  std::string_view first;  // usually the destination register
  std::string_view rest;
};

// Returns `text` from the first character after `mark`; "" if `mark` is absent.
std::string_view behind(std::string_view text, std::string_view mark) {
  const size_t found = text.find(mark);
  return found == text.npos ? std::string_view() : text.substr(found + mark.size());
}

// Returns the size of the comment at the start of `text`, which may be cut off; 0 if it has no
// comment.
size_t comment_size(std::string_view text) {
  const bool is_line = text.starts_with("//");
  if (!is_line && !text.starts_with("/*")) return 0;
  const std::string_view end = is_line ? "\n" : "*/";
  const size_t found = text.find(end, 2);
  return found == text.npos ? text.size() : found + end.size();
}

// Returns the end of the first statement of `body`; a semicolon in a comment does not end it.
size_t statement_end(std::string_view body) {
  size_t at = body.find_first_of(";/");
  while (at < body.size() && body[at] == '/')
    at = body.find_first_of(";/", at + std::max<size_t>(comment_size(body.substr(at)), 1));
  return std::min(at, body.size());
}

// Returns the size of the text before an instruction that has no semicolon: a comment, .loc, a
// brace, a label or the predicate. Reads no more of the text than that, or one word.
size_t prefix_size(std::string_view statement) {
  if (const size_t comment = comment_size(statement); comment != 0) return comment;
  if (statement.starts_with('{') || statement.starts_with('}')) return 1;
  if (statement.starts_with(".loc")) return statement.size() - behind(statement, "\n").size();
  if (statement.starts_with('@')) return std::min(statement.find_first_of(BLANK), statement.size());
  const size_t end = statement.find_first_of(" \t\r\n\v\f:");
  return end < statement.size() && statement[end] == ':' ? end + 1 : 0;
}

std::string_view instruction_of(std::string_view statement) {
  for (size_t size = 1; size != 0; statement.remove_prefix(size)) {
    statement = trim(statement);
    size = prefix_size(statement);
  }
  return statement;
}

Instruction parse(std::string_view statement) {
  statement = instruction_of(statement);
  Instruction result;
  const size_t blank = std::min(statement.find_first_of(BLANK), statement.size());
  result.opcode = statement.substr(0, blank);
  result.operands = trim(statement.substr(blank));
  const size_t comma = std::min(result.operands.find(','), result.operands.size());
  result.first = trim(result.operands.substr(0, comma));
  result.rest = trim(result.operands.substr(std::min(comma + 1, result.operands.size())));
  return result;
}

// Returns "name" for "[name]" and "[name+0]"; "" for anything else.
std::string_view whole_address(std::string_view operand) {
  if (!operand.starts_with('[') || !operand.ends_with(']')) return {};
  operand = trim(operand.substr(1, operand.size() - 2));
  if (operand.ends_with("+0")) operand = trim(operand.substr(0, operand.size() - 2));
  return operand;
}

class Finder {
 public:
  explicit Finder(std::span<const std::string_view> parameters)
      : uses_(parameters.size(), ParameterUse::NONE) {
    for (size_t i = 0; i < parameters.size(); ++i) parameters_.emplace(parameters[i], i);
  }

  std::vector<ParameterUse> find(std::string_view body) {
    while (!body.empty()) {
      const size_t end = statement_end(body);
      read(body.substr(0, end));
      body.remove_prefix(std::min(end + 1, body.size()));
    }
    return std::move(uses_);
  }

 private:
  void read(std::string_view statement) {
    // Most statements of a body follow the loads of the parameters and do not use them.
    if (registers_.empty() && statement.find("ld.param") == statement.npos) return;
    const Instruction instruction = parse(statement);
    if (instruction.opcode.starts_with("ld.param")) {
      read_load(instruction);
      return;
    }
    read_addresses(instruction.operands);
    const auto source = registers_.find(instruction.rest);
    if (instruction.opcode.starts_with("cvta.to.") && source != registers_.end())
      uses_[source->second] = ParameterUse::ADDRESS;
    if (instruction.opcode.starts_with("mov.") && source != registers_.end())
      registers_.insert_or_assign(instruction.first, size_t{source->second});
    else if (!instruction.opcode.starts_with("st."))
      registers_.erase(instruction.first);
  }

  void read_load(const Instruction& load) {
    registers_.erase(load.first);
    const auto parameter = parameters_.find(whole_address(load.rest));
    if (parameter == parameters_.end()) return;
    if (load.opcode.ends_with(".f32") || load.opcode.ends_with(".f64"))
      uses_[parameter->second] = ParameterUse::FLOAT;
    else
      registers_.insert_or_assign(load.first, size_t{parameter->second});
  }

  void read_addresses(std::string_view operands) {
    for (size_t at = operands.find('['); at != operands.npos; at = operands.find('[', at + 1)) {
      const std::string_view rest = operands.substr(at + 1);
      const auto found = registers_.find(trim(rest.substr(0, rest.find_first_of("+],["))));
      if (found != registers_.end()) uses_[found->second] = ParameterUse::ADDRESS;
    }
  }

  std::vector<ParameterUse> uses_;
  std::unordered_map<std::string_view, size_t> parameters_;
  // registers that hold a parameter's value
  std::unordered_map<std::string_view, size_t> registers_;
};

}  // namespace

std::vector<ParameterUse> find_uses(std::string_view body,
                                    std::span<const std::string_view> parameters) {
  if (parameters.empty()) return {};
  return Finder(parameters).find(body);
}

}  // namespace cucore::image
