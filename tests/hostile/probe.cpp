// SPDX-License-Identifier: Apache-2.0
// A program that opens libcucore.so at run time, as a language binding does, and calls it in a
// place prepared by a test. It does not link the library, so that the loader starts it with any
// rights and in any folder.
//
//   probe LIBRARY FOLDER ACTION [ARGUMENT]   opens LIBRARY, changes to FOLDER, acts
//
// Prints the status and the action's other results, and exits with 0. With PROBE_STARVES it acts
// twice: first without a free file descriptor, then with all descriptors free again.
#include <cucore.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

void* library = nullptr;

template <class Function>
Function* find(const char* name) {
  void* symbol = dlsym(library, name);
  if (!symbol) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(3);
  }
  return reinterpret_cast<Function*>(symbol);
}
#define CALL(name) find<decltype(::name)>(#name)

int report(cucore_status status, cucore_error* error, const std::string& found = "") {
  std::printf("%d %s%s\n", static_cast<int>(status), found.c_str(),
              error ? CALL(cucore_error_message)(error) : "");
  CALL(cucore_error_release)(error);
  return 0;
}

int count_devices(const char*) {
  int32_t count = 0;
  cucore_error* error = nullptr;
  const cucore_status status = CALL(cucore_device_count)(&count, &error);
  return report(status, error, std::to_string(count) + " ");
}

int add_remote(const char* url) {
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = "";
  cucore_cache* cache = nullptr;
  cucore_error* error = nullptr;
  cucore_status status = CALL(cucore_cache_open)(&options, &cache, &error);
  if (status == CUCORE_OK) status = CALL(cucore_cache_add_remote_url)(cache, url, nullptr, &error);
  CALL(cucore_cache_release)(cache);
  return report(status, error);
}

int open_cache(const char*) {
  cucore_cache* cache = nullptr;
  cucore_error* error = nullptr;
  const cucore_status status = CALL(cucore_cache_open)(nullptr, &cache, &error);
  const std::string folder = cache ? CALL(cucore_cache_directory)(cache) : "";
  CALL(cucore_cache_release)(cache);
  return report(status, error, folder + " ");
}

// Runs in a worker process if `workers` is set, else here.
int compile(bool workers) {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_80";
  cucore_program* program = nullptr;
  cucore_objectcode* code = nullptr;
  cucore_error* error = nullptr;
  const char* source = "extern \"C\" __global__ void k(int* p) { *p = 1; }\n";
  cucore_status status = CALL(cucore_program_create)(
      CUCORE_SOURCE_TYPE_CUDA_CPP, source, std::strlen(source), &options, &program, &error);
  const cucore_batch_item item = {program, CUCORE_CODE_TYPE_PTX, 0, nullptr, 0};
  cucore_error* failure = nullptr;
  if (status == CUCORE_OK && workers) {
    status = CALL(cucore_program_compile_batch)(&item, 1, nullptr, &code, &failure, &error);
    if (failure) status = CALL(cucore_error_status)(error = failure);
  } else if (status == CUCORE_OK) {
    status = CALL(cucore_program_compile)(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, &code, &error);
  }
  CALL(cucore_objectcode_release)(code);
  CALL(cucore_program_release)(program);
  return report(status, error);
}

// With a CUDA library that the process has loaded by a relative path before it changed the folder.
int compile_beside(const char*) { return compile(false); }
int compile_in_worker(const char*) { return compile(true); }

std::string text_of(int key) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (int i = 0; i < 300; ++i) text += "// of key " + std::to_string(key) + "\n";
  return text;
}

cucore_status make_code(cucore_objectcode** out, cucore_error** error, void* key) {
  const std::string text = text_of(*static_cast<int*>(key));
  return CALL(cucore_objectcode_create)(CUCORE_CODE_TYPE_PTX, text.data(), text.size(), nullptr,
                                        out, error);
}

bool is_right(const cucore_objectcode* code, int key) {
  const std::string text = text_of(key);
  size_t size = 0;
  const void* data = code ? CALL(cucore_objectcode_data)(code, &size) : nullptr;
  return size == text.size() && std::memcmp(data, text.data(), size) == 0;
}

int number_in(const char* variable, int by_default) {
  const char* value = std::getenv(variable);
  return value ? std::atoi(value) : by_default;
}

