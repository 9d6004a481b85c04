// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/images.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "image/elf.hpp"
#include "image/elf_file.hpp"
#include "image/line_table.hpp"
#include "perf/analyze/disassembler.hpp"
#include "perf/analyze/ptx_kernel.hpp"
#include "perf/analyze/sass.hpp"
#include "perf/analyze/trip_counts.hpp"
#include "perf/model/dependence.hpp"
#include "ptx/parser.hpp"
#include "support/concat.hpp"
#include "support/extent.hpp"

namespace cucore::perf {
namespace {

constexpr std::string_view CODE = ".text.";

image::Arch arch_of(const InputImage& input, const image::Arch& recorded) {
  const auto arch = image::Arch::parse(input.arch);
  return arch && arch->number == recorded.number ? *arch : recorded;
}

std::optional<uint32_t> size_of(const std::vector<image::Parameter>& parameters) {
  uint32_t size = 0;
  for (const image::Parameter& parameter : parameters)
    size = std::max(size, parameter.offset + parameter.size);
  return size;
}

uint32_t threads_of(std::span<const uint32_t> block) {
  return static_cast<uint32_t>(std::min<uint64_t>(product_of(block), MAX_BLOCK));
}

void find_in_log(const InputImage& input, const Kernel& kernel, Findings& findings) {
  constexpr std::string_view SERIALISED = "wgmma.mma_async instructions are serialized";
  const std::string_view log = input.log;
  for (size_t at = log.find(SERIALISED); at != log.npos; at = log.find(SERIALISED, at + 1)) {
    const std::string_view line = log.substr(at, log.find('\n', at) - at);
    if (line.find(concat("'", kernel.name, "'")) == line.npos) continue;
    findings.add(RuleId::SERIALISED_WGMMA, Severity::WARNING, kernel.place, std::string(line));
  }
}

std::vector<Loop> loops_of(const PtxKernel& ptx) {
  std::vector<Loop> loops;
  TripCounts trips(ptx);
  for (const CodeLoop& loop : ptx.loops())
    loops.push_back({loop.first, loop.last, ptx.place_of(loop.last), trips.of(loop)});
  return loops;
}

PtxFacts facts_of(const PtxKernel& ptx) {
  PtxFacts facts;
  facts.mix = ptx.mix();
  facts.loops = loops_of(ptx);
  for (const ptx::Variable& parameter : ptx.function().inputs())
    facts.parameters.push_back(static_cast<uint32_t>(parameter.size));
  if (const auto found = first_dependence(ptx.module(), ptx.function())) {
    facts.dependence = found->text();
    facts.dependence_place =
        found->function == &ptx.function()
            ? ptx.place_of(found->instruction)
            : PtxKernel(ptx.module(), *found->function).place_of(found->instruction);
  }
  return facts;
}

// ---- CUBIN

// The lines of the instructions of one kernel, in both directions.
class KernelLines {
 public:
  KernelLines(const image::LineTable& sources, const image::LineTable& ptx, uint32_t function)
      : sources_(sources), function_(function), file_(file_of(sources, function)) {
    const auto found = ptx.functions.find(function);
    if (found == ptx.functions.end()) return;
    for (const uint32_t index : found->second) {
      const image::LineRow& row = ptx.rows[index];
      const image::LineRow* const source = sources.find(function, row.address);
      if (source && source->line != 0) by_ptx_line_.try_emplace(row.line, place_of(*source));
    }
  }

  // Returns the source of the nearest line of PTX at or before `line` that has code.
  Place of_ptx_line(uint32_t line) const {
    const auto after = by_ptx_line_.upper_bound(line);
    return after == by_ptx_line_.begin() ? Place{} : std::prev(after)->second;
  }

  Place of_address(uint64_t address) const {
    const image::LineRow* const row = sources_.find(function_, address);
    return row ? place_of(*row) : Place{};
  }

