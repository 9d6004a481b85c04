// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "client/native.hpp"
#include "perf/capi/guard.hpp"
#include "perf/capi/handles.hpp"
#include "perf/capi/structs.hpp"
#include "perf/report/report.hpp"
#include "support/concat.hpp"
#include "support/require.hpp"

using namespace cucore;
using namespace cucore::perf;

namespace {

using Code = client::Native<cucore_objectcode, cucore_objectcode_retain, cucore_objectcode_release>;

constexpr size_t FIRST_ANALYSIS_OPTIONS = sizeof(cucore_analysis_options);
constexpr size_t FIRST_KERNEL_INFO = sizeof(cucore_analysis_info);
constexpr size_t FIRST_INSTRUCTION_INFO = sizeof(cucore_instruction_info);
constexpr size_t FIRST_FINDING = sizeof(cucore_finding);

static_assert(CUCORE_INSTRUCTION_CLASS_UNKNOWN == static_cast<int>(InstructionClass::UNKNOWN));
static_assert(CUCORE_INSTRUCTION_CLASS_MATRIX == static_cast<int>(InstructionClass::MATRIX));
static_assert(sizeof(cucore_instruction_info::widths) / sizeof(uint32_t) == WIDTHS);

AnalysisOptions options_of_caller(const cucore_analysis_options* options) {
  const auto given = read_options(options, FIRST_ANALYSIS_OPTIONS, "cucore_analysis_options");
  require_zero(given.reserved_1, "cucore_analysis_options.reserved_1");
  if (given.model < 0 || given.model > CUCORE_MODEL_MODE_FULL)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_analysis_options.model is ", int{given.model}, "; expected 0 to 2"));
  AnalysisOptions result;
  if (given.model != CUCORE_MODEL_MODE_DEFAULT) result.model = static_cast<ModelMode>(given.model);
  result.archs = require_strings(given.archs, given.arch_count, "cucore_analysis_options.archs");
  result.allow = require_strings(given.allow, given.allow_count, "cucore_analysis_options.allow");
  result.launch = {given.kernel ? given.kernel : "", given.block, given.shared, given.grid,
                   given.multiprocessors};
  result.read_sources = require_toggle(given.sources, false, "cucore_analysis_options.sources");
  result.disassemble =
      require_toggle(given.disassembler, false, "cucore_analysis_options.disassembler");
  if (given.roof) result.roof = Ref<const Roof>(&use(given.roof, "cucore_analysis_options.roof"));
  return result;
}

constexpr const char* ATTEMPT = "the analysis reads the code";

// Returns nothing for an entry of a fat binary that libcucore cannot read.
Code image_of(const Code& code, size_t index) {
  cucore_objectcode* image = nullptr;
  cucore_error* error = nullptr;
  const cucore_status status = cucore_objectcode_image_at(code.get(), index, &image, &error);
  if (status != CUCORE_OK && status != CUCORE_ERROR_UNSUPPORTED)
    throw client::CallFailed(status, ATTEMPT, error);
  cucore_error_release(error);
  return Code::adopt(image);
}

// Adds the images of a code, those of bundles and fat binaries one by one. Each is kept by `held`.
void add_images(const Code& code, std::vector<Code>* held, std::vector<InputImage>* images) {
  const cucore_code_type type = cucore_objectcode_type(code.get());
  if (type == CUCORE_CODE_TYPE_FATBIN || type == CUCORE_CODE_TYPE_BUNDLE) {
    for (size_t at = 0; at < cucore_objectcode_image_count(code.get()); ++at)
      if (const Code part = image_of(code, at)) add_images(part, held, images);
    return;
  }
  size_t size = 0;
  const auto* const data = static_cast<const std::byte*>(cucore_objectcode_data(code.get(), &size));
  images->push_back({static_cast<image::CodeType>(type),
                     {data, size},
                     cucore_objectcode_arch(code.get()),
                     cucore_objectcode_log(code.get())});
  held->push_back(code);
}

// Refuses released handles and those of other types as libcucore does.
void require_live(const cucore_objectcode* code) {
  require(code, "code");
  cucore_objectcode* image = nullptr;
  if (cucore_objectcode_type(code) == 0)
    client::call(ATTEMPT, cucore_objectcode_image_at, code, size_t{0}, &image);
}

void require_code(const std::vector<InputImage>& images) {
  for (const InputImage& image : images)
    if (image.type == image::CodeType::CUBIN || image.type == image::CodeType::PTX) return;
  throw Error(
      Status::UNSUPPORTED,
      concat("the code is ", images.empty() ? "empty" : image::code_type_name(images.front().type),
             "; expected CUBIN or PTX, or a fat binary or bundle with them"));
}

template <class Item>
const Item& item_of(std::span<const Item> items, size_t index, const char* argument) {
  if (index >= items.size())
    throw Error(Status::INVALID_ARGUMENT,
                concat(argument, " is ", index, "; expected less than ", items.size()));
  return items[index];
}

InstructionClass class_of_caller(cucore_instruction_class which) {
  if (which < 0 || which > CUCORE_INSTRUCTION_CLASS_UNKNOWN)
    throw Error(Status::INVALID_ARGUMENT,
                concat("instruction_class is ", int{which}, "; expected 0 to ",
                       int{CUCORE_INSTRUCTION_CLASS_UNKNOWN}));
  return static_cast<InstructionClass>(which);
}

const Mix& mix_of(const Kernel& kernel, cucore_code_level level) {
  if (level != CUCORE_CODE_LEVEL_MACHINE && level != CUCORE_CODE_LEVEL_PTX)
    throw Error(Status::INVALID_ARGUMENT, concat("level is ", int{level}, "; expected 1 or 2"));
  if (static_cast<Level>(level) == kernel.level) return kernel.mix;
  if (level == CUCORE_CODE_LEVEL_PTX && kernel.ptx) return kernel.ptx->mix;
  throw Error(Status::NOT_FOUND,
              level == CUCORE_CODE_LEVEL_PTX
                  ? concat("the machine code of ", kernel.name,
                           " does not contain its PTX; compile with line information")
                  : concat("kernel ", kernel.name, " is PTX, without machine code"));
}

cucore_analysis_info info_of(const Kernel& kernel, const std::string& arch) {
  const Resources& from = kernel.resources;
  cucore_analysis_info info{};
  info.name = kernel.name.c_str();
  info.arch = arch.c_str();
  info.file = kernel.place.file.c_str();
  info.missing = kernel.missing.c_str();
  info.level = static_cast<cucore_code_level>(kernel.level);
  info.line = kernel.place.line;
  info.registers = or_minus_one(from.registers);
  info.shared = or_minus_one(from.shared);
  info.local = or_minus_one(from.local);
  info.stack = or_minus_one(from.stack);
  info.spill_loads = or_minus_one(from.spill_loads);
  info.spill_stores = or_minus_one(from.spill_stores);
  info.constant = or_minus_one(from.constant);
  info.parameters = or_minus_one(from.parameters);
  info.code_size = or_minus_one(from.code_size);
  info.max_threads = kernel.max_threads;
  info.instructions = kernel.mix.of(InstructionClass::ANY).all;
  info.loops = static_cast<uint32_t>(kernel.loops.size());
  return info;
}

}  // namespace

