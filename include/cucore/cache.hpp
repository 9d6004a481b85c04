/// @file cucore/cache.hpp
/// The program cache: local tiers, remotes, statistics, maintenance.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_CACHE_HPP_INCLUDED
#define CUCORE_CACHE_HPP_INCLUDED

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "linker.hpp"
#include "program.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// Options of a cache.
struct CacheOptions {
  /// Default: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or ~/.cache/cucore. "" means only memory.
  std::optional<std::string> directory{};
  std::uint64_t max_bytes = 0;               ///< on disk; 0: 1 GiB
  std::uint64_t max_entries = 0;             ///< on disk; 0: 20000
  std::uint64_t max_memory = 0;              ///< bytes of object code in memory; 0: 64 MiB
  std::chrono::seconds max_age{};            ///< older entries are built again; 0: unlimited
  std::chrono::milliseconds lock_timeout{};  ///< for the build of another process; 0: 30 s
  bool read_only = false;                    ///< writes nothing to the disk
  bool hermetic = false;                     ///< refuses programs that read files from the disk
  bool durable = false;                      ///< an entry survives a power failure, at a price
  std::optional<bool> trust_toolkit{};       ///< see cucore_cache_options
  std::optional<bool> locking{};             ///< one build per key among processes
  std::string name_space{};                  ///< separates the entries of different name spaces
  std::optional<Key> signing_key{};          ///< signs entries for remotes; unset: sends nothing
  std::vector<Key> keys{};                   ///< verify entries of remotes; empty: accepts none
};

/// Counters and contents of a cache.
using CacheStatistics = cucore_cache_statistics_info;

/// One file of a cache. Strings live during the call that reports it.
struct CacheEntry {
  CacheKey key{};  ///< its name in the folder, in hexadecimal
  CacheFile kind = CacheFile::none;
  bool is_sound = false;            ///< false: damaged, and removed if the cache may write
  std::uint64_t size = 0;           ///< bytes of the file
  std::chrono::nanoseconds made{};  ///< since 1970
  std::chrono::nanoseconds used{};
  std::optional<CodeType> type{};  ///< of an entry that was read
  std::string_view name{};         ///< of the object code
  std::string_view arch{};         ///< "sm_90"
  std::string_view problem{};      ///< the damage; empty if sound
  std::size_t done = 0;            ///< entries examined so far ...
  std::size_t total = 0;           ///< ... of about so many
};

/// How to reach a remote that a URL names.
struct CacheRemoteOptions {
  bool read_only = false;                       ///< sends nothing to it
  std::chrono::milliseconds connect_timeout{};  ///< 0: 100 ms
  std::chrono::milliseconds timeout{};          ///< of one whole request; 0: 1 s
};

/// A place beyond this machine that stores results. Its functions are called from any thread,
/// several at a time; an exception that one throws counts as CacheAnswer::failed. In its functions,
/// the cache fails with INVALID_STATE.
class CacheRemote {
 public:
  virtual ~CacheRemote() = default;
  /// The name for messages, constant.
  virtual const char* name() const noexcept = 0;
  /// Whether put() is never called, constant.
  virtual bool is_read_only() const noexcept { return false; }
  /// Passes the bytes of a name to `receive`, at most once, at most 64 MiB.
  virtual CacheAnswer get(const char* name, const std::function<void(Bytes)>& receive) = 0;
  /// Stores bytes under a name.
  virtual CacheAnswer put(const char* name, Bytes data) {
    static_cast<void>(name);
    static_cast<void>(data);
    return CacheAnswer::failed;
  }
};

namespace detail {

inline std::uint32_t milliseconds(std::chrono::milliseconds time) noexcept {
  const auto count = time.count();
  if (count <= 0) return 0;
  return count < UINT32_MAX ? static_cast<std::uint32_t>(count) : UINT32_MAX;
}

inline CacheEntry entry(const cucore_cache_entry_info& info) {
  CacheEntry out;
  std::copy(std::begin(info.key), std::end(info.key), out.key.begin());
  out.kind = static_cast<CacheFile>(info.kind);
  out.is_sound = info.is_sound != 0;
  out.size = info.size;
  out.made = std::chrono::nanoseconds(info.made_ns);
  out.used = std::chrono::nanoseconds(info.used_ns);
  if (static_cast<std::int32_t>(info.type) != 0) out.type = static_cast<CodeType>(info.type);
  out.name = info.name;
  out.arch = info.arch;
  out.problem = info.problem;
  out.done = info.done;
  out.total = info.total;
  return out;
}

// A function of the program that is called with the files of a cache.
template <class Function>
struct Report {
  static std::int32_t deliver(const cucore_cache_entry_info* info, void* data) {
    auto& self = *static_cast<Report*>(data);
    bool more = false;
    self.captured.run([&] { more = value_of<bool>(true, self.function, entry(*info)); });
    return more;
  }

