// SPDX-License-Identifier: Apache-2.0
// The class of every parameter is that of the kernel's C++ type, in images of NVRTC, of nvcc and of
// linkers. It is also the class that the front end's own PTX states. CUCORE_TEST_LONG uses 400
// images instead of 40.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "capi_testing.hpp"
#include "kernels.hpp"
#include "stated.hpp"

namespace {

using namespace capi_test;
using namespace classes_test;
namespace fs = std::filesystem;

// The facts that an image contains. PTX of nvcc for targets below compute_100 declares both
// pointers and 64-bit integers as words. For NVRTC and LTOIR the library determines the classes
// that their own PTX leaves open.
enum class Knows {
  ALL,
  CPP_WORDS,  // words only of kernels with a C++ name
  NOTHING     // machine code alone
};

// Printed at the end, per kind of image.
class Figures {
 public:
  ~Figures() {
    for (const auto& [kind, one] : kinds_)
      std::printf("[ FIGURES  ] %-24s %3d images, %4d parameters, %3d unknown, %d wrong\n",
                  kind.c_str(), one.images, one.parameters, one.unknown, one.wrong);
  }
  void add_image(const std::string& kind) { ++(now_ = &kinds_[kind])->images; }
  void add_parameter(cucore_parameter_class found, cucore_parameter_class expected) {
    ++now_->parameters;
    if (found == CUCORE_PARAMETER_CLASS_UNKNOWN)
      ++now_->unknown;
    else if (found != expected)
      ++now_->wrong;
  }
  int images() const {
    int sum = 0;
    for (const auto& [kind, one] : kinds_) sum += one.images;
    return sum;
  }

