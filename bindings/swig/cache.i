// SPDX-License-Identifier: Apache-2.0
// Section "Cache" of cucore.h. Remotes as tables of functions are left out, because threads of the
// library call them, and code of a language never runs there. A builder runs on the calling thread:
// see cpp/builder.hpp.

/** Files of a cache, as they were at the time of the report. */
struct CacheEntries {
  %extend {
    ~CacheEntries() { delete $self; }
    /** The 32 bytes of its key. */
    Bytes key(size_t index) { return {$self->at(index).key, sizeof $self->at(index).key}; }
    /** The kind of file. */
    cucore_cache_file kind(size_t index) { return $self->at(index).kind; }
    /** Whether it is intact. */
    bool is_sound(size_t index) { return $self->at(index).is_sound != 0; }
    /** Its bytes. */
    uint64_t size(size_t index) { return $self->at(index).size; }
    /** The time of its creation: nanoseconds since 1970. */
    int64_t made_ns(size_t index) { return $self->at(index).made_ns; }
    /** The time of its last use: nanoseconds since 1970. */
    int64_t used_ns(size_t index) { return $self->at(index).used_ns; }
    /** The kind of its code; 0 if it was not read. */
    int32_t type(size_t index) { return $self->at(index).type; }
    /** The name of its code. */
    const char *name(size_t index) { return $self->at(index).name; }
    /** The architecture of its code. */
    const char *arch(size_t index) { return $self->at(index).arch; }
    /** The description of its damage. */
    const char *problem(size_t index) { return $self->at(index).problem; }

    %immutable;
    /** The number of files. */
    size_t count;
    %mutable;
  }
};
%{
static size_t CacheEntries_count_get(CacheEntries *entries) { return entries->size(); }

// The bytes after struct_size: each field has 64 bits, in the header's order.
template <class Ask>
static Bytes cache_statistics(Cache *cache, Ask *ask) {
  static thread_local cucore_cache_statistics_info info;
  info = CUCORE_CACHE_STATISTICS_INFO_INIT;
  ok(ask, held(cache), &info);
  return {&info.entries, sizeof info - offsetof(cucore_cache_statistics_info, entries)};
}
%}

%extend Cache {
  //: cucore_cache_get_or_build
  ObjectCode *get_or_build(const void *key, size_t key_size, Builder &build, cucore_cache_outcome *outcome) {
    return cucore::bind::get_or_build(held($self), cucore::bind::cache_key(key, key_size), build, outcome);
  }
  //: cucore_cache_statistics
  Bytes statistics() { return cache_statistics($self, cucore_cache_statistics); }
  //: cucore_cache_statistics_of_all
  Bytes statistics_of_all() { return cache_statistics($self, cucore_cache_statistics_of_all); }
  //: cucore_cache_query
  CacheEntries *entries() { return CacheEntries::of_query(held($self)); }
  //: cucore_cache_verify
  CacheEntries *verify() { return CacheEntries::of_verify(held($self)); }
  //: cucore_cache_trim
  CacheEntries *trim(uint64_t max_bytes) { return CacheEntries::of_trim(held($self), max_bytes); }
  //: cucore_cache_explain_miss
  const char *explain_miss(Program *program, cucore_code_type target, const char *const *names, size_t name_count) {
    static thread_local std::string words;
    words = cucore::bind::respell(cucore::bind::explain_miss(held($self), held(program), target, names, name_count));
    return words.c_str();
  }
  //: cucore_cache_add_remote_url
  void add_remote(const char *url, bool read_only = false, int64_t connect_timeout_ms = 0, int64_t timeout_ms = 0) {
    cucore::bind::add_remote(held($self), url, read_only, connect_timeout_ms, timeout_ms);
  }
}
