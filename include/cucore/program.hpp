/// @file cucore/program.hpp
/// Source code, its options, and the compile.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_PROGRAM_HPP_INCLUDED
#define CUCORE_PROGRAM_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objectcode.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// How to compile. An unset toggle passes nothing to the compiler. Text in brackets is the option
/// of NVRTC's command line.
struct ProgramOptions {
  /// A header in memory, under the name in its #include.
  struct Header {
    std::string name;
    std::string source;
  };
  /// A further module of NVVM IR, as text or bitcode.
  struct ExtraSource {
    std::string name;
    std::string source;
  };

  std::string name{};  ///< shown in diagnostics; default "default_program"
  std::string arch{};  ///< "sm_90", "compute_80"; default: that of device 0, or, without a driver,
                       ///< the lowest that the compiler supports [--gpu-architecture]
  std::optional<bool> relocatable_device_code{};     ///< [--relocatable-device-code=]
  std::optional<bool> extensible_whole_program{};    ///< [--extensible-whole-program]
  std::optional<bool> debug{};                       ///< [--device-debug]
  std::optional<bool> lineinfo{};                    ///< [--generate-line-info]
  std::optional<bool> device_code_optimize{};        ///< [--dopt=on]
  std::optional<bool> ftz{};                         ///< [--ftz=] denormal floats become 0
  std::optional<bool> prec_sqrt{};                   ///< [--prec-sqrt=]
  std::optional<bool> prec_div{};                    ///< [--prec-div=]
  std::optional<bool> fma{};                         ///< [--fmad=]
  std::optional<bool> use_fast_math{};               ///< [--use_fast_math]
  std::optional<bool> extra_device_vectorization{};  ///< [--extra-device-vectorization]
  std::optional<bool> link_time_optimization{};      ///< [--dlink-time-opt]
  std::optional<bool> gen_opt_lto{};                 ///< [--gen-opt-lto]
  std::int32_t max_register_count = 0;  ///< registers per thread; 0: unlimited [--maxrregcount=]
  std::int32_t split_compile = 0;       ///< up to 1024 threads; -1: all cores [--split-compile=]
  std::string ofast_compile{};          ///< "0", "min", "mid", "max" [--Ofast-compile=]
  std::vector<std::string> ptxas_options{};    ///< passed to ptxas one by one [--ptxas-options]
  std::vector<std::string> define_macros{};    ///< "NAME" or "NAME=value" [--define-macro=]
  std::vector<std::string> undefine_macros{};  ///< [--undefine-macro=]
  std::vector<std::string> include_paths{};    ///< searched in this order [--include-path=]
  std::vector<std::string> pre_includes{};     ///< included before the source [--pre-include=]
  std::vector<Header> headers{};               ///< headers in memory
  std::optional<bool> source_include{};  ///< false: quoted includes do not search the folder of the
                                         ///< file that includes them [--no-source-include]
  std::optional<bool> bundled_headers{};           ///< NVRTC 13.3 and later [--use-bundled-headers]
  std::string standard{};                          ///< "c++20" [--std=]
  std::optional<bool> builtin_move_forward{};      ///< [--builtin-move-forward=]
  std::optional<bool> builtin_initializer_list{};  ///< [--builtin-initializer-list=]
  std::optional<bool> restrict_pointers{};         ///< [--restrict]
  std::optional<bool> device_as_default_execution_space{};  ///< the same [--device-as-default-...]
  std::optional<bool> device_int128{};                      ///< [--device-int128]
  std::optional<bool> device_float128{};                    ///< [--device-float128]
  std::optional<bool> syntax_only{};                        ///< [--fdevice-syntax-only]
  std::optional<bool>
      minimal{};  ///< leave out what few kernels need, to compile faster [--minimal]
  std::optional<bool> warnings{};               ///< false: [--disable-warnings]
  std::optional<bool> display_error_numbers{};  ///< false: [--no-display-error-number]
  std::optional<bool> brief_diagnostics{};      ///< [--brief-diagnostics=]
  std::string optimization_info{};              ///< "inline" [--optimization-info=]
  std::vector<std::int32_t>
      diag_errors{};  ///< numbers of diagnostics to make errors [--diag-error=]
  std::vector<std::int32_t> diag_suppressions{};  ///< [--diag-suppress=]
  std::vector<std::int32_t> diag_warnings{};      ///< [--diag-warn=]
  std::string time{};         ///< file for times of the phases, "-" the log [--time=]
  std::string time_trace{};   ///< file for a trace [--fdevice-time-trace=]
  std::string random_seed{};  ///< default: derived from the inputs, so that equal inputs give equal
                              ///< bytes in every process [--frandom-seed=]
  std::optional<bool> compiler_cache{};  ///< true: NVRTC 12.9 and later may keep results through
                                         ///< the driver. false: this process keeps none
                                         ///< [--no-cache]
  std::optional<bool> pch{};             ///< [--pch]
  std::string create_pch{};              ///< [--create-pch=]
  std::string use_pch{};                 ///< [--use-pch=]
  std::string pch_directory{};           ///< [--pch-dir=]
  std::optional<bool> pch_verbose{};     ///< [--pch-verbose=]
  std::optional<bool> pch_messages{};    ///< [--pch-messages=]
  std::optional<bool> instantiate_templates_in_pch{};  ///< [--instantiate-templates-in-pch=]
  std::vector<std::string> flags{};
  std::optional<bool> use_libdevice{};  ///< true: link CUDA's device library, libdevice, as needed
  std::vector<ExtraSource> extra_sources{};  ///< further modules of NVVM IR
  std::optional<bool> toolkit_headers{};     ///< false: do not search the toolkit's headers
};

