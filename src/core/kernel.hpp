// A kernel: its place in the driver, its parameters, and what it needs of a device.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "container/image.hpp"
#include "core/objectcode.hpp"

namespace cucore::core {

class Kernel final : public Object {
 public:
  Kernel(Ref<const ObjectCode> code, std::string name, CUkernel native);

  const std::string& name() const { return name_; }
  CUkernel native() const { return native_; }
  const ObjectCode& code() const { return *code_; }

  // nullopt where neither the code nor the driver says.
  const std::optional<std::vector<container::Parameter>>& parameters() const { return parameters_; }
  // The end of the last parameter.
  size_t parameter_bytes() const { return parameter_bytes_; }

  int attribute(int number, const Device& device) const;
  void set_attribute(int number, const Device& device, int value) const;

  // Lets launches on the device use so much dynamic shared memory; never lowers what is allowed.
  void allow_dynamic_shared(const Device& device, uint32_t bytes) const;

  int occupancy(const Device& device, int block_size, size_t dynamic_shared) const;
  void max_potential_block_size(const Device& device, size_t dynamic_shared, int limit,
                                int& min_grid_size, int& block_size) const;
  size_t available_dynamic_shared(const Device& device, int blocks, int block_size) const;

 private:
  ~Kernel() override;
  CUfunction function_on(const Device& device) const;

  const Ref<const ObjectCode> code_;
  const std::string name_;
  const CUkernel native_;
  std::optional<std::vector<container::Parameter>> parameters_;
  size_t parameter_bytes_ = 0;
  // For each device, the dynamic shared memory that launches may use; 0: not asked yet.
  const std::unique_ptr<std::atomic<uint32_t>[]> allowed_shared_;
  mutable std::mutex raising_;  // one thread at a time asks for the bound and raises it
};

}  // namespace cucore::core
