// SPDX-License-Identifier: Apache-2.0
// Object code: an immutable value, loaded into the driver at its first use.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "container/objectcode.hpp"
#include "container/reader.hpp"
#include "container/writer.hpp"
#include "core/compile/diagnostics.hpp"
#include "core/load/code_loader.hpp"
#include "core/load/kernel_table.hpp"
#include "core/objects/device.hpp"

namespace cucore::core {

class Kernel;

// The location of a variable of the code on a device.
struct Global {
  CUdeviceptr address = 0;
  size_t size = 0;
};

class ObjectCode final : public Object {
 public:
  explicit ObjectCode(container::Code code);
  ObjectCode(std::shared_ptr<const container::Code> code,
             const container::SignatureInfo& signature = {});

  // From a user's bytes. They are checked first, so that the driver, which takes no length, never
  // reads past their end.
  static Ref<ObjectCode> create(image::CodeType type, std::span<const std::byte> bytes,
                                std::string name, std::string_view arch,
                                const std::vector<image::NamedExpression>& names);
  // A type of 0 is detected.
  static Ref<ObjectCode> from_file(image::CodeType type, const std::string& path, std::string name,
                                   std::string_view arch,
                                   const std::vector<image::NamedExpression>& names);

  // Stands for code that another owner loaded; it has no bytes.
  static Ref<ObjectCode> of_loaded(Ref<LoadedImage> image, std::string name);

  // Checks untrusted bytes; the state of their signature is stored.
  static Ref<ObjectCode> deserialize(std::span<const std::byte> bytes,
                                     const container::ReadOptions& options);
  static Ref<ObjectCode> bundle(std::span<const ObjectCode* const> images);

  // Returns the number of images of a bundle or entries of a fat binary; else 1.
  size_t image_count() const;
  Ref<const ObjectCode> image_at(size_t index) const;

  const container::Code& code() const { return *code_; }
  const std::shared_ptr<const container::Code>& shared_code() const { return code_; }
  // Returns the symbols of the image. For LTOIR, which is opaque, they come from a link to PTX; a
  // bundle has those of all images.
  const std::vector<image::Symbol>& symbols() const;
  // Returns the resources that machine code records for a kernel, or nullptr.
  const image::KernelResources* resources(const std::string& lowered_name) const;
  const std::vector<Diagnostic>& diagnostics() const;
  // Key and value as text, sorted by key.
  const std::vector<std::pair<std::string, std::string>>& metadata() const;
  container::SignatureState signature() const { return signature_; }
  const std::string& signature_key() const { return signature_key_; }
  const std::string& arch() const { return arch_; }
  std::string label() const;  // "saxpy.cu (CUBIN for sm_90)"

  // Returns the bytes: a PTX without its NUL, a bundle as a container.
  std::span<const std::byte> data() const {
    return is_bundle() ? std::span<const std::byte>(container_) : code_->data();
  }

  // Returns the container of the code, unsigned and not compressed. It is made at the first call.
  const container::Parts& parts() const;

  // Returns whether devices of different architectures use different images.
  bool varies_by_device() const { return is_bundle() || code_->type == image::CodeType::LTOIR; }

  // Loads into the device's context.
  Ref<LoadedImage> load(const Device& device) const;
  // Loads for the device whose context is current, else for device 0.
  Ref<LoadedImage> load_anywhere() const;
  // Returns the code with the image that a device runs.
  Ref<const ObjectCode> on(const Device& device) const { return loader_.code_for(device); }
  bool is_loaded() const { return loader_.is_loaded(); }

  Ref<Kernel> find_kernel(std::string_view name) const;
  Global find_global(std::string_view name, const Device& device) const;

 private:
  friend class Kernel;
  ~ObjectCode() override;
  bool is_bundle() const { return code_->type == image::CodeType::BUNDLE; }
  Ref<const ObjectCode> entry_at(size_t index) const;
  std::vector<image::Symbol> find_symbols() const;
  std::string lowered_global_name(std::string_view name) const;
  void forget(const Kernel& kernel) const noexcept;

  const std::shared_ptr<const container::Code> code_;  // shared by equal object code
  const std::string arch_;
  const image::Bytes container_;  // BUNDLE only
  const container::SignatureState signature_;
  const std::string signature_key_;
  // Computed at the first call.
  mutable std::once_flag symbols_once_, resources_once_, diagnostics_once_, metadata_once_,
      parts_once_;
  mutable std::vector<image::Symbol> symbols_;
  mutable std::vector<image::KernelResources> resources_;
  mutable std::vector<Diagnostic> diagnostics_;
  mutable std::vector<std::pair<std::string, std::string>> metadata_;
  mutable std::optional<container::Parts> parts_;

  mutable CodeLoader loader_;
  mutable KernelTable kernels_;
};

}  // namespace cucore::core