  Function& function;
  Captured captured{};
};

// A function of the program that builds object code.
template <class Function>
struct Build {
  static cucore_status deliver(cucore_objectcode** out, cucore_error** error, void* data) {
    auto& self = *static_cast<Build*>(data);
    cucore_status status = CUCORE_ERROR_INVALID_STATE;
    if (self.captured.run([&] { status = self.run(out, error); })) return status;
    return self.describe(error);
  }

  cucore_status run(cucore_objectcode** out, cucore_error** error) {
#if CUCORE_HPP_EXCEPTIONS
    ObjectCode code = function();
    static_cast<void>(error);
#else
    Result<ObjectCode> result = function();
    if (!result) {
      *error = Error(result.error()).release();
      return static_cast<cucore_status>(result.status());
    }
    ObjectCode code = *std::move(result);
#endif
    *out = code.release();
    return CUCORE_OK;
  }

  // For other threads that wait for this build; the caller itself gets the exception.
  cucore_status describe(cucore_error** error) const noexcept {
#if CUCORE_HPP_EXCEPTIONS
    try {
      captured.rethrow();
    } catch (const Error& thrown) {
      *error = Error(thrown).release();
      return static_cast<cucore_status>(thrown.status());
    } catch (...) {
    }
#endif
    static_cast<void>(error);
    return CUCORE_ERROR_INVALID_STATE;
  }

  Function& function;
  Captured captured{};
};

// The functions of C of a CacheRemote.
struct RemoteOfC {
  static CacheRemote& of(void* context) noexcept { return *static_cast<CacheRemote*>(context); }

  static cucore_cache_answer get(void* context, const char* name, cucore_cache_receive_fn receive,
                                 void* receiver) {
    CacheAnswer answer = CacheAnswer::failed;
    Captured().run([&] {
      answer = of(context).get(name,
                               [&](Bytes bytes) { receive(bytes.data(), bytes.size(), receiver); });
    });
    return static_cast<cucore_cache_answer>(answer);
  }

  static cucore_cache_answer put(void* context, const char* name, const void* data,
                                 std::size_t size) {
    CacheAnswer answer = CacheAnswer::failed;
    Captured().run([&] { answer = of(context).put(name, Bytes(data, size)); });
    return static_cast<cucore_cache_answer>(answer);
  }

  static void close(void* context) { delete static_cast<CacheRemote*>(context); }
};

}  // namespace detail

/// Stores what was compiled and linked before.
class Cache : public Owner<Cache, cucore_cache> {
 public:
  Cache() noexcept {}

  /// Opens a cache. Fails with IO if other users can write to its folder; a folder that cannot be
  /// written to is not a failure.
  static Returned<Cache> open(const CacheOptions& options = {}) {
    const std::vector<cucore_key> keys = detail::keys(options.keys);
    const cucore_key signing_key = detail::key(options.signing_key.value_or(Key()));
    cucore_cache_options c = CUCORE_CACHE_OPTIONS_INIT;
    c.directory = options.directory ? options.directory->c_str() : nullptr;
    c.max_bytes = options.max_bytes;
    c.max_entries = options.max_entries;
    c.max_memory = options.max_memory;
    c.max_age_seconds = static_cast<std::uint64_t>(options.max_age.count());
    c.lock_timeout_ms = detail::milliseconds(options.lock_timeout);
    c.read_only = options.read_only;
    c.hermetic = options.hermetic;
    c.durable = options.durable;
    c.trust_toolkit = detail::toggle(options.trust_toolkit);
    c.locking = detail::toggle(options.locking);
    c.name_space = detail::text(options.name_space);
    c.signing_key = options.signing_key ? &signing_key : nullptr;
    c.keys = keys.data();
    c.key_count = keys.size();
    return make<Cache>(cucore_cache_open, &c);
  }