 private:
  struct Row {
    int images = 0, parameters = 0, unknown = 0, wrong = 0;
  };
  std::map<std::string, Row> kinds_;
  Row* now_ = nullptr;
};

unsigned image_count(unsigned few) { return std::getenv("CUCORE_TEST_LONG") ? few * 10 : few; }

std::vector<cucore_parameter_info> parameters_of(const cucore_objectcode* code, size_t symbol) {
  size_t count = 0;
  MUST(cucore_objectcode_symbol_parameters, code, symbol, nullptr, 0, &count);
  std::vector<cucore_parameter_info> infos(count, CUCORE_PARAMETER_INFO_INIT);
  MUST(cucore_objectcode_symbol_parameters, code, symbol, infos.data(), count, &count);
  return infos;
}

// Finds the kernel by a part of its name; kernels of helpers are left out.
std::vector<cucore_parameter_info> parameters_of(const cucore_objectcode* code,
                                                 const std::string& identifier) {
  for (size_t i = 0; i < cucore_objectcode_symbol_count(code); ++i) {
    cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
    MUST(cucore_objectcode_symbol_at, code, i, &info);
    if (contains(info.lowered_name, identifier)) return parameters_of(code, i);
  }
  throw std::runtime_error("no kernel " + identifier);
}

bool may_be_unknown(Knows knows, const KernelCase& kernel, const Expected& expected) {
  if (knows == Knows::NOTHING) return true;
  const bool is_word =
      expected.size == 8 && (expected.parameter_class == CUCORE_PARAMETER_CLASS_INTEGER ||
                             expected.parameter_class == CUCORE_PARAMETER_CLASS_POINTER);
  if (!is_word || knows == Knows::ALL) return false;
  return expected.is_dependent || (knows == Knows::CPP_WORDS && kernel.linkage == Linkage::C);
}

void expect_classes(const Module& module, const cucore_objectcode* code, Knows knows,
                    const std::string& what, Figures& figures) {
  for (const KernelCase& kernel : module.kernels) {
    const auto infos = parameters_of(code, kernel.identifier);
    ASSERT_EQ(infos.size(), kernel.parameters.size()) << what << " " << kernel.identifier;
    for (size_t i = 0; i < infos.size(); ++i) {
      const Expected& expected = kernel.parameters[i];
      const cucore_parameter_class found = infos[i].parameter_class;
      const bool is_unknown = found == CUCORE_PARAMETER_CLASS_UNKNOWN;
      figures.add_parameter(found, expected.parameter_class);
      EXPECT_EQ(infos[i].size, expected.size) << what << " " << kernel.identifier << " " << i;
      if (is_unknown && may_be_unknown(knows, kernel, expected)) continue;
      EXPECT_EQ(found, expected.parameter_class)
          << what << " " << kernel.identifier << " parameter " << i << " " << expected.type;
      if (knows == Knows::NOTHING) ADD_FAILURE() << what << ": classes from nowhere";
    }
  }
}

// A container stores the classes of the object.
void expect_kept(const cucore_objectcode* code) {
  const auto bytes = serialized(code);
  Code again;
  MUST(cucore_objectcode_deserialize, bytes.data(), bytes.size(), nullptr, again.out());
  EXPECT_EQ(serialized(again), bytes);
  ASSERT_EQ(cucore_objectcode_symbol_count(again), cucore_objectcode_symbol_count(code));
  for (size_t i = 0; i < cucore_objectcode_symbol_count(code); ++i) {
    cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
    MUST(cucore_objectcode_symbol_at, code, i, &info);
    if (info.kind != CUCORE_SYMBOL_KERNEL) continue;
    const auto before = parameters_of(code, i), after = parameters_of(again, i);
    ASSERT_EQ(before.size(), after.size());
    for (size_t j = 0; j < before.size(); ++j)
      EXPECT_EQ(before[j].parameter_class, after[j].parameter_class);
  }
}

// The declarations of the image's own PTX agree, exactly if they mark pointers.
void expect_stated(const cucore_objectcode* code, bool marks_pointers, const std::string& what) {
  const auto stated = stated_classes(bytes_of(code));
  EXPECT_FALSE(stated.empty()) << what;
  for (const auto& [name, classes] : stated) {
    const auto infos = parameters_of(code, name);
    ASSERT_EQ(infos.size(), classes.size()) << what << " " << name;
    for (size_t i = 0; i < infos.size(); ++i) {
      const bool is_word = infos[i].size == 8 && classes[i] == CUCORE_PARAMETER_CLASS_INTEGER;
      const cucore_parameter_class found = infos[i].parameter_class;
      if (!is_word || marks_pointers) {
        EXPECT_EQ(found, classes[i]) << what << " " << name << " parameter " << i;
      } else {
        EXPECT_NE(found, CUCORE_PARAMETER_CLASS_FLOAT) << what << " " << name << " " << i;
        EXPECT_NE(found, CUCORE_PARAMETER_CLASS_AGGREGATE) << what << " " << name << " " << i;
      }
    }
  }
}

bool marks_pointers(const std::string& arch) {
  return std::atoi(arch.c_str() + arch.find('_') + 1) >= 100;
}

Code link(const cucore_objectcode* input, cucore_code_type target, const std::string& arch) {
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
  options.arch = arch.c_str();
  Linker linker;
  MUST(cucore_linker_create, &options, linker.out());
  MUST(cucore_linker_add, linker, input);
  Code linked;
  MUST(cucore_linker_link, linker, target, linked.out());
  return linked;
}

struct Arch {
  const char *virtual_name, *real_name;
};
constexpr Arch ARCHS[] = {{"compute_75", "sm_75"},   {"compute_80", "sm_80"},
                          {"compute_90", "sm_90"},   {"compute_90a", "sm_90a"},
                          {"compute_100", "sm_100"}, {"compute_120", "sm_120"}};

Program program_for(const Module& module, const std::string& arch, unsigned seed) {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = arch.c_str();
  const char* no_warnings = "-w";
  options.flags = &no_warnings;
  options.flag_count = 1;
  if (seed % 3 == 1) options.debug = CUCORE_TOGGLE_ON;
  if (seed % 3 == 2) options.lineinfo = CUCORE_TOGGLE_ON;
  return make_program(module.source, &options);
}

// PTX, CUBIN, LTOIR, and what a linker makes of PTX and of LTOIR.
void check_nvrtc(unsigned seed, Figures& figures) {
  const Module module = make_module(seed);
  const Arch arch = ARCHS[seed / 5 % std::size(ARCHS)];
  const std::string what = std::string(arch.real_name) + " seed " + std::to_string(seed);
  const bool marks = marks_pointers(arch.real_name);
  const bool is_real = seed % 5 != 0;
  const Program program = program_for(module, is_real ? arch.real_name : arch.virtual_name, seed);
  Code code;
  if (seed % 5 <= 1) {
    code = compile(program, CUCORE_CODE_TYPE_PTX);
    figures.add_image("PTX");
    expect_classes(module, code, Knows::ALL, what + " PTX", figures);
    expect_stated(code, marks, what + " PTX");
  } else if (seed % 5 == 2) {
    code = compile(program, CUCORE_CODE_TYPE_CUBIN);
    figures.add_image("CUBIN");
    expect_classes(module, code, Knows::ALL, what + " CUBIN", figures);
  } else if (seed % 5 == 3) {
    const Code ptx = compile(program, CUCORE_CODE_TYPE_PTX);
    code = link(ptx, CUCORE_CODE_TYPE_CUBIN, arch.real_name);
    figures.add_image("CUBIN-of-PTX");
    expect_classes(module, code, Knows::ALL, what + " CUBIN of PTX", figures);
  } else {
    code = compile(program, CUCORE_CODE_TYPE_LTOIR);
    figures.add_image("LTOIR");
    expect_classes(module, code, Knows::ALL, what + " LTOIR", figures);
    const Code cubin = link(code, CUCORE_CODE_TYPE_CUBIN, arch.real_name);
    figures.add_image("CUBIN-of-LTOIR");
    expect_classes(module, cubin, Knows::ALL, what + " CUBIN of LTOIR", figures);
  }
  expect_kept(code);
}

TEST(Classes, OfImagesOfNvrtc) {
  NEEDS_REAL_COMPILER();
  Figures figures;
  for (unsigned seed = 0; seed < image_count(30); ++seed) {
    try {
      check_nvrtc(seed, figures);
    } catch (const std::exception& failure) {
      ADD_FAILURE() << "seed " << seed << ": " << failure.what();
    }
    if (HasFailure()) {
      std::printf("%s\n", make_module(seed).source.c_str());
      return;
    }
  }
}

std::string nvcc() {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable))
      if (fs::exists(fs::path(home) / "bin/nvcc")) return (fs::path(home) / "bin/nvcc").string();
  return fs::exists("/usr/local/cuda/bin/nvcc") ? "/usr/local/cuda/bin/nvcc" : "";
}

