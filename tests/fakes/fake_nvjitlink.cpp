// SPDX-License-Identifier: Apache-2.0
// The fake nvJitLink: its output contains the kernels of its inputs by name. Built twice: with the
// plain names, and as an old release that has only versioned names and does not report its version.
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fakes/fake_calls.hpp"
#include "fakes/fake_source.hpp"

#define NVJITLINK_NO_INLINE
#include <nvJitLink.h>

#ifndef FAKE_VERSION
#define FAKE_VERSION 13000
#endif
#ifdef FAKE_VERSIONED_NAMES
#define EXPORTED(name) __##name##_12_0
#else
#define EXPORTED(name) name
#endif

namespace fake {
namespace {

constexpr const char* LTOIR_MAGIC = "\xed\x43\x4e\x7f";

struct Linking {
  int arch = 0;
  bool lto = false, to_ptx = false, complete = false;
  Image image;
  std::string error_log, info_log, cubin, ptx;
};

struct Linker {
  std::recursive_mutex mutex;
  int version = FAKE_VERSION;
  std::map<nvJitLinkHandle, std::unique_ptr<Linking>> alive;
  uint64_t next = 0xb0000000;
  uint64_t created = 0, links = 0;
  std::vector<std::string> options;
};

Linker& linker() {
  static auto* linker = new Linker;
  return *linker;
}

std::unique_lock<std::recursive_mutex> locked() { return std::unique_lock(linker().mutex); }

Linking* find(nvJitLinkHandle handle, const char* use) {
  const auto found = linker().alive.find(handle);
  if (found != linker().alive.end()) return found->second.get();
  calls().violation(std::string(use) + " with a link that is not alive");
  return nullptr;
}

nvJitLinkResult read_options(Linking& linking, const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    if (option.starts_with("-arch="))
      linking.arch = std::atoi(option.c_str() + option.find('_') + 1);
    if (option == "-lto") linking.lto = true;
    if (option == "-ptx") linking.to_ptx = true;
    if (option.find("no-such-option") != std::string::npos)
      return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
  }
  return linking.arch ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_MISSING_ARCH;
}

nvJitLinkResult read_input(const std::string& bytes, nvJitLinkInputType type,
                           const Linking& linking, Image& image) {
  if (bytes.size() < 4) return NVJITLINK_ERROR_INVALID_INPUT;
  const bool is_lto = bytes.compare(0, 4, LTOIR_MAGIC, 4) == 0;
  if (is_lto && !linking.lto) return NVJITLINK_ERROR_LTO_NOT_ENABLED;
  if (is_lto)
    image = read_ptx(bytes.substr(4));
  else if (type == NVJITLINK_INPUT_PTX)
    image = read_ptx(bytes);
  else
    image = read_image(bytes.c_str());
  return image.kind == Image::INVALID ? NVJITLINK_ERROR_UNRECOGNIZED_INPUT : NVJITLINK_SUCCESS;
}

nvJitLinkResult give_size(nvJitLinkHandle handle, std::string Linking::*field, bool text,
                          size_t* size, const char* use) {
  const auto lock = locked();
  Linking* linking = find(handle, use);
  if (!linking) return NVJITLINK_ERROR_INVALID_INPUT;
  *size = (linking->*field).size() + text;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult give(nvJitLinkHandle handle, std::string Linking::*field, bool text, void* out,
                     const char* use) {
  const auto lock = locked();
  Linking* linking = find(handle, use);
  if (!linking) return NVJITLINK_ERROR_INVALID_INPUT;
  std::memcpy(out, (linking->*field).c_str(), (linking->*field).size() + text);
  return NVJITLINK_SUCCESS;
}

}  // namespace

namespace api {

nvJitLinkResult nvJitLinkVersion(unsigned* major, unsigned* minor) {
  *major = static_cast<unsigned>(linker().version) / 1000;
  *minor = static_cast<unsigned>(linker().version) % 1000 / 10;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle* out, uint32_t count, const char** options) {
  const auto lock = locked();
  linker().options.assign(options, options + count);
  auto linking = std::make_unique<Linking>();
  if (const auto result = read_options(*linking, linker().options); result != NVJITLINK_SUCCESS)
    return result;
  *out = reinterpret_cast<nvJitLinkHandle>(linker().next += 16);
  ++linker().created;
  linker().alive.emplace(*out, std::move(linking));
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle* handle) {
  const auto lock = locked();
  if (!find(*handle, "nvJitLinkDestroy")) return NVJITLINK_ERROR_INVALID_INPUT;
  linker().alive.erase(*handle);
  *handle = nullptr;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType type, const void* data,
                                 size_t size, const char* name) {
  const auto lock = locked();
  Linking* linking = find(handle, "nvJitLinkAddData");
  if (!linking) return NVJITLINK_ERROR_INVALID_INPUT;
  if (!data) return NVJITLINK_ERROR_NULL_INPUT;
  Image image;
  const auto result = read_input({static_cast<const char*>(data), size}, type, *linking, image);
  if (result != NVJITLINK_SUCCESS) {
    linking->error_log = std::string("error   : ") + (name ? name : "input") + " is not an input\n";
    return result;
  }
  Image& sum = linking->image;
  sum.kernels.insert(sum.kernels.end(), image.kernels.begin(), image.kernels.end());
  sum.globals.insert(sum.globals.end(), image.globals.begin(), image.globals.end());
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle, nvJitLinkInputType, const char*) {
  return NVJITLINK_ERROR_INVALID_INPUT;
}

nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle) {
  const auto lock = locked();
  Linking* linking = find(handle, "nvJitLinkComplete");
  if (!linking) return NVJITLINK_ERROR_INVALID_INPUT;
  ++linker().links;
  if (linking->lto && linking->to_ptx)
    linking->ptx = write_ptx(linking->image, linking->arch);
  else
    linking->cubin = write_cubin(linking->image, linking->arch);
  linking->complete = true;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t* size) {
  return give_size(handle, &Linking::cubin, false, size, "nvJitLinkGetLinkedCubinSize");
}
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void* out) {
  return give(handle, &Linking::cubin, false, out, "nvJitLinkGetLinkedCubin");
}
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t* size) {
  return give_size(handle, &Linking::ptx, true, size, "nvJitLinkGetLinkedPtxSize");
}
nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char* out) {
  return give(handle, &Linking::ptx, true, out, "nvJitLinkGetLinkedPtx");
}
nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t* size) {
  return give_size(handle, &Linking::error_log, true, size, "nvJitLinkGetErrorLogSize");
}
nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char* out) {
  return give(handle, &Linking::error_log, true, out, "nvJitLinkGetErrorLog");
}
nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t* size) {
  return give_size(handle, &Linking::info_log, true, size, "nvJitLinkGetInfoLogSize");
}
nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle handle, char* out) {
  return give(handle, &Linking::info_log, true, out, "nvJitLinkGetInfoLog");
}

}  // namespace api