// Gets some keys through a cache in that folder, twice, and from the disk, because memory is full.
int use_cache(const char* folder) {
  CALL(cucore_log_set_callback)
  ([](cucore_log_level, const char* message, void*) { std::fprintf(stderr, "%s\n", message); },
   CUCORE_LOG_WARNING, nullptr, nullptr, nullptr);
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = folder;
  options.max_memory = 1;
  options.max_bytes = static_cast<uint64_t>(number_in("PROBE_MAX_BYTES", 0));
  cucore_cache* cache = nullptr;
  cucore_error* error = nullptr;
  const cucore_status status = CALL(cucore_cache_open)(&options, &cache, &error);
  int wrong = 0;
  const int first = number_in("PROBE_FIRST_KEY", 0), keys = number_in("PROBE_KEYS", 2);
  for (int i = 0; i < 2 * keys && status == CUCORE_OK; ++i) {
    int key = first + i % keys;
    uint8_t name[32] = {};
    std::memcpy(name, &key, sizeof key);
    name[0] = static_cast<uint8_t>(key * 37);  // the shard
    cucore_objectcode* code = nullptr;
    if (CALL(cucore_cache_get_or_build)(cache, name, make_code, &key, &code, nullptr, nullptr) !=
            CUCORE_OK ||
        !is_right(code, key))
      ++wrong;
    CALL(cucore_objectcode_release)(code);
  }
  CALL(cucore_cache_release)(cache);
  return report(status, error, std::to_string(wrong) + " wrong ");
}

cucore_cache* open_with_remote(const char* url, cucore_error** error) {
  static const cucore_key secret = {"secret", 6, CUCORE_KEY_HMAC_SHA256, 0};
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = "";
  options.signing_key = options.keys = &secret;
  options.key_count = 1;
  cucore_cache* cache = nullptr;
  if (CALL(cucore_cache_open)(&options, &cache, error) == CUCORE_OK)
    CALL(cucore_cache_add_remote_url)(cache, url, nullptr, error);
  return cache;
}

// Sends an entry of one cache to a remote, and returns whether another cache finds it there.
int share(const char* url) {
  int key = 1;
  const uint8_t name[32] = {1};
  cucore_objectcode *code = nullptr, *found = nullptr;
  cucore_error* error = nullptr;
  make_code(&code, nullptr, &key);
  cucore_cache* sender = open_with_remote(url, &error);
  if (!error) CALL(cucore_cache_put)(sender, name, code, &error);
  CALL(cucore_cache_release)(sender);
  cucore_cache* receiver = error ? nullptr : open_with_remote(url, &error);
  if (!error) CALL(cucore_cache_get)(receiver, name, &found, &error);
  CALL(cucore_cache_release)(receiver);
  const char* outcome = !found ? "absent " : is_right(found, key) ? "right " : "wrong ";
  CALL(cucore_objectcode_release)(found);
  CALL(cucore_objectcode_release)(code);
  return report(error ? CALL(cucore_error_status)(error) : CUCORE_OK, error, outcome);
}

struct Action {
  const char* name;
  int (*run)(const char* argument);

  int operator()(const char* argument) const {
    if (!std::getenv("PROBE_STARVES")) return run(argument);
    const rlimit few{64, 64};
    setrlimit(RLIMIT_NOFILE, &few);
    std::vector<int> taken;
    for (int fd; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken.push_back(fd);
    run(argument);
    for (const int fd : taken) close(fd);
    return run(argument);
  }
};
constexpr Action ACTIONS[] = {
    {"count", count_devices},    {"remote", add_remote}, {"cache", open_cache},
    {"use", use_cache},          {"share", share},       {"compile", compile_beside},
    {"batch", compile_in_worker}};

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return 2;
  if (const char* expected = std::getenv("PROBE_SECURE"))
    if (getauxval(AT_SECURE) != std::strtoul(expected, nullptr, 10)) return 4;
  library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  if (const char* other = std::getenv("PROBE_LOADS"))
    if (!dlopen(other, RTLD_NOW | RTLD_LOCAL)) return 5;
  if (chdir(arguments[2]) != 0) return 6;
  for (const Action& action : ACTIONS)
    if (std::strcmp(action.name, arguments[3]) == 0) return action(count > 4 ? arguments[4] : "");
  return 2;
}