 private:
  // Returns the innermost place of a chain of inlined calls that is in the file of the kernel.
  Place place_of(image::LineRow row) const {
    constexpr int DEEPEST_CALL = 32;
    for (int depth = 0; depth < DEEPEST_CALL && row.caller != 0 && row.file != file_; ++depth)
      row = sources_.rows[row.caller - 1];
    return {.file = row.file < sources_.files.size() ? source_name(sources_.files[row.file]) : "",
            .line = row.line,
            .ptx_line = 0};
  }

  // The file of the kernel itself.
  static uint32_t file_of(const image::LineTable& sources, uint32_t function) {
    const auto found = sources.functions.find(function);
    if (found == sources.functions.end()) return 0;
    for (const uint32_t row : found->second)
      if (sources.rows[row].caller == 0) return sources.rows[row].file;
    return 0;
  }

  const image::LineTable& sources_;
  const uint32_t function_;
  const uint32_t file_;
  std::map<uint32_t, Place> by_ptx_line_;
};

class CubinAnalyser {
 public:
  CubinAnalyser(const InputImage& input, const Launch& launch, bool wants_text)
      : input_(input),
        launch_(launch),
        view_("CUBIN", input.bytes),
        info_(image::inspect(image::CodeType::CUBIN, input.bytes)),
        file_(view_),
        sources_(image::read_line_table(file_, ".debug_line")),
        ptx_lines_(image::read_line_table(file_, ".nv_debug_line_sass")) {
    if (wants_text) disassembly_ = disassemble(input.bytes);
  }

  AnalysedImage analyse() {
    read_embedded_ptx();
    find_symbols();
    for (size_t at = 0; at < info_.resources.size(); ++at) add_kernel(at);
    return std::move(result_);
  }

 private:
  const image::ElfSection* section(std::string_view name) const {
    const auto& sections = file_.sections();
    const auto found = std::ranges::find(sections, name, &image::ElfSection::text_name);
    return found == sections.end() ? nullptr : &*found;
  }

  // Each line of the text ends with a NUL.
  void read_embedded_ptx() {
    const image::ElfSection* const text = section(".nv_debug_ptx_txt");
    if (!text) return;
    const auto bytes = file_.bytes(*text).bytes();
    result_.ptx.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::ranges::replace(result_.ptx, '\0', '\n');
    ptx::Diagnostics log;
    module_ = ptx::parse(result_.ptx, log);
    if (!module_) missing_ = concat("the embedded PTX cannot be read: ", log.to_string());
  }

  void find_symbols() {
    for (const image::ElfSection& table : file_.sections()) {
      if (table.type != image::SECTION_SYMBOLS) continue;
      const auto symbols = file_.symbols(table);
      for (uint32_t at = 0; at < symbols.size(); ++at)
        symbols_.try_emplace(std::string(symbols[at].text_name), at);
    }
  }

  Resources resources_of(const image::KernelResources& recorded,
                         const image::Symbol& symbol) const {
    Resources resources;
    resources.registers = recorded.registers;
    resources.shared = recorded.static_shared;
    resources.stack = recorded.stack;
    resources.spill_loads = recorded.spill_loads;
    resources.spill_stores = recorded.spill_stores;
    resources.constant = recorded.constant;
    resources.code_size = recorded.code;
    const image::ElfSection* const local = section(concat(".nv.local.", recorded.lowered_name));
    resources.local = local ? static_cast<uint32_t>(local->size) : 0;
    if (symbol.parameters) resources.parameters = size_of(*symbol.parameters);
    return resources;
  }

