// SPDX-License-Identifier: Apache-2.0
#include "service/batch.hpp"

#include <cstddef>
#include <optional>

#include "capi/guard.hpp"
#include "capi/held_cache.hpp"
#include "capi/observed.hpp"

using namespace cucore::capi;
using cucore::image::CodeType;
namespace service = cucore::service;

namespace {

constexpr size_t FIRST_BATCH_OPTIONS = offsetof(cucore_batch_options, user_data) + sizeof(void*);

std::vector<service::CompileRequest> read_items(std::span<const cucore_batch_item> given) {
  std::vector<service::CompileRequest> items;
  for (const cucore_batch_item& one : given) {
    require_zero(one.reserved, "cucore_batch_item.reserved");
    items.push_back({share(one.program, "cucore_batch_item.program"),
                     static_cast<CodeType>(one.target),
                     require_strings(one.name_expressions, one.name_expression_count,
                                     "cucore_batch_item.name_expressions")});
  }
  return items;
}

// The outputs of the caller.
class Outputs {
 public:
  Outputs(const cucore_batch_options& options, size_t count, cucore_objectcode** out,
          cucore_error** failures)
      : options_(options), count_(count), out_(out), failures_(failures) {}

  void write(size_t index, size_t done, const service::BatchResult& result) {
    cucore_error* failure = nullptr;
    guard(&failure, [&] {
      if (result.failure) std::rethrow_exception(result.failure);
      out_[index] = wrap(*result.code);
    });
    if (options_.report) options_.report(index, done, count_, failure, options_.user_data);
    if (failures_)
      failures_[index] = failure;
    else
      cucore_error_release(failure);
  }

  // After a failure of the whole call.
  void clear() noexcept {
    for (size_t i = 0; i < count_; ++i) {
      cucore_objectcode_release(std::exchange(out_[i], nullptr));
      if (failures_) cucore_error_release(std::exchange(failures_[i], nullptr));
    }
  }

 private:
  const cucore_batch_options& options_;
  const size_t count_;
  cucore_objectcode** const out_;
  cucore_error** const failures_;
};

// Clears the outputs unless the call succeeds.
class Undo {
 public:
  explicit Undo(Outputs& outputs) : outputs_(&outputs) {}
  ~Undo() {
    if (outputs_) outputs_->clear();
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  void forget() { outputs_ = nullptr; }

 private:
  Outputs* outputs_;
};

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_program_compile_batch(const cucore_batch_item* items, size_t count,
                                                      const cucore_batch_options* options,
                                                      cucore_objectcode** out,
                                                      cucore_error** failures,
                                                      cucore_error** error) {
  return guard(error, [&] {
    for (size_t i = 0; i < count; ++i) {
      if (out) out[i] = nullptr;
      if (failures) failures[i] = nullptr;
    }
    const auto with = cucore::read_options(options, FIRST_BATCH_OPTIONS, "cucore_batch_options");
    require_zero(with.reserved, "cucore_batch_options.reserved");
    const auto all = read_items(require_array(items, count, "items"));
    if (count != 0) require(out, "out");
    std::optional<HeldCache> held;
    if (with.cache) held.emplace(with.cache, "cucore_batch_options.cache");
    Outputs outputs(with, count, out, failures);
    Undo undo(outputs);
    const auto compile = [&] {
      service::compile_batch(
          all,
          {held ? &**held : nullptr, with.workers, std::chrono::milliseconds(with.time_limit_ms)},
          [&](size_t index, size_t done, const service::BatchResult& result) {
            outputs.write(index, done, result);
          });
    };
    if (is_observed(CUCORE_OPERATION_COMPILE)) [[unlikely]]
      core::observe({.kind = CUCORE_OPERATION_COMPILE, .size = count},
                    [&](core::Operation&) { compile(); });
    else
      compile();
    undo.forget();
  });
}

}  // extern "C"
