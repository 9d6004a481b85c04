// SPDX-License-Identifier: Apache-2.0
// Caches. If the compile or the link fails, then the call fails. A failure inside the cache does
// not concern the caller, so a call may succeed after a failed allocation.
#include "world.hpp"

namespace sweep {

Cache make_cache() {
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = "";
  cucore_cache* out = nullptr;
  if (cucore_cache_open(&options, &out, nullptr) != CUCORE_OK) throw std::runtime_error("cache");
  return Cache::adopt(out);
}

namespace {

constexpr uint8_t KEY[32] = {1, 2, 3};

// A complete result counts as a success without a loss.
template <class T, class Call>
void gives(Run& run, void (*release)(T*), Call&& call) {
  T* out = Run::garbage<T>();
  run.call([&](cucore_error** error) { return call(&out, error); });
  run.output("out", out);
  if (!run.ok()) return;
  EXPECT_NE(out, nullptr);
  if (run.failed_call().empty()) run.tolerate();
  const std::string& called = run.failed_call();
  if (called == "nvrtcGetProgramLogSize" || called == "nvrtcGetProgramLog") run.tolerate();
  release(out);
}

void open_cache(Run& run, World&) {
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = "";
  options.name_space = "a name space whose name is longer than any small string";
  makes<cucore_cache>(run, cucore_cache_release, [&](auto** out, auto** error) {
    return cucore_cache_open(&options, out, error);
  });
}

void compile(Run& run, World& world) {
  const Cache cache = make_cache();
  const char* expressions[] = {"scale<float>"};
  gives<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
    return cucore_cache_compile(cache.get(), world.program.get(), CUCORE_CODE_TYPE_CUBIN,
                                expressions, 1, out, nullptr, error);
  });
}

void link(Run& run, World& world) {
  const Cache cache = make_cache();
  const Linker linker = make_linker();
  cucore_linker_add(linker.get(), world.code.get(), nullptr);
  gives<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
    return cucore_cache_link(cache.get(), linker.get(), CUCORE_CODE_TYPE_CUBIN, out, nullptr,
                             error);
  });
}

cucore_status give_code(cucore_objectcode** out, cucore_error**, void* code) {
  *out = cucore_objectcode_retain(static_cast<cucore_objectcode*>(code));
  return CUCORE_OK;
}

void get_or_build(Run& run, World& world) {
  const Cache cache = make_cache();
  gives<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
    return cucore_cache_get_or_build(cache.get(), KEY, give_code, world.code.get(), out, nullptr,
                                     error);
  });
}

void put(Run& run, World& world) {
  const Cache cache = make_cache();
  run.call(
      [&](auto** error) { return cucore_cache_put(cache.get(), KEY, world.code.get(), error); });
  if (run.ok()) run.tolerate();
}

void get(Run& run, World& world) {
  const Cache cache = make_cache();
  cucore_cache_put(cache.get(), KEY, world.code.get(), nullptr);
  cucore_objectcode* out = Run::garbage<cucore_objectcode>();
  run.call([&](auto** error) { return cucore_cache_get(cache.get(), KEY, &out, error); });
  run.output("out", out);
  if (run.ok()) run.tolerate();
  if (run.ok()) cucore_objectcode_release(out);
}

void remove(Run& run, World& world) {
  const Cache cache = make_cache();
  cucore_cache_put(cache.get(), KEY, world.code.get(), nullptr);
  int32_t removed = 77;
  run.call([&](auto** error) { return cucore_cache_remove(cache.get(), KEY, &removed, error); });
  run.output("removed", removed);
  if (run.ok()) {
    EXPECT_EQ(removed, 1);
  }
}

template <class Function>
void statistics(Run& run, Function function) {
  const Cache cache = make_cache();
  cucore_cache_statistics_info info = CUCORE_CACHE_STATISTICS_INFO_INIT;
  run.call([&](auto** error) { return function(cache.get(), &info, error); });
  run.output("max_bytes", info.max_bytes);
}

void find(Run& run, World& world) {
  const Cache cache = make_cache();
  cucore_objectcode* out = Run::garbage<cucore_objectcode>();
  run.call([&](auto** error) {
    return cucore_cache_find(cache.get(), world.program.get(), CUCORE_CODE_TYPE_PTX, nullptr, 0,
                             &out, nullptr, error);
  });
  if (run.ok()) run.tolerate();
  if (run.ok()) cucore_objectcode_release(out);
}

