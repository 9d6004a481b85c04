// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/compat/link_records.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cpu/driver/compat/device_code.hpp"

namespace cucore::compat {
namespace {

// nvJitLinkInputType. ANY leaves the choice to the linker.
enum InputType : int {
  CUBIN = 1,
  PTX = 2,
  LTOIR = 3,
  FATBIN = 4,
  OBJECT = 5,
  LIBRARY = 6,
  ANY = 10,
};
constexpr std::string_view LIBRARY_MAGIC = "!<arch>\n";

// Calls functions of the real library for a link of its own.
class SecondLink {
 public:
  explicit SecondLink(RealLibrary& library) : library_(library) {}
  ~SecondLink() {
    if (link_) call("nvJitLinkDestroy", &link_);
  }
  SecondLink(const SecondLink&) = delete;
  SecondLink& operator=(const SecondLink&) = delete;

  // Returns the PTX that link-time optimisation produces; "" if the linker refuses.
  std::string ptx_of(const LinkRecord& record) {
    std::vector<const char*> options;
    for (const std::string& option : record.options) options.push_back(option.c_str());
    options.push_back("-ptx");
    const auto count = static_cast<uint32_t>(options.size());
    if (call("nvJitLinkCreate", &link_, count, options.data()) != 0) return {};
    for (const LinkInput& input : record.inputs)
      if (add(input) != 0) return {};
    size_t size = 0;
    if (call("nvJitLinkComplete", link_) != 0 ||
        call("nvJitLinkGetLinkedPtxSize", link_, &size) != 0)
      return {};
    std::string ptx(size, '\0');
    return call("nvJitLinkGetLinkedPtx", link_, ptx.data()) == 0 ? ptx : std::string();
  }

 private:
  template <class... A>
  int call(const char* name, A... arguments) {
    const auto function = reinterpret_cast<int (*)(A...)>(library_.function(name));
    return function ? function(arguments...) : -1;
  }
  int add(const LinkInput& input) {
    if (input.is_file) return call("nvJitLinkAddFile", link_, input.type, input.name.c_str());
    const void* data = input.bytes.data();
    return call("nvJitLinkAddData", link_, input.type, data, input.bytes.size(),
                input.name.c_str());
  }

  RealLibrary& library_;
  void* link_ = nullptr;
};

bool has_lto(const LinkRecord& record) {
  return std::any_of(record.options.begin(), record.options.end(), [](const std::string& option) {
    return option == "-lto" || option == "-dlto" || option == "--lto";
  });
}

// Returns 90 of "-arch=sm_90a"; 0 without it.
int target_of(const LinkRecord& record) {
  for (const std::string& option : record.options) {
    const size_t at = option.find("arch=");
    const size_t digits = option.find_first_of("0123456789");
    if (at != std::string::npos && digits != std::string::npos)
      return std::atoi(option.c_str() + digits);
  }
  return 0;
}

// The CPU device recognises the other kinds by their bytes.
int kind_of(const LinkInput& input) {
  switch (input.type) {
    case FATBIN:
      return CUCORE_CPU_INPUT_FATBIN;
    case OBJECT:
      return CUCORE_CPU_INPUT_OBJECT;
    case LIBRARY:
      return CUCORE_CPU_INPUT_LIBRARY;
    case ANY:
      if (input.bytes.starts_with(LIBRARY_MAGIC)) return CUCORE_CPU_INPUT_LIBRARY;
      return input.bytes.starts_with(
                 "\x7f"
                 "ELF")
                 ? CUCORE_CPU_INPUT_OBJECT
                 : CUCORE_CPU_INPUT_FATBIN;
    default:
      return CUCORE_CPU_INPUT_PTX;
  }
}

void remember_parts(const cucore_cpu_code& device, const LinkRecord& record, const void* cubin,
                    size_t size) {
  std::vector<cucore_cpu_part> parts;
  for (const LinkInput& input : record.inputs)
    parts.push_back({kind_of(input), input.is_file ? nullptr : input.bytes.data(),
                     input.bytes.size(), input.name.c_str()});
  device.remember_link(cubin, size, parts.data(), parts.size(), target_of(record));
}

}  // namespace

LinkRecords& LinkRecords::instance() {
  static LinkRecords& records = *new LinkRecords;  // never destroyed
  return records;
}

void LinkRecords::begin(void* link, uint32_t count, const char** options) {
  auto record = std::make_shared<LinkRecord>();
  for (uint32_t i = 0; options && i < count; ++i) record->options.emplace_back(options[i]);
  std::lock_guard lock(mutex_);
  links_[link] = std::move(record);
}

std::shared_ptr<LinkRecord> LinkRecords::find(void* link) {
  std::lock_guard lock(mutex_);
  const auto known = links_.find(link);
  return known == links_.end() ? nullptr : known->second;
}

// One thread at a time uses a link, as nvJitLink requires.
void LinkRecords::add(void* link, LinkInput input) {
  if (const auto record = find(link)) record->inputs.push_back(std::move(input));
}

void LinkRecords::end(void* link) {
  std::lock_guard lock(mutex_);
  links_.erase(link);
}

// The linker writes PTX of LTO-IR. PTX is not optimised by a link, so the device links it itself.
void LinkRecords::remember(void* link, const void* cubin, RealLibrary& nvjitlink) {
  const auto record = find(link);
  const cucore_cpu_code* device = device_code();
  using GetSize = int (*)(void*, size_t*);
  const auto get_size =
      reinterpret_cast<GetSize>(nvjitlink.function("nvJitLinkGetLinkedCubinSize"));
  size_t size = 0;
  if (!record || !device || !get_size || get_size(link, &size) != 0) return;
  if (has_lto(*record)) {
    const std::string ptx = SecondLink(nvjitlink).ptx_of(*record);
    if (!ptx.empty() && device->remember_ptx(cubin, size, ptx.data(), ptx.size()) == 0) return;
  }
  remember_parts(*device, *record, cubin, size);
}

}  // namespace cucore::compat
