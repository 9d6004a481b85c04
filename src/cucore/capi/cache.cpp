// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "capi/error_object.hpp"
#include "capi/guard.hpp"
#include "capi/held_cache.hpp"
#include "capi/keys.hpp"
#include "capi/observed.hpp"
#include "service/cached_compile.hpp"
#include "support/concat.hpp"

using namespace cucore::capi;
using cucore::concat;
using cucore::Error;
using cucore::Object;
using cucore::Ref;
using cucore::Status;
using cucore::image::CodeType;
namespace cache = cucore::cache;
namespace container = cucore::container;
namespace service = cucore::service;

namespace {

constexpr size_t FIRST_CACHE_OPTIONS = offsetof(cucore_cache_options, key_count) + sizeof(size_t);
constexpr size_t FIRST_STATISTICS =
    offsetof(cucore_cache_statistics_info, remote_refused) + sizeof(uint64_t);

#define SAME(name) \
  static_assert(CUCORE_CACHE_OUTCOME_##name == static_cast<int>(cache::Outcome::name))
SAME(HIT_MEMORY);
SAME(HIT_DISK);
SAME(HIT_REMOTE);
SAME(JOINED);
SAME(BUILT);
SAME(NOT_STORED);
SAME(BYPASSED);
#undef SAME

cache::Settings read(const cucore_cache_options* given) {
  const auto options = cucore::read_options(given, FIRST_CACHE_OPTIONS, "cucore_cache_options");
  cache::Settings out;
  out.is_off = cache::is_switched_off();
  out.directory = options.directory ? options.directory : cache::default_directory();
  if (options.max_bytes) out.max_bytes = options.max_bytes;
  if (options.max_entries) out.max_entries = options.max_entries;
  if (options.max_memory) out.memory_bytes = options.max_memory;
  out.max_age = std::chrono::seconds(std::min<uint64_t>(options.max_age_seconds, 1u << 31));
  if (options.lock_timeout_ms)
    out.lock_timeout = std::chrono::milliseconds(options.lock_timeout_ms);
  out.read_only = require_flag(options.read_only, "cucore_cache_options.read_only");
  out.hermetic = require_flag(options.hermetic, "cucore_cache_options.hermetic");
  out.durable = require_flag(options.durable, "cucore_cache_options.durable");
  out.trust_toolkit =
      require_toggle(options.trust_toolkit, false, "cucore_cache_options.trust_toolkit");
  const bool locking = require_toggle(options.locking, true, "cucore_cache_options.locking");
  if (options.locking != CUCORE_TOGGLE_DEFAULT) out.locking = locking;
  out.name_space = options.name_space ? options.name_space : "";
  if (options.signing_key)
    out.signing_key =
        to_key<container::SigningKey>(*options.signing_key, "cucore_cache_options.signing_key");
  for (const cucore_key& key :
       require_array(options.keys, options.key_count, "cucore_cache_options.keys"))
    out.keys.push_back(to_key<container::VerifyingKey>(key, "cucore_cache_options.keys"));
  return out;
}

container::Digest read_key(const uint8_t* key) {
  container::Digest digest{};
  std::memcpy(digest.data(), require(key, "key"), digest.size());
  return digest;
}

service::CompileRequest read_request(const cucore_program* program, cucore_code_type target,
                                     const char* const* name_expressions,
                                     size_t name_expression_count) {
  auto source = share(program, "program");
  return {std::move(source), static_cast<CodeType>(target),
          require_strings(name_expressions, name_expression_count, "name_expressions")};
}

void write(const service::CachedCode& result, cucore_objectcode** out,
           cucore_cache_outcome* outcome) {
  *out = wrap(*result.code);
  if (outcome) *outcome = static_cast<cucore_cache_outcome>(result.outcome);
}

[[gnu::cold, gnu::noinline]] void compile_observed(cache::Cache& cache,
                                                   const service::CompileRequest& request,
                                                   cucore_objectcode** out,
                                                   cucore_cache_outcome* outcome) {
  core::observe({.kind = CUCORE_OPERATION_COMPILE, .program = request.program.get()},
                [&](core::Operation& operation) {
                  const auto result = service::compile(cache, request);
                  write(result, out, outcome);
                  operation.code = result.code.get();
                });
}

[[gnu::cold, gnu::noinline]] void link_observed(cache::Cache& cache, core::Linker& linker,
                                                CodeType target, cucore_objectcode** out,
                                                cucore_cache_outcome* outcome) {
  core::observe({.kind = CUCORE_OPERATION_LINK}, [&](core::Operation& operation) {
    const auto result = service::link(cache, linker, target);
    write(result, out, outcome);
    operation.code = result.code.get();
  });
}

// Converts the failure of a function of the caller, and releases the error.
Error to_error(cucore_status status, cucore_error* error) {
  const ErrorObject* object = error_object(error);
  if (!object)
    return {static_cast<Status>(status),
            concat("the build function failed with ", cucore_status_name(status))};
  const Error copy = object->error;
  cucore_error_release(error);
  return copy;
}

// The build function of the caller, as the cache calls it.
struct CallersBuild {
  cucore_cache_build_fn build;
  void* user_data;

  Ref<const Object> operator()() const {
    cucore_objectcode* code = nullptr;
    cucore_error* error = nullptr;
    const cucore_status status = build(&code, &error, user_data);
    if (status != CUCORE_OK) throw to_error(status, error);
    const Ref<const Object> object = share(code, "what the build function gave");
    cucore_objectcode_release(code);
    return object;
  }
};

cucore_cache_statistics_info to_c(cache::Cache& self, const cache::Counters::Events& events) {
  cucore_cache_statistics_info out{};
  const cache::Usage usage = self.maintenance().usage();
  out.entries = static_cast<uint64_t>(usage.files);
  out.bytes = static_cast<uint64_t>(usage.bytes);
  out.max_entries = self.settings().max_entries;
  out.max_bytes = self.settings().max_bytes;
#define EVENT(name, field) out.field = events[static_cast<size_t>(cache::Event::name)];
#include "cache/events.inc"
#undef EVENT
  return out;
}

cache::Counters::Events own_events(const cache::Cache& self) {
  cache::Counters::Events events{};
  for (size_t i = 0; i < static_cast<size_t>(cache::Event::COUNT); ++i)
    events[i] = self.statistics().of(static_cast<cache::Event>(i));
  return events;
}

cache::Report to_report(cucore_cache_report_fn report, void* user_data) {
  if (!report) return nullptr;
  return [=](const cache::EntryReport& entry) {
    cucore_cache_entry_info info{};
    info.struct_size = sizeof info;
    std::memcpy(info.key, entry.key.data(), sizeof info.key);
    info.kind = static_cast<cucore_cache_file>(static_cast<int>(entry.kind) + 1);
    info.is_sound = entry.is_sound;
    info.size = entry.size;
    info.made_ns = entry.made_ns;
    info.used_ns = entry.used_ns;
    info.type = static_cast<cucore_code_type>(entry.type);
    info.name = entry.name.c_str();
    info.arch = entry.arch.c_str();
    info.problem = entry.problem.c_str();
    info.done = entry.done;
    info.total = entry.total;
    return report(&info, user_data) != 0;
  };
}

void copy_text(const std::string& text, char* buffer, size_t capacity, size_t* size) {
  *size = text.size() + 1;
  if (capacity == 0) return;
  if (capacity < *size)
    throw Error(Status::BUFFER_TOO_SMALL,
                cucore::concat("the text needs ", *size, " bytes and the buffer has ", capacity));
  std::memcpy(buffer, text.c_str(), *size);
}

// The events are the argument of `events_of`.
template <class EventsOf>
void tell(cucore_cache* cache, cucore_cache_statistics_info* out, EventsOf&& events_of) {
  if (out) cucore::clear_info(out, FIRST_STATISTICS);
  const HeldCache self(cache);
  require(out, "out");
  cucore::write_info(out, to_c(*self, events_of(*self)), FIRST_STATISTICS,
                     "cucore_cache_statistics_info");
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_cache_open(const cucore_cache_options* options, cucore_cache** out,
                                           cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = wrap(service::open_cache(read(options)));
  });
}

CUCORE_API cucore_cache* cucore_cache_retain(const cucore_cache* cache) { return retain(cache); }

CUCORE_API void cucore_cache_release(cucore_cache* cache) {
  if (const auto* self = peek(cache)) const_cast<cache::UserCache*>(self)->prepare_release();
  release(cache);
}

CUCORE_API const char* cucore_cache_directory(const cucore_cache* cache) {
  const auto* self = peek(cache);
  return self && self->opened().has_disk() ? self->opened().settings().directory.c_str() : "";
}

CUCORE_API cucore_status cucore_cache_compile(cucore_cache* cache, const cucore_program* program,
                                              cucore_code_type target,
                                              const char* const* name_expressions,
                                              size_t name_expression_count, cucore_objectcode** out,
                                              cucore_cache_outcome* outcome, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    clear(outcome);
    const HeldCache self(cache);
    const auto request = read_request(program, target, name_expressions, name_expression_count);
    require(out, "out");
    if (is_observed(CUCORE_OPERATION_COMPILE)) [[unlikely]]
      return compile_observed(*self, request, out, outcome);
    write(service::compile(*self, request), out, outcome);
  });
}