void explain(Run& run, World& world) {
  const Cache cache = make_cache();
  size_t size = 0;
  run.call([&](auto** error) {
    return cucore_cache_explain_miss(cache.get(), world.program.get(), CUCORE_CODE_TYPE_PTX,
                                     nullptr, 0, nullptr, 0, &size, error);
  });
  run.output("size", size);
}

int32_t goes_on(const cucore_cache_entry_info*, void*) { return 1; }

cucore_cache_answer has_nothing(void*, const char*, cucore_cache_receive_fn, void*) {
  return CUCORE_CACHE_ANSWER_ABSENT;
}

void add_remote(Run& run, World&) {
  const Cache cache = make_cache();
  int closed = 0;
  cucore_cache_remote remote = CUCORE_CACHE_REMOTE_INIT;
  remote.context = &closed;
  remote.get = has_nothing;
  remote.name = "a remote whose name is longer than any small string";
  remote.close = [](void* context) { ++*static_cast<int*>(context); };
  run.call([&](auto** error) { return cucore_cache_add_remote(cache.get(), &remote, error); });
}

// The error of an item is reported with the item.
void batch(Run& run, World& world) {
  cucore_batch_item item = {world.program.get(), CUCORE_CODE_TYPE_PTX, 0, nullptr, 0};
  cucore_batch_options options = CUCORE_BATCH_OPTIONS_INIT;
  options.workers = 1;
  cucore_objectcode* out = Run::garbage<cucore_objectcode>();
  cucore_error* failure = Run::garbage<cucore_error>();
  run.call([&](auto** error) {
    return cucore_program_compile_batch(&item, 1, &options, &out, &failure, error);
  });
  run.output("out", out);
  run.output("failure", failure);
  if (!run.ok()) return;
  EXPECT_NE(out == nullptr, failure == nullptr);
  if (failure || run.failed_call().empty()) run.tolerate();
  cucore_objectcode_release(out);
  cucore_error_release(failure);
}

}  // namespace

std::vector<Scenario> cache_scenarios() {
  return {
      {"cucore_cache_open", open_cache},
      {"cucore_cache_retain",
       [](Run& run, World&) {
         const Cache cache = make_cache();
         retains(run, cache.get(), cucore_cache_retain, cucore_cache_release);
       }},
      {"cucore_cache_release",
       [](Run& run, World&) {
         Cache cache = make_cache();
         run.plain([&] { cucore_cache_release(cache.release()); });
       }},
      {"cucore_cache_directory",
       [](Run& run, World&) {
         const Cache cache = make_cache();
         EXPECT_STREQ(run.plain([&] { return cucore_cache_directory(cache.get()); }), "");
       }},
      {"cucore_cache_compile", compile},
      {"cucore_cache_link", link},
      {"cucore_cache_get_or_build", get_or_build},
      {"cucore_cache_put", put},
      {"cucore_cache_remove", remove},
      {"cucore_cache_find", find},
      {"cucore_cache_get", get},
      {"cucore_cache_statistics",
       [](Run& run, World&) { statistics(run, cucore_cache_statistics); }},
      {"cucore_cache_statistics_of_all",
       [](Run& run, World&) { statistics(run, cucore_cache_statistics_of_all); }},
      {"cucore_cache_explain_miss", explain},
      {"cucore_cache_trim",
       [](Run& run, World&) {
         const Cache cache = make_cache();
         run.call([&](auto** error) {
           return cucore_cache_trim(cache.get(), 0, nullptr, nullptr, error);
         });
       }},
      {"cucore_cache_verify",
       [](Run& run, World&) {
         const Cache cache = make_cache();
         run.call([&](auto** error) {
           return cucore_cache_verify(cache.get(), goes_on, nullptr, nullptr, error);
         });
       }},
      {"cucore_cache_query",
       [](Run& run, World&) {
         const Cache cache = make_cache();
         run.call([&](auto** error) {
           return cucore_cache_query(cache.get(), goes_on, nullptr, error);
         });
       }},
      {"cucore_cache_add_remote", add_remote},
      {"cucore_cache_add_remote_url",
       [](Run& run, World&) {
         const Cache cache = make_cache();
         run.expect(CUCORE_ERROR_INVALID_ARGUMENT);
         run.call([&](auto** error) {
           return cucore_cache_add_remote_url(cache.get(), "gopher://there", nullptr, error);
         });
       }},
      {"cucore_program_compile_batch", batch},
  };
}

}  // namespace sweep