namespace detail {

struct ProgramOptionsOfC : Lists {
  explicit ProgramOptionsOfC(const ProgramOptions& options) {
    c.name = text(options.name);
    c.arch = text(options.arch);
    c.relocatable_device_code = toggle(options.relocatable_device_code);
    c.extensible_whole_program = toggle(options.extensible_whole_program);
    c.debug = toggle(options.debug);
    c.lineinfo = toggle(options.lineinfo);
    c.device_code_optimize = toggle(options.device_code_optimize);
    c.ftz = toggle(options.ftz);
    c.prec_sqrt = toggle(options.prec_sqrt);
    c.prec_div = toggle(options.prec_div);
    c.fma = toggle(options.fma);
    c.use_fast_math = toggle(options.use_fast_math);
    c.extra_device_vectorization = toggle(options.extra_device_vectorization);
    c.link_time_optimization = toggle(options.link_time_optimization);
    c.gen_opt_lto = toggle(options.gen_opt_lto);
    c.max_register_count = options.max_register_count;
    c.split_compile = options.split_compile;
    c.ofast_compile = text(options.ofast_compile);
    c.ptxas_options = list(options.ptxas_options, c.ptxas_option_count);
    c.define_macros = list(options.define_macros, c.define_macro_count);
    c.undefine_macros = list(options.undefine_macros, c.undefine_macro_count);
    c.include_paths = list(options.include_paths, c.include_path_count);
    c.pre_includes = list(options.pre_includes, c.pre_include_count);
    c.source_include = toggle(options.source_include);
    c.bundled_headers = toggle(options.bundled_headers);
    c.standard = text(options.standard);
    c.builtin_move_forward = toggle(options.builtin_move_forward);
    c.builtin_initializer_list = toggle(options.builtin_initializer_list);
    c.restrict_pointers = toggle(options.restrict_pointers);
    c.device_as_default_execution_space = toggle(options.device_as_default_execution_space);
    c.device_int128 = toggle(options.device_int128);
    c.device_float128 = toggle(options.device_float128);
    c.syntax_only = toggle(options.syntax_only);
    c.minimal = toggle(options.minimal);
    c.warnings = toggle(options.warnings);
    c.display_error_numbers = toggle(options.display_error_numbers);
    c.brief_diagnostics = toggle(options.brief_diagnostics);
    c.optimization_info = text(options.optimization_info);
    c.diag_errors = numbers(options.diag_errors, c.diag_error_count);
    c.diag_suppressions = numbers(options.diag_suppressions, c.diag_suppression_count);
    c.diag_warnings = numbers(options.diag_warnings, c.diag_warning_count);
    c.time = text(options.time);
    c.time_trace = text(options.time_trace);
    c.random_seed = text(options.random_seed);
    c.compiler_cache = toggle(options.compiler_cache);
    c.pch = toggle(options.pch);
    c.create_pch = text(options.create_pch);
    c.use_pch = text(options.use_pch);
    c.pch_directory = text(options.pch_directory);
    c.pch_verbose = toggle(options.pch_verbose);
    c.pch_messages = toggle(options.pch_messages);
    c.instantiate_templates_in_pch = toggle(options.instantiate_templates_in_pch);
    c.flags = list(options.flags, c.flag_count);
    c.use_libdevice = toggle(options.use_libdevice);
    c.toolkit_headers = toggle(options.toolkit_headers);
    c.header_names = of(options.headers, [](const auto& each) { return each.name.c_str(); });
    c.header_sources = of(options.headers, [](const auto& each) { return each.source.c_str(); });
    c.header_count = options.headers.size();
    add_extra_sources(options.extra_sources);
  }
  cucore_program_options c = CUCORE_PROGRAM_OPTIONS_INIT;