class Folder {
 public:
  Folder() {
    std::string path = (fs::temp_directory_path() / "classes-XXXXXX").string();
    path_ = mkdtemp(path.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

struct NvccForm {
  const char *kind, *options;
  cucore_code_type type;
  bool has_ptx;
};
constexpr NvccForm NVCC_FORMS[] = {
    {"nvcc-PTX", "-ptx -arch=compute_%", CUCORE_CODE_TYPE_PTX, true},
    {"nvcc-FATBIN", "-fatbin -gencode arch=compute_%,code=[sm_%,compute_%]",
     CUCORE_CODE_TYPE_FATBIN, true},
    {"nvcc-CUBIN", "-cubin -arch=sm_%", CUCORE_CODE_TYPE_CUBIN, false},
    {"nvcc-FATBIN-without-PTX", "-fatbin -gencode arch=compute_%,code=sm_%",
     CUCORE_CODE_TYPE_FATBIN, false}};

void check_nvcc(unsigned seed, const Folder& folder, Figures& figures) {
  constexpr const char* NUMBERS[] = {"75", "90", "100"};
  const Module module = make_module(100000 + seed);
  const NvccForm& form = NVCC_FORMS[seed % std::size(NVCC_FORMS)];
  const std::string number = NUMBERS[seed / std::size(NVCC_FORMS) % std::size(NUMBERS)];
  std::string options = form.options;
  for (size_t at; (at = options.find('%')) != std::string::npos;) options.replace(at, 1, number);
  if (seed % 3 == 1) options += " -G";
  std::ofstream(folder.file("k.cu")) << module.source;
  const std::string command = "'" + nvcc() + "' -std=c++17 -w " + options + " -o '" +
                              folder.file("image") + "' '" + folder.file("k.cu") + "' 2>&1";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  Code code;
  MUST(cucore_objectcode_from_file, form.type, folder.file("image").c_str(), nullptr, code.out());
  figures.add_image(form.kind);
  const bool marks = marks_pointers("_" + number);
  // The PTX in a fat binary has no comments, so its compiler is unknown.
  const bool names_compiler = marks && form.type == CUCORE_CODE_TYPE_PTX;
  const std::string what = std::string(form.kind) + " " + number + " seed " + std::to_string(seed);
  expect_classes(module, code,
                 !form.has_ptx    ? Knows::NOTHING
                 : names_compiler ? Knows::ALL
                                  : Knows::CPP_WORDS,
                 what, figures);
  if (form.type == CUCORE_CODE_TYPE_PTX) expect_stated(code, marks, what);
  expect_kept(code);
}

TEST(Classes, OfImagesOfNvcc) {
  if (nvcc().empty()) GTEST_SKIP() << "needs nvcc";
  const Folder folder;
  Figures figures;
  for (unsigned seed = 0; seed < image_count(10); ++seed) {
    try {
      check_nvcc(seed, folder, figures);
    } catch (const std::exception& failure) {
      ADD_FAILURE() << "seed " << seed << ": " << failure.what();
    }
    if (HasFailure()) return;
  }
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Code compile_shared(const fs::path& path, const char* arch, cucore_code_type target) {
  const std::string cccl = std::string(CUDA_INCLUDE) + "/cccl";
  const char* include[] = {CUDA_INCLUDE, cccl.c_str()};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = arch;
  options.include_paths = include;
  options.include_path_count = 2;
  options.device_int128 = CUCORE_TOGGLE_ON;
  return compile(make_program(read_file(path), &options), target);
}

// The PTX for compute_100 marks pointers, so its declarations alone define every class.
TEST(Classes, OfTheSharedKernels) {
  NEEDS_REAL_COMPILER();
  Figures figures;
  for (const auto& entry : fs::directory_iterator(CUCORE_KERNELS)) {
    if (entry.path().extension() != ".cu") continue;
    const auto stated =
        stated_classes(bytes_of(compile_shared(entry.path(), "compute_100", CUCORE_CODE_TYPE_PTX)));
    EXPECT_FALSE(stated.empty());
    for (const cucore_code_type type : {CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN}) {
      const Code code = compile_shared(entry.path(), "sm_90", type);
      figures.add_image(type == CUCORE_CODE_TYPE_PTX ? "PTX" : "CUBIN");
      for (const auto& [name, classes] : stated) {
        const auto infos = parameters_of(code, name);
        ASSERT_EQ(infos.size(), classes.size()) << name;
        for (size_t i = 0; i < infos.size(); ++i) {
          figures.add_parameter(infos[i].parameter_class, classes[i]);
          EXPECT_EQ(infos[i].parameter_class, classes[i])
              << entry.path().filename() << " " << name << " parameter " << i;
        }
      }
    }
  }
  EXPECT_EQ(figures.images(), 80);
}

// Layouts come from the driver, or from an image that was linked for the device.
class ClassesOnADevice : public OnDevice {};

TEST_F(ClassesOnADevice, OfLtoirAndFatBinaries) {
  NEEDS_REAL_COMPILER();
  const Module module = make_module(7);
  std::vector<Code> codes;
  codes.push_back(compile(program_for(module, "sm_75", 0), CUCORE_CODE_TYPE_LTOIR));
  if (!nvcc().empty()) {
    const Folder folder;
    std::ofstream(folder.file("k.cu")) << module.source;
    const std::string command = "'" + nvcc() +
                                "' -std=c++17 -w -fatbin -gencode arch=compute_75,code=compute_75 "
                                "-gencode arch=compute_90,code=sm_90 -o '" +
                                folder.file("image") + "' '" + folder.file("k.cu") + "' 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0);
    Code& code = codes.emplace_back();
    MUST(cucore_objectcode_from_file, CUCORE_CODE_TYPE_FATBIN, folder.file("image").c_str(),
         nullptr, code.out());
  }
  for (const Code& code : codes)
    for (size_t i = 0; i < cucore_objectcode_symbol_count(code); ++i) {
      cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
      SUCCEEDS(cucore_objectcode_symbol_at, code, i, &info);
      if (info.kind != CUCORE_SYMBOL_KERNEL) continue;
      const auto expected = parameters_of(code, i);
      const Kernel kernel = find_kernel(code, info.lowered_name);
      std::vector<cucore_parameter_info> found(expected.size(), CUCORE_PARAMETER_INFO_INIT);
      size_t count = 0;
      SUCCEEDS(cucore_kernel_parameters, kernel, device_, found.data(), found.size(), &count);
      ASSERT_EQ(count, expected.size());
      for (size_t j = 0; j < count; ++j)
        EXPECT_EQ(found[j].parameter_class, expected[j].parameter_class)
            << info.lowered_name << " parameter " << j;
    }
}

}  // namespace
