// SPDX-License-Identifier: Apache-2.0
// Decodes instructions on textures and surfaces.
#include <algorithm>

#include "cpu/exec/decoder.hpp"
#include "cpu/exec/refused_queries.hpp"

namespace cucore::cpu {

using ptx::Geometry;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

// Returns true for a kernel parameter with room for a handle.
bool Decoder::object_parameter(const Operand& object, uint32_t& offset) const {
  if (object.base != ptx::Base::LOCAL_VARIABLE || !is_kernel_input(object.index)) return false;
  const auto& variable = source_.variables[object.index];
  if (variable.size < sizeof(uint64_t) || object.bits > variable.size - sizeof(uint64_t))
    return false;
  offset = uint32_t(variable.offset + object.bits);
  return true;
}

bool Decoder::image_site(const Form& form, const Operand& object, ImageSite& site) {
  if (!object_parameter(object, site.object_parameter) &&
      !address_slot(Space::generic, object, site.object))
    return false;
  site.op = form.op;
  site.geometry = form.geometry();
  site.mode = form.mode;
  return true;
}

// Multi-sampled images have the number of the sample behind the layer.
void Decoder::image_place(const Operand& coordinates, ImageSite& site) {
  static constexpr size_t AXES[] = {0, 1, 2, 3, 1, 2, 3, 3, 2, 2};
  auto elements = source_.elements_of(coordinates);
  const Geometry geometry = site.geometry;
  if (geometry == Geometry::a1d || geometry == Geometry::a2d || geometry == Geometry::acube ||
      geometry == Geometry::a2dms) {
    site.layer = source(elements[0], 4);
    elements = elements.subspan(1);
  }
  if (geometry >= Geometry::d2ms) elements = elements.subspan(1);
  place_numbers(elements, AXES[size_t(geometry)], site.place);
}

void Decoder::place_numbers(Operands elements, size_t count, Slot (&slots)[3]) {
  for (size_t k = 0; k < std::min(count, elements.size()); ++k) slots[k] = source(elements[k], 4);
}

void Decoder::place_vector(const Operand& operand, Slot (&slots)[3]) {
  if (operand.kind == OperandKind::NONE) return;
  const bool is_vector = operand.kind == OperandKind::VECTOR;
  place_numbers(is_vector ? source_.elements_of(operand) : Operands(&operand, 1), 3, slots);
}

// A variable is named by its address, as in registers.
bool Decoder::place_sampler(const Operand& operand, ImageSite& site) {
  site.has_sampler = operand.kind != OperandKind::NONE;
  if (operand.kind == OperandKind::REG) site.sampler.base = reg(operand);
  if (operand.kind != OperandKind::SYMBOL) return true;
  if (operand.base != ptx::Base::MODULE_VARIABLE)
    return object_parameter(operand, site.sampler_parameter);
  site.sampler.base = constant(module_.addresses[operand.index], 8);
  return true;
}

bool Decoder::finish_image(Op& op, ImageSite site, Handler handler) {
  op.site = module_.site_count++;
  op.target = uint32_t(out_.images.size());
  out_.images.push_back(std::move(site));
  return plain(op, handler);
}

// tex, tld4 {results, resident, object, coordinates, sampler, level or dx, dy, offsets, depth}.
// The depth has no effect, because the objects of CUDA have no comparison.
bool Decoder::decode_texture(Op& op, const Form& form, Operands operands) {
  ImageSite site;
  if (!image_site(form, operands[2], site) || !place_sampler(operands[4], site)) return false;
  image_place(operands[3], site);
  site.is_whole = form.types[1] == Type::s32;
  site.result = form.types[0] == Type::f16     ? TexelResult::HALF
                : form.types[0] == Type::f16x2 ? TexelResult::HALVES
                                               : TexelResult::WORD;
  if (form.op == Opcode::tex_level) site.level = source(operands[5], 4);
  if (form.op == Opcode::tex_grad) {
    place_vector(operands[5], site.dx);
    place_vector(operands[6], site.dy);
  }
  place_vector(operands[7], site.offsets);
  const auto results = source_.elements_of(operands[0]);
  site.count = uint32_t(results.size());
  for (size_t k = 0; k < results.size(); ++k)
    site.values[k] = results[k].kind == OperandKind::SINK ? NO_SLOT : destination(results[k], 4);
  if (operands[1].kind == OperandKind::REG) site.resident = reg(operands[1]);
  return finish_image(op, std::move(site), sample_texture);
}

bool Decoder::surface_values(const Operand& value, bool loads, ImageSite& site) {
  const bool is_vector = value.kind == OperandKind::VECTOR;
  const auto values = is_vector ? source_.elements_of(value) : Operands(&value, 1);
  site.count = uint32_t(values.size());
  site.register_bytes = std::max(2u, site.bytes);
  for (const Operand& one : values)
    if (one.kind == OperandKind::REG) site.register_bytes = width_of(one);
  if (site.register_bytes > 8) return false;
  for (size_t k = 0; k < values.size(); ++k) {
    const Operand& one = values[k];
    if (one.kind == OperandKind::REG && width_of(one) != site.register_bytes) return false;
    site.values[k] = !loads                          ? source(one, site.register_bytes)
                     : one.kind == OperandKind::SINK ? NO_SLOT
                                                     : destination(one, site.register_bytes);
  }
  return true;
}

// suld {results, object, coordinates}; sust, sured {object, coordinates, values}
bool Decoder::decode_surface(Op& op, const Form& form, Operands operands) {
  const bool loads = form.op == Opcode::suld_b;
  const bool formatted = form.op == Opcode::sust_p || form.op == Opcode::sured_p;
  ImageSite site;
  if (!image_site(form, operands[loads ? 1 : 0], site)) return false;
  image_place(operands[loads ? 2 : 1], site);
  site.bytes = ptx::size_of(form.types[0]);
  site.operation = form.operation;
  if (form.op == Opcode::sured_b) {
    site.reduction = select_reduction(form.types[0], form.operation);
    if (!site.reduction.combine) return false;
  }
  if (!surface_values(operands[loads ? 0 : 2], loads, site)) return false;
  if (formatted && site.register_bytes != 4) return false;
  return finish_image(op, std::move(site), formatted ? access_formatted : access_surface);
}

// txq, suq {result, object}; txq.level {result, object, level}
bool Decoder::decode_image_query(Op& op, const Form& form, Operands operands) {
  if (refusal_of(form) != QueryRefusal::NONE) return false;
  ImageSite site;
  if (!image_site(form, operands[1], site)) return false;
  if (form.op == Opcode::txq_level) site.level = source(operands[2], 4);
  site.values[0] = reg(operands[0]);
  return finish_image(op, std::move(site), query_image);
}

// istypep {result, address}
bool Decoder::decode_opaque_test(Op& op, const Form& form, Operands operands) {
  op[Regular::RESULT] = reg(operands[0]);
  op[Regular::FIRST] = source(operands[1], 8);
  op.imm = uint64_t(form.mode) - uint64_t(ptx::Mode::texref);
  return plain(op, test_opaque);
}

}  // namespace cucore::cpu
