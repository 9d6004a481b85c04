// SPDX-License-Identifier: Apache-2.0
#include "core/compile/linker_options.hpp"

#include <string_view>

#include "core/compile/flag_list.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

enum class By { BOTH, NVJITLINK };

image::Arch read_arch(const FlagList& flags, const char* arch) {
  if (!arch) return {};
  const auto parsed = image::Arch::parse(arch);
  if (!parsed)
    flags.fail("arch",
               concat("is \"", arch, "\"; write it as \"sm_90\", \"sm_90a\" or \"compute_90\""));
  return *parsed;
}

void add_level(FlagList& flags, const char* field, const char* value, const char* flag) {
  if (!value) return;
  if (std::string_view(value) != "0" && std::string_view(value) != "3")
    flags.fail(field, concat("is \"", value, "\"; it is \"0\" or \"3\""));
  flags.add(concat(flag, value).c_str());
}

// Checks a toggle that is not a flag in the table.
cucore_toggle checked(FlagList& flags, const char* field, cucore_toggle value) {
  flags.toggle(field, value, nullptr, nullptr);
  return value;
}

class Reader {
 public:
  explicit Reader(const char* options_name) : flags_(options_name) {}

  LinkerOptions read(const cucore_linker_options& options);

 private:
  // Records, after a field, whether it became a flag that only nvJitLink has.
  void record_use(const char* field, By by) {
    if (flags_.size() != before_ && by == By::NVJITLINK) out_.nvjitlink_only.emplace_back(field);
    before_ = flags_.size();
  }

  FlagList flags_;
  size_t before_ = 0;
  LinkerOptions out_;
};

LinkerOptions Reader::read(const cucore_linker_options& options) {
  out_.name = options.name ? options.name : "";
  out_.arch = read_arch(flags_, options.arch);
  out_.lto = checked(flags_, "link_time_optimization", options.link_time_optimization);
  out_.ptx = checked(flags_, "ptx", options.ptx);
  out_.cache = checked(flags_, "linker_cache", options.linker_cache) == CUCORE_TOGGLE_ON;
#define SWITCH(field, flag, by)                        \
  flags_.toggle(#field, options.field, flag, nullptr); \
  record_use(#field, By::by);
#define BINARY(field, flag, by)                               \
  flags_.toggle(#field, options.field, flag "=1", flag "=0"); \
  record_use(#field, By::by);
#define NUMBER(field, flag, least, by)               \
  flags_.number(#field, options.field, flag, least); \
  record_use(#field, By::by);
#define THREADS(field, flag, by)               \
  flags_.threads(#field, options.field, flag); \
  record_use(#field, By::by);
#define LEVEL(field, flag, by)                    \
  add_level(flags_, #field, options.field, flag); \
  record_use(#field, By::by);
#define TEXTS(field, count, flag, by)                      \
  flags_.many(#field, options.field, options.count, flag); \
  record_use(#field, By::by);
#include "core/compile/linker_options.inc"
#undef SWITCH
#undef BINARY
#undef NUMBER
#undef THREADS
#undef LEVEL
#undef TEXTS
  out_.flags = flags_.take();
  out_.max_register_count = options.max_register_count;
  if (options.optimization_level) out_.optimization_level = options.optimization_level[0] - '0';
  out_.debug = options.debug == CUCORE_TOGGLE_ON;
  out_.lineinfo = options.lineinfo == CUCORE_TOGGLE_ON;
  out_.verbose = options.verbose == CUCORE_TOGGLE_ON;
  return std::move(out_);
}

}  // namespace

LinkerOptions read_linker_options(const cucore_linker_options& options, const char* options_name) {
  return Reader(options_name).read(options);
}

}  // namespace cucore::core