namespace {

constexpr const char* NAMES[] = {
#define ENTRY(name, since, need) #name,
#include "driver/nvjitlink_entry_points.inc"
#undef ENTRY
};

enum Index {
#define ENTRY(name, since, need) INDEX_##name,
#include "driver/nvjitlink_entry_points.inc"
#undef ENTRY
};

constexpr Role role_of(int index) {
  return index == INDEX_nvJitLinkDestroy ? Role::RELEASE : Role::NORMAL;
}

}  // namespace
}  // namespace fake

#define FORWARD(name)                                                             \
  fake::Entry<fake::NAMES, fake::INDEX_##name, fake::role_of(fake::INDEX_##name), \
              &fake::api::name>::call

extern "C" {
#pragma GCC visibility push(default)
nvJitLinkResult EXPORTED(nvJitLinkCreate)(nvJitLinkHandle* out, uint32_t n, const char** options) {
  return FORWARD(nvJitLinkCreate)(out, n, options);
}
nvJitLinkResult EXPORTED(nvJitLinkDestroy)(nvJitLinkHandle* handle) {
  return FORWARD(nvJitLinkDestroy)(handle);
}
nvJitLinkResult EXPORTED(nvJitLinkAddData)(nvJitLinkHandle handle, nvJitLinkInputType type,
                                           const void* data, size_t size, const char* name) {
  return FORWARD(nvJitLinkAddData)(handle, type, data, size, name);
}
nvJitLinkResult EXPORTED(nvJitLinkAddFile)(nvJitLinkHandle handle, nvJitLinkInputType type,
                                           const char* path) {
  return FORWARD(nvJitLinkAddFile)(handle, type, path);
}
nvJitLinkResult EXPORTED(nvJitLinkComplete)(nvJitLinkHandle handle) {
  return FORWARD(nvJitLinkComplete)(handle);
}
nvJitLinkResult EXPORTED(nvJitLinkGetLinkedCubinSize)(nvJitLinkHandle handle, size_t* size) {
  return FORWARD(nvJitLinkGetLinkedCubinSize)(handle, size);
}
nvJitLinkResult EXPORTED(nvJitLinkGetLinkedCubin)(nvJitLinkHandle handle, void* out) {
  return FORWARD(nvJitLinkGetLinkedCubin)(handle, out);
}
nvJitLinkResult EXPORTED(nvJitLinkGetLinkedPtxSize)(nvJitLinkHandle handle, size_t* size) {
  return FORWARD(nvJitLinkGetLinkedPtxSize)(handle, size);
}
nvJitLinkResult EXPORTED(nvJitLinkGetLinkedPtx)(nvJitLinkHandle handle, char* out) {
  return FORWARD(nvJitLinkGetLinkedPtx)(handle, out);
}
nvJitLinkResult EXPORTED(nvJitLinkGetErrorLogSize)(nvJitLinkHandle handle, size_t* size) {
  return FORWARD(nvJitLinkGetErrorLogSize)(handle, size);
}
nvJitLinkResult EXPORTED(nvJitLinkGetErrorLog)(nvJitLinkHandle handle, char* out) {
  return FORWARD(nvJitLinkGetErrorLog)(handle, out);
}
nvJitLinkResult EXPORTED(nvJitLinkGetInfoLogSize)(nvJitLinkHandle handle, size_t* size) {
  return FORWARD(nvJitLinkGetInfoLogSize)(handle, size);
}
nvJitLinkResult EXPORTED(nvJitLinkGetInfoLog)(nvJitLinkHandle handle, char* out) {
  return FORWARD(nvJitLinkGetInfoLog)(handle, out);
}
#ifndef FAKE_VERSIONED_NAMES
nvJitLinkResult nvJitLinkVersion(unsigned* major, unsigned* minor) {
  return FORWARD(nvJitLinkVersion)(major, minor);
}
#endif
#pragma GCC visibility pop

void fake_reset(void) {
  fake::calls().reset();
  const auto lock = fake::locked();
  fake::linker().version = FAKE_VERSION;
  fake::linker().links = 0;
}
void fake_set_version(int32_t version) {
  const auto lock = fake::locked();
  fake::linker().version = version;
}
uint64_t fake_live_objects(const char* kind) {
  const auto lock = fake::locked();
  return !kind || std::strcmp(kind, "link") == 0 ? fake::linker().alive.size() : 0;
}
uint64_t fake_created_objects(const char*) {
  const auto lock = fake::locked();
  return fake::linker().created;
}
uint64_t fake_compile_count(void) {
  const auto lock = fake::locked();
  return fake::linker().links;
}
size_t fake_option_count(void) { return fake::linker().options.size(); }
const char* fake_option_at(size_t index) { return fake::linker().options.at(index).c_str(); }
}
