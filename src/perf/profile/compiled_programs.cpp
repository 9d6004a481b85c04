// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/compiled_programs.hpp"

#include <cstring>

namespace cucore::perf {
namespace {

bool have_equal_bytes(const cucore_objectcode* a, const cucore_objectcode* b) {
  if (a == b) return true;
  size_t size_of_a = 0, size_of_b = 0;
  const void* const data_of_a = cucore_objectcode_data(a, &size_of_a);
  const void* const data_of_b = cucore_objectcode_data(b, &size_of_b);
  return size_of_a == size_of_b && size_of_a != 0 &&
         std::memcmp(data_of_a, data_of_b, size_of_a) == 0;
}

}  // namespace

void CompiledPrograms::add(const cucore_operation& compile) {
  if (!compile.program || !compile.code) return;  // of a batch
  compiled_.push_back({ProgramOwner::share(compile.program), CodeOwner::share(compile.code)});
  if (compiled_.size() > MOST) compiled_.pop_front();
}

ProgramOwner CompiledPrograms::find(const cucore_objectcode* image) const {
  for (auto each = compiled_.rbegin(); each != compiled_.rend(); ++each)
    if (have_equal_bytes(each->code.get(), image)) return each->program;
  return {};
}

}  // namespace cucore::perf
