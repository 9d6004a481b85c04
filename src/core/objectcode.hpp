// Object code: an immutable value that is loaded into the driver when something asks for it.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "container/objectcode.hpp"
#include "core/device.hpp"
#include "core/loaded_image.hpp"

namespace cucore::core {

class Kernel;

// Where a variable of the code is on a device.
struct Global {
  CUdeviceptr address = 0;
  size_t size = 0;
};

class ObjectCode final : public Object {
 public:
  explicit ObjectCode(container::Code code);

  // From bytes that a user gives: checked first, so that the driver, which takes no length, never
  // reads past their end.
  static Ref<ObjectCode> create(container::CodeType type, std::span<const std::byte> bytes,
                                std::string name, std::string_view arch,
                                const std::vector<container::NamedExpression>& names);
  static Ref<ObjectCode> from_file(container::CodeType type, const std::string& path,
                                   std::string name, std::string_view arch,
                                   const std::vector<container::NamedExpression>& names);

  const container::Code& code() const { return code_; }
  const std::string& arch() const { return arch_; }
  std::string label() const;  // "saxpy.cu (CUBIN for sm_90)"

  // The bytes; a PTX without its NUL.
  std::span<const std::byte> data() const { return code_.data(); }

  // What the driver loaded for a device, loading it first where nothing has: once, however many
  // threads ask; they wait for the one that loads. A failure is not remembered.
  Ref<LoadedImage> load(const Device& device) const;
  // The same where nobody has named a device: for the current context's, else device 0.
  Ref<LoadedImage> load_anywhere() const;
  bool is_loaded() const;

  Ref<Kernel> find_kernel(std::string_view name) const;
  Global find_global(std::string_view name, const Device& device) const;

 private:
  friend class Kernel;
  ~ObjectCode() override;
  void require_loadable() const;
  std::string lowered_kernel_name(std::string_view name) const;
  std::string lowered_global_name(std::string_view name) const;
  [[noreturn]] void throw_no_kernel(std::string_view name) const;
  Ref<Kernel> live_kernel(const std::string& lowered) const;
  void forget(const Kernel& kernel) const noexcept;

  const container::Code code_;
  const std::string arch_;
  mutable std::mutex load_mutex_;  // held while the driver loads
  mutable std::mutex mutex_;       // guards what follows; never held while the driver works
  mutable Ref<LoadedImage> library_;
  // One kernel object a name, for as long as somebody holds it; it keeps this object alive.
  mutable std::map<std::string, Kernel*, std::less<>> kernels_;
};

}  // namespace cucore::core
