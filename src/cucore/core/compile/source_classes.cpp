// SPDX-License-Identifier: Apache-2.0
#include "core/compile/source_classes.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace cucore::core {

using image::ParameterClass;
using Classes = std::vector<ParameterClass>;

namespace {

constexpr std::string_view BLANK = " \t\r\n";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

size_t end_of_literal(std::string_view text, size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

// Returns the end of the comment, the literal or the directive that begins here; `at` if none does.
size_t end_of_hidden(std::string_view text, size_t at, bool line_begins) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return std::min(text.find("*/", at + 2), text.size() - 2) + 2;
  // A quote inside a word separates the digits of a number.
  if (rest[0] == '"' || (rest[0] == '\'' && (at == 0 || !is_word(text[at - 1]))))
    return end_of_literal(text, at);
  if (rest[0] != '#' || !line_begins) return at;
  size_t end = at;
  do end = std::min(text.find('\n', end + 1), text.size());
  while (end < text.size() && text[end - 1] == '\\');
  return end;
}

// Returns the text with blanks for comments, literals and directives, which declare nothing.
std::string code_alone(std::string_view source) {
  std::string code(source);
  bool line_begins = true;
  for (size_t i = 0; i < code.size();) {
    const size_t end = end_of_hidden(source, i, line_begins);
    if (end > i) {
      std::fill(code.begin() + static_cast<std::ptrdiff_t>(i),
                code.begin() + static_cast<std::ptrdiff_t>(end), ' ');
      i = end;
      continue;
    }
    const char c = code[i++];
    if (c == '\n')
      line_begins = true;
    else if (!std::isspace(static_cast<unsigned char>(c)))
      line_begins = false;
  }
  return code;
}

// Returns whether the name at `at` is that of a kernel declared here.
bool is_declaration(std::string_view code, size_t at, size_t size) {
  if (at > 0 && is_word(code[at - 1])) return false;
  const size_t next = code.find_first_not_of(BLANK, at + size);
  if (next == code.npos || code[next] != '(') return false;
  const size_t before = code.find_last_of(";{}", at);
  const std::string_view head = code.substr(before == code.npos ? 0 : before, at - before);
  return head.find("__global__") != head.npos;
}

// Returns the text between the parenthesis at `open` and its partner, split at the commas outside
// brackets.
std::optional<std::vector<std::string_view>> split(std::string_view code, size_t open) {
  std::vector<std::string_view> parts;
  size_t begin = open + 1;
  int depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    if (i > open) parts.push_back(code.substr(begin, i - begin));
    begin = i + 1;
    if (depth == 0) return parts;
  }
  return std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    while (i < text.size() && (is_word(text[i]) || text[i] == ':')) ++i;
    if (i > begin)
      words.push_back(text.substr(begin, i - begin));
    else
      ++i;
  }
  return words;
}

bool is_qualifier(std::string_view word) {
  return word == "const" || word == "volatile" || word == "__grid_constant__";
}

bool is_integer_type(std::string_view word) {
  constexpr std::string_view NAMES[] = {"long",
                                        "unsigned",
                                        "signed",
                                        "int",
                                        "size_t",
                                        "ptrdiff_t",
                                        "int64_t",
                                        "uint64_t",
                                        "intptr_t",
                                        "uintptr_t",
                                        "ssize_t",
                                        "CUdeviceptr",
                                        "clock_t",
                                        "cudaTextureObject_t",
                                        "cudaSurfaceObject_t"};
  if (word.starts_with("std::")) word.remove_prefix(5);
  return std::ranges::find(NAMES, word) != std::end(NAMES);
}

ParameterClass class_of_type(std::string_view code, std::string_view type, int depth);

// Returns the class that the name at `at` is declared to be: an enumeration, or another name of a
// type. Returns nullopt if it is not declared here.
std::optional<ParameterClass> class_declared_at(std::string_view code, std::string_view name,
                                                size_t at, int depth) {
  const size_t end = at + name.size();
  if ((at > 0 && is_word(code[at - 1])) || (end < code.size() && is_word(code[end]))) return {};
  const size_t begin = code.find_last_of(";{}(),<>", at) + 1;
  const std::string_view head = code.substr(begin, at - begin);
  const auto words = words_of(head);
  if (words.empty()) return {};
  const size_t next = code.find_first_not_of(BLANK, end);
  const char follows = next == code.npos ? ' ' : code[next];
  if (words[0] == "enum" && (follows == '{' || follows == ':')) return ParameterClass::INTEGER;
  if (words[0] == "typedef" && follows == ';')
    return class_of_type(code, head.substr(head.find("typedef") + 7), depth + 1);
  if (words.size() == 1 && words[0] == "using" && follows == '=')
    return class_of_type(code, code.substr(next + 1, code.find(';', next) - next - 1), depth + 1);
  return {};
}

