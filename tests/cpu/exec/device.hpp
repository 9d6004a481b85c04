// SPDX-License-Identifier: Apache-2.0
// Small helpers for tests and benchmarks of the executor: modules, arrays in device memory,
// launches.
#pragma once

#include <cstring>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cpu/checks/shadow.hpp"
#include "cpu/exec/executor.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/output.hpp"

namespace cucore::cpu::test {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::shared_ptr<LoadedModule> load_text(const std::string& ptx, int device = 0,
                                               DeviceLimits limits = {}) {
  std::string log;
  CUresult code = CUDA_SUCCESS;
  auto module = LoadedModule::load(ptx.data(), ptx.size(), device, limits, log, code);
  if (!module) throw std::runtime_error("load failed with " + std::to_string(code) + ": " + log);
  return module;
}

// An array in device memory.
template <class T>
class Array {
 public:
  explicit Array(size_t count, T value = T{}, MemoryKind kind = MemoryKind::DEVICE)
      : count_(count) {
    address_ = AddressSpace::instance().allocate(count * sizeof(T), 16, kind, 0);
    if (!address_) throw std::bad_alloc();
    for (size_t i = 0; i < count; ++i) (*this)[i] = value;
    Range range;
    AddressSpace::instance().shadow(address_, range)->set_initialised(0, range.size);
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    std::memcpy(data(), values.data(), values.size() * sizeof(T));
  }
  ~Array() {
    if (address_) AddressSpace::instance().release(address_);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  uint64_t address() const { return address_; }
  T* data() const {
    return static_cast<T*>(AddressSpace::instance().host(address_, count_ * sizeof(T)));
  }
  T& operator[](size_t i) const { return data()[i]; }
  size_t size() const { return count_; }
  std::vector<T> values() const { return std::vector<T>(data(), data() + count_); }
  void free() {
    AddressSpace::instance().release(address_);
    address_ = 0;
  }

 private:
  size_t count_;
  uint64_t address_ = 0;
};

// Packs arguments into a kernel's layout.
class Parameters {
 public:
  explicit Parameters(const KernelInfo& info) : info_(info), bytes_(info.param_bytes + 1) {}
  template <class T>
  void add(const T& value) {
    const ParamInfo& p = info_.params.at(next_++);
    if (p.size != sizeof(T))
      throw std::runtime_error("parameter " + std::to_string(next_ - 1) + " has another size");
    std::memcpy(bytes_.data() + p.offset, &value, sizeof value);
  }
  template <class T>
  void add(const Array<T>& array) {
    add(array.address());
  }
  const void* data() const {
    if (next_ != info_.params.size()) throw std::runtime_error("parameters are missing");
    return bytes_.data();
  }

 private:
  const KernelInfo& info_;
  std::vector<char> bytes_;
  size_t next_ = 0;
};

struct Shape {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  uint32_t shared = 0;
  bool cooperative = false;
  unsigned cluster[3] = {1, 1, 1};
  DeviceLimits limits = {};
  Output* output = nullptr;
};

inline Shape shape(unsigned grid, unsigned block, uint32_t shared = 0) {
  Shape s;
  s.grid[0] = grid;
  s.block[0] = block;
  s.shared = shared;
  return s;
}

template <class... A>
std::optional<Fault> launch(const Kernel& kernel, const Shape& shape, LaunchStatistics* statistics,
                            const A&... arguments) {
  Parameters parameters(kernel.info());
  (parameters.add(arguments), ...);
  Launch l;
  l.kernel = &kernel;
  for (int c = 0; c < 3; ++c) {
    l.grid[c] = shape.grid[c];
    l.block[c] = shape.block[c];
    l.cluster[c] = shape.cluster[c];
    l.explicit_cluster |= shape.cluster[c] != 1;
  }
  l.dynamic_shared = shape.shared;
  l.cooperative = shape.cooperative;
  l.params = parameters.data();
  l.limits = shape.limits;
  l.output = shape.output;
  return execute(l, statistics);
}

}  // namespace cucore::cpu::test
