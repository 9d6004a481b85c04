// SPDX-License-Identifier: Apache-2.0
#include "service_testing.hpp"

namespace cucore::service {
namespace {

using cache::Event;
using cache::Outcome;
using image::CodeType;

TEST(CachedCompile, CompilesOnce) {
  const auto cache = make_cache();
  const CachedCode built = compile(*cache, request_for("a"));
  EXPECT_EQ(built.outcome, Outcome::BUILT);
  EXPECT_EQ(built.code->code().type, CodeType::PTX);
  const CachedCode found = compile(*cache, request_for("a"));
  EXPECT_EQ(found.outcome, Outcome::HIT_MEMORY);
  EXPECT_EQ(found.code.get(), built.code.get());
  EXPECT_EQ(count(*cache, Event::BUILDS), 1u);
}

TEST(CachedCompile, FindsOnlyWhatWasCompiled) {
  const auto cache = make_cache();
  EXPECT_FALSE(find(*cache, request_for("a")).code);
  EXPECT_EQ(explain_miss(*cache, request_for("a")).rfind("miss: ", 0), 0u);
  const CachedCode built = compile(*cache, request_for("a"));
  EXPECT_EQ(find(*cache, request_for("a")).code.get(), built.code.get());
  EXPECT_EQ(explain_miss(*cache, request_for("a")).rfind("hit: ", 0), 0u);
  EXPECT_FALSE(find(*cache, request_for("b")).code);
  EXPECT_EQ(count(*cache, Event::BUILDS), 1u);
}

TEST(CachedCompile, KeepsTargetsAndExpressionsApart) {
  const auto cache = make_cache();
  const CompileRequest ptx = request_for("a");
  CompileRequest ltoir = ptx, named = ptx;
  ltoir.target = CodeType::LTOIR;
  named.expressions = {"a"};
  for (const CompileRequest& request : {ptx, ltoir, named}) {
    EXPECT_EQ(compile(*cache, request).outcome, Outcome::BUILT);
    EXPECT_EQ(compile(*cache, request).outcome, Outcome::HIT_MEMORY);
  }
  EXPECT_EQ(find(*cache, ltoir).code->code().type, CodeType::LTOIR);
}

TEST(CachedCompile, RunsTheCompilerOfTheRunner) {
  class Refusal final : public core::NvrtcRunner {
    core::NvrtcResult run(const core::NvrtcJob&) override {
      throw Error(Status::COMPILATION, "this runner refuses");
    }
  } refusal;
  const auto cache = make_cache();
  expect_error(Status::COMPILATION, "this runner refuses",
               [&] { compile(*cache, request_for("a"), refusal); });
  EXPECT_EQ(count(*cache, Event::BUILD_FAILURES), 1u);
  EXPECT_EQ(compile(*cache, request_for("a")).outcome, Outcome::BUILT);
}

// The name of the header is a macro, so only the compiler finds the file.
TEST(CachedCompile, FindsHeadersByTheCompilerOfTheRunner) {
  class Recorder final : public core::NvrtcRunner {
   public:
    int traces = 0;
    core::NvrtcResult run(const core::NvrtcJob& job) override {
      traces += !job.makes_code;
      return core::nvrtc_here().run(job);
    }
  } recorder;
  const auto cache = make_cache();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_90";
  const std::string source =
      "#define HEADER <vector_types.h>\n#include HEADER\n"
      "extern \"C\" __global__ void k(int* p) { *p = 1; }\n";
  compile(*cache,
          {core::Program::create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, options), CodeType::PTX, {}},
          recorder);
  EXPECT_EQ(recorder.traces, 1);
}

TEST(CachedCompile, LinksOnceAndRestoresTheLog) {
  const auto cache = make_cache();
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
  options.arch = "sm_90";
  const auto make_linker = [&] {
    auto linker = make<core::Linker>(core::read_linker_options(options, "options"));
    linker->add(compile(*cache, request_for("a")).code);
    return linker;
  };
  const auto first = make_linker(), second = make_linker();
  const CachedCode built = link(*cache, *first, CodeType::CUBIN);
  EXPECT_EQ(built.outcome, Outcome::BUILT);
  second->set_log("the log of an earlier link");
  const CachedCode found = link(*cache, *second, CodeType::CUBIN);
  EXPECT_EQ(found.outcome, Outcome::HIT_MEMORY);
  EXPECT_EQ(found.code.get(), built.code.get());
  EXPECT_EQ(second->log(), built.code->code().log);
}

TEST(CachedCompile, ConvertsAMissToNoCode) {
  const CachedCode code = to_code({});
  EXPECT_FALSE(code.code);
  EXPECT_EQ(code.outcome, Outcome::BYPASSED);
}

}  // namespace
}  // namespace cucore::service