  void add_kernel(size_t at) {
    const image::KernelResources& recorded = info_.resources[at];
    Kernel kernel;
    kernel.name = recorded.lowered_name;
    kernel.level = Level::MACHINE;
    kernel.arch = arch_of(input_, info_.arch);
    kernel.arch_name = kernel.arch.text();
    kernel.resources = resources_of(recorded, info_.symbols[at]);
    kernel.max_threads = std::min(recorded.max_threads.value_or(MAX_BLOCK), MAX_BLOCK);
    if (recorded.exact_block) kernel.block = *recorded.exact_block;
    kernel.missing = missing_;
    const auto symbol = symbols_.find(kernel.name);
    const KernelLines lines(sources_, ptx_lines_, symbol == symbols_.end() ? 0 : symbol->second);
    read_code(kernel, lines);
    add_text(kernel, lines);
    const ptx::Function* const function = find_function(kernel.name);
    Findings findings(kernel, result_.kernels.size(), result_.findings);
    if (section(".debug_info"))
      findings.add(RuleId::DEBUG_BUILD, Severity::WARNING, kernel.place,
                   "the machine code is built for debugging, without optimisation");
    find_in_resources(kernel, launch_.of(kernel.name), function != nullptr, findings);
    find_in_log(input_, kernel, findings);
    if (function) {
      const PtxKernel ptx(*module_, *function,
                          [&](uint32_t line) { return lines.of_ptx_line(line); });
      kernel.ptx = facts_of(ptx);
      for (size_t line = 0; line < ptx.size(); ++line)
        if (Place place = ptx.place_of(line); place.line != 0)
          kernel.ptx->sources.try_emplace(place.ptx_line, std::move(place));
      find_in_ptx(ptx, findings);
      find_in_accesses(ptx, findings);
    }
    result_.kernels.push_back(std::move(kernel));
  }

  void read_code(Kernel& kernel, const KernelLines& lines) const {
    const image::ElfSection* const code = section(concat(CODE, kernel.name));
    if (!code) return;
    const MachineCode machine = read_machine_code(file_.bytes(*code), kernel.arch.number);
    kernel.mix = machine.mix;
    for (uint64_t at = 0; at < machine.instructions.size() && kernel.place.line == 0; ++at)
      kernel.place = lines.of_address(at * SASS_SIZE);
    for (const CodeLoop& loop : machine.loops)
      kernel.loops.push_back({loop.first, loop.last, lines.of_address(loop.last * SASS_SIZE)});
  }

  void add_text(Kernel& kernel, const KernelLines& lines) const {
    if (!disassembly_) return;
    std::string reason = disassembly_->missing;
    const auto found = disassembly_->kernels.find(kernel.name);
    if (found != disassembly_->kernels.end())
      for (const auto& [address, text] : found->second)
        kernel.disassembly.push_back({address, lines.of_address(address), text});
    else if (reason.empty())
      reason = "nvdisasm did not print the kernel";
    if (reason.empty()) return;
    if (!kernel.missing.empty()) kernel.missing += "; ";
    kernel.missing += concat("no text of the machine code: ", reason);
  }

  const ptx::Function* find_function(std::string_view name) const {
    if (!module_) return nullptr;
    for (const ptx::Function& function : module_->functions)
      if (function.is_entry && !function.is_declaration && function.name == name) return &function;
    return nullptr;
  }

