// SPDX-License-Identifier: Apache-2.0
// Loads PTX: places its variables, applies relocations, decodes its functions.
#include "cpu/exec/module.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "cpu/exec/decoder.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/image.hpp"
#include "cpu/exec/refused_queries.hpp"
#include "cpu/exec/round_up.hpp"
#include "ptx/parser.hpp"

namespace cucore::cpu {
namespace {

using ptx::OperandKind;
using ptx::Space;

// Code addresses of all loaded modules, because a pointer to a function of another module is valid.
struct CodeRegistry {
  std::mutex mutex;
  std::unordered_set<uint64_t> functions;
};
CodeRegistry& registry() {
  static CodeRegistry* const instance = new CodeRegistry;
  return *instance;
}

void note(const ptx::Operand& o, ModuleImage::Uses& uses) {
  if (o.kind == OperandKind::FUNCTION) uses.functions.push_back(o.index);
  const bool names = o.kind == OperandKind::SYMBOL || o.kind == OperandKind::MEMORY;
  if (names && o.base == ptx::Base::MODULE_VARIABLE) uses.variables.push_back(o.index);
}
void keep_distinct(std::vector<uint32_t>& indices) {
  std::ranges::sort(indices);
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
}
ModuleImage::Uses uses_of(const ptx::Function& f) {
  ModuleImage::Uses uses;
  for (const auto& o : f.operands) note(o, uses);
  for (const auto& o : f.elements) note(o, uses);
  keep_distinct(uses.functions);
  keep_distinct(uses.variables);
  return uses;
}

// Returns the index of the function that a name refers to.
uint32_t real_function(const ptx::Module& module, uint32_t index) {
  const uint32_t alias = module.functions[index].alias_of;
  return alias == ptx::NONE ? index : alias;
}

constexpr size_t SHOWN = 8;  // lines of a log per kind

// Names the first instructions that end a launch which reaches them. The kernels of refused queries
// have lines of their own.
void note_unsupported(const DecodedModule& module, std::string& log) {
  size_t count = 0;
  for (const auto& function : module.functions) {
    if (!function) continue;
    for (const Op& op : function->ops) {
      if (op.run != raise_unsupported) continue;
      if (refusal_of(*function->instruction(op).form) != QueryRefusal::NONE) continue;
      if (++count > SHOWN) continue;
      log += "PTX line " + std::to_string(function->instruction(op).line) + ": '" +
             shown_instruction(*function, size_t(&op - function->ops.data())) +
             "' is not implemented on the CPU device; a launch that reaches it fails\n";
    }
  }
  if (count > SHOWN) log += std::to_string(count - SHOWN) + " more such instructions\n";
}

}  // namespace

bool is_builtin_function(std::string_view name) { return builtin_named(name) != Builtin::NONE; }

const DecodedFunction* function_at(uint64_t address) {
  auto& r = registry();
  std::lock_guard lock(r.mutex);
  return r.functions.count(address) ? reinterpret_cast<const DecodedFunction*>(address) : nullptr;
}
void publish_function(const DecodedFunction* function) {
  auto& r = registry();
  std::lock_guard lock(r.mutex);
  r.functions.insert(reinterpret_cast<uint64_t>(function));
}
void withdraw_function(const DecodedFunction* function) {
  auto& r = registry();
  std::lock_guard lock(r.mutex);
  r.functions.erase(reinterpret_cast<uint64_t>(function));
}

ModuleImage::~ModuleImage() {
  for (const auto& f : decoded_.functions)
    if (f) withdraw_function(f.get());
  for (uint64_t address : opaque_) withdraw_opaque(address);
  for (uint64_t address : allocations_) AddressSpace::instance().release(address);
}

bool ModuleImage::load(std::string_view text, int device, const DeviceLimits& limits,
                       std::string& log, CUresult& code) {
  ptx::Diagnostics diagnostics;
  decoded_.source = ptx::parse(text, diagnostics);
  decoded_.device = device;
  decoded_.limits = limits;
  code = CUDA_ERROR_INVALID_PTX;
  if (!decoded_.source) {
    log += diagnostics.to_string();
    return false;
  }
  if (decoded_.source->target > limits.sm) {
    log += "ptx is for sm_" + std::to_string(decoded_.source->target) + ", the device is sm_" +
           std::to_string(limits.sm) + "\n";
    code = CUDA_ERROR_NO_BINARY_FOR_GPU;
    return false;
  }
  for (const auto& f : decoded_.source->functions) uses_.push_back(uses_of(f));
  if (!check_externals(log) || !check_sizes(log, code) || !place_variables(log, code)) return false;
  place_shared();
  create_functions();
  if (!relocate(log)) return false;
  decode_functions();
  note_unsupported(decoded_, log);
  describe_kernels();
  if (!check_queries(log, code)) return false;
  uses_ = {};
  code = CUDA_SUCCESS;
  return true;
}

bool ModuleImage::check_externals(std::string& log) const {
  const auto& module = *decoded_.source;
  std::vector<uint32_t> used;
  for (const Uses& uses : uses_)
    used.insert(used.end(), uses.functions.begin(), uses.functions.end());
  for (const auto& v : module.variables)
    for (const auto& r : v.relocations)
      if (r.is_function) used.push_back(r.index);
  bool good = true;
  for (uint32_t& index : used) index = real_function(module, index);
  keep_distinct(used);
  for (uint32_t index : used) {
    const auto& f = module.functions[index];
    if (!f.is_declaration || is_builtin_function(f.name)) continue;
    log += "unresolved extern function '" + std::string(f.name) + "'\n";
    good = false;
  }
  return good;
}

bool ModuleImage::check_sizes(std::string& log, CUresult& code) const {
  uint64_t left = decoded_.limits.memory_bytes;
  for (const auto& v : decoded_.source->variables) {
    if (v.space != Space::global && v.space != Space::constant) continue;
    if (v.size > left) {
      log += "no memory for variable '" + std::string(v.name) + "' of " + std::to_string(v.size) +
             " bytes; the variables of a module share the " +
             std::to_string(decoded_.limits.memory_bytes) +
             " bytes of the device, which CUCORE_CPU_MEMORY sets\n";
      code = CUDA_ERROR_OUT_OF_MEMORY;
      return false;
    }
    left -= v.size;
  }
  return true;
}

bool ModuleImage::place_variables(std::string& log, CUresult& code) {
  auto& space = AddressSpace::instance();
  decoded_.addresses.assign(decoded_.source->variables.size(), 0);
  for (size_t i = 0; i < decoded_.source->variables.size(); ++i) {
    const auto& v = decoded_.source->variables[i];
    if (v.space != Space::global && v.space != Space::constant) continue;
    if (v.linkage == ptx::Linkage::EXTERNAL) {
      log += "unresolved extern variable '" + std::string(v.name) + "'\n";
      return false;
    }
    const auto kind = v.is_managed ? MemoryKind::MANAGED : MemoryKind::CODE;
    const uint64_t size = std::max<uint64_t>(v.size, 1);
    const uint64_t address =
        space.allocate(size, std::max<uint64_t>(v.align, 16), kind, decoded_.device);
    if (address == 0) {
      log += "no memory for variable '" + std::string(v.name) + "' of " + std::to_string(size) +
             " bytes\n";
      code = CUDA_ERROR_OUT_OF_MEMORY;
      return false;
    }
    allocations_.push_back(address);
    decoded_.addresses[i] = address;
    if (!v.bytes.empty())
      std::memcpy(space.host(address, size), v.bytes.data(),
                  std::min<uint64_t>(size, v.bytes.size()));
    if (v.space == Space::constant) {
      const_bytes_ += uint32_t(size);
      space.set_constant(address);
    }
    if (ptx::is_opaque(v.type)) {
      const auto number = static_cast<uint8_t>(v.type) - static_cast<uint8_t>(ptx::Type::texref);
      publish_opaque(address, static_cast<OpaqueKind>(number));
      opaque_.push_back(address);
    }
    globals_.push_back(
        {std::string(v.name), address, v.size, v.is_managed, v.space == Space::constant});
  }
  return true;
}

// Returns the end of a shared variable. No launch has this much memory, and sums of it fit 32 bits.
uint64_t shared_end(uint64_t offset, uint64_t size) {
  constexpr uint64_t TOO_MUCH = uint64_t{1} << 30;
  return size < TOO_MUCH && offset < TOO_MUCH ? offset + size : TOO_MUCH;
}

// Shared variables outside kernels have one layout per module, because any kernel may call a
// function that uses them. They come first; the kernel's own follow.
void ModuleImage::place_shared() {
  uint64_t offset = 0;
  auto& module = *decoded_.source;
  for (size_t i = 0; i < module.variables.size(); ++i) {
    auto& v = module.variables[i];
    if (v.space != Space::shared || v.is_unsized) continue;
    offset = round_up(offset, std::max<uint64_t>(v.align, 1));
    decoded_.addresses[i] = offset;
    offset = shared_end(offset, v.size);
  }
  for (auto& f : module.functions) {
    if (f.is_entry) continue;
    for (auto& v : f.variables) {
      if (v.space != Space::shared) continue;
      offset = round_up(offset, std::max<uint64_t>(v.align, 1));
      v.offset = offset;
      offset = shared_end(offset, v.size);
    }
  }
  decoded_.function_shared = uint32_t(round_up(offset, 16));
}

void ModuleImage::create_functions() {
  const auto& functions = decoded_.source->functions;
  for (const auto& f : functions) {
    decoded_.functions.emplace_back(f.is_declaration ? nullptr : new DecodedFunction);
    DecodedFunction* decoded = decoded_.functions.back().get();
    if (!decoded) continue;
    decoded->source = &f;
    decoded->module = &decoded_;
    publish_function(decoded);
  }
}

bool ModuleImage::relocate(std::string& log) {
  auto& space = AddressSpace::instance();
  const auto& module = *decoded_.source;
  for (size_t i = 0; i < module.variables.size(); ++i) {
    for (const auto& r : module.variables[i].relocations) {
      uint64_t target = 0;
      if (r.is_function) {
        const uint32_t index = real_function(module, r.index);
        target = reinterpret_cast<uint64_t>(decoded_.functions[index].get());
      } else {
        target = decoded_.addresses[r.index];
        if (r.is_generic && module.variables[r.index].space == Space::shared)
          target += space.shared_window();
      }
      const uint64_t value = ((target + uint64_t(r.addend)) & r.mask) >> r.shift;
      void* place =
          decoded_.addresses[i] ? space.host(decoded_.addresses[i] + r.offset, r.size) : nullptr;
      if (!place || r.size > 8) {
        log += "initial value of '" + std::string(module.variables[i].name) +
               "' is out of its bounds\n";
        return false;
      }
      std::memcpy(place, &value, r.size);
    }
  }
  return true;
}

// Returns all functions that a kernel may reach; an indirect call may reach any function whose
// address is taken.
std::vector<uint32_t> ModuleImage::reachable(uint32_t from) {
  ++search_;
  std::vector<uint32_t> found{from};
  uses_[from].found_by = search_;
  for (size_t next = 0; next < found.size(); ++next) {
    for (uint32_t callee : uses_[found[next]].functions) {
      const uint32_t real = real_function(*decoded_.source, callee);
      if (std::exchange(uses_[real].found_by, search_) != search_) found.push_back(real);
    }
  }
  return found;
}

// Sets which shared memory a kernel uses, and returns the alignment of its dynamic memory.
uint64_t ModuleImage::find_shared(uint32_t index, DecodedKernel& kernel) {
  const auto& module = *decoded_.source;
  uint64_t align = 16;
  const auto note_dynamic = [&](const ptx::Variable& v) {
    kernel.uses_dynamic_shared = true;
    align = std::max<uint64_t>(align, v.align);
  };
  for (uint32_t f : reachable(index)) {
    const auto& function = module.functions[f];
    for (uint32_t used : uses_[f].variables) {
      const auto& v = module.variables[used];
      if (v.space != Space::shared) continue;
      if (v.is_unsized)
        note_dynamic(v);
      else
        kernel.has_module_shared = true;
    }
    for (const auto& v : function.variables) {
      if (v.space != Space::shared) continue;
      if (!function.is_entry)
        kernel.has_module_shared = true;
      else if (f == index && v.is_unsized)
        note_dynamic(v);
    }
  }
  return align;
}

void ModuleImage::lay_out_kernel(uint32_t index, DecodedKernel& kernel) {
  const uint64_t align = find_shared(index, kernel);
  uint64_t offset = kernel.has_module_shared ? decoded_.function_shared : 0;
  auto& variables = decoded_.source->functions[index].variables;
  for (auto& v : variables) {
    if (v.space != Space::shared || v.is_unsized) continue;
    offset = round_up(offset, std::max<uint64_t>(v.align, 1));
    v.offset = offset;
    offset = shared_end(offset, v.size);
  }
  const uint64_t dynamic = round_up(offset, align);
  for (auto& v : variables)
    if (v.space == Space::shared && v.is_unsized) v.offset = dynamic;
  // Static memory is counted exactly.
  kernel.static_bytes = uint32_t(offset);
  kernel.static_shared = uint32_t(dynamic);
}

void ModuleImage::decode_functions() {
  const HandlerSet& set = handlers_for(simd_level());
  decoded_.compiles = settings().compile && simd_level() == Simd::AVX512;
  const auto& functions = decoded_.source->functions;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    if (!decoded_.functions[i]) continue;
    if (functions[i].is_entry) {
      auto kernel = std::make_unique<KernelImage>(*this);
      kernel->decoded.function = decoded_.functions[i].get();
      lay_out_kernel(i, kernel->decoded);
      kernels_.push_back(std::move(kernel));
    }
    Decoder(decoded_, *decoded_.functions[i], 0, set).run();
  }
}

