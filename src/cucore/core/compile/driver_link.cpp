// SPDX-License-Identifier: Apache-2.0
// A link by the driver (cuLink*): for code newer than nvJitLink, and without nvJitLink.
#include "core/compile/link_job.hpp"
#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

using driver::cuda;
using image::CodeType;

CUjitInputType input_type(CodeType type) {
  switch (type) {
    case CodeType::PTX:
      return CU_JIT_INPUT_PTX;
    case CodeType::FATBIN:
      return CU_JIT_INPUT_FATBINARY;
    case CodeType::OBJECT:
      return CU_JIT_INPUT_OBJECT;
    case CodeType::LIBRARY:
      return CU_JIT_INPUT_LIBRARY;
    default:
      return CU_JIT_INPUT_CUBIN;
  }
}

unsigned jit_target(const image::Arch& arch) {
  const unsigned number = arch.number;
  if (arch.suffix == 'a') return CU_COMPUTE_ACCELERATED_TARGET_BASE + number;
  if (arch.suffix == 'f') return CU_COMPUTE_FAMILY_TARGET_BASE + number;
  return number;
}

// The options of one link; the driver writes into the logs until its state is destroyed.
class JitOptions {
 public:
  explicit JitOptions(const LinkJob& job) : errors_(CAPACITY), info_(CAPACITY) {
    const LinkerOptions& options = *job.options;
    add(CU_JIT_ERROR_LOG_BUFFER, errors_.data());
    add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, number(CAPACITY - 1));
    add(CU_JIT_INFO_LOG_BUFFER, info_.data());
    add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, number(CAPACITY - 1));
    add(CU_JIT_TARGET, number(jit_target(job.arch)));
    if (options.max_register_count)
      add(CU_JIT_MAX_REGISTERS, number(static_cast<size_t>(options.max_register_count)));
    if (options.optimization_level >= 0)
      add(CU_JIT_OPTIMIZATION_LEVEL, number(options.optimization_level == 0 ? 0 : 4));
    if (options.debug) add(CU_JIT_GENERATE_DEBUG_INFO, number(1));
    if (options.lineinfo) add(CU_JIT_GENERATE_LINE_INFO, number(1));
    if (options.verbose) add(CU_JIT_LOG_VERBOSE, number(1));
  }
  unsigned count() const { return static_cast<unsigned>(names_.size()); }
  CUjit_option* names() { return names_.data(); }
  void** values() { return values_.data(); }

  std::string log() const {
    std::string log(errors_.data());
    const std::string info(info_.data());
    if (!log.empty() && !info.empty() && log.back() != '\n') log += '\n';
    return log + info;
  }

 private:
  static constexpr size_t CAPACITY = size_t{1} << 18;
  static void* number(size_t value) { return reinterpret_cast<void*>(value); }
  void add(CUjit_option name, void* value) {
    names_.push_back(name);
    values_.push_back(value);
  }

  std::vector<char> errors_, info_;
  std::vector<CUjit_option> names_;
  std::vector<void*> values_;
};

class DriverRun {
 public:
  explicit DriverRun(const LinkJob& job) : job_(job), options_(job) {
    check(need(cuda().cuLinkCreate, "cuLinkCreate")(options_.count(), options_.names(),
                                                    options_.values(), &state_));
  }
  ~DriverRun() {
    if (state_) driver::check_release(cuda().cuLinkDestroy(state_), "destroy a link of the driver");
  }
  DriverRun(const DriverRun&) = delete;
  DriverRun& operator=(const DriverRun&) = delete;

  LinkResult run() {
    const auto add = need(cuda().cuLinkAddData, "cuLinkAddData");
    for (const LinkInput& input : job_.inputs)
      check(add(state_, input_type(input.type), const_cast<std::byte*>(input.bytes->data()),
                input.bytes->size(), input.name.c_str(), 0, nullptr, nullptr));
    void* image = nullptr;
    size_t size = 0;
    check(need(cuda().cuLinkComplete, "cuLinkComplete")(state_, &image, &size));
    const auto* begin = static_cast<const std::byte*>(image);
    return {image::Bytes(begin, begin + size), options_.log(), {}};
  }

 private:
  template <class Fn>
  static Fn* need(Fn* entry, const char* name) {
    return driver::require(entry, name, 6050);
  }
  void check(CUresult result) const {
    if (result == CUDA_SUCCESS) return;
    const std::string log = options_.log();
    // Any result means that the link failed, unless the machine did.
    const Status status = driver::status_of(result);
    const std::string what = with_first_error(job_.what + " with the driver's linker", log);
    if (status != Status::INVALID_CODE && status != Status::CUDA &&
        status != Status::INVALID_ARGUMENT && status != Status::NOT_FOUND)
      driver::fail(result, what, log);
    throw Error(Status::LINKING, concat(what, ": ", driver::name_of(result)), log,
                {"cuda", static_cast<int32_t>(result), driver::name_of(result)});
  }

  const LinkJob& job_;
  JitOptions options_;
  CUlinkState state_ = nullptr;
};

}  // namespace

LinkResult link_with_driver(const LinkJob& job) {
  if (cuda().is_cpu)
    throw Error(Status::UNSUPPORTED,
                concat("cannot ", job.what,
                       ": the driver is the CPU device, whose linker returns PTX instead of CUBIN; "
                       "install nvJitLink, and link LTO-IR to PTX"));
  // A link needs a current context. Which one does not matter, because the options contain the
  // architecture.
  const PrimaryScope primary(*Device::open(0));
  return DriverRun(job).run();
}

}  // namespace cucore::core