  const InputImage& input_;
  const Launch& launch_;
  const image::ByteView view_;
  const image::ImageInfo info_;
  image::ElfFile file_;
  const image::LineTable sources_;
  const image::LineTable ptx_lines_;
  std::unique_ptr<ptx::Module> module_;
  std::map<std::string, uint32_t> symbols_;
  std::string missing_;
  std::optional<Disassembly> disassembly_;  // if it is requested
  AnalysedImage result_;
};

// ---- PTX

uint32_t shared_of(const ptx::Module& module, const ptx::Function& function) {
  uint64_t size = 0;
  const auto add = [&](const ptx::Variable& variable) {
    if (variable.space != ptx::Space::shared || variable.is_unsized) return;
    const uint64_t unit = std::max(variable.align, 1U);
    size = (size + unit - 1) / unit * unit + variable.size;
  };
  std::vector<bool> used(module.variables.size());
  for (const ptx::Operand& operand : function.operands)
    if ((operand.kind == ptx::OperandKind::SYMBOL || operand.kind == ptx::OperandKind::MEMORY) &&
        operand.base == ptx::Base::MODULE_VARIABLE)
      used[operand.index] = true;
  for (size_t at = 0; at < used.size(); ++at)
    if (used[at]) add(module.variables[at]);
  for (const ptx::Variable& variable : function.variables) add(variable);
  return static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
}

bool is_for_debugging(std::string_view text) {
  const size_t at = text.find(".target");
  return at != text.npos && text.substr(at, text.find('\n', at) - at).find("debug") != text.npos;
}

Kernel kernel_of(const ptx::Module& module, const ptx::Function& function) {
  Kernel kernel;
  kernel.name = function.name;
  kernel.level = Level::PTX;
  kernel.arch = {.number = static_cast<uint16_t>(module.target),
                 .is_virtual = true,
                 .suffix = module.target_suffix};
  kernel.arch_name = kernel.arch.text();
  kernel.resources.shared = shared_of(module, function);
  kernel.resources.local =
      static_cast<uint32_t>(std::min<uint64_t>(function.local_bytes, UINT32_MAX));
  kernel.resources.parameters =
      static_cast<uint32_t>(std::min<uint64_t>(function.param_bytes, UINT32_MAX));
  if (function.required_threads[0] != 0)
    kernel.block.assign(function.required_threads.begin(), function.required_threads.end());
  if (!kernel.block.empty())
    kernel.max_threads = threads_of(kernel.block);
  else if (function.max_threads[0] != 0)
    kernel.max_threads = threads_of(function.max_threads);
  return kernel;
}

// Machine code has its kernels in an order of the compiler. If all have lines, they get the order
// of the sources.
void sort_by_place(AnalysedImage& image) {
  const auto place_of = [&](size_t at) -> const Place& { return image.kernels[at].place; };
  std::vector<size_t> order(image.kernels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (!std::ranges::all_of(order, [&](size_t at) { return place_of(at).line != 0; })) return;
  std::ranges::sort(order, [&](size_t a, size_t b) {
    const Place &first = place_of(a), &second = place_of(b);
    return std::tie(first.file, first.line, a) < std::tie(second.file, second.line, b);
  });
  std::vector<size_t> moved_to(order.size());
  std::vector<Kernel> kernels;
  for (const size_t from : order) {
    moved_to[from] = kernels.size();
    kernels.push_back(std::move(image.kernels[from]));
  }
  image.kernels = std::move(kernels);
  for (Finding& finding : image.findings) finding.index = moved_to[finding.index];
}

}  // namespace

AnalysedImage analyse_cubin(const InputImage& input, const Launch& launch, bool wants_text) {
  AnalysedImage image = CubinAnalyser(input, launch, wants_text).analyse();
  sort_by_place(image);
  return image;
}

AnalysedImage analyse_ptx(const InputImage& input, const Launch& launch) {
  AnalysedImage result;
  const auto bytes = image::trim_zeros(input.bytes);
  result.ptx.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  ptx::Diagnostics log;
  const std::unique_ptr<ptx::Module> module = ptx::parse(result.ptx, log);
  if (!module) throw Error(Status::INVALID_CODE, "the PTX cannot be read", log.to_string());
  for (const ptx::Function& function : module->functions) {
    if (!function.is_entry || function.is_declaration) continue;
    Kernel kernel = kernel_of(*module, function);
    const PtxKernel ptx(*module, function);
    kernel.place = ptx.place();
    kernel.ptx = facts_of(ptx);
    kernel.mix = kernel.ptx->mix;
    kernel.loops = kernel.ptx->loops;
    Findings findings(kernel, result.kernels.size(), result.findings);
    if (is_for_debugging(result.ptx))
      findings.add(RuleId::DEBUG_BUILD, Severity::WARNING, kernel.place,
                   "the PTX is built for debugging, without optimisation");
    find_in_resources(kernel, launch.of(kernel.name), true, findings);
    find_in_log(input, kernel, findings);
    find_in_ptx(ptx, findings);
    find_in_accesses(ptx, findings);
    result.kernels.push_back(std::move(kernel));
  }
  return result;
}

}  // namespace cucore::perf