  /// The folder in use; empty if everything is in memory.
  std::string_view directory() const noexcept { return cucore_cache_directory(get()); }

  /// As Program::compile(), but compiles only what was not compiled before.
  /// @param outcome  receives where the result came from, if not null
  Returned<ObjectCode> compile(const Program& program, CodeType target = CodeType::ptx,
                               const Names& name_expressions = {},
                               CacheOutcome* outcome = nullptr) const {
    return produce(
        outcome, [&](cucore_objectcode** out, cucore_cache_outcome* from, cucore_error** error) {
          return cucore_cache_compile(get(), program.get(), static_cast<cucore_code_type>(target),
                                      name_expressions.data(), name_expressions.size(), out, from,
                                      error);
        });
  }

  /// The object code that compile() would return without a compile; empty if it is not there.
  Returned<ObjectCode> find(const Program& program, CodeType target = CodeType::ptx,
                            const Names& name_expressions = {},
                            CacheOutcome* outcome = nullptr) const {
    return produce(outcome, [&](cucore_objectcode** out, cucore_cache_outcome* from,
                                cucore_error** error) {
      return cucore_cache_find(get(), program.get(), static_cast<cucore_code_type>(target),
                               name_expressions.data(), name_expressions.size(), out, from, error);
    });
  }

  /// As Linker::link(), but links only what was not linked before.
  Returned<ObjectCode> link(const Linker& linker, CodeType target = CodeType::cubin,
                            CacheOutcome* outcome = nullptr) const {
    return produce(
        outcome, [&](cucore_objectcode** out, cucore_cache_outcome* from, cucore_error** error) {
          return cucore_cache_link(get(), linker.get(), static_cast<cucore_code_type>(target), out,
                                   from, error);
        });
  }

  using Owner::get;
  /// The object code under a key of your own; empty if the cache has nothing.
  Returned<ObjectCode> get(const CacheKey& key) const {
    return make<ObjectCode>(cucore_cache_get, get(), key.data());
  }

  /// Stores object code under a key of your own. Failing to store it is not a failure of the call.
  Returned<void> put(const CacheKey& key, const ObjectCode& code) const {
    return call(cucore_cache_put, get(), key.data(), code.get());
  }

  /// Removes the result of a key of your own, or of an entry, from memory and the disk. Returns
  /// whether there was one.
  Returned<bool> remove(const CacheKey& key) const {
    return value<std::int32_t, bool>(cucore_cache_remove, get(), key.data());
  }

  /// Finds object code under a key of your own, or builds it: once for all threads and processes.
  /// @param build  returns `Returned<ObjectCode>`; must not request the same key. Its exception
  ///               passes through this call
  template <class Function>
  Returned<ObjectCode> get_or_build(const CacheKey& key, Function&& build,
                                    CacheOutcome* outcome = nullptr) const {
    detail::Build<std::remove_reference_t<Function>> caller{build};
    return produce(
        outcome,
        [&](cucore_objectcode** out, cucore_cache_outcome* from, cucore_error** error) {
          return cucore_cache_get_or_build(get(), key.data(), caller.deliver, &caller, out, from,
                                           error);
        },
        &caller.captured);
  }

  /// The work of this cache since it was opened, and the contents of its folder.
  Returned<CacheStatistics> statistics() const { return read(cucore_cache_statistics); }
  /// The same of all caches that have used this folder.
  Returned<CacheStatistics> statistics_of_all() const {
    return read(cucore_cache_statistics_of_all);
  }

  /// Removes the least recently used files until at most `max_bytes` are left; 0 removes all.
  Returned<void> trim(std::uint64_t max_bytes) const {
    return call(cucore_cache_trim, get(), max_bytes, nullptr, nullptr);
  }
  /// @param report  called with a CacheEntry for each file removed; may return false to stop
  template <class Function>
  Returned<void> trim(std::uint64_t max_bytes, Function&& report) const {
    detail::Report<std::remove_reference_t<Function>> caller{report};
    return reported(caller.captured, [&](cucore_error** error) {
      return cucore_cache_trim(get(), max_bytes, caller.deliver, &caller, error);
    });
  }

