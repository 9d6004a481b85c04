// SPDX-License-Identifier: Apache-2.0
// Decodes instructions on textures and surfaces.
#include <algorithm>

#include "cpu/exec/decoder.hpp"

namespace cucore::cpu {

using ptx::Base;
using ptx::Geometry;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;

// Objects have handles in registers. Module variables of type .texref have none.
bool Decoder::image_site(const Form& form, const Operand& object, ImageSite& site) {
  if (object.base != Base::REG || !address_slot(Space::generic, object, site.object)) return false;
  site.op = form.op;
  site.geometry = form.geometry();
  site.mode = form.mode;
  return true;
}

void Decoder::image_place(const Operand& coordinates, ImageSite& site) {
  static constexpr size_t AXES[] = {0, 1, 2, 3, 1, 2, 3, 3};
  auto elements = source_.elements_of(coordinates);
  const bool has_layer = site.geometry == Geometry::a1d || site.geometry == Geometry::a2d ||
                         site.geometry == Geometry::acube;
  if (has_layer) {
    site.layer = source(elements[0], 4);
    elements = elements.subspan(1);
  }
  const size_t count = std::min(AXES[size_t(site.geometry)], elements.size());
  for (size_t k = 0; k < count; ++k) site.place[k] = source(elements[k], 4);
}

void Decoder::gradient(const Operand& operand, Slot (&slots)[3]) {
  if (operand.kind != OperandKind::VECTOR) {
    slots[0] = source(operand, 4);
    return;
  }
  const auto elements = source_.elements_of(operand);
  for (size_t k = 0; k < std::min<size_t>(3, elements.size()); ++k)
    slots[k] = source(elements[k], 4);
}

bool Decoder::finish_image(Op& op, ImageSite site, Handler handler) {
  op.site = module_.site_count++;
  op.target = uint32_t(out_.images.size());
  out_.images.push_back(std::move(site));
  return plain(op, handler);
}

// tex, tld4 {results, resident, object, coordinates, level or gradients, others}. The others are
// offsets and depths for comparison, which are not supported.
bool Decoder::decode_texture(Op& op, const Form& form, Operands operands) {
  ImageSite site;
  if (!image_site(form, operands[2], site)) return false;
  image_place(operands[3], site);
  site.is_whole = form.types[1] == ptx::Type::s32;
  size_t next = 4;
  if (form.op == Opcode::tex_level) site.level = source(operands[next++], 4);
  if (form.op == Opcode::tex_grad) {
    gradient(operands[next++], site.dx);
    gradient(operands[next++], site.dy);
  }
  if (next != operands.size()) return false;
  const auto results = source_.elements_of(operands[0]);
  site.count = uint32_t(results.size());
  for (size_t k = 0; k < results.size(); ++k)
    site.values[k] = results[k].kind == OperandKind::SINK ? NO_SLOT : destination(results[k], 4);
  if (operands[1].kind == OperandKind::REG) site.resident = reg(operands[1]);
  return finish_image(op, std::move(site), sample_texture);
}

// suld {results, object, coordinates}; sust, sured {object, coordinates, values}
bool Decoder::decode_surface(Op& op, const Form& form, Operands operands) {
  const bool loads = form.op == Opcode::suld_b;
  ImageSite site;
  if (!image_site(form, operands[loads ? 1 : 0], site)) return false;
  image_place(operands[loads ? 2 : 1], site);
  site.bytes = ptx::size_of(form.types[0]);
  if (form.op == Opcode::sured_b) {
    site.reduction = select_reduction(form.types[0], form.operation);
    if (!site.reduction.combine) return false;
  }
  const Operand& value = operands[loads ? 0 : 2];
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
  return finish_image(op, std::move(site), access_surface);
}

// txq, suq {result, object}
bool Decoder::decode_image_query(Op& op, const Form& form, Operands operands) {
  ImageSite site;
  if (!image_site(form, operands[1], site)) return false;
  site.values[0] = reg(operands[0]);
  return finish_image(op, std::move(site), query_image);
}

}  // namespace cucore::cpu
