// SPDX-License-Identifier: Apache-2.0
#include "core/compile/batch.hpp"

#include <cstddef>
#include <mutex>
#include <optional>

#include "capi/error_object.hpp"
#include "capi/guard.hpp"
#include "capi/held_cache.hpp"
#include "core/compile/worker.hpp"
#include "support/text.hpp"

using namespace cucore::capi;
using cucore::Object;
using cucore::Ref;
using cucore::text;
using cucore::image::CodeType;
namespace cache = cucore::cache;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_OPTIONS = offsetof(cucore_batch_options, user_data) + sizeof(void*);

struct Item {
  Ref<const core::Program> program;
  CodeType target;
  std::vector<std::string> names;
};

std::vector<Item> read_items(std::span<const cucore_batch_item> given) {
  std::vector<Item> items;
  for (const cucore_batch_item& one : given) {
    require_zero(one.reserved, "cucore_batch_item.reserved");
    items.push_back({share(one.program, "cucore_batch_item.program"),
                     static_cast<CodeType>(one.target),
                     require_strings(one.name_expressions, one.name_expression_count,
                                     "cucore_batch_item.name_expressions")});
  }
  return items;
}

Ref<const Object> compile(cache::Cache* cache, const Item& item, core::NvrtcRunner& runner) {
  const cache::Build build = {
      [&]() -> Ref<const Object> { return item.program->compile(item.target, item.names, runner); },
      [&](const std::string& path) { item.program->trace_files(item.target, item.names, path); }};
  if (!cache) return build.build();
  return cache->get_or_build(*item.program->inputs(item.target, item.names), build).object;
}

// Where the items' results go, and who is told of them.
class Results {
 public:
  Results(const cucore_batch_options& options, size_t count, cucore_objectcode** out,
          cucore_error** failures)
      : options_(options), count_(count), out_(out), failures_(failures) {}

  void compile(cache::Cache* cache, const Item& item, size_t index, core::NvrtcRunner& runner) {
    cucore_objectcode* made = nullptr;
    cucore_error* failure = nullptr;
    guard(&failure, [&] {
      const Ref<const Object> object = ::compile(cache, item, runner);
      made = wrap(static_cast<const core::ObjectCode&>(*object));
    });
    std::lock_guard lock(mutex_);
    out_[index] = made;
    ++done_;
    if (options_.report) options_.report(index, done_, count_, failure, options_.user_data);
    if (failures_)
      failures_[index] = failure;
    else
      cucore_error_release(failure);
  }

  // The whole call failed: nothing is handed out.
  void take_back() noexcept {
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
  std::mutex mutex_;
  size_t done_ = 0;
};

// Takes everything back unless it is told that all went well.
class Undo {
 public:
  explicit Undo(Results& results) : results_(&results) {}
  ~Undo() {
    if (results_) results_->take_back();
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  void forget() { results_ = nullptr; }

 private:
  Results* results_;
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
    const auto with = cucore::read_options(options, FIRST_OPTIONS, "cucore_batch_options");
    require_zero(with.reserved, "cucore_batch_options.reserved");
    const std::vector<Item> all = read_items(require_array(items, count, "items"));
    if (count != 0) require(out, "out");
    std::optional<HeldCache> held;
    if (with.cache) held.emplace(with.cache, "cucore_batch_options.cache");
    cache::Cache* const cache = held ? &**held : nullptr;
    if (count != 0) core::Worker::find_program();
    Results results(with, count, out, failures);
    Undo undo(results);
    const cache::Building* const callers = cache::Building::current();
    core::run_batch(count, with.workers, std::chrono::milliseconds(with.time_limit_ms),
                    [&](size_t index, core::NvrtcRunner& runner) {
                      const cache::BuildsFor caller(callers);
                      results.compile(cache, all[index], index, runner);
                    });
    undo.forget();
  });
}

}  // extern "C"
