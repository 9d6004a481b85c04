// SPDX-License-Identifier: Apache-2.0
#include "fakes/fake_image.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>

namespace fake {
namespace {

constexpr uint32_t FATBIN_MAGIC = 0xBA55ED50;
constexpr unsigned char PARAMETER_INFO = 0x17;  // EIATTR_KPARAM_INFO
constexpr unsigned char PARAMETER_SIZE = 0x19;  // EIATTR_CBANK_PARAM_SIZE

size_t bytes_of(const std::string& type) {
  const size_t digits = type.find_first_of("0123456789");
  if (type == ".pred" || digits == std::string::npos) return 1;
  return std::stoul(type.substr(digits)) / 8;
}

size_t rounded_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

void add_parameter(KernelImage& kernel, size_t size, size_t alignment) {
  const size_t end = kernel.sizes.empty() ? 0 : kernel.offsets.back() + kernel.sizes.back();
  kernel.offsets.push_back(rounded_up(end, alignment));
  kernel.sizes.push_back(size);
}

// ".param .align 8 .b8 name[24]" or ".param .u64 .ptr .global .align 1 name".
void read_parameters(const std::string& text, KernelImage& kernel) {
  static const std::regex parameter(
      R"(\.param\s+(?:\.align\s+(\d+)\s+)?(\.[a-z]+\d+)[^,\[]*?([\w$]+)\s*(?:\[(\d+)\])?\s*(?=,|$))");
  for (std::sregex_iterator it(text.begin(), text.end(), parameter), end; it != end; ++it) {
    const size_t element = bytes_of((*it)[2]);
    const size_t count = (*it)[4].matched ? std::stoul((*it)[4]) : 1;
    add_parameter(kernel, element * count, (*it)[1].matched ? std::stoul((*it)[1]) : element);
  }
}

void read_kernels(const std::string& text, Image& image) {
  static const std::regex entry(R"(\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?)");
  for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end; ++it) {
    KernelImage kernel{(*it)[1], {}, {}};
    read_parameters((*it)[2], kernel);
    image.kernels.push_back(std::move(kernel));
  }
}

void read_globals(const std::string& text, Image& image) {
  static const std::regex global(
      R"(\.(?:global|const)\s+(\.attribute\(\.managed\)\s+)?(?:\.align\s+\d+\s+)?(\.[a-z]+\d+)\s+([\w$]+)\s*(?:\[(\d+)\])?\s*[;=])");
  for (std::sregex_iterator it(text.begin(), text.end(), global), end; it != end; ++it) {
    const size_t count = (*it)[4].matched ? std::stoul((*it)[4]) : 1;
    image.globals.push_back({(*it)[3], bytes_of((*it)[2]) * count, (*it)[1].matched});
  }
}

// A view of a machine-code file that the caller guarantees to be well formed, as the driver's does.
class Cubin {
 public:
  explicit Cubin(const char* bytes) : bytes_(bytes) {
    std::memcpy(&header_, bytes, sizeof header_);
    sections_.resize(header_.e_shnum);
    if (!sections_.empty())
      std::memcpy(sections_.data(), bytes + header_.e_shoff, sections_.size() * sizeof(Elf64_Shdr));
  }

  Image read() const {
    Image image;
    image.kind = Image::CUBIN;
    std::map<std::string, KernelImage> kernels;
    for (const Elf64_Shdr& section : sections_) {
      const std::string name = name_of(section);
      if (name.starts_with(".text.")) kernels[name.substr(6)].name = name.substr(6);
      if (name.starts_with(".nv.info.")) read_info(section, kernels[name.substr(9)]);
      if (section.sh_type == SHT_SYMTAB) read_symbols(section, image);
    }
    for (auto& [name, kernel] : kernels)
      if (!kernel.name.empty()) image.kernels.push_back(std::move(kernel));
    return image;
  }

 private:
  std::string name_of(const Elf64_Shdr& section) const {
    return bytes_ + sections_[header_.e_shstrndx].sh_offset + section.sh_name;
  }

