// SPDX-License-Identifier: Apache-2.0
#include "core/compile/nvrtc_options.hpp"

#include <algorithm>

#include "core/compile/flag_list.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"
#include "support/join.hpp"

namespace cucore::core {
std::vector<std::string> copy_strings(const char* const* strings, size_t count, const char* field) {
  return FlagList("cucore_program_options").copy(strings, count, field);
}

std::vector<std::string> nvrtc_flags(const cucore_program_options& options) {
  FlagList flags("cucore_program_options");
#define TOGGLE(field, flag) flags.toggle(#field, options.field, flag "=true", flag "=false");
#define SWITCH(field, flag) flags.toggle(#field, options.field, flag, nullptr);
#define INVERSE(field, flag) flags.toggle(#field, options.field, nullptr, flag);
#define NUMBER(field, flag, least) flags.number(#field, options.field, flag, least);
#define THREADS(field, flag) flags.threads(#field, options.field, flag);
#define TEXT(field, flag) flags.one(options.field, flag);
#define TEXTS(field, flag) flags.many(#field "s", options.field##s, options.field##_count, flag);
#define CODES(field, flag) flags.codes(#field "s", options.field##s, options.field##_count, flag);
#include "core/compile/nvrtc_options.inc"
#undef TOGGLE
#undef SWITCH
#undef INVERSE
#undef NUMBER
#undef THREADS
#undef TEXT
#undef TEXTS
#undef CODES
  return flags.take();
}

std::vector<std::string> fields_set(const cucore_program_options& options) {
  std::vector<std::string> fields;
  const auto record_use = [&](const char* field, bool is_set) {
    if (is_set) fields.emplace_back(field);
  };
#define TOGGLE(field, flag) record_use(#field, options.field != CUCORE_TOGGLE_DEFAULT);
#define SWITCH(field, flag) TOGGLE(field, flag)
#define INVERSE(field, flag) TOGGLE(field, flag)
#define NUMBER(field, flag, least) record_use(#field, options.field != 0);
#define THREADS(field, flag) record_use(#field, options.field != 0);
#define TEXT(field, flag) record_use(#field, options.field != nullptr);
#define TEXTS(field, flag) record_use(#field "s", options.field##_count != 0);
#define CODES(field, flag) TEXTS(field, flag)
#include "core/compile/nvrtc_options.inc"
#undef TOGGLE
#undef SWITCH
#undef INVERSE
#undef NUMBER
#undef THREADS
#undef TEXT
#undef TEXTS
#undef CODES
  record_use("headers", options.header_count != 0);
  record_use("random_seed", options.random_seed != nullptr);
  record_use("compiler_cache", options.compiler_cache != CUCORE_TOGGLE_DEFAULT);
  record_use("toolkit_headers", options.toolkit_headers != CUCORE_TOGGLE_DEFAULT);
  record_use("use_libdevice", options.use_libdevice != CUCORE_TOGGLE_DEFAULT);
  record_use("extra_sources", options.extra_source_count != 0);
  return fields;
}

void require_only(const cucore_program_options& options, std::span<const std::string_view> known,
                  std::string_view source) {
  std::vector<std::string> others = fields_set(options);
  std::erase_if(others, [&](const std::string& field) {
    return std::ranges::find(known, field) != known.end();
  });
  if (!others.empty())
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_program_options has fields set that ", source,
                       " has no use for: ", join(others, ", "), "; leave them at their default"));
}

}  // namespace cucore::core
