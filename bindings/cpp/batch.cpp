// SPDX-License-Identifier: Apache-2.0
// Runs a batch.
#include "batch.hpp"

#include "caching.hpp"
#include "failure.hpp"

namespace cucore::bind {

void Batch::add(const cucore_program* program, cucore_code_type target, const char* const* names,
                size_t name_count) {
  Item& item = items_.emplace_back();
  item.program = Program::share(program);
  item.target = target;
  item.names.assign(names, names + name_count);
  for (const std::string& name : item.names) item.pointers.push_back(name.c_str());
}

void Batch::run(int64_t workers, int64_t time_limit_ms, cucore_cache* cache) {
  cucore_batch_options options = CUCORE_BATCH_OPTIONS_INIT;
  options.workers = to_uint32(workers, "workers");
  options.time_limit_ms = to_uint32(time_limit_ms, "time_limit_ms");
  options.cache = cache;
  std::vector<cucore_batch_item> items;
  for (const Item& item : items_)
    items.push_back(
        {item.program.get(), item.target, 0, item.pointers.data(), item.pointers.size()});
  std::vector<cucore_objectcode*> codes(items.size());
  std::vector<cucore_error*> errors(items.size());
  codes_.reserve(items.size());
  errors_.reserve(items.size());
  ok(cucore_program_compile_batch, items.data(), items.size(), &options, codes.data(),
     errors.data());
  for (cucore_objectcode* code : codes) codes_.push_back(ObjectCode::adopt(code));
  for (cucore_error* error : errors) errors_.push_back(Error::adopt(error));
}

void Batch::require_done(size_t index) const {
  if (index >= codes_.size())
    throw Failure(CUCORE_ERROR_INVALID_ARGUMENT, "the index exceeds the results of the batch");
}

cucore_objectcode* Batch::code(size_t index) const {
  require_done(index);
  return ObjectCode(codes_[index]).release();
}

void Batch::check(size_t index) const {
  require_done(index);
  if (errors_[index]) throw Failure(errors_[index]);
}

}  // namespace cucore::bind