  void read_info(const Elf64_Shdr& section, KernelImage& kernel) const {
    const char* at = bytes_ + section.sh_offset;
    const char* end = at + section.sh_size;
    std::map<unsigned, std::pair<size_t, size_t>> parameters;
    while (at + 4 <= end) {
      const bool sized = static_cast<unsigned char>(at[0]) == 4;
      uint16_t size = 0;
      std::memcpy(&size, at + 2, sizeof size);
      if (sized && static_cast<unsigned char>(at[1]) == PARAMETER_INFO) {
        uint16_t place[2];
        uint32_t packed;
        std::memcpy(place, at + 8, sizeof place);
        std::memcpy(&packed, at + 12, sizeof packed);
        parameters[place[0]] = {place[1], packed >> 18};
      }
      at += 4 + (sized ? size : 0);
    }
    for (const auto& [ordinal, parameter] : parameters) {
      kernel.offsets.push_back(parameter.first);
      kernel.sizes.push_back(parameter.second);
    }
  }

  void read_symbols(const Elf64_Shdr& table, Image& image) const {
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes_ + table.sh_offset + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0) continue;
      const char* name = bytes_ + sections_[table.sh_link].sh_offset + symbol.st_name;
      image.globals.push_back({name, symbol.st_size, false});
    }
  }

  const char* bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

// Returns the images of a fat binary that are uncompressed and of a known kind, combined.
Image read_fatbin(const char* bytes) {
  constexpr uint64_t COMPRESSED = 0xf000;
  Image sum;
  uint16_t header_size = 0;
  uint64_t size = 0;
  std::memcpy(&header_size, bytes + 6, sizeof header_size);
  std::memcpy(&size, bytes + 8, sizeof size);
  const char* at = bytes + header_size;
  for (const char* end = at + size; at < end;) {
    uint16_t kind = 0;
    uint32_t entry_header = 0;
    uint64_t payload = 0, flags = 0;
    std::memcpy(&kind, at, sizeof kind);
    std::memcpy(&entry_header, at + 4, sizeof entry_header);
    std::memcpy(&payload, at + 8, sizeof payload);
    std::memcpy(&flags, at + 40, sizeof flags);
    at += entry_header;
    Image image;
    if (kind == 1 && !(flags & COMPRESSED)) image = read_ptx({at, payload});
    if (kind == 2 && !(flags & COMPRESSED)) image = Cubin(at).read();
    sum.kernels.insert(sum.kernels.end(), image.kernels.begin(), image.kernels.end());
    sum.globals.insert(sum.globals.end(), image.globals.begin(), image.globals.end());
    at += payload;
  }
  sum.kind = Image::FATBIN;
  return sum;
}

// Appends sections to a file whose header is written last.
class CubinWriter {
 public:
  CubinWriter() : body_(sizeof(Elf64_Ehdr), '\0') { add("", SHT_NULL, {}, 0); }

  size_t add(const std::string& name, uint32_t type, const std::string& data, uint64_t flags,
             uint32_t link = 0, uint32_t info = 0, uint64_t entry = 0) {
    body_.resize(rounded_up(body_.size(), 16));
    Elf64_Shdr section{};
    section.sh_name = static_cast<uint32_t>(names_.size());
    section.sh_type = type;
    section.sh_flags = flags;
    section.sh_offset = type == SHT_NULL ? 0 : body_.size();
    section.sh_size = data.size();
    section.sh_link = link;
    section.sh_info = info;
    section.sh_addralign = type == SHT_NULL ? 0 : 4;
    section.sh_entsize = entry;
    names_ += name + '\0';
    body_ += data;
    sections_.push_back(section);
    return sections_.size() - 1;
  }

  std::string finish(int arch) {
    const size_t names = add(".shstrtab", SHT_STRTAB, {}, 0);
    sections_[names].sh_size = names_.size();
    body_ += names_;
    body_.resize(rounded_up(body_.size(), 16));
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_ident[EI_OSABI] = 0x41;
    header.e_ident[EI_ABIVERSION] = 8;
    header.e_type = ET_EXEC;
    header.e_machine = 190;  // EM_CUDA
    header.e_version = EV_CURRENT;
    header.e_flags = static_cast<uint32_t>(arch) << 8 | 0x06000004;
    header.e_shoff = body_.size();
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(sections_.size());
    header.e_shstrndx = static_cast<uint16_t>(names);
    std::memcpy(body_.data(), &header, sizeof header);
    body_.append(reinterpret_cast<const char*>(sections_.data()),
                 sections_.size() * sizeof(Elf64_Shdr));
    return body_;
  }

 private:
  std::string body_;
  std::string names_;
  std::vector<Elf64_Shdr> sections_;
};