CUCORE_API cucore_status cucore_cache_find(cucore_cache* cache, const cucore_program* program,
                                           cucore_code_type target,
                                           const char* const* name_expressions,
                                           size_t name_expression_count, cucore_objectcode** out,
                                           cucore_cache_outcome* outcome, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    clear(outcome);
    const HeldCache self(cache);
    const auto request = read_request(program, target, name_expressions, name_expression_count);
    require(out, "out");
    if (const auto found = service::find(*self, request); found.code) write(found, out, outcome);
  });
}

CUCORE_API cucore_status cucore_cache_link(cucore_cache* cache, cucore_linker* linker,
                                           cucore_code_type target, cucore_objectcode** out,
                                           cucore_cache_outcome* outcome, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    clear(outcome);
    const HeldCache self(cache);
    const auto links = share(linker, "linker");
    require(out, "out");
    if (is_observed(CUCORE_OPERATION_LINK)) [[unlikely]]
      return link_observed(*self, *links, static_cast<CodeType>(target), out, outcome);
    write(service::link(*self, *links, static_cast<CodeType>(target)), out, outcome);
  });
}

CUCORE_API cucore_status cucore_cache_get(cucore_cache* cache, const uint8_t key[32],
                                          cucore_objectcode** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const HeldCache self(cache);
    const container::Digest digest = read_key(key);
    require(out, "out");
    const auto found = service::to_code(self->get(digest));
    if (found.code) write(found, out, nullptr);
  });
}

