/// @file cucore/linker.hpp
/// The link of several inputs to one image.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_LINKER_HPP_INCLUDED
#define CUCORE_LINKER_HPP_INCLUDED

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objectcode.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// How to link. An unset toggle passes nothing to the linker. Text in brackets is the option of
/// nvJitLink.
struct LinkerOptions {
  std::string name{};  ///< of the result; default: that of the first input
  std::string arch{};  ///< "sm_90"; default: as for a program [-arch=]
  std::optional<bool> link_time_optimization{};  ///< default: on where an input is LTOIR or the
                                                 ///< target is PTX [-lto]
  std::optional<bool> ptx{};        ///< true: refuse to link to anything but PTX [-ptx]
  std::optional<bool> time{};       ///< times of the phases into the log [-time]
  std::optional<bool> verbose{};    ///< more into the log [-verbose]
  std::optional<bool> debug{};      ///< [-g]
  std::optional<bool> lineinfo{};   ///< [-lineinfo]
  std::optional<bool> ftz{};        ///< denormal floats become 0 [-ftz=]
  std::optional<bool> prec_div{};   ///< [-prec-div=]
  std::optional<bool> prec_sqrt{};  ///< [-prec-sqrt=]
  std::optional<bool> fma{};        ///< [-fma=]
  std::optional<bool> optimize_unused_variables{};  ///< drop variables that no device code refers
                                                    ///< to [-optimize-unused-variables]
  std::optional<bool> linker_cache{};   ///< true: let nvJitLink 12.9 and later keep results through
                                        ///< the driver; default false [-no-cache]
  std::int32_t max_register_count = 0;  ///< registers per thread; 0: unlimited [--maxrregcount=]
  std::int32_t split_compile = 0;       ///< up to 1024 threads; -1: all cores [-split-compile=]
  std::int32_t split_compile_extended = 0;    ///< the same [-split-compile-extended=]
  std::string optimization_level{};           ///< "0" or "3" [-O]
  std::vector<std::string> kernels_used{};    ///< the only kernels to keep [-kernels-used=]
  std::vector<std::string> variables_used{};  ///< the only variables to keep [-variables-used=]
  std::vector<std::string> ptxas_options{};   ///< passed to ptxas one by one [-Xptxas=]
  std::vector<std::string> flags{};           ///< anything else, passed unchanged, last
};

namespace detail {

struct LinkerOptionsOfC : Lists {
  explicit LinkerOptionsOfC(const LinkerOptions& options) {
    c.name = text(options.name);
    c.arch = text(options.arch);
    c.link_time_optimization = toggle(options.link_time_optimization);
    c.ptx = toggle(options.ptx);
    c.time = toggle(options.time);
    c.verbose = toggle(options.verbose);
    c.debug = toggle(options.debug);
    c.lineinfo = toggle(options.lineinfo);
    c.ftz = toggle(options.ftz);
    c.prec_div = toggle(options.prec_div);
    c.prec_sqrt = toggle(options.prec_sqrt);
    c.fma = toggle(options.fma);
    c.optimize_unused_variables = toggle(options.optimize_unused_variables);
    c.linker_cache = toggle(options.linker_cache);
    c.max_register_count = options.max_register_count;
    c.split_compile = options.split_compile;
    c.split_compile_extended = options.split_compile_extended;
    c.optimization_level = text(options.optimization_level);
    c.kernels_used = list(options.kernels_used, c.kernels_used_count);
    c.variables_used = list(options.variables_used, c.variables_used_count);
    c.ptxas_options = list(options.ptxas_options, c.ptxas_option_count);
    c.flags = list(options.flags, c.flag_count);
  }
  cucore_linker_options c = CUCORE_LINKER_OPTIONS_INIT;
};

}  // namespace detail

/// Makes one image of several. A linker belongs to one thread at a time.
class Linker : public Owner<Linker, cucore_linker> {
 public:
  Linker() noexcept {}

  /// Copies the options; nothing is opened yet.
  static Returned<Linker> create(const LinkerOptions& options = {}) {
    const detail::LinkerOptionsOfC of_c(options);
    return make<Linker>(cucore_linker_create, &of_c.c);
  }

  /// Adds an input of any kind.
  Returned<void> add(const ObjectCode& code) const {
    return call(cucore_linker_add, get(), code.get());
  }

  /// Links all inputs added so far. Fails with LINKING; the error has the log.
  Returned<ObjectCode> link(CodeType target = CodeType::cubin) const {
    return make<ObjectCode>(cucore_linker_link, get(), static_cast<cucore_code_type>(target));
  }

  /// The library that links the inputs added so far.
  Backend backend() const noexcept { return static_cast<Backend>(cucore_linker_backend(get())); }
  /// The whole output of the last link, whether it succeeded or not.
  std::string_view log() const noexcept { return cucore_linker_log(get()); }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_LINKER_HPP_INCLUDED