void ModuleImage::describe_kernels() {
  for (auto& kernel : kernels_) {
    const ptx::Function& f = *kernel->decoded.function->source;
    KernelInfo& info = kernel->info_;
    info.name = std::string(f.name);
    for (const auto& v : f.inputs())
      info.params.push_back({size_t(v.offset), size_t(v.size), size_t(v.align)});
    info.param_bytes = size_t(f.param_bytes);
    info.static_shared = kernel->decoded.static_bytes;
    info.local_bytes = uint32_t(f.local_bytes);
    info.const_bytes = const_bytes_;
    info.uses_dynamic_shared = kernel->decoded.uses_dynamic_shared;
    info.ptx_version = decoded_.source->version_major * 10 + decoded_.source->version_minor;
    info.target = decoded_.source->target;
    info.min_ctas = f.min_blocks;
    info.max_cluster = f.max_cluster;
    info.explicit_cluster = f.is_explicit_cluster;
    uint64_t threads = 1;
    for (int c = 0; c < 3; ++c) {
      info.required_block[c] = f.required_threads[c];
      info.required_cluster[c] = f.required_cluster[c];
      const uint32_t n = f.required_threads[c] ? f.required_threads[c] : f.max_threads[c];
      threads *= n ? n : 1;
    }
    const bool bounded = f.required_threads[0] || f.max_threads[0];
    info.max_threads = bounded ? uint32_t(std::min<uint64_t>(threads, 1024))
                               : decoded_.limits.max_threads_per_block;
    info.registers = estimate_registers(f, info.max_threads);
    kernel_list_.push_back(kernel.get());
  }
}

