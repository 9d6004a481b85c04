// SPDX-License-Identifier: Apache-2.0
#include "image/line_table.hpp"

#include <algorithm>

namespace cucore::image {
namespace {

// The head of an entry, which an addend may follow.
struct Relocation {
  uint64_t offset;
  uint64_t info;
};
constexpr uint64_t REL_SIZE = sizeof(Relocation);
constexpr uint64_t RELA_SIZE = REL_SIZE + 8;

enum Standard : uint8_t {
  COPY = 1,
  ADVANCE_PC,
  ADVANCE_LINE,
  SET_FILE,
  SET_COLUMN,
  NEGATE_STATEMENT,
  SET_BLOCK,
  CONST_ADD_PC,
  FIXED_ADVANCE_PC
};
// INLINED_CALL is of NVIDIA: the rows after it belong to a function that the row with this number
// calls.
enum Extended : uint8_t { END_SEQUENCE = 1, SET_ADDRESS, INLINED_CALL = 0x90 };

constexpr uint32_t LONG_FORM = 0xffffffff;  // DWARF with 64-bit lengths, which CUDA does not use
constexpr uint16_t FIRST_VERSION = 2;
constexpr uint16_t LAST_VERSION = 4;

constexpr uint64_t MOST_NAMES = uint64_t{64} << 20;  // bytes, of all files with their folders

const ElfSection* find_section(const ElfFile& file, std::string_view name) {
  const auto& sections = file.sections();
  const auto found = std::ranges::find(sections, name, &ElfSection::text_name);
  return found == sections.end() ? nullptr : &*found;
}

// {offset in the section: number of the symbol}
std::map<uint64_t, uint32_t> relocated_functions(const ElfFile& file, std::string_view name) {
  std::map<uint64_t, uint32_t> functions;
  for (const ElfSection& section : file.sections()) {
    const bool has_addends = section.type == SECTION_RELA;
    if (!has_addends && section.type != SECTION_REL) continue;
    const ElfSection& target = file.section_at(section, section.info, "the relocated section");
    if (target.text_name != name) continue;
    const ByteView bytes = file.bytes(section);
    const uint64_t size = has_addends ? RELA_SIZE : REL_SIZE;
    for (uint64_t at = 0; at + size <= bytes.size(); at += size) {
      const auto relocation = bytes.get<Relocation>(at);
      functions[relocation.offset] = static_cast<uint32_t>(relocation.info >> 32);
    }
  }
  return functions;
}

class LineReader {
 public:
  LineReader(ByteView bytes, std::map<uint64_t, uint32_t> functions)
      : bytes_(bytes), unit_(bytes), functions_(std::move(functions)) {}

  LineTable read() {
    while (at_ < bytes_.size()) read_unit();
    for (auto& [function, rows] : table_.functions)
      std::ranges::sort(rows, {},
                        [&](uint32_t row) { return std::pair(table_.rows[row].address, row); });
    return std::move(table_);
  }

 private:
  void read_unit() {
    const uint64_t begin = at_;
    unit_ = bytes_;
    const auto length = take<uint32_t>();
    if (length == LONG_FORM) bytes_.fail(begin, "lines with 64-bit lengths");
    bytes_.slice(at_, length, "a unit of lines");
    unit_ = bytes_.slice(0, at_ + length, "a unit of lines");
    const auto version = take<uint16_t>();
    if (version < FIRST_VERSION || version > LAST_VERSION)
      bytes_.fail(begin, "an unknown version of lines");
    const auto header = take<uint32_t>();
    const uint64_t program = at_ + unit_.slice(at_, header, "the header of lines").size();
    least_ = take<uint8_t>();
    if (version >= 4) take<uint8_t>();  // operations per instruction
    take<uint8_t>();                    // default_is_stmt
    line_base_ = take<int8_t>();
    line_range_ = take<uint8_t>();
    if (line_range_ == 0) bytes_.fail(at_ - 1, "a range of no lines");
    first_special_ = take<uint8_t>();
    arguments_.assign(first_special_, 0);
    for (size_t opcode = 1; opcode < first_special_; ++opcode) arguments_[opcode] = take<uint8_t>();
    read_files();
    at_ = program;
    reset();
    while (at_ < unit_.size()) step();
  }

  void read_files() {
    std::vector<std::string> folders{""};
    for (std::string_view name = text(); !name.empty(); name = text()) folders.emplace_back(name);
    first_file_ = table_.files.size();
    first_row_ = table_.rows.size();
    for (std::string_view name = text(); !name.empty(); name = text()) {
      const uint64_t folder = unsigned_number();
      unsigned_number();  // time
      unsigned_number();  // size
      const bool known = folder != 0 && folder < folders.size() && !name.starts_with('/');
      table_.files.push_back(known ? joined(folders[folder], name) : std::string(name));
    }
  }