extern "C" {

CUCORE_PERF_API cucore_status cucore_analysis_create(const cucore_objectcode* code,
                                                     const cucore_analysis_options* options,
                                                     cucore_analysis** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const AnalysisOptions given = options_of_caller(options);
    require_live(code);
    std::vector<Code> held;
    std::vector<InputImage> images;
    add_images(Code::share(code), &held, &images);
    require_code(images);
    *out = wrap(make<Analysis>(cucore_objectcode_name(code), images, given));
  });
}

CUCORE_PERF_API cucore_analysis* cucore_analysis_retain(const cucore_analysis* analysis) {
  return retain(analysis);
}

CUCORE_PERF_API void cucore_analysis_release(cucore_analysis* analysis) { release(analysis); }

CUCORE_PERF_API size_t cucore_analysis_kernel_count(const cucore_analysis* analysis) {
  const Analysis* const self = peek(analysis);
  return self ? self->kernels().size() : 0;
}

CUCORE_PERF_API cucore_status cucore_analysis_kernel_at(const cucore_analysis* analysis,
                                                        size_t index, cucore_analysis_info* out,
                                                        cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_KERNEL_INFO);
    const Kernel& kernel = item_of(use(analysis, "analysis").kernels(), index, "index");
    write_info(out, info_of(kernel, kernel.arch_name), FIRST_KERNEL_INFO, "cucore_analysis_info");
  });
}

