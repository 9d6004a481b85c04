/* SPDX-License-Identifier: Apache-2.0 */
/* Uses NVRTC, nvJitLink and the driver as other programs do: through dlopen, by their file names.
 *
 *   client WAY [FILE | TYPE FILE TYPE FILE]
 *
 * The ways are the rows of WAYS below. A client that stores or loads a CUBIN names its file. One that
 * links files names two of them, each behind its type of nvJitLink. CLIENT_NVRTC is the file name of
 * NVRTC, by default libnvrtc.so.13. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*function)();

static void* library(const char* name) {
  void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return handle;
}

static function find(void* handle, const char* name) {
  void* address = dlsym(handle, name);
  function result;
  if (!address) {
    fprintf(stderr, "%s is missing\n", name);
    exit(2);
  }
  memcpy(&result, &address, sizeof result);
  return result;
}

static void* nvrtc;
static void* nvjitlink;
static void* cuda;

#define NVRTC(name) find(nvrtc, "nvrtc" name)
#define LINK(name) find(nvjitlink, "__nvJitLink" name "_13_0")
#define CU(name) find(cuda, "cu" name)
#define OK(call)                                          \
  do {                                                    \
    int failure = (call);                                 \
    if (failure != 0) {                                   \
      fprintf(stderr, "%s returns %d\n", #call, failure); \
      exit(1);                                            \
    }                                                     \
  } while (0)

struct image {
  char* bytes;
  size_t size;
};

static const char KERNEL[] =
    "extern \"C\" __global__ void k(int* p, int n) { p[threadIdx.x] = threadIdx.x * n; }";
static const char CALLER[] =
    "extern \"C\" __device__ int scale(int x, int n);\n"
    "extern \"C\" __global__ void k(int* p, int n) { p[threadIdx.x] = scale(threadIdx.x, n); }";
static const char CALLEE[] = "extern \"C\" __device__ int scale(int x, int n) { return x * n; }";

/* Compiles for `option` and `more`, and returns what nvrtcGet<kind> returns. */
static struct image compile(const char* source, const char* option, const char* more,
                            const char* kind) {
  const char* options[2];
  char name[32];
  struct image image;
  void* program = NULL;
  options[0] = option;
  options[1] = more;
  OK(NVRTC("CreateProgram")(&program, source, "k.cu", 0, NULL, NULL));
  OK(NVRTC("CompileProgram")(program, more ? 2 : 1, options));
  snprintf(name, sizeof name, "nvrtcGet%sSize", kind);
  OK(find(nvrtc, name)(program, &image.size));
  image.bytes = malloc(image.size);
  snprintf(name, sizeof name, "nvrtcGet%s", kind);
  OK(find(nvrtc, name)(program, image.bytes));
  OK(NVRTC("DestroyProgram")(&program));
  return image;
}

/* Links with nvJitLink; `type` is that of its header. */
static struct image join(int type, struct image a, struct image b, const char* more) {
  const char* options[2] = {"-arch=sm_90", NULL};
  struct image image;
  void* link = NULL;
  options[1] = more;
  OK(LINK("Create")(&link, more ? 2 : 1, options));
  OK(LINK("AddData")(link, type, a.bytes, a.size, "a"));
  OK(LINK("AddData")(link, type, b.bytes, b.size, "b"));
  OK(LINK("Complete")(link));
  OK(LINK("GetLinkedCubinSize")(link, &image.size));
  image.bytes = malloc(image.size);
  OK(LINK("GetLinkedCubin")(link, image.bytes));
  OK(LINK("Destroy")(&link));
  return image;
}

static struct image read_file(const char* path) {
  struct image image = {NULL, 0};
  FILE* file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  image.size = (size_t)ftell(file);
  rewind(file);
  image.bytes = malloc(image.size);
  if (fread(image.bytes, 1, image.size, file) != image.size) exit(2);
  fclose(file);
  return image;
}

/* Links two files, which `words` name behind their types. */
static struct image join_files(char** words, int is_data) {
  const char* option = "-arch=sm_90";
  struct image image;
  void* link = NULL;
  int i;
  OK(LINK("Create")(&link, 1, &option));
  for (i = 0; i < 4; i += 2) {
    const int type = atoi(words[i]);
    if (is_data) {
      const struct image input = read_file(words[i + 1]);
      OK(LINK("AddData")(link, type, input.bytes, input.size, words[i + 1]));
    } else {
      OK(LINK("AddFile")(link, type, words[i + 1]));
    }
  }
  OK(LINK("Complete")(link));
  OK(LINK("GetLinkedCubinSize")(link, &image.size));
  image.bytes = malloc(image.size);
  OK(LINK("GetLinkedCubin")(link, image.bytes));
  OK(LINK("Destroy")(&link));
  return image;
}

static void start(void) {
  void* context = NULL;
  OK(CU("Init")(0));
  OK(CU("DevicePrimaryCtxRetain")(&context, 0));
  OK(CU("CtxSetCurrent")(context));
}

/* Runs the kernel and compares its results. */
static int run(void* handle) {
  enum { COUNT = 32 };
  unsigned long long memory = 0;
  int values[COUNT], factor = 3, i;
  void* arguments[2];
  arguments[0] = &memory;
  arguments[1] = &factor;
  OK(CU("MemAlloc_v2")(&memory, sizeof values));
  OK(CU("LaunchKernel")(handle, 1, 1, 1, COUNT, 1, 1, 0, NULL, arguments, NULL));
  OK(CU("MemcpyDtoH_v2")(values, memory, sizeof values));
  OK(CU("MemFree_v2")(memory));
  for (i = 0; i < COUNT; ++i) {
    if (values[i] != 3 * i) {
      fprintf(stderr, "value %d is %d; expected %d\n", i, values[i], 3 * i);
      return 1;
    }
  }
  puts("ok");
  return 0;
}

