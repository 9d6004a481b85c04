// SPDX-License-Identifier: Apache-2.0
#include "corpus_launch.hpp"

#include <cstring>

namespace cucore::perf::test {

AnalysisOwner analyse(const std::string& ptx, const cucore_analysis_options* options) {
  cucore_objectcode* code = nullptr;
  EXPECT_EQ(cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, ptx.data(), ptx.size(), nullptr, &code,
                                     nullptr),
            CUCORE_OK);
  cucore_analysis* analysis = nullptr;
  EXPECT_EQ(cucore_analysis_create(code, options, &analysis, nullptr), CUCORE_OK);
  cucore_objectcode_release(code);
  return AnalysisOwner(analysis);
}

size_t kernel_index(const cucore_analysis* analysis, const std::string& name) {
  for (size_t at = 0; at < cucore_analysis_kernel_count(analysis); ++at) {
    cucore_analysis_info info = CUCORE_ANALYSIS_INFO_INIT;
    EXPECT_EQ(cucore_analysis_kernel_at(analysis, at, &info, nullptr), CUCORE_OK);
    if (info.name == name) return at;
  }
  ADD_FAILURE() << "no kernel " << name;
  return 0;
}

CorpusLaunch::CorpusLaunch(cutest::Driver& driver, const cpu::corpus::Case& row,
                           const std::string& ptx)
    : driver_(driver), row_(row) {
  EXPECT_CU(0, driver_.cuModuleLoadData(&module_, ptx.c_str()));
  for (const auto& [name, bytes] : row.variables) {
    CUdeviceptr address = 0;
    size_t size = 0;
    EXPECT_CU(0, driver_.cuModuleGetGlobal_v2(&address, &size, module_, name.c_str()));
    EXPECT_CU(0, driver_.cuMemcpyHtoD_v2(address, bytes.data(), bytes.size()));
  }
  for (const auto& bytes : row.arrays) {
    CUdeviceptr address = 0;
    EXPECT_CU(0, driver_.cuMemAlloc_v2(&address, bytes.size()));
    EXPECT_CU(0, driver_.cuMemcpyHtoD_v2(address, bytes.data(), bytes.size()));
    arrays_.push_back(address);
  }
  for (const auto& argument : row.arguments) {
    parameters_.push_back(argument.bytes);
    for (const auto& [offset, array] : argument.arrays)
      std::memcpy(&parameters_.back()[offset], &arrays_[array], sizeof(CUdeviceptr));
  }
}

CorpusLaunch::~CorpusLaunch() {
  for (const CUdeviceptr address : arrays_) driver_.cuMemFree_v2(address);
  driver_.cuModuleUnload(module_);
}

cucore_cpu_trace* CorpusLaunch::run() {
  CUfunction function = nullptr;
  EXPECT_CU(0, driver_.cuModuleGetFunction(&function, module_, row_.kernel.c_str()));
  std::vector<void*> parameters;
  for (auto& bytes : parameters_) parameters.push_back(bytes.data());
  cucore_cpu_trace_options options = {};
  options.struct_size = sizeof options;
  options.footprint = 1;
  EXPECT_CU(0, driver_.control().trace_begin(&options));
  const auto& shape = row_.shape;
  const auto launch = shape.cooperative ? driver_.cuLaunchCooperativeKernel
                                        : decltype(driver_.cuLaunchCooperativeKernel){};
  if (launch)
    EXPECT_CU(0, launch(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                        shape.block[1], shape.block[2], shape.shared, nullptr, parameters.data()));
  else
    EXPECT_CU(0, driver_.cuLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2],
                                        shape.block[0], shape.block[1], shape.block[2],
                                        shape.shared, nullptr, parameters.data(), nullptr));
  cucore_cpu_trace* trace = nullptr;
  EXPECT_CU(0, driver_.control().trace_end(&trace));
  return trace;
}

cucore_status CorpusLaunch::model(const cucore_analysis* analysis, cucore_model_info* info,
                                  std::string* message) {
  std::vector<cucore_argument> arguments;
  for (const auto& bytes : parameters_) arguments.push_back({bytes.data(), bytes.size()});
  cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = row_.shape.grid[i];
    launch.block[i] = row_.shape.block[i];
  }
  launch.dynamic_shared = row_.shape.shared;
  cucore_error* error = nullptr;
  const cucore_status status =
      cucore_analysis_model(analysis, kernel_index(analysis, row_.kernel), &launch,
                            arguments.data(), arguments.size(), info, &error);
  *message = error ? cucore_error_message(error) : "";
  cucore_error_release(error);
  return status;
}

}  // namespace cucore::perf::test