  /// Reads every file and removes those that are damaged; returns their number.
  Returned<std::uint64_t> verify() const {
    return value<std::uint64_t>(cucore_cache_verify, get(), nullptr, nullptr);
  }
  /// @param report  called with a CacheEntry for each file; may return false to stop
  /// @param bad     receives the number of damaged files, if not null
  template <class Function>
  Returned<void> verify(Function&& report, std::uint64_t* bad) const {
    detail::Report<std::remove_reference_t<Function>> caller{report};
    return reported(caller.captured, [&](cucore_error** error) {
      return cucore_cache_verify(get(), caller.deliver, &caller, bad, error);
    });
  }

  /// Calls `report` with a CacheEntry for each entry; it may return false to stop.
  template <class Function>
  Returned<void> query(Function&& report) const {
    detail::Report<std::remove_reference_t<Function>> caller{report};
    return reported(caller.captured, [&](cucore_error** error) {
      return cucore_cache_query(get(), caller.deliver, &caller, error);
    });
  }

  /// The reason why compile() would have to compile, in several lines; the first begins with "hit",
  /// "miss" or "bypassed".
  Returned<std::string> explain_miss(const Program& program, CodeType target = CodeType::ptx,
                                     const Names& name_expressions = {}) const {
    std::string text;
    std::size_t size = 0;
    cucore_error* error = nullptr;
    cucore_status status = CUCORE_OK;
    // The text may become longer between two calls.
    do {
      cucore_error_release(std::exchange(error, nullptr));
      text.resize(size);
      status = cucore_cache_explain_miss(
          get(), program.get(), static_cast<cucore_code_type>(target), name_expressions.data(),
          name_expressions.size(), text.empty() ? nullptr : text.data(), text.size(), &size,
          &error);
      if (status != CUCORE_OK && status != CUCORE_ERROR_BUFFER_TOO_SMALL)
        return detail::failed<std::string>(status, error);
    } while (text.size() < size);
    text.resize(size - 1);
    return text;
  }

  /// Adds a remote, which is requested if memory and disk have nothing. The cache destroys it after
  /// its last call, also if this call fails.
  Returned<void> add_remote(std::unique_ptr<CacheRemote> remote) const {
    cucore_cache_remote c = CUCORE_CACHE_REMOTE_INIT;
    if (remote) {
      c.get = detail::RemoteOfC::get;
      c.put = remote->is_read_only() ? nullptr : detail::RemoteOfC::put;
      c.close = detail::RemoteOfC::close;
      c.name = remote->name();
    }
    c.context = remote.release();
    return call(cucore_cache_add_remote, get(), &c);
  }

  /// Adds the remote that a URL of the scheme file, http, https or redis names. Fails with
  /// LIBRARY_MISSING without its plug-in.
  Returned<void> add_remote_url(const Name& url, const CacheRemoteOptions& options = {}) const {
    cucore_cache_remote_options c = CUCORE_CACHE_REMOTE_OPTIONS_INIT;
    c.read_only = options.read_only;
    c.connect_timeout_ms = detail::milliseconds(options.connect_timeout);
    c.timeout_ms = detail::milliseconds(options.timeout);
    return call(cucore_cache_add_remote_url, get(), url.c_str(), &c);
  }

 private:
  template <class Function>
  static Returned<ObjectCode> produce(CacheOutcome* outcome, Function&& function,
                                      const detail::Captured* captured = nullptr) {
    cucore_objectcode* out = nullptr;
    cucore_cache_outcome from = CUCORE_CACHE_OUTCOME_NONE;
    cucore_error* error = nullptr;
    const cucore_status status = function(&out, &from, &error);
    if (outcome) *outcome = static_cast<CacheOutcome>(from);
    if (CUCORE_HPP_FAILED(status)) {
      Error failure(status, error);
      if (captured) captured->rethrow();
      return detail::failed<ObjectCode>(std::move(failure));
    }
    return ObjectCode::adopt(out);
  }

  template <class Function>
  static Returned<void> reported(const detail::Captured& captured, Function&& function) {
    cucore_error* error = nullptr;
    const cucore_status status = function(&error);
    Error failure(status, error);
    captured.rethrow();
    if (failure) return detail::failed<void>(std::move(failure));
    return Returned<void>();
  }

  Returned<CacheStatistics> read(decltype(&cucore_cache_statistics) function) const {
    CacheStatistics out = CUCORE_CACHE_STATISTICS_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = function(get(), &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<CacheStatistics>(status, error);
    return out;
  }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_CACHE_HPP_INCLUDED