// Returns the class of a type that the source declares. Scopes and the preprocessor decide which of
// several declarations is used, so all of them must agree.
ParameterClass class_of_name(std::string_view code, std::string_view name, int depth) {
  constexpr size_t MOST_DECLARATIONS = 8;
  name.remove_prefix(name.rfind(':') + 1);
  std::optional<ParameterClass> known;
  size_t count = 0;
  for (size_t at = code.find(name); at != code.npos; at = code.find(name, at + name.size())) {
    const auto declared = class_declared_at(code, name, at, depth);
    if (!declared) continue;
    if (declared != known.value_or(*declared) || *declared == ParameterClass::UNKNOWN ||
        ++count > MOST_DECLARATIONS)
      return ParameterClass::UNKNOWN;
    known = declared;
  }
  return known.value_or(ParameterClass::UNKNOWN);
}

ParameterClass class_of_words(std::string_view code, std::vector<std::string_view> words,
                              int depth) {
  constexpr int DEEPEST = 4;
  std::erase_if(words, is_qualifier);
  if (words.empty()) return ParameterClass::UNKNOWN;
  if (words[0] == "enum" || std::ranges::all_of(words, is_integer_type))
    return ParameterClass::INTEGER;
  if (words.size() > 1 || depth > DEEPEST) return ParameterClass::UNKNOWN;
  return class_of_name(code, words[0], depth);
}

bool is_pointer(std::string_view declarator) {
  declarator.remove_prefix(declarator.rfind('>') + 1);
  return declarator.find_first_of("*&[") != declarator.npos;
}

// Returns whether the type is that of an expression, which may contain an asterisk.
bool is_of_expression(std::string_view type) {
  return type.find("decltype") != type.npos || type.find("typeof") != type.npos;
}

ParameterClass class_of_type(std::string_view code, std::string_view type, int depth) {
  if (is_of_expression(type)) return ParameterClass::UNKNOWN;
  return is_pointer(type) ? ParameterClass::POINTER : class_of_words(code, words_of(type), depth);
}

std::string without_attributes(std::string_view text) {
  std::string rest(text);
  for (size_t begin = rest.find("[["); begin != rest.npos; begin = rest.find("[[")) {
    const size_t end = rest.find("]]", begin);
    rest.erase(begin, end == rest.npos ? rest.npos : end + 2 - begin);
  }
  return rest;
}

ParameterClass class_of_parameter(std::string_view code, std::string_view given) {
  const std::string parameter = without_attributes(given.substr(0, given.find('=')));
  if (is_of_expression(parameter)) return ParameterClass::UNKNOWN;
  if (is_pointer(parameter)) return ParameterClass::POINTER;
  std::vector<std::string_view> words = words_of(parameter);
  // The last word is the parameter's name, unless it has none.
  if (words.size() > 1 && !is_integer_type(words.back())) words.pop_back();
  return class_of_words(code, std::move(words), 0);
}

Classes classes_of(std::string_view code, const std::vector<std::string_view>& parameters) {
  Classes classes;
  for (const std::string_view one : parameters) classes.push_back(class_of_parameter(code, one));
  return classes;
}

// Merges declarations of one kernel: a class on which they do not agree is unknown.
void unite(std::optional<Classes>& known, const Classes& other) {
  if (!known) known = other;
  if (known->size() != other.size()) known->clear();
  for (size_t i = 0; i < known->size(); ++i)
    if ((*known)[i] != other[i]) (*known)[i] = ParameterClass::UNKNOWN;
}

void read_declarations(std::string_view code, std::string_view kernel,
                       std::optional<Classes>& known) {
  for (size_t at = code.find(kernel); at != code.npos; at = code.find(kernel, at + kernel.size())) {
    if (!is_declaration(code, at, kernel.size())) continue;
    const auto parameters = split(code, code.find('(', at));
    unite(known, parameters ? classes_of(code, *parameters) : Classes());
  }
}

bool is_open(const image::Parameter& parameter) {
  return parameter.size == 8 && (parameter.parameter_class == ParameterClass::UNKNOWN ||
                                 parameter.parameter_class == ParameterClass::POINTER);
}

}  // namespace

Classes classes_in_source(std::string_view source, std::string_view kernel) {
  std::optional<Classes> known;
  read_declarations(code_alone(source), kernel, known);
  return known.value_or(Classes());
}

void add_classes_of_sources(std::span<image::Symbol> kernels,
                            std::span<const std::string_view> sources) {
  std::vector<std::string> codes;  // made once, on demand
  for (image::Symbol& kernel : kernels) {
    if (!kernel.parameters || kernel.lowered_name.starts_with("_Z") ||
        std::ranges::none_of(*kernel.parameters, is_open))
      continue;
    if (codes.empty())
      for (const std::string_view source : sources) codes.push_back(code_alone(source));
    std::optional<Classes> known;
    for (const std::string& code : codes) read_declarations(code, kernel.lowered_name, known);
    if (!known || known->size() != kernel.parameters->size()) continue;
    for (size_t i = 0; i < known->size(); ++i) {
      image::Parameter& parameter = (*kernel.parameters)[i];
      if (is_open(parameter) && (*known)[i] != ParameterClass::UNKNOWN)
        parameter.parameter_class = (*known)[i];
    }
  }
}

}  // namespace cucore::core
