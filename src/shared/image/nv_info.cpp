// SPDX-License-Identifier: Apache-2.0
// The records of .nv.info sections.
#include "image/nv_info.hpp"

#include <algorithm>
#include <vector>

namespace cucore::image {

namespace {

constexpr uint32_t SPILL = 1;        // kind of an annotation
constexpr uint8_t FORMAT_SIZED = 4;  // other formats store their value in the record's own 4 bytes

struct Record {
  uint8_t format;
  uint8_t attribute;
  uint16_t value;
};

class NvInfoReader {
 public:
  NvInfoReader(const ByteView& section, uint64_t symbol_count, uint64_t code_size)
      : section_(section), symbol_count_(symbol_count), code_size_(code_size) {}

  NvInfo read() {
    constexpr size_t USUAL = 8;  // a bound, because sections may share bytes
    parameters_.reserve(USUAL);
    info_.values.reserve(USUAL);
    for (uint64_t at = 0; at < section_.size();) {
      const auto record = section_.get<Record>(at);
      if (record.format < 1 || record.format > FORMAT_SIZED)
        section_.fail(at, "a record of .nv.info has no known format");
      const uint64_t size = record.format == FORMAT_SIZED ? record.value : 0;
      read_record(record, section_.slice(at + 4, size, "a record of .nv.info"));
      at += 4 + size;
    }
    finish();
    return std::move(info_);
  }

 private:
  struct Numbered {
    uint16_t ordinal;
    Parameter parameter;
  };

  void read_record(const Record& record, const ByteView& payload) {
    const bool sized = record.format == FORMAT_SIZED;
    switch (record.attribute) {
      case NV_INFO_PARAMETER:
        return read_parameter(payload, false);
      case NV_INFO_PARAMETER_V2:
        return read_parameter(payload, true);
      case NV_INFO_PARAMETER_SIZE:
        info_.parameter_size = record.value;
        return;
      case NV_INFO_PARAMETER_BANK:
        read_symbol_value(record.attribute, payload);
        return;
      case NV_INFO_REGISTER_COUNT:
      case NV_INFO_FRAME_SIZE:
      case NV_INFO_MIN_STACK_SIZE:
      case NV_INFO_MAX_STACK_SIZE:
        read_symbol_value(record.attribute, payload);
        return;
      case NV_INFO_EXTERNS:
        read_externs(payload);
        return;
      case NV_INFO_COOPERATIVE_OFFSETS:
      case NV_INFO_WARP_WIDE_OFFSETS:
      case NV_INFO_EXIT_OFFSETS:
        read_offsets(payload);
        return;
      case NV_INFO_MAX_THREADS:
        info_.max_threads = read_dimensions(payload);
        return;
      case NV_INFO_REQUIRED_THREADS:
        info_.required_threads = read_dimensions(payload);
        return;
      case NV_INFO_ANNOTATIONS:
        return read_annotations(payload);
      case NV_INFO_API_VERSION:
        if (sized) info_.api_version = payload.get<uint16_t>(0);
        return;
      default:
        return;  // bounded, and a host does not need it
    }
  }

  // {u32 index, u16 ordinal, u16 offset, size}: V1 stores the size above bit 18, V2 in the low 24
  // bits.
  void read_parameter(const ByteView& payload, bool v2) {
    if (payload.size() != 12) payload.fail(0, "a parameter's record has not 12 bytes");
    const auto ordinal = payload.get<uint16_t>(4);
    const auto bits = payload.get<uint32_t>(8);
    const Parameter parameter{payload.get<uint16_t>(6), v2 ? bits & 0xffffff : bits >> 18, 0};
    parameters_.push_back({ordinal, parameter});
  }

  void read_symbol_value(uint8_t attribute, const ByteView& payload) {
    if (payload.size() != 8) payload.fail(0, "a record for a symbol has not 8 bytes");
    const auto symbol = payload.get<uint32_t>(0);
    if (symbol >= symbol_count_) payload.fail(0, "a record names a symbol that does not exist");
    info_.values.push_back({attribute, symbol, payload.get<uint32_t>(4)});
  }

  void read_externs(const ByteView& payload) {
    if (payload.size() % 4 != 0) payload.fail(0, "the list of external symbols is cut off");
    for (uint64_t at = 0; at < payload.size(); at += 4)
      if (payload.get<uint32_t>(at) >= symbol_count_)
        payload.fail(at, "a record names a symbol that does not exist");
  }

  void read_offsets(const ByteView& payload) {
    if (payload.size() % 4 != 0) payload.fail(0, "a list of instructions is cut off");
    for (uint64_t at = 0; at < payload.size(); at += 4)
      if (payload.get<uint32_t>(at) >= code_size_)
        payload.fail(at, "an instruction does not lie inside the code");
  }

  // Pairs {u32 kind, u32 offset}. The driver does not need them, so odd ones are skipped.
  void read_annotations(const ByteView& payload) {
    for (uint64_t at = 0; at + 8 <= payload.size(); at += 8)
      if (payload.get<uint32_t>(at) == SPILL) info_.spills.push_back(payload.get<uint32_t>(at + 4));
  }

  static std::vector<uint32_t> read_dimensions(const ByteView& payload) {
    if (payload.size() != 12) payload.fail(0, "the dimensions of a block have not 12 bytes");
    return {payload.get<uint32_t>(0), payload.get<uint32_t>(4), payload.get<uint32_t>(8)};
  }

  // Parameters come in any order. Their ordinals must be 0, 1, 2 ... without an overlap of their
  // bytes.
  void finish() {
    std::ranges::sort(parameters_, {}, &Numbered::ordinal);
    info_.parameters.reserve(parameters_.size());
    uint64_t end = 0;
    uint64_t expected = 0;
    for (const auto& [ordinal, parameter] : parameters_) {
      if (ordinal < expected) section_.fail(0, "a parameter is recorded twice");
      if (ordinal != expected++) section_.fail(0, "a parameter of the kernel is not recorded");
      if (parameter.offset < end) section_.fail(0, "the parameters of a kernel overlap");
      end = uint64_t{parameter.offset} + parameter.size;
      info_.parameters.push_back(parameter);
    }
    if (info_.parameter_size && end > *info_.parameter_size)
      section_.fail(0, "a parameter does not lie inside the kernel's parameters");
  }

  const ByteView& section_;
  uint64_t symbol_count_;
  uint64_t code_size_;
  std::vector<Numbered> parameters_;
  NvInfo info_;
};

}  // namespace

NvInfo read_nv_info(const ByteView& section, uint64_t symbol_count, uint64_t code_size) {
  return NvInfoReader(section, symbol_count, code_size).read();
}

}  // namespace cucore::image