// Sets the reasons of kernels that drivers for GPUs do not find. Returns false if a kernel reaches
// a query with which they refuse the module.
bool ModuleImage::check_queries(std::string& log, CUresult& code) {
  const auto& forms = decoded_.source->forms;
  if (std::ranges::all_of(
          forms, [](const ptx::Form& form) { return refusal_of(form) == QueryRefusal::NONE; }))
    return true;
  std::vector<RefusedQuery> queries(decoded_.functions.size());
  for (size_t i = 0; i < queries.size(); ++i)
    if (decoded_.functions[i]) queries[i] = RefusedQuery::of(*decoded_.functions[i]);
  size_t count = 0;
  for (uint32_t i = 0, kernel = 0; i < queries.size(); ++i) {
    if (!decoded_.functions[i] || !decoded_.functions[i]->source->is_entry) continue;
    KernelInfo& info = kernels_[kernel++]->info_;
    const RefusedQuery* found = &queries[i];
    for (const uint32_t f : reachable(i))
      if (queries[f].refusal > found->refusal) found = &queries[f];
    if (found->refusal == QueryRefusal::NONE) continue;
    info.refusal = found->text(info.name);
    if (++count <= SHOWN) log += info.refusal + "\n";
    if (found->refusal == QueryRefusal::MODULE) {
      code = CUDA_ERROR_NOT_SUPPORTED;
      return false;
    }
  }
  if (count > SHOWN) log += std::to_string(count - SHOWN) + " more such kernels\n";
  return true;
}