CUCORE_PERF_API cucore_status
cucore_analysis_instructions(const cucore_analysis* analysis, size_t kernel,
                             cucore_code_level level, cucore_instruction_class instruction_class,
                             cucore_instruction_info* out, cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_INSTRUCTION_INFO);
    const Kernel& self = item_of(use(analysis, "analysis").kernels(), kernel, "kernel");
    const Count& count = mix_of(self, level).of(class_of_caller(instruction_class));
    cucore_instruction_info info{};
    info.count = count.all;
    info.in_loops = count.in_loops;
    std::ranges::copy(count.widths, info.widths);
    write_info(out, info, FIRST_INSTRUCTION_INFO, "cucore_instruction_info");
  });
}

CUCORE_PERF_API cucore_status cucore_analysis_occupancy(const cucore_analysis* analysis,
                                                        size_t kernel, const char* arch,
                                                        uint32_t block, uint32_t shared,
                                                        cucore_occupancy_info* out,
                                                        cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_OCCUPANCY_INFO);
    const Analysis& self = use(analysis, "analysis");
    const Kernel& wanted = item_of(self.kernels(), kernel, "kernel");
    write_occupancy(out, self.occupancy(wanted, arch ? arch : "", block, shared));
  });
}

CUCORE_PERF_API size_t cucore_analysis_finding_count(const cucore_analysis* analysis) {
  const Analysis* const self = peek(analysis);
  return self ? self->findings().size() : 0;
}

CUCORE_PERF_API cucore_status cucore_analysis_finding_at(const cucore_analysis* analysis,
                                                         size_t index, cucore_finding* out,
                                                         cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_FINDING);
    const Finding& finding = item_of(use(analysis, "analysis").findings(), index, "index");
    cucore_finding info{};
    info.id = finding.rule->id;
    info.name = finding.rule->name;
    info.kernel = finding.kernel.c_str();
    info.arch = finding.arch.c_str();
    info.file = finding.place.file.c_str();
    info.message = finding.message.c_str();
    info.advice = finding.rule->advice;
    info.severity = static_cast<cucore_finding_severity>(finding.severity);
    info.line = finding.place.line;
    info.ptx_line = finding.place.ptx_line;
    info.count = finding.count;
    write_info(out, info, FIRST_FINDING, "cucore_finding");
  });
}

CUCORE_PERF_API cucore_status cucore_analysis_write(const cucore_analysis* analysis,
                                                    cucore_report_format format, char* buffer,
                                                    size_t capacity, size_t* size,
                                                    cucore_error** error) {
  return guard(error, [&] {
    clear(size);
    const Analysis& self = use(analysis, "analysis");
    require(size, "size");
    if (capacity != 0) require(buffer, "buffer");
    if (format != CUCORE_REPORT_FORMAT_TEXT && format != CUCORE_REPORT_FORMAT_JSON)
      throw Error(Status::INVALID_ARGUMENT, concat("format is ", int{format}, "; expected 1 or 2"));
    const std::string text = format == CUCORE_REPORT_FORMAT_JSON ? as_json(self) : as_text(self);
    *size = text.size() + 1;
    if (capacity == 0) return;
    if (capacity < *size)
      throw Error(Status::BUFFER_TOO_SMALL, concat("capacity is ", capacity, "; the text has ",
                                                   *size, " bytes with its NUL"));
    std::memcpy(buffer, text.c_str(), *size);
  });
}

}  // extern "C"