std::string parameter_info(const KernelImage& kernel) {
  std::string data;
  const size_t end = kernel.sizes.empty() ? 0 : kernel.offsets.back() + kernel.sizes.back();
  const uint16_t whole[2] = {static_cast<uint16_t>(PARAMETER_SIZE << 8 | 3),
                             static_cast<uint16_t>(end)};
  data.append(reinterpret_cast<const char*>(whole), sizeof whole);
  for (size_t i = 0; i < kernel.sizes.size(); ++i) {
    const uint16_t head[2] = {static_cast<uint16_t>(PARAMETER_INFO << 8 | 4), 12};
    const uint32_t index = 0;
    const uint16_t place[2] = {static_cast<uint16_t>(i), static_cast<uint16_t>(kernel.offsets[i])};
    const uint32_t packed = static_cast<uint32_t>(kernel.sizes[i]) << 18 | 0x1f000;
    data.append(reinterpret_cast<const char*>(head), sizeof head);
    data.append(reinterpret_cast<const char*>(&index), sizeof index);
    data.append(reinterpret_cast<const char*>(place), sizeof place);
    data.append(reinterpret_cast<const char*>(&packed), sizeof packed);
  }
  return data;
}

class SymbolTable {
 public:
  SymbolTable() { add("", 0, 0, 0, 0); }
  void add(const std::string& name, unsigned char type, size_t section, uint64_t value,
           uint64_t size) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<uint32_t>(names.size());
    symbol.st_info = ELF64_ST_INFO(type == 0 ? STB_LOCAL : STB_GLOBAL, type);
    symbol.st_other = type == STT_FUNC ? 0x10 : 0;  // STO_CUDA_ENTRY
    symbol.st_shndx = static_cast<uint16_t>(section);
    symbol.st_value = value;
    symbol.st_size = size;
    names += name + '\0';
    symbols.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
  }
  std::string names, symbols;
};

}  // namespace

Image read_ptx(const std::string& text) {
  Image image;
  static const std::regex version(R"((?:^|\n)\s*\.version\s+(\d+)\.(\d+))");
  std::smatch match;
  if (!std::regex_search(text, match, version)) return image;
  image.kind = Image::PTX;
  image.ptx_version = std::stoi(match[1]) * 10 + std::stoi(match[2]);
  read_kernels(text, image);
  read_globals(text, image);
  return image;
}

Image read_image(const void* code) {
  uint32_t magic = 0;
  std::memcpy(&magic, code, sizeof magic);
  if (std::memcmp(code, ELFMAG, SELFMAG) == 0) return Cubin(static_cast<const char*>(code)).read();
  if (magic == FATBIN_MAGIC) return read_fatbin(static_cast<const char*>(code));
  return read_ptx(static_cast<const char*>(code));
}

std::string write_cubin(const Image& image, int arch) {
  CubinWriter writer;
  SymbolTable symbols;
  for (const KernelImage& kernel : image.kernels) {
    const size_t text = writer.add(".text." + kernel.name, SHT_PROGBITS, std::string(128, '\0'),
                                   SHF_ALLOC | SHF_EXECINSTR);
    symbols.add(kernel.name, STT_FUNC, text, 0, 128);
    writer.add(".nv.info." + kernel.name, 0x70000000, parameter_info(kernel), 0, 0,
               static_cast<uint32_t>(text));
  }
  for (const GlobalImage& global : image.globals) {
    const size_t data = writer.add(".nv.global.init", SHT_PROGBITS, std::string(global.size, '\0'),
                                   SHF_ALLOC | SHF_WRITE);
    symbols.add(global.name, STT_OBJECT, data, 0, global.size);
  }
  const size_t names = writer.add(".strtab", SHT_STRTAB, symbols.names, 0);
  writer.add(".symtab", SHT_SYMTAB, symbols.symbols, 0, static_cast<uint32_t>(names), 1,
             sizeof(Elf64_Sym));
  return writer.finish(arch);
}

KernelImage laid_out(const std::string& name, const std::vector<size_t>& sizes) {
  KernelImage kernel{name, {}, {}};
  for (const size_t size : sizes) {
    size_t alignment = 1;
    while (alignment < 16 && size % (alignment * 2) == 0) alignment *= 2;
    add_parameter(kernel, size, alignment);
  }
  return kernel;
}

}  // namespace fake