// The number of live registers is unknown without register allocation. The estimate is a fraction
// of the declared ones, in the steps and bounds of the hardware, for occupancy arithmetic.
uint32_t ModuleImage::estimate_registers(const ptx::Function& f, uint32_t max_threads) const {
  uint64_t words = 0;
  for (ptx::Type t : f.registers) words += (ptx::size_of(t) + 3) / 4;
  uint64_t estimate = round_up(10 + words / 4, 8);
  estimate = std::min<uint64_t>(
      estimate, std::min<uint64_t>(255, 65536 / std::max(32u, max_threads) / 8 * 8));
  const unsigned bound = decoded_.limits.max_registers;
  if (f.max_registers) estimate = std::min<uint64_t>(estimate, f.max_registers);
  if (bound) estimate = std::min<uint64_t>(estimate, bound);
  return uint32_t(std::max<uint64_t>(estimate, 16));
}

const Kernel* ModuleImage::find_kernel(std::string_view name) const {
  for (const Kernel* kernel : kernel_list_)
    if (kernel->info().name == name) return kernel;
  return nullptr;
}

const GlobalInfo* ModuleImage::find_global(std::string_view name) const {
  for (const GlobalInfo& g : globals_)
    if (g.name == name) return &g;
  return nullptr;
}

std::shared_ptr<LoadedModule> LoadedModule::load(const char* image, size_t size, int device,
                                                 const DeviceLimits& limits, std::string& log,
                                                 CUresult& code) {
  auto module = std::make_shared<ModuleImage>();
  // PTX may include its terminating zero.
  while (size && image[size - 1] == '\0') --size;
  if (!module->load(std::string_view(image, size), device, limits, log, code)) return nullptr;
  return module;
}

}  // namespace cucore::cpu
