// SPDX-License-Identifier: Apache-2.0
// A launch whose configuration and arguments are checked and copied once, and which then repeats.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/load/launch.hpp"
#include "core/load/launch_configuration.hpp"

namespace cucore::core {

class PreparedLaunch final : public Object {
 public:
  // Throws as launch() does for the same arguments.
  PreparedLaunch(Ref<const Kernel> kernel, Ref<const Stream> stream,
                 const cucore_launch_options& options, const cucore_argument* arguments,
                 size_t count, const LaunchHandles& handles);

  // Replaces one argument. If it throws, the argument has its previous value.
  void update(size_t index, const cucore_argument& argument, const BufferHandles& handles);

  void run() const;
  // Runs as an observed operation.
  [[gnu::cold, gnu::noinline]] void run_observed() const;

 private:
  // One argument: the place and the size of its value.
  struct Slot {
    std::byte* value;
    size_t size;
    Ref<const Buffer> buffer;  // null for other values
  };

  ~PreparedLaunch() override = default;
  Ref<const Buffer> buffer_of(size_t index, const cucore_argument& argument,
                              const BufferHandles& handles) const;
  void run_inline() const;
  [[gnu::cold, gnu::noinline]] void run_with_attributes() const;
  struct CopiedArguments;
  bool copy_arguments(CopiedArguments& copies) const noexcept;
  void check(size_t index, const cucore_argument& argument) const;
  void write(Slot& slot, const cucore_argument& argument, Ref<const Buffer>& buffer);

  const Ref<const Kernel> kernel_;
  const Ref<const Stream> stream_;
  const KernelImage& image_;
  cucore_launch_options options_;  // for observers, without pointers
  LaunchAttributes attributes_;
  LaunchConfiguration configuration_;
  std::unique_ptr<std::byte[]> values_;
  std::vector<Slot> slots_;
  mutable std::vector<void*> pointers_;  // the driver's type of the list is not const
  size_t buffer_count_ = 0;
  mutable std::mutex mutex_;  // guards the values and the buffers
};

}  // namespace cucore::core
