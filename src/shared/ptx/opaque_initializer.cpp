// SPDX-License-Identifier: Apache-2.0
// Initial values of textures, samplers and surfaces: lists of members.
#include <cstring>

#include "ptx/constants.hpp"
#include "ptx/declarations.hpp"

namespace cucore::ptx {
namespace {

struct Word {
  std::string_view text;
  uint8_t value;
};

// The values of CUaddress_mode. The last mode mixes a border into the edge.
constexpr Word ADDRESS_MODES[] = {
    {"wrap", 0}, {"clamp_to_edge", 1}, {"mirror", 2}, {"clamp_to_border", 3}, {"clamp_ogl", 4}};
constexpr Word FILTERS[] = {{"nearest", 0}, {"linear", 1}};

template <size_t N>
uint8_t word(Lexer& lexer, const Word (&words)[N], const char* what) {
  const std::string_view text = lexer.expect_word(what);
  for (const Word& one : words)
    if (one.text == text) return one.value;
  lexer.fail("expected " + std::string(what) + " instead of '" + std::string(text) + "'");
}

bool is_number(Type type, std::string_view member) {
  if (member == "channel_data_type" || member == "channel_order") return type != Type::samplerref;
  if (type == Type::texref && member == "normalized_coords") return true;
  return type != Type::samplerref &&
         (member == "width" || member == "height" || member == "depth" ||
          member == "num_mipmap_levels" || member == "num_samples" || member == "array_size");
}

void sampler_member(Lexer& lexer, std::string_view member, SamplerState& state) {
  constexpr std::string_view MODE = "addr_mode_";
  const bool is_mode = member.size() == MODE.size() + 1 && member.starts_with(MODE) &&
                       member.back() >= '0' && member.back() <= '2';
  if (is_mode)
    state.modes[member.back() - '0'] = word(lexer, ADDRESS_MODES, "an address mode");
  else if (member == "filter_mode")
    state.is_linear = word(lexer, FILTERS, "a filter");
  else if (member == "force_unnormalized_coords")
    state.force_unnormalized = parse_integer(lexer, "0 or 1") != 0;
  else
    lexer.fail("unknown member '" + std::string(member) + "'");
}

}  // namespace

void parse_opaque_initializer(Lexer& lexer, Variable& variable) {
  if (!variable.dimensions.empty()) lexer.fail("an array of this type has no initial value");
  SamplerState state;
  lexer.expect('{');
  while (lexer.peek() != '}') {
    const std::string_view member = lexer.expect_word("a member");
    lexer.expect('=');
    if (is_number(variable.type, member))
      parse_integer(lexer, "a number");
    else
      sampler_member(lexer, member, state);
    if (!lexer.accept(',')) break;
  }
  lexer.expect('}');
  if (variable.type != Type::samplerref) return;
  variable.bytes.resize(sizeof state);
  std::memcpy(variable.bytes.data(), &state, sizeof state);
}

}  // namespace cucore::ptx
