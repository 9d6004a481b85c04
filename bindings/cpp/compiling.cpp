// SPDX-License-Identifier: Apache-2.0
#include "compiling.hpp"

#include <cucore/objectcode.hpp>
#include <string>
#include <vector>

namespace cucore::bind {

namespace {

// Opens the compiler in the calling thread, which cannot exit the process meanwhile. The exit would
// destroy static objects of the compiler as they are made. The compile reports a library that
// cannot be opened.
void open_compiler(const cucore_program* program) {
  constexpr struct {
    cucore_backend backend;
    cucore_library library;
  } ROWS[] = {{CUCORE_BACKEND_NVRTC, CUCORE_LIBRARY_NVRTC},
              {CUCORE_BACKEND_NVVM, CUCORE_LIBRARY_NVVM},
              {CUCORE_BACKEND_NVJITLINK, CUCORE_LIBRARY_NVJITLINK}};
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  const int32_t backend = cucore_program_backend(program);
  for (const auto& row : ROWS)
    if (row.backend == backend) (void)cucore_library_query(row.library, &info, nullptr);
}

}  // namespace

class Compiling::Compile final : public Wait {
 public:
  Compile(cucore_program* program, cucore_cache* cache, cucore_code_type target,
          const char* const* names, size_t name_count)
      : program_(program), cache_(cache), target_(target), names_(names, names + name_count) {
    open_compiler(program_);
    for (const std::string& name : names_) pointers_.push_back(name.c_str());
  }
  Compile(const Compile&) = delete;
  Compile& operator=(const Compile&) = delete;

  cucore_status run(cucore_error** error) const override {
    if (!cache_)
      return cucore_program_compile(program_, target_, pointers_.data(), pointers_.size(),
                                    code.out(), error);
    return cucore_cache_compile(cache_, program_, target_, pointers_.data(), pointers_.size(),
                                code.out(), &outcome, error);
  }

  // Written by the compile's thread; the end of the wait orders them before their readers.
  mutable ObjectCode code;
  mutable cucore_cache_outcome outcome{};

 private:
  const Held<cucore_program> program_;
  const Held<cucore_cache> cache_;
  const cucore_code_type target_;
  const std::vector<std::string> names_;
  std::vector<const char*> pointers_;
};

Compiling::Compiling(cucore_program* program, cucore_cache* cache, cucore_code_type target,
                     const char* const* names, size_t name_count)
    : compile_(std::make_shared<Compile>(program, cache, target, names, name_count)),
      waiting_(compile_, false) {}

bool Compiling::wait(int64_t milliseconds) const {
  return waiting_.wait(std::chrono::milliseconds(milliseconds));
}

cucore_objectcode* Compiling::take(cucore_cache_outcome* outcome) {
  waiting_.require_success();
  *outcome = compile_->outcome;
  return compile_->code.release();
}

}  // namespace cucore::bind