  // Each file repeats the name of its folder, so a small section could fill all memory.
  std::string joined(const std::string& folder, std::string_view name) {
    const uint64_t size = folder.size() + 1 + name.size();
    if (size > names_left_) bytes_.fail(at_, "the names of the files are too long");
    names_left_ -= size;
    return folder + "/" + std::string(name);
  }

  void reset() {
    row_ = {};
    file_ = 1;
    row_.line = 1;
    function_ = 0;
    context_ = 0;
  }

  void step() {
    const auto opcode = take<uint8_t>();
    if (opcode >= first_special_) return special(opcode);
    switch (opcode) {
      case 0:
        return extended();
      case COPY:
        return add_row();
      case ADVANCE_PC:
        row_.address += unsigned_number() * least_;
        return;
      case ADVANCE_LINE:
        row_.line += static_cast<uint32_t>(signed_number());
        return;
      case SET_FILE:
        file_ = unsigned_number();
        return;
      case CONST_ADD_PC:
        row_.address += uint64_t{(255U - first_special_) / line_range_} * least_;
        return;
      case FIXED_ADVANCE_PC:
        row_.address += take<uint16_t>();
        return;
      default:
        for (uint8_t each = 0; each < arguments_[opcode]; ++each) unsigned_number();
    }
  }

  void special(uint8_t opcode) {
    const unsigned value = opcode - first_special_;
    row_.address += uint64_t{value / line_range_} * least_;
    row_.line += static_cast<uint32_t>(line_base_ + static_cast<int>(value % line_range_));
    add_row();
  }

  void extended() {
    const uint64_t size = unsigned_number();
    if (size == 0 || !unit_.contains(at_, size))
      bytes_.fail(at_, "an operation of lines without an end");
    const uint64_t next = at_ + size;
    const auto opcode = take<uint8_t>();
    if (opcode == END_SEQUENCE) reset();
    if (opcode == INLINED_CALL) context_ = unsigned_number();
    if (opcode == SET_ADDRESS && size == 9) {
      const auto found = functions_.find(at_);
      function_ = found == functions_.end() ? 0 : found->second;
      row_.address = take<uint64_t>();
    }
    at_ = next;
  }

  void add_row() {
    const uint64_t known = table_.files.size() - first_file_;
    const bool has_file = file_ >= 1 && file_ <= known;
    row_.file = static_cast<uint32_t>(has_file ? first_file_ + file_ - 1 : table_.files.size());
    const uint64_t emitted = table_.rows.size() - first_row_;
    row_.caller =
        static_cast<uint32_t>(context_ >= 1 && context_ <= emitted ? first_row_ + context_ : 0);
    table_.functions[function_].push_back(static_cast<uint32_t>(table_.rows.size()));
    table_.rows.push_back(row_);
  }

  template <class T>
  T take() {
    const T value = unit_.get<T>(at_);
    at_ += sizeof(T);
    return value;
  }

  uint64_t unsigned_number() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }

  int64_t signed_number() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (byte >= 0x80) {
      byte = take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
      shift += 7;
    }
    if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }

  std::string_view text() {
    const std::string_view found = unit_.string(at_);
    at_ += found.size() + 1;
    return found;
  }

  const ByteView bytes_;
  ByteView unit_;  // the section up to the end of the unit
  const std::map<uint64_t, uint32_t> functions_;
  LineTable table_;
  uint64_t at_ = 0;
  uint8_t least_ = 1;
  int8_t line_base_ = 0;
  uint8_t line_range_ = 1;
  uint8_t first_special_ = 1;
  std::vector<uint8_t> arguments_;
  uint64_t names_left_ = MOST_NAMES;
  size_t first_file_ = 0;
  size_t first_row_ = 0;
  uint64_t context_ = 0;  // the row of the call of an inlined function; 0: none
  LineRow row_;
  uint64_t file_ = 1;
  uint32_t function_ = 0;
};

}  // namespace

const LineRow* LineTable::find(uint32_t function, uint64_t address) const {
  const auto found = functions.find(function);
  if (found == functions.end()) return nullptr;
  const auto& indices = found->second;
  const auto after = std::ranges::upper_bound(indices, address, {},
                                              [&](uint32_t row) { return rows[row].address; });
  return after == indices.begin() ? nullptr : &rows[after[-1]];
}

LineTable read_line_table(const ElfFile& file, std::string_view section) {
  const ElfSection* const found = find_section(file, section);
  if (!found) return {};
  return LineReader(file.bytes(*found), relocated_functions(file, section)).read();
}

}  // namespace cucore::image
