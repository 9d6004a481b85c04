// SPDX-License-Identifier: Apache-2.0
#include "ptx/link/input.hpp"

#include "ptx/lexer.hpp"
#include "ptx/link/messages.hpp"
#include "ptx/parser.hpp"

namespace cucore::ptx::link {
namespace {

// Moves the module's text, so that views of its parts stay valid. With its padding, a text is never
// stored inside the string object.
void take(Module& module, Input& input) {
  input.symbols = read_symbols(module);
  input.version_major = module.version_major;
  input.version_minor = module.version_minor;
  input.target = module.target;
  input.target_suffix = module.target_suffix;
  input.files = std::move(module.files);
  input.text = std::move(module.text);
  input.pieces = read_pieces(input.body());
}

// Only `.extern` names may be defined by another input.
void check_declared(const Input& input, const Provided& provided, std::string& log) {
  for (const Symbol& s : input.symbols) {
    const bool is_open = !s.is_defined && s.is_used && s.linkage != Linkage::EXTERNAL;
    if (is_open && !provided(s.name)) log += unresolved_function(s.name);
  }
}

}  // namespace

std::string_view Input::body() const {
  return std::string_view(text).substr(0, text.size() - TEXT_PADDING);
}

std::unique_ptr<Input> read_input(std::string name, std::string_view text, const Provided& provided,
                                  LinkResult& result) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = parse(text, diagnostics);
  if (!module) {
    result.status =
        diagnostics.unsupported_version ? LinkStatus::UNSUPPORTED_VERSION : LinkStatus::INVALID_PTX;
    result.log = diagnostics.to_string();
    return nullptr;
  }
  auto input = std::make_unique<Input>();
  input->name = std::move(name);
  try {
    take(*module, *input);
    check_declared(*input, provided, result.log);
  } catch (const ParseError& error) {
    diagnostics.errors.push_back({error.line, error.text});
    result.log = diagnostics.to_string();
  }
  if (result.log.empty()) return input;
  result.status = LinkStatus::INVALID_PTX;
  return nullptr;
}

}  // namespace cucore::ptx::link