 private:
  void add_extra_sources(const std::vector<ProgramOptions::ExtraSource>& given) {
    for (const auto& each : given) {
      sources_.push_back(each.source.data());
      sizes_.push_back(each.source.size());
    }
    c.extra_source_names = of(given, [](const auto& each) { return each.name.c_str(); });
    c.extra_sources = sources_.data();
    c.extra_source_sizes = sizes_.data();
    c.extra_source_count = given.size();
  }

  std::vector<const void*> sources_;
  std::vector<std::size_t> sizes_;
};

}  // namespace detail

struct BatchItem;
struct BatchResult;
struct BatchOptions;

/// Source and the options to compile it.
class Program : public Owner<Program, cucore_program> {
 public:
  Program() noexcept {}

  /// Copies the source and all options; nothing is compiled yet. Fails with INVALID_ARGUMENT if an
  /// option is wrong or does not fit the type.
  static Returned<Program> create(SourceType type, std::string_view source,
                                  const ProgramOptions& options = {}) {
    const detail::ProgramOptionsOfC of_c(options);
    return make<Program>(cucore_program_create, static_cast<cucore_source_type>(type),
                         source.data(), source.size(), &of_c.c);
  }

  /// The same for CUDA C++.
  static Returned<Program> create(std::string_view source, const ProgramOptions& options = {}) {
    return create(SourceType::cuda_cpp, source, options);
  }

  /// Compiles; no device is needed. `name_expressions` are templates and overloads to instantiate,
  /// under which find_kernel() finds them. Fails with COMPILATION; the error has the log.
  Returned<ObjectCode> compile(CodeType target = CodeType::ptx,
                               const Names& name_expressions = {}) const {
    return make<ObjectCode>(cucore_program_compile, get(), static_cast<cucore_code_type>(target),
                            name_expressions.data(), name_expressions.size());
  }

  /// Compiles many programs in worker processes. An item that fails is not a failure of the call:
  /// its result has the error. Fails with NOT_FOUND if cucore-worker is missing.
  static Returned<std::vector<BatchResult>> compile_batch(Span<const BatchItem> items,
                                                          const BatchOptions& options);
  static Returned<std::vector<BatchResult>> compile_batch(Span<const BatchItem> items);

  /// The library that compiles it.
  Backend backend() const noexcept { return static_cast<Backend>(cucore_program_backend(get())); }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_PROGRAM_HPP_INCLUDED
