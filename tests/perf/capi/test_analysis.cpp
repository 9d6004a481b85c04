// SPDX-License-Identifier: Apache-2.0
// The functions of an analysis: success and each status of the header, on images that an earlier
// release of the compilers made.
#include <cucore_perf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string read_image(const std::string& name) {
  std::ifstream file(IMAGES "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

class AnalysisTest : public testing::Test {
 protected:
  void TearDown() override {
    cucore_analysis_release(analysis_);
    cucore_objectcode_release(code_);
    cucore_error_release(error_);
  }

  void open(const std::string& name, cucore_code_type type) { open_bytes(read_image(name), type); }
  void open_bytes(const std::string& bytes, cucore_code_type type) {
    cucore_objectcode_release(code_);
    code_ = nullptr;
    ASSERT_EQ(cucore_objectcode_create(type, bytes.data(), bytes.size(), nullptr, &code_, nullptr),
              CUCORE_OK);
  }
  cucore_status create(const cucore_analysis_options* options = nullptr) {
    cucore_analysis_release(analysis_);
    cucore_error_release(error_);
    error_ = nullptr;
    analysis_ = reinterpret_cast<cucore_analysis*>(&code_);  // an old value
    const cucore_status status = cucore_analysis_create(code_, options, &analysis_, &error_);
    EXPECT_EQ(cucore_error_status(error_), status);
    EXPECT_EQ(analysis_ != nullptr, status == CUCORE_OK);
    return status;
  }
  void analyse(const std::string& name, cucore_code_type type) {
    open(name, type);
    analysis_ = nullptr;
    ASSERT_EQ(create(), CUCORE_OK) << cucore_error_message(error_);
  }
  std::string message() const { return cucore_error_message(error_); }
  std::string written(cucore_report_format format) const {
    size_t size = 0;
    EXPECT_EQ(cucore_analysis_write(analysis_, format, nullptr, 0, &size, nullptr), CUCORE_OK);
    std::string text(size, '\0');
    EXPECT_EQ(cucore_analysis_write(analysis_, format, text.data(), size, &size, nullptr),
              CUCORE_OK);
    return text;
  }
  cucore_analysis_info kernel(size_t index) {
    cucore_analysis_info info = CUCORE_ANALYSIS_INFO_INIT;
    EXPECT_EQ(cucore_analysis_kernel_at(analysis_, index, &info, nullptr), CUCORE_OK);
    return info;
  }

  cucore_objectcode* code_ = nullptr;
  cucore_analysis* analysis_ = nullptr;
  cucore_error* error_ = nullptr;
};

// 100 threads are not whole warps, for which there is a finding.
TEST_F(AnalysisTest, TakesTheLaunchOfOneKernel) {
  analyse("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  const std::string name = kernel(0).name;
  cucore_analysis_options options = CUCORE_ANALYSIS_OPTIONS_INIT;
  options.block = 100;
  ASSERT_EQ(create(&options), CUCORE_OK) << message();
  const size_t of_all = cucore_analysis_finding_count(analysis_);
  options.kernel = name.c_str();
  ASSERT_EQ(create(&options), CUCORE_OK) << message();
  std::set<std::string> partial;
  for (size_t at = 0; at < cucore_analysis_finding_count(analysis_); ++at) {
    cucore_finding found = CUCORE_FINDING_INIT;
    ASSERT_EQ(cucore_analysis_finding_at(analysis_, at, &found, nullptr), CUCORE_OK);
    if (std::string(found.id) == "A110") partial.insert(found.kernel);
  }
  EXPECT_EQ(partial, std::set{name});
  EXPECT_LE(cucore_analysis_finding_count(analysis_), of_all);
  options.kernel = "other";
  EXPECT_EQ(create(&options), CUCORE_ERROR_NOT_FOUND);
  EXPECT_EQ(message(), "the code has no kernel other");
}

TEST_F(AnalysisTest, DescribesMachineCode) {
  analyse("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  ASSERT_GE(cucore_analysis_kernel_count(analysis_), 1U);
  const cucore_analysis_info info = kernel(0);
  EXPECT_EQ(info.level, CUCORE_CODE_LEVEL_MACHINE);
  EXPECT_STREQ(info.arch, "sm_90");
  EXPECT_STREQ(info.missing, "");
  EXPECT_NE(std::string(info.name).find("saxpy"), std::string::npos);
  EXPECT_GT(info.registers, 0);
  EXPECT_EQ(info.shared, 0);
  EXPECT_EQ(info.local, 0);
  EXPECT_EQ(info.stack, 0);
  EXPECT_GT(info.parameters, 0);
  EXPECT_GE(info.constant, info.parameters);
  EXPECT_GT(info.code_size, 0);
  EXPECT_EQ(info.max_threads, 1024U);
  EXPECT_GT(info.instructions, 5U);
  EXPECT_LE(info.instructions * 16, static_cast<uint32_t>(info.code_size));
  cucore_instruction_info loads = CUCORE_INSTRUCTION_INFO_INIT;
  ASSERT_EQ(cucore_analysis_instructions(analysis_, 0, CUCORE_CODE_LEVEL_MACHINE,
                                         CUCORE_INSTRUCTION_CLASS_LOAD_GLOBAL, &loads, nullptr),
            CUCORE_OK);
  EXPECT_GT(loads.count, 0U);
  EXPECT_EQ(loads.widths[2] + loads.widths[3], loads.count);  // 4 or 8 bytes
  cucore_instruction_info all = CUCORE_INSTRUCTION_INFO_INIT;
  ASSERT_EQ(cucore_analysis_instructions(analysis_, 0, CUCORE_CODE_LEVEL_MACHINE,
                                         CUCORE_INSTRUCTION_CLASS_ANY, &all, nullptr),
            CUCORE_OK);
  EXPECT_EQ(all.count, info.instructions);
}

TEST_F(AnalysisTest, DescribesPtx) {
  analyse("saxpy.ptx", CUCORE_CODE_TYPE_PTX);
  ASSERT_GE(cucore_analysis_kernel_count(analysis_), 1U);
  const cucore_analysis_info info = kernel(0);
  EXPECT_EQ(info.level, CUCORE_CODE_LEVEL_PTX);
  EXPECT_EQ(info.registers, -1);
  EXPECT_EQ(info.stack, -1);
  EXPECT_EQ(info.spill_loads, -1);
  EXPECT_EQ(info.constant, -1);
  EXPECT_EQ(info.code_size, -1);
  EXPECT_GT(info.parameters, 0);
  cucore_occupancy_info occupancy = CUCORE_OCCUPANCY_INFO_INIT;
  EXPECT_EQ(cucore_analysis_occupancy(analysis_, 0, "sm_90", 256, 0, &occupancy, &error_),
            CUCORE_ERROR_INVALID_STATE);
  EXPECT_NE(message().find("has no registers yet"), std::string::npos) << message();
}

TEST_F(AnalysisTest, ReadsAllImagesOfAFatBinary) {
  for (const char* name : {"saxpy_lz4.fatbin", "saxpy_zstd.fatbin"}) {
    analyse(name, CUCORE_CODE_TYPE_FATBIN);
    size_t symbols = 0;
    for (size_t at = 0; at < cucore_objectcode_image_count(code_); ++at) {
      cucore_objectcode* image = nullptr;
      const cucore_status status = cucore_objectcode_image_at(code_, at, &image, nullptr);
      if (status == CUCORE_ERROR_UNSUPPORTED) continue;  // an entry without code
      ASSERT_EQ(status, CUCORE_OK);
      for (size_t symbol = 0; symbol < cucore_objectcode_symbol_count(image); ++symbol) {
        cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
        ASSERT_EQ(cucore_objectcode_symbol_at(image, symbol, &info, nullptr), CUCORE_OK);
        symbols += info.kind == CUCORE_SYMBOL_KERNEL;
      }
      cucore_objectcode_release(image);
    }
    EXPECT_GT(symbols, 0U) << name;
    EXPECT_EQ(cucore_analysis_kernel_count(analysis_), symbols) << name;
  }
}

TEST_F(AnalysisTest, ReadsABundle) {
  cucore_objectcode* parts[2] = {};
  open("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  parts[0] = cucore_objectcode_retain(code_);
  open("saxpy_sm80.cubin", CUCORE_CODE_TYPE_CUBIN);
  parts[1] = cucore_objectcode_retain(code_);
  cucore_objectcode_release(code_);
  code_ = nullptr;
  ASSERT_EQ(cucore_objectcode_bundle(parts, 2, &code_, nullptr), CUCORE_OK);
  for (cucore_objectcode* part : parts) cucore_objectcode_release(part);
  analysis_ = nullptr;
  ASSERT_EQ(create(), CUCORE_OK) << message();
  EXPECT_GE(cucore_analysis_kernel_count(analysis_), 2U);
}

TEST_F(AnalysisTest, OccupancyIsThatOfTheResources) {
  analyse("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  for (const char* arch : {static_cast<const char*>(nullptr), "sm_75", "sm_120"}) {
    cucore_occupancy_info found = CUCORE_OCCUPANCY_INFO_INIT;
    ASSERT_EQ(cucore_analysis_occupancy(analysis_, 0, arch, 128, 30000, &found, nullptr),
              CUCORE_OK);
    cucore_occupancy_needs needs = CUCORE_OCCUPANCY_NEEDS_INIT;
    needs.registers = static_cast<uint32_t>(kernel(0).registers);
    needs.threads = 128;
    needs.shared = static_cast<uint32_t>(kernel(0).shared) + 30000;
    cucore_occupancy_info expected = CUCORE_OCCUPANCY_INFO_INIT;
    ASSERT_EQ(cucore_occupancy_query(arch ? arch : "sm_90", &needs, &expected, nullptr), CUCORE_OK);
    EXPECT_EQ(std::memcmp(&found, &expected, sizeof found), 0);
  }
  cucore_occupancy_info info = CUCORE_OCCUPANCY_INFO_INIT;
  EXPECT_EQ(cucore_analysis_occupancy(analysis_, 0, "sm_60", 128, 0, &info, nullptr),
            CUCORE_ERROR_UNSUPPORTED);
  EXPECT_EQ(cucore_analysis_occupancy(analysis_, 0, "x", 128, 0, &info, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_analysis_occupancy(analysis_, 0, nullptr, 1025, 0, &info, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_analysis_occupancy(analysis_, 99, nullptr, 128, 0, &info, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  info.struct_size = 8;
  EXPECT_EQ(cucore_analysis_occupancy(analysis_, 0, nullptr, 128, 0, &info, nullptr),
            CUCORE_ERROR_ABI_MISMATCH);
}

const char* const CONTENDED = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{ .reg .b64 %l<2>; .reg .b32 %r<2>;
ld.param.u64 %l0, [p];
atom.global.add.u32 %r0, [%l0], 1;
atom.global.add.u32 %r1, [%l0], 2; // cucore: allow(A101, A112)
ret; }
)";

TEST_F(AnalysisTest, ReportsFindings) {
  open_bytes(CONTENDED, CUCORE_CODE_TYPE_PTX);
  analysis_ = nullptr;
  ASSERT_EQ(create(), CUCORE_OK) << message();
  ASSERT_EQ(cucore_analysis_finding_count(analysis_), 2U);
  cucore_finding finding = CUCORE_FINDING_INIT;
  ASSERT_EQ(cucore_analysis_finding_at(analysis_, 0, &finding, nullptr), CUCORE_OK);
  EXPECT_STREQ(finding.id, "A112");
  EXPECT_STREQ(finding.name, "contended atomic");
  EXPECT_STREQ(finding.kernel, "k");
  EXPECT_STREQ(finding.arch, "compute_80");
  EXPECT_EQ(finding.severity, CUCORE_FINDING_SEVERITY_WARNING);
  EXPECT_EQ(finding.ptx_line, 7U) << "a comment in the PTX allows the other one";
  EXPECT_EQ(finding.line, 0U);
  EXPECT_STREQ(finding.file, "");
  EXPECT_EQ(finding.count, 1U);
  EXPECT_STRNE(finding.message, "");
  EXPECT_STRNE(finding.advice, "");
  ASSERT_EQ(cucore_analysis_finding_at(analysis_, 1, &finding, nullptr), CUCORE_OK);
  EXPECT_STREQ(finding.id, "A116");
  EXPECT_EQ(finding.severity, CUCORE_FINDING_SEVERITY_NOTE);
  EXPECT_EQ(cucore_analysis_finding_at(analysis_, 2, &finding, &error_),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "index is 2; expected less than 2");
  EXPECT_EQ(finding.id, nullptr) << "a failed call leaves old values";
  finding.struct_size = 8;
  EXPECT_EQ(cucore_analysis_finding_at(analysis_, 0, &finding, nullptr), CUCORE_ERROR_ABI_MISMATCH);
}

TEST_F(AnalysisTest, OptionsAllowFindings) {
  open_bytes(CONTENDED, CUCORE_CODE_TYPE_PTX);
  analysis_ = nullptr;
  const char* allow[] = {"A112", "A116"};
  cucore_analysis_options options = CUCORE_ANALYSIS_OPTIONS_INIT;
  options.allow = allow;
  options.allow_count = 2;
  ASSERT_EQ(create(&options), CUCORE_OK) << message();
  EXPECT_EQ(cucore_analysis_finding_count(analysis_), 0U);
  allow[1] = "A999";
  EXPECT_EQ(create(&options), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "allow contains 'A999'; expected A101 to A118");
}

TEST_F(AnalysisTest, RefusesWrongOptions) {
  open("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  analysis_ = nullptr;
  cucore_analysis_options options = CUCORE_ANALYSIS_OPTIONS_INIT;
  options.block = 1025;
  EXPECT_EQ(create(&options), CUCORE_ERROR_INVALID_ARGUMENT);
  options.block = 0;
  const char* archs[] = {"sm_60"};
  options.archs = archs;
  options.arch_count = 1;
  EXPECT_EQ(create(&options), CUCORE_ERROR_UNSUPPORTED);
  options.arch_count = 0;
  options.disassembler = static_cast<cucore_toggle>(3);
  EXPECT_EQ(create(&options), CUCORE_ERROR_INVALID_ARGUMENT);
  options.disassembler = CUCORE_TOGGLE_DEFAULT;
  options.roof = reinterpret_cast<const cucore_roof*>(code_);
  EXPECT_EQ(create(&options), CUCORE_ERROR_INVALID_HANDLE);
  EXPECT_NE(message().find("cucore_analysis_options.roof"), std::string::npos) << message();
  options.roof = nullptr;
  options.reserved_1 = 1;
  EXPECT_EQ(create(&options), CUCORE_ERROR_INVALID_ARGUMENT);
  options.reserved_1 = 0;
  options.sources = static_cast<cucore_toggle>(7);
  EXPECT_EQ(create(&options), CUCORE_ERROR_INVALID_ARGUMENT);
  options.sources = CUCORE_TOGGLE_DEFAULT;
  options.struct_size = 8;
  EXPECT_EQ(create(&options), CUCORE_ERROR_ABI_MISMATCH);
}

// A folder with a script that has the name of the disassembler. It is the only one in PATH.
class WithDisassembler {
 public:
  explicit WithDisassembler(const std::string& script) {
    char name[] = "/tmp/cucore-analysis-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    std::ofstream(tool()) << "#!/bin/sh\n" << script;
    EXPECT_EQ(chmod(tool().c_str(), 0700), 0);
    setenv("PATH", folder_.c_str(), 1);
  }
  ~WithDisassembler() {
    setenv("PATH", before_.c_str(), 1);
    unlink(tool().c_str());
    rmdir(folder_.c_str());
  }
  WithDisassembler(const WithDisassembler&) = delete;
  WithDisassembler& operator=(const WithDisassembler&) = delete;

 private:
  std::string tool() const { return folder_ + "/nvdisasm"; }

  std::string folder_;
  const std::string before_ = getenv("PATH");
};

TEST_F(AnalysisTest, HasTheMachineCodeAsText) {
  analyse("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  const std::string name = kernel(0).name, before = written(CUCORE_REPORT_FORMAT_JSON);
  EXPECT_EQ(before.find("disassembly"), std::string::npos) << "only if it is requested";
  // The script prints text for the code of the test alone.
  const WithDisassembler tool("[ \"$1\" = -c ] && /usr/bin/cmp -s \"$2\" " IMAGES
                              "/saxpy_sm90.cubin || exit 1\n"
                              "echo ' .section .text." +
                              name +
                              ",\"ax\"'\n"
                              "echo '.text." +
                              name +
                              ":'\n"
                              "echo '  /*0000*/    LDC R1, c[0x0][0x28] ;'\n"
                              "echo '  /*0010*/    @P0 EXIT ;'\n");
  cucore_analysis_options options = CUCORE_ANALYSIS_OPTIONS_INIT;
  options.disassembler = CUCORE_TOGGLE_ON;
  ASSERT_EQ(create(&options), CUCORE_OK) << message();
  EXPECT_STREQ(kernel(0).missing, "");
  const std::string json = written(CUCORE_REPORT_FORMAT_JSON);
  EXPECT_NE(json.find("\"text\": \"LDC R1, c[0x0][0x28]\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"address\": 16"), std::string::npos) << json;
  const std::string text = written(CUCORE_REPORT_FORMAT_TEXT);
  EXPECT_NE(text.find("\nmachine code of " + name + " for sm_90"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  0010  @P0 EXIT\n"), std::string::npos) << text;
}

TEST_F(AnalysisTest, HasTheReasonWithoutADisassembler) {
  analyse("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  const WithDisassembler tool("exit 3\n");
  cucore_analysis_options options = CUCORE_ANALYSIS_OPTIONS_INIT;
  options.disassembler = CUCORE_TOGGLE_ON;
  ASSERT_EQ(create(&options), CUCORE_OK) << message();
  const std::string missing = kernel(0).missing;
  EXPECT_TRUE(missing.starts_with("no text of the machine code: ")) << missing;
  EXPECT_TRUE(missing.ends_with("/nvdisasm cannot read the code")) << missing;
  EXPECT_GT(kernel(0).registers, 0) << "the rest of the analysis is there";
  if (access("/usr/local/cuda/bin/nvdisasm", X_OK) == 0) return;
  setenv("PATH", "", 1);  // the end of `tool` restores it
  const char* const home = getenv("CUDA_HOME");
  const std::string kept = home ? home : "";
  unsetenv("CUDA_HOME");
  ASSERT_EQ(create(&options), CUCORE_OK) << message();
  if (home) setenv("CUDA_HOME", kept.c_str(), 1);
  EXPECT_NE(std::string(kernel(0).missing).find("in no folder of PATH"), std::string::npos)
      << kernel(0).missing;
}

TEST_F(AnalysisTest, RefusesOtherCode) {
  analysis_ = nullptr;
  open("saxpy.ltoir", CUCORE_CODE_TYPE_LTOIR);
  EXPECT_EQ(create(), CUCORE_ERROR_UNSUPPORTED);
  EXPECT_NE(message().find("the code is LTOIR; expected CUBIN or PTX"), std::string::npos)
      << message();
  // The object code accepts it, because only a compiler reads bodies.
  open_bytes(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{ add.u32 %r1, "
      "%r2, 3; }\n",
      CUCORE_CODE_TYPE_PTX);
  EXPECT_EQ(create(), CUCORE_ERROR_INVALID_CODE);
  EXPECT_NE(std::string(cucore_error_log(error_)).find("line 5"), std::string::npos)
      << cucore_error_log(error_);
}

TEST_F(AnalysisTest, RefusesWrongArguments) {
  analyse("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  cucore_instruction_info info = CUCORE_INSTRUCTION_INFO_INIT;
  const auto instructions = [&](size_t kernel, int level, int which) {
    return cucore_analysis_instructions(analysis_, kernel, static_cast<cucore_code_level>(level),
                                        static_cast<cucore_instruction_class>(which), &info,
                                        nullptr);
  };
  EXPECT_EQ(instructions(99, 1, 0), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(instructions(0, 0, 0), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(instructions(0, 3, 0), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(instructions(0, 1, -1), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(instructions(0, 1, 26), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(instructions(0, 1, 25), CUCORE_OK);
  EXPECT_EQ(instructions(0, 2, 0), CUCORE_ERROR_NOT_FOUND) << "compiled without line information";
  info.struct_size = 8;
  EXPECT_EQ(instructions(0, 1, 0), CUCORE_ERROR_ABI_MISMATCH);
  cucore_analysis_info kernel = CUCORE_ANALYSIS_INFO_INIT;
  EXPECT_EQ(cucore_analysis_kernel_at(analysis_, 99, &kernel, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  kernel.struct_size = 8;
  EXPECT_EQ(cucore_analysis_kernel_at(analysis_, 0, &kernel, nullptr), CUCORE_ERROR_ABI_MISMATCH);
}

TEST_F(AnalysisTest, WritesTextAndJson) {
  analyse("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  for (const cucore_report_format format : {CUCORE_REPORT_FORMAT_TEXT, CUCORE_REPORT_FORMAT_JSON}) {
    size_t size = 0;
    ASSERT_EQ(cucore_analysis_write(analysis_, format, nullptr, 0, &size, nullptr), CUCORE_OK);
    std::vector<char> buffer(size);
    size_t again = 0;
    EXPECT_EQ(cucore_analysis_write(analysis_, format, buffer.data(), size - 1, &again, nullptr),
              CUCORE_ERROR_BUFFER_TOO_SMALL);
    EXPECT_EQ(again, size);
    EXPECT_EQ(buffer[0], 0) << "a failed call writes";
    ASSERT_EQ(cucore_analysis_write(analysis_, format, buffer.data(), size, &again, nullptr),
              CUCORE_OK);
    EXPECT_EQ(std::strlen(buffer.data()) + 1, size);
    EXPECT_NE(std::string(buffer.data()).find("saxpy"), std::string::npos);
  }
  size_t size = 0;
  EXPECT_EQ(cucore_analysis_write(analysis_, CUCORE_REPORT_FORMAT_NONE, nullptr, 0, &size, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_analysis_write(analysis_, CUCORE_REPORT_FORMAT_TEXT, nullptr, 5, &size, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
}

TEST_F(AnalysisTest, RefusesNullAndOtherHandles) {
  analyse("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  cucore_analysis* out = nullptr;
  size_t size = 0;
  cucore_analysis_info kernel = CUCORE_ANALYSIS_INFO_INIT;
  EXPECT_EQ(cucore_analysis_create(nullptr, nullptr, &out, nullptr), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_analysis_create(code_, nullptr, nullptr, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_analysis_kernel_at(nullptr, 0, &kernel, nullptr), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_analysis_kernel_at(analysis_, 0, nullptr, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_analysis_finding_at(analysis_, 0, nullptr, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(
      cucore_analysis_write(analysis_, CUCORE_REPORT_FORMAT_TEXT, nullptr, 0, nullptr, nullptr),
      CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_analysis_kernel_count(nullptr), 0U);
  EXPECT_EQ(cucore_analysis_finding_count(nullptr), 0U);
  EXPECT_EQ(cucore_analysis_retain(nullptr), nullptr);
  // Each library refuses the handles of the other one.
  auto* const other = reinterpret_cast<cucore_analysis*>(code_);
  EXPECT_EQ(cucore_analysis_write(other, CUCORE_REPORT_FORMAT_TEXT, nullptr, 0, &size, &error_),
            CUCORE_ERROR_INVALID_HANDLE);
  EXPECT_EQ(message(), "analysis is not a live cucore_analysis: it is a cucore_objectcode");
  EXPECT_EQ(cucore_analysis_kernel_count(other), 0U);
  EXPECT_EQ(cucore_analysis_create(reinterpret_cast<cucore_objectcode*>(analysis_), nullptr, &out,
                                   nullptr),
            CUCORE_ERROR_INVALID_HANDLE);
  EXPECT_EQ(out, nullptr);
  // A released handle is refused; a second reference keeps the analysis.
  cucore_analysis* const kept = cucore_analysis_retain(analysis_);
  cucore_analysis_release(analysis_);
  EXPECT_GE(cucore_analysis_kernel_count(kept), 1U);
  cucore_analysis_release(kept);
  EXPECT_EQ(cucore_analysis_kernel_count(kept), 0U);
  EXPECT_EQ(cucore_analysis_kernel_at(kept, 0, &kernel, nullptr), CUCORE_ERROR_INVALID_HANDLE);
  analysis_ = nullptr;
}

TEST_F(AnalysisTest, ManyThreadsMayReadIt) {
  analyse("saxpy_sm90.cubin", CUCORE_CODE_TYPE_CUBIN);
  std::vector<std::thread> threads;
  std::vector<size_t> sizes(8);
  for (size_t& size : sizes)
    threads.emplace_back([&size, this] {
      for (int round = 0; round < 50; ++round)
        cucore_analysis_write(analysis_, CUCORE_REPORT_FORMAT_JSON, nullptr, 0, &size, nullptr);
    });
  for (std::thread& thread : threads) thread.join();
  for (const size_t size : sizes) EXPECT_EQ(size, sizes[0]);
  EXPECT_GT(sizes[0], 100U);
}

// Reads of damaged code end with an error or a result, and never outside of its bytes.
TEST_F(AnalysisTest, DamagedCodeIsRefusedOrAnalysed) {
  const std::string whole = read_image("saxpy_sm90.cubin");
  size_t analysed = 0, refused = 0;
  for (size_t at = 0; at < whole.size(); at += 3)
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      cucore_objectcode* code = nullptr;
      if (cucore_objectcode_create(CUCORE_CODE_TYPE_CUBIN, bytes.data(), bytes.size(), nullptr,
                                   &code, nullptr) != CUCORE_OK)
        continue;
      cucore_analysis* analysis = nullptr;
      const cucore_status status = cucore_analysis_create(code, nullptr, &analysis, nullptr);
      ++(status == CUCORE_OK ? analysed : refused);
      EXPECT_TRUE(status == CUCORE_OK || status == CUCORE_ERROR_INVALID_CODE ||
                  status == CUCORE_ERROR_INVALID_ARGUMENT)
          << status << " at " << at;
      cucore_analysis_release(analysis);
      cucore_objectcode_release(code);
    }
  EXPECT_GT(analysed, 100U);
}

}  // namespace