CUCORE_API cucore_status cucore_cache_put(cucore_cache* cache, const uint8_t key[32],
                                          const cucore_objectcode* code, cucore_error** error) {
  return guard(error, [&] {
    const HeldCache self(cache);
    const container::Digest digest = read_key(key);
    self->put(digest, *share(code, "code"));
  });
}

CUCORE_API cucore_status cucore_cache_remove(cucore_cache* cache, const uint8_t key[32],
                                             int32_t* removed, cucore_error** error) {
  return guard(error, [&] {
    clear(removed);
    const HeldCache self(cache);
    const container::Digest digest = read_key(key);
    require(removed, "removed");
    *removed = self->remove(digest);
  });
}

CUCORE_API cucore_status cucore_cache_get_or_build(cucore_cache* cache, const uint8_t key[32],
                                                   cucore_cache_build_fn build, void* user_data,
                                                   cucore_objectcode** out,
                                                   cucore_cache_outcome* outcome,
                                                   cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    clear(outcome);
    const HeldCache self(cache);
    const container::Digest digest = read_key(key);
    require(build, "build");
    require(out, "out");
    const cache::Result result = self->get_or_build(digest, {CallersBuild{build, user_data}, {}});
    write(service::to_code(result), out, outcome);
  });
}

CUCORE_API cucore_status cucore_cache_statistics(cucore_cache* cache,
                                                 cucore_cache_statistics_info* out,
                                                 cucore_error** error) {
  return guard(error, [&] { tell(cache, out, own_events); });
}

CUCORE_API cucore_status cucore_cache_statistics_of_all(cucore_cache* cache,
                                                        cucore_cache_statistics_info* out,
                                                        cucore_error** error) {
  return guard(
      error, [&] { tell(cache, out, [](auto& self) { return self.maintenance().all_events(); }); });
}

CUCORE_API cucore_status cucore_cache_trim(cucore_cache* cache, uint64_t max_bytes,
                                           cucore_cache_report_fn report, void* user_data,
                                           cucore_error** error) {
  return guard(error, [&] {
    HeldCache(cache)->maintenance().trim({max_bytes, UINT64_MAX}, to_report(report, user_data));
  });
}

CUCORE_API cucore_status cucore_cache_verify(cucore_cache* cache, cucore_cache_report_fn report,
                                             void* user_data, uint64_t* bad, cucore_error** error) {
  return guard(error, [&] {
    clear(bad);
    const uint64_t found = HeldCache(cache)->maintenance().verify(to_report(report, user_data));
    if (bad) *bad = found;
  });
}

CUCORE_API cucore_status cucore_cache_query(cucore_cache* cache, cucore_cache_report_fn report,
                                            void* user_data, cucore_error** error) {
  return guard(error, [&] {
    const HeldCache self(cache);
    self->maintenance().query(to_report(require(report, "report"), user_data));
  });
}

CUCORE_API cucore_status cucore_cache_explain_miss(
    cucore_cache* cache, const cucore_program* program, cucore_code_type target,
    const char* const* name_expressions, size_t name_expression_count, char* buffer,
    size_t capacity, size_t* size, cucore_error** error) {
  return guard(error, [&] {
    clear(size);
    const HeldCache self(cache);
    const auto request = read_request(program, target, name_expressions, name_expression_count);
    if (capacity != 0) require(buffer, "buffer");
    require(size, "size");
    copy_text(service::explain_miss(*self, request), buffer, capacity, size);
  });
}

}  // extern "C"
