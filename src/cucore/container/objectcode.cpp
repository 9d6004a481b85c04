// SPDX-License-Identifier: Apache-2.0
// Makes the values of a container.
#include "container/objectcode.hpp"

#include <algorithm>

#include "image/toolkit_text.hpp"
#include "support/error.hpp"

namespace cucore::container {

Code make_code(image::CodeType type, std::span<const std::byte> bytes, std::string name,
               image::Arch arch) {
  image::ImageInfo info = image::inspect(type, bytes);
  Code code;
  code.type = type;
  code.arch = info.arch.empty() ? arch : info.arch;
  code.ptx_isa = info.ptx_isa;
  code.toolkit = info.toolkit;
  code.name = std::move(name);
  code.symbols = std::move(info.symbols);
  if (type == image::CodeType::PTX) bytes = image::trim_zeros(bytes);
  code.bytes.reserve(bytes.size() + 1);
  code.bytes.assign(bytes.begin(), bytes.end());
  if (type == image::CodeType::PTX) code.bytes.push_back(std::byte{0});
  return code;
}

void set_producer(Code& code, std::string producer, std::string version) {
  code.metadata["producer"] = std::move(producer);
  code.metadata["version"] = std::move(version);
  const auto bytes = code.data();
  const auto build = image::build_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!build.empty()) code.metadata["build"] = std::string(build);
}

namespace {

bool can_be_bundled(image::CodeType type) {
  return type == image::CodeType::PTX || type == image::CodeType::CUBIN ||
         type == image::CodeType::LTOIR;
}

void add_image(Code& bundle, const image::Image& image, const Metadata& metadata) {
  if (!can_be_bundled(image.type)) {
    throw Error(Status::INVALID_ARGUMENT, std::string("a bundle holds PTX, CUBIN and LTOIR; \"") +
                                              image.name + "\" is " +
                                              image::code_type_name(image.type));
  }
  bundle.images.push_back(image);
  bundle.image_metadata.push_back(metadata);
}

void add_code(Code& bundle, const Code& code) {
  if (code.type != image::CodeType::BUNDLE) add_image(bundle, code, code.metadata);
  for (size_t i = 0; i < code.images.size(); ++i) {
    const bool known = i < code.image_metadata.size();
    add_image(bundle, code.images[i], known ? code.image_metadata[i] : Metadata());
  }
  if (!code.log.empty() && !bundle.log.empty() && bundle.log.back() != '\n') bundle.log += '\n';
  bundle.log += code.log;
  for (const Dependency& dependency : code.dependencies) {
    auto& known = bundle.dependencies;
    if (std::find(known.begin(), known.end(), dependency) == known.end())
      known.push_back(dependency);
  }
}

bool is_same(const image::Image& a, const image::Image& b) {
  return a.type == b.type && a.arch == b.arch && a.bytes == b.bytes;
}

// Every device would use the first of equal images. `positions` contains the code of each image.
void require_different(const std::vector<image::Image>& images,
                       const std::vector<size_t>& positions) {
  const auto name = [&](size_t image) {
    return "images[" + std::to_string(positions[image]) + "]";
  };
  for (size_t i = 1; i < images.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!is_same(images[i], images[j])) continue;
      const std::string arch = images[i].arch.empty() ? "" : " for " + images[i].arch.text();
      throw Error(Status::INVALID_ARGUMENT,
                  name(i) + " is the same " + image::code_type_name(images[i].type) + arch +
                      " as " + name(j) + "; expected images that differ; pass " +
                      "each image once");
    }
  }
}

}  // namespace

Code make_bundle(std::span<const Code* const> codes, std::string name) {
  Code bundle;
  bundle.type = image::CodeType::BUNDLE;
  bundle.name = std::move(name);
  std::vector<size_t> positions;
  for (size_t i = 0; i < codes.size(); ++i) {
    add_code(bundle, *codes[i]);
    positions.resize(bundle.images.size(), i);
  }
  if (bundle.images.size() < 2)
    throw Error(Status::INVALID_ARGUMENT, "a bundle needs two images or more");
  require_different(bundle.images, positions);
  const auto empty = [](const Metadata& metadata) { return metadata.empty(); };
  if (std::all_of(bundle.image_metadata.begin(), bundle.image_metadata.end(), empty))
    bundle.image_metadata.clear();
  return bundle;
}

}  // namespace cucore::container
