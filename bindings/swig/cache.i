// SPDX-License-Identifier: Apache-2.0
// Section "Cache" of cucore.h. Remotes as tables of functions are left out, because threads of the
// library call them, and code of a language never runs there. A builder runs on the calling thread:
// see cpp/builder.hpp.

/** Files of a cache, as they were at the time of the report. */
struct CacheEntries {
  %extend {
    ~CacheEntries() { delete $self; }
    //: fields cucore_cache_entry_info $self->at(index)
    %immutable;
    /** The number of files. */
    size_t count;
    %mutable;
  }
};
%{
static size_t CacheEntries_count_get(CacheEntries *entries) { return entries->size(); }
%}

%extend Cache {
  //: cucore_cache_get_or_build
  ObjectCode *get_or_build(const void *key, size_t key_size, Builder &build, cucore_cache_outcome *outcome) {
    return cucore::bind::get_or_build(held($self), cucore::bind::cache_key(key, key_size), build, outcome);
  }
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
