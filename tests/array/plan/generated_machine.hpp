// SPDX-License-Identifier: Apache-2.0
// Runs planned kernels by their generated code on the CPU device, whose addresses are those of the
// process.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include <cucore.h>

#include "array/codegen/code.hpp"
#include "host_machine.hpp"

namespace cucore::array::testing {

inline void require(cucore_status status, cucore_error*& error, const std::string& context = {}) {
  if (status == CUCORE_OK) return;
  const std::string text =
      std::string(cucore_error_message(error)) + cucore_error_log(error) + "\n" + context;
  cucore_error_release(error);
  error = nullptr;
  throw std::runtime_error(text);
}

struct DeviceStorage : HostStorage {
  DeviceStorage(cucore_buffer* buffer, size_t count)
      : HostStorage({reinterpret_cast<int64_t*>(cucore_buffer_address(buffer)), count}),
        buffer(buffer) {}
  ~DeviceStorage() override { cucore_buffer_release(buffer); }
  cucore_buffer* const buffer;
};

// The device and its kernels; one for the process.
class Generated {
 public:
  static Generated& instance() {
    static Generated generated;
    return generated;
  }

  void launch(const Kernel& kernel, const Addresses& addresses) {
    const Target target{.architecture = 90, .emulated = true};
    cucore_error* error = nullptr;
    cucore_kernel* code = find(kernel, target, addresses);
    for (const LaunchPlan& plan : launches_of(kernel, target, addresses)) {
      cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
      options.grid[0] = static_cast<uint32_t>(plan.grid);
      options.block[0] = plan.block;
      require(cucore_kernel_launch_packed(code, stream_, &options, plan.parameters.data(),
                                          plan.parameters.size(), &error),
              error);
    }
    require(cucore_stream_synchronize(stream_, &error), error,
            code_of(kernel, target, addresses).source);
  }

  Ref<Storage> allocate(int64_t bytes) {
    const auto count = static_cast<size_t>(bytes / 8 + 1);
    cucore_error* error = nullptr;
    cucore_buffer* buffer = nullptr;
    require(cucore_buffer_create_managed(device_, count * 8, &buffer, &error), error);
    return make<DeviceStorage>(buffer, count);
  }

  size_t compiled() const { return kernels_.size(); }

 private:
  Generated() {
    cucore_error* error = nullptr;
    require(cucore_device_open(0, &device_, &error), error);
    require(cucore_device_default_stream(device_, CUCORE_DEFAULT_STREAM_LEGACY, &stream_, &error),
            error);
  }

  cucore_kernel* find(const Kernel& kernel, const Target& target, const Addresses& addresses) {
    cucore_kernel*& found = kernels_[key_of(kernel, target, addresses)];
    if (found) return found;
    const Code code = code_of(kernel, target, addresses);
    cucore_error* error = nullptr;
    cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
    options.arch = "compute_90";
    options.fma = CUCORE_TOGGLE_OFF;
    options.minimal = CUCORE_TOGGLE_ON;
    cucore_program* program = nullptr;
    require(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, code.source.data(),
                                  code.source.size(), &options, &program, &error),
            error);
    cucore_objectcode* object = nullptr;
    require(cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, &object, &error),
            error, code.source);
    require(cucore_objectcode_find_kernel(object, code.name.c_str(), &found, &error), error);
    cucore_objectcode_release(object);
    cucore_program_release(program);
    return found;
  }

  cucore_device* device_ = nullptr;
  cucore_stream* stream_ = nullptr;
  std::map<std::string, cucore_kernel*> kernels_;
};

class GeneratedMachine : public HostMachine {
 public:
  using HostMachine::HostMachine;

  Ref<Storage> allocate(int64_t bytes) override { return Generated::instance().allocate(bytes); }

  void launch(const Kernel& kernel, std::span<Storage* const> inputs,
              std::span<Storage* const> outputs) override {
    ++kernels;
    const auto address = [](Storage* storage) {
      return reinterpret_cast<uint64_t>(static_cast<HostStorage*>(storage)->data.data());
    };
    Addresses addresses;
    for (Storage* input : inputs) addresses.inputs.push_back(address(input));
    for (Storage* output : outputs) addresses.outputs.push_back(address(output));
    const Scratch scratch = scratch_of(kernel);
    const Ref<Storage> partials = allocate(scratch.partial_bytes),
                       counters = allocate(scratch.counters * 4);
    const auto& zeroed = static_cast<HostStorage&>(*counters).data;
    std::fill(zeroed.begin(), zeroed.end(), 0);
    addresses.partials = address(partials.get());
    addresses.counters = address(counters.get());
    Generated::instance().launch(kernel, addresses);
    if (std::any_of(zeroed.begin(), zeroed.end(), [](int64_t each) { return each != 0; }))
      throw std::runtime_error("a kernel left a counter behind");
  }
};

}  // namespace cucore::array::testing