/* ObjectCode.get_kernel and launch of cuda.core: a library, and a kernel without a context. */
static int load(struct image image) {
  void *code = NULL, *kernel = NULL;
  int result;
  start();
  result = CU("LibraryLoadData")(&code, image.bytes, NULL, NULL, 0, NULL, NULL, 0);
  if (result != 0) {
    printf("cuLibraryLoadData returns %d\n", result);
    return 0;
  }
  OK(CU("LibraryGetKernel")(&kernel, code, "k"));
  return run(kernel);
}

static int store(struct image image, const char* path) {
  FILE* file = fopen(path, "wb");
  if (!file || fwrite(image.bytes, 1, image.size, file) != image.size || fclose(file)) return 2;
  return 0;
}

static int nvrtc_cubin(char** words) {
  (void)words;
  return load(compile(KERNEL, "-arch=sm_90", NULL, "CUBIN"));
}
static int store_cubin(char** words) {
  return store(compile(KERNEL, "-arch=sm_90", NULL, "CUBIN"), words[0]);
}
static int store_line_info(char** words) {
  return store(compile(KERNEL, "-arch=sm_90", "-lineinfo", "CUBIN"), words[0]);
}
static int load_file(char** words) { return load(read_file(words[0])); }
static struct image linked_ptx(void) {
  return join(2, compile(CALLER, "-arch=compute_90", "-rdc=true", "PTX"),
              compile(CALLEE, "-arch=compute_90", "-rdc=true", "PTX"), NULL);
}
static struct image linked_lto(void) {
  return join(3, compile(CALLER, "-arch=compute_90", "-dlto", "LTOIR"),
              compile(CALLEE, "-arch=compute_90", "-dlto", "LTOIR"), "-lto");
}
static int link_ptx(char** words) {
  (void)words;
  return load(linked_ptx());
}
static int store_link_ptx(char** words) { return store(linked_ptx(), words[0]); }
static int store_link_lto(char** words) { return store(linked_lto(), words[0]); }
static int link_cubin(char** words) {
  (void)words;
  return load(join(1, compile(CALLER, "-arch=sm_90", "-rdc=true", "CUBIN"),
                   compile(CALLEE, "-arch=sm_90", "-rdc=true", "CUBIN"), NULL));
}
static int link_lto(char** words) {
  (void)words;
  return load(linked_lto());
}
static int link_data(char** words) { return load(join_files(words, 1)); }
static int link_files(char** words) { return load(join_files(words, 0)); }

/* Numba: PTX and a log, cuLinkComplete, and a module from the bytes of the image. */
static int numba(char** words) {
  char info[1024], error[1024];
  int options[] = {3, 4, 5, 6, 12};
  void* values[5];
  void *link = NULL, *image = NULL, *copy, *module = NULL, *kernel = NULL;
  size_t size = 0;
  struct image a = compile(CALLER, "-arch=compute_90", "-rdc=true", "PTX");
  struct image b = compile(CALLEE, "-arch=compute_90", "-rdc=true", "PTX");
  (void)words;
  values[0] = info;
  values[1] = (void*)sizeof info;
  values[2] = error;
  values[3] = (void*)sizeof error;
  values[4] = (void*)1;
  start();
  OK(CU("LinkCreate_v2")(5, options, values, &link));
  OK(CU("LinkAddData_v2")(link, 1, a.bytes, a.size, "<cudapy-ptx>", 0, NULL, NULL));
  OK(CU("LinkAddData_v2")(link, 1, b.bytes, b.size, "<external>", 0, NULL, NULL));
  OK(CU("LinkComplete")(link, &image, &size));
  copy = malloc(size);
  memcpy(copy, image, size);
  OK(CU("LinkDestroy")(link));
  OK(CU("ModuleLoadDataEx")(&module, copy, 0, NULL, NULL));
  OK(CU("ModuleGetFunction")(&kernel, module, "k"));
  return run(kernel);
}

/* Prints the message of the library if NVIDIA's is not found. */
static int missing(char** words) {
  const char* (*text)(int);
  void* program = NULL;
  function found = NVRTC("GetErrorString");
  (void)words;
  memcpy(&text, &found, sizeof text);
  printf("%d: %s\n", NVRTC("CreateProgram")(&program, KERNEL, "k.cu", 0, NULL, NULL), text(11));
  return 0;
}

static const struct {
  const char* name;
  int words; /* behind the way */
  int (*action)(char** words);
} WAYS[] = {{"nvrtc_cubin", 0, nvrtc_cubin},
            {"store_cubin", 1, store_cubin},
            {"store_line_info", 1, store_line_info},
            {"store_link_ptx", 1, store_link_ptx},
            {"store_link_lto", 1, store_link_lto},
            {"load", 1, load_file},
            {"link_ptx", 0, link_ptx},
            {"link_cubin", 0, link_cubin},
            {"link_lto", 0, link_lto},
            {"link_data", 4, link_data},
            {"link_files", 4, link_files},
            {"numba", 0, numba},
            {"missing", 0, missing}};

int main(int argc, char** argv) {
  const char* name = getenv("CLIENT_NVRTC");
  size_t i;
  if (argc < 2) return 2;
  nvrtc = library(name ? name : "libnvrtc.so.13");
  if (strstr(argv[1], "link_")) nvjitlink = library("libnvJitLink.so.13");
  if (strcmp(argv[1], "missing")) cuda = library("libcuda.so.1");
  for (i = 0; i < sizeof WAYS / sizeof *WAYS; ++i)
    if (!strcmp(argv[1], WAYS[i].name) && argc == WAYS[i].words + 2)
      return WAYS[i].action(argv + 2);
  return 2;
}
