// SPDX-License-Identifier: Apache-2.0
// Programs, linkers, object code, kernels, caches and batches.
#include <cstdlib>

#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;
using cucore::CodeType;
using cucore::ObjectCode;

const char SOURCE[] =
    "template <class T> __global__ void set(T* p) { *p = VALUE; }\n"
    "#include <one.h>\n";

cucore::ProgramOptions source_options() {
  cucore::ProgramOptions options;
  options.name = "set.cu";
  options.arch = "compute_80";
  options.lineinfo = true;
  options.define_macros = {"VALUE=4", "UNUSED"};
  options.headers = {{"one.h", "__device__ int one;"}};
  options.diag_suppressions = {177, 550};
  return options;
}

cucore::Program make_program() { return must(cucore::Program::create(SOURCE, source_options())); }

bool has_compiler() { return must(cucore::library_query(cucore::Library::nvrtc)).available; }

#define NEEDS_COMPILER() \
  if (!has_compiler()) GTEST_SKIP() << "needs NVRTC"

class Code : public OnDevice {
 protected:
  ObjectCode code_ = make_code();
};

TEST_F(Code, HasContentsAndSymbols) {
  EXPECT_EQ(code_.type(), CodeType::ptx);
  EXPECT_EQ(code_.data().size(), PTX.size());
  EXPECT_EQ(code_.name(), "");
  EXPECT_EQ(code_.arch(), "compute_75");
  EXPECT_EQ(code_.log(), "");
  EXPECT_TRUE(code_.diagnostics().empty());
  EXPECT_EQ(code_.signature(), cucore::SignatureState::unsigned_);
  EXPECT_EQ(code_.signature_key(), "");
  EXPECT_EQ(code_.symbol_count(), 5u);
  const auto symbols = must(code_.symbols());
  ASSERT_EQ(symbols.size(), 5u);
  EXPECT_EQ(symbols[0].lowered_name, "saxpy");
  EXPECT_EQ(symbols[0].kind, cucore::SymbolKind::kernel);
  EXPECT_EQ(symbols[0].parameter_count, 4u);
  EXPECT_EQ(symbols[4].kind, cucore::SymbolKind::global);
  EXPECT_EQ(symbols[4].size, 4u);
  EXPECT_EQ(must(code_.symbol_at(1)).lowered_name, "empty");
  FAILS(invalid_argument, "", code_.symbol_at(5));
}

TEST_F(Code, DescribesParameters) {
  const auto parameters = must(code_.symbol_parameters(0));
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0].parameter_class, cucore::ParameterClass::float_);
  EXPECT_EQ(parameters[1].parameter_class, cucore::ParameterClass::pointer);
  EXPECT_EQ(parameters[3].offset, 24u);
  EXPECT_EQ(must(code_.symbol_parameter_at(0, 2)).size, 8u);
  EXPECT_TRUE(must(code_.symbol_parameters(1)).empty());
  FAILS(unsupported, "", code_.symbol_parameters(4));
  FAILS(unsupported, "", code_.symbol_resources(0));
}

TEST_F(Code, IsStoredAndRestored) {
  cucore::SerializeOptions options;
  options.signing_key = cucore::Key{std::string_view("secret"), cucore::KeyAlgorithm::hmac_sha256};
  options.compression = true;
  const auto bytes = must(code_.serialize()), signed_bytes = must(code_.serialize(options));
  const ObjectCode restored = must(ObjectCode::deserialize(bytes));
  EXPECT_EQ(restored.symbol_count(), 5u);
  EXPECT_LT(signed_bytes.size(), bytes.size());

  cucore::DeserializeOptions required;
  required.signature_policy = cucore::SignaturePolicy::required;
  required.keys = {*options.signing_key};
  const ObjectCode proven = must(ObjectCode::deserialize(signed_bytes, required));
  EXPECT_EQ(proven.signature(), cucore::SignatureState::valid);
  EXPECT_EQ(proven.signature_key().size(), 16u);
  FAILS(signature, "", ObjectCode::deserialize(bytes, required));
  required.max_code_size = 1;
  required.signature_policy = cucore::SignaturePolicy::none;
  FAILS(invalid_code, "", ObjectCode::deserialize(signed_bytes, required));

  std::vector<char> memory(bytes.size());
  EXPECT_EQ(must(code_.serialize_to(memory)), bytes.size());
  memory.pop_back();
  FAILS(buffer_too_small, "", code_.serialize_to(memory));
}

TEST_F(Code, HasTheNamesThatOptionsGive) {
  cucore::ObjectCodeOptions options;
  options.name = "mine";
  options.expressions = {{"saxpy<float>", "saxpy"}};
  const ObjectCode code = must(ObjectCode::create(CodeType::ptx, PTX, options));
  EXPECT_EQ(code.name(), "mine");
  EXPECT_EQ(must(code.symbol_at(0)).expression, "saxpy<float>");
  EXPECT_EQ(must(code.find_kernel("saxpy<float>")).label(), "saxpy<float>");
  FAILS(not_found, "/no/such/file", ObjectCode::from_file(CodeType::ptx, "/no/such/file"));
}

TEST_F(Code, IsLoadedAndHasVariables) {
  EXPECT_FALSE(code_.is_loaded());
  SUCCEEDS(code_.load(device_));
  EXPECT_TRUE(code_.is_loaded());
  EXPECT_NE(code_.native(), nullptr);
  const cucore::Global counter = must(code_.find_global("counter", device_));
  EXPECT_EQ(counter.size, 4u);
  EXPECT_NE(counter.address, cucore::Address());
  FAILS(not_found, "counter", code_.find_global("nothing", device_));
}

TEST_F(Code, IsBundled) {
  std::string later = PTX;
  later.replace(later.find("sm_75"), 5, "sm_80");
  const ObjectCode other = must(ObjectCode::create(CodeType::ptx, later));
  const ObjectCode bundle = must(ObjectCode::bundle({code_, other}));
  EXPECT_EQ(bundle.type(), CodeType::bundle);
  EXPECT_EQ(bundle.image_count(), 2u);
  EXPECT_EQ(must(bundle.image_at(1)).arch(), "compute_80");
  FAILS(invalid_argument, "", ObjectCode::bundle({code_}));
}

TEST_F(Code, HasKernelsWithProperties) {
  using cucore::KernelAttribute;
  const cucore::Kernel kernel = must(code_.find_kernel("saxpy"));
  EXPECT_EQ(kernel.name(), "saxpy");
  EXPECT_NE(kernel.native(), nullptr);
  EXPECT_EQ(kernel.parameter_count(), 4u);
  EXPECT_EQ(must(kernel.parameter_at(1)).offset, 8u);
  EXPECT_EQ(must(kernel.parameter_at(1, device_)).size, 8u);
  EXPECT_EQ(must(kernel.parameters()).size(), 4u);
  EXPECT_EQ(must(kernel.parameters(device_)).size(), 4u);
  EXPECT_GE(must(kernel.attribute(KernelAttribute::max_threads_per_block, device_)), 1);
  SUCCEEDS(kernel.set_attribute(KernelAttribute::max_dynamic_shared_size_bytes, device_, 1024));
  EXPECT_GE(must(kernel.occupancy(device_, 128)), 1);
  const cucore::BlockSize best = must(kernel.max_potential_block_size(device_));
  EXPECT_GE(best.block_size * best.min_grid_size, 1);
  EXPECT_GT(must(kernel.available_dynamic_shared(device_, 1, 128)), 0u);
  cucore::LaunchConfig config(2, 32);
  config.with_cluster(2);
  const cucore::Error error = outcome([&] { return kernel.max_active_clusters(device_, config); });
  EXPECT_TRUE(!error || error.status() == cucore::Status::unsupported) << error.message();
}

TEST_F(Code, IsCompiledWithItsOptions) {
  NEEDS_COMPILER();
  const cucore::Program program = make_program();
  EXPECT_EQ(program.backend(), cucore::Backend::nvrtc);
  const ObjectCode code = must(program.compile(CodeType::ptx, {"set<int>", "set<float>"}));
  EXPECT_EQ(code.name(), "set.cu");
  EXPECT_EQ(code.arch(), "compute_80");
  EXPECT_FALSE(code.metadata().empty());
  EXPECT_EQ(code.metadata()[0].first, cucore_objectcode_metadata_key(code.get(), 0));
  const cucore::Buffer buffer = make_buffer(4);
  int value = 0;
  SUCCEEDS(must(code.find_kernel("set<int>")).launch(stream_, {1, 1}, buffer));
  SUCCEEDS(buffer.read(cucore::bytes_of(value), stream_));
  EXPECT_EQ(value, 4);
  const std::vector<std::string> names = {"set<double>"};
  EXPECT_EQ(must(must(program.compile(CodeType::ptx, names)).symbol_at(0)).expression, names[0]);
}

TEST_F(Code, OfOtherSourcesRefusesOptionsThatDoNotFit) {
  cucore::ProgramOptions options;
  options.use_fast_math = true;
  FAILS(invalid_argument, "use_fast_math",
        cucore::Program::create(cucore::SourceType::ptx, PTX, options));
  options = {};
  options.extra_sources = {{"a", "define void @a() { ret void }"}};
  FAILS(invalid_argument, "extra_source", cucore::Program::create(SOURCE, options));
  SUCCEEDS(cucore::Program::create(cucore::SourceType::nvvm_ir, "target triple = \"x\"", options));
}

TEST(Linkers, RefuseWhatIsWrong) {
  cucore::LinkerOptions options;
  options.arch = "sm_80";
  options.optimization_level = "3";
  options.ptxas_options = {"-v"};
  const cucore::Linker linker = must(cucore::Linker::create(options));
  EXPECT_NE(static_cast<int>(linker.backend()), 0);
  EXPECT_EQ(linker.log(), "");
  FAILS(invalid_state, "", linker.link());
  SUCCEEDS(linker.add(make_code()));
  FAILS(invalid_argument, "", linker.add(ObjectCode()));
  options.max_register_count = -1;
  FAILS(invalid_argument, "max_register_count", cucore::Linker::create(options));
}

cucore::Cache make_cache() {
  cucore::CacheOptions options;
  options.directory = "";
  return must(cucore::Cache::open(options));
}

// In a separate folder, which it removes.
class CacheOnDisk : public testing::Test {
 protected:
  CacheOnDisk() {
    std::string pattern = "/tmp/cucore-cpp-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    cucore::CacheOptions options;
    options.directory = folder_;
    cache_ = must(cucore::Cache::open(options));
    static_cast<void>(cache_.put(cucore::CacheKey{1}, make_code()));
    static_cast<void>(cache_.put(cucore::CacheKey{2}, make_code()));
  }
  ~CacheOnDisk() override {
    cache_.reset();
    static_cast<void>(std::system(("rm -r " + folder_).c_str()));
  }

  std::string folder_;
  cucore::Cache cache_;
};

TEST_F(CacheOnDisk, ReportsItsFiles) {
  EXPECT_EQ(cache_.directory(), folder_);
  std::vector<cucore::CacheKey> keys;
  SUCCEEDS(cache_.query([&](const cucore::CacheEntry& entry) {
    EXPECT_EQ(entry.kind, cucore::CacheFile::entry);
    EXPECT_GT(entry.size, 0u);
    EXPECT_EQ(entry.total, 2u);
    keys.push_back(entry.key);
  }));
  EXPECT_EQ(keys.size(), 2u);
  int calls = 0;
  SUCCEEDS(cache_.query([&](const cucore::CacheEntry&) { return ++calls < 1; }));
  EXPECT_EQ(calls, 1);
}

TEST_F(CacheOnDisk, IsVerifiedAndTrimmed) {
  EXPECT_EQ(must(cache_.verify()), 0u);
  std::uint64_t bad = 77;
  int calls = 0;
  SUCCEEDS(cache_.verify([&](const cucore::CacheEntry& entry) { calls += entry.is_sound; }, &bad));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(bad, 0u);
  EXPECT_EQ(must(cache_.statistics()).entries, 2u);
  EXPECT_EQ(must(cache_.statistics_of_all()).stores, 2u);
  SUCCEEDS(cache_.trim(0, [&](const cucore::CacheEntry&) { ++calls; }));
  EXPECT_EQ(calls, 4);
  SUCCEEDS(cache_.trim(0));
  EXPECT_EQ(must(cache_.statistics()).entries, 0u);
}

TEST(Caches, BuildOnce) {
  const cucore::Cache cache = make_cache();
  const cucore::CacheKey key{7};
  cucore::CacheOutcome outcome = cucore::CacheOutcome::none;
  int builds = 0;
  const auto build = [&]() -> cucore::Returned<ObjectCode> {
    ++builds;
    return make_code();
  };
  EXPECT_FALSE(must(cache.get(key)));
  SUCCEEDS(cache.get_or_build(key, build, &outcome));
  EXPECT_EQ(outcome, cucore::CacheOutcome::built);
  SUCCEEDS(cache.get_or_build(key, build, &outcome));
  EXPECT_EQ(outcome, cucore::CacheOutcome::hit_memory);
  EXPECT_EQ(builds, 1);
  EXPECT_TRUE(must(cache.get(key)));
}

TEST(Caches, PassTheErrorOfABuildOn) {
  const cucore::Cache cache = make_cache();
  const auto fail = [] { return make_code().image_at(9); };
  FAILS(invalid_argument, "", cache.get_or_build(cucore::CacheKey{1}, fail));
}

#if CUCORE_HPP_EXCEPTIONS
TEST_F(CacheOnDisk, PassesExceptionsThrough) {
  const auto fail = []() -> ObjectCode { throw std::string("a build"); };
  EXPECT_THROW(cache_.get_or_build(cucore::CacheKey{9}, fail), std::string);
  const auto stop = [](const cucore::CacheEntry&) { throw std::string("a report"); };
  EXPECT_THROW(cache_.query(stop), std::string);
  EXPECT_THROW(cache_.verify(stop, nullptr), std::string);
  EXPECT_THROW(cache_.trim(0, stop), std::string);
}
#endif

TEST(Caches, CompileOnce) {
  NEEDS_COMPILER();
  const cucore::Cache cache = make_cache();
  const cucore::Program program = make_program();
  cucore::CacheOutcome outcome = cucore::CacheOutcome::none;
  EXPECT_FALSE(must(cache.find(program, CodeType::ptx, {"set<int>"}, &outcome)));
  EXPECT_EQ(outcome, cucore::CacheOutcome::none);
  EXPECT_PRED2(contains, must(cache.explain_miss(program, CodeType::ptx, {"set<int>"})), "miss");
  const ObjectCode code = must(cache.compile(program, CodeType::ptx, {"set<int>"}, &outcome));
  EXPECT_EQ(outcome, cucore::CacheOutcome::built);
  EXPECT_EQ(must(cache.find(program, CodeType::ptx, {"set<int>"})), code);
  EXPECT_EQ(must(cache.explain_miss(program, CodeType::ptx, {"set<int>"})).substr(0, 3), "hit");
  EXPECT_EQ(must(cache.statistics()).builds, 1u);
}

TEST(Caches, RefuseToLinkNothing) {
  FAILS(invalid_state, "", make_cache().link(must(cucore::Linker::create())));
}

// Counts its calls; contains no entries.
class Remote : public cucore::CacheRemote {
 public:
  explicit Remote(std::shared_ptr<int> gets) : gets_(std::move(gets)) {}
  const char* name() const noexcept override { return "nothing"; }
  bool is_read_only() const noexcept override { return true; }
  cucore::CacheAnswer get(const char*, const std::function<void(cucore::Bytes)>&) override {
    ++*gets_;
    return cucore::CacheAnswer::absent;
  }

 private:
  std::shared_ptr<int> gets_;
};

TEST(Caches, RequestRemotesAndDestroyThem) {
  const std::string secret = "secret";
  cucore::CacheOptions options;
  options.directory = "";
  options.keys = {{secret, cucore::KeyAlgorithm::hmac_sha256}};
  cucore::Cache cache = must(cucore::Cache::open(options));
  const auto gets = std::make_shared<int>(0);
  SUCCEEDS(cache.add_remote(std::make_unique<Remote>(gets)));
  EXPECT_FALSE(must(cache.get(cucore::CacheKey{3})));
  EXPECT_EQ(*gets, 1);
  cache.reset();
  EXPECT_EQ(gets.use_count(), 1);
  FAILS(invalid_argument, "", make_cache().add_remote(nullptr));
  FAILS(invalid_argument, "gopher", make_cache().add_remote_url("gopher://x"));
}

TEST(Batches, ReportEveryItem) {
  NEEDS_COMPILER();
  cucore::BatchOptions options;
  options.workers = 1;
  options.cache = make_cache();
  std::vector<bool> failed(2);
  options.report = [&](std::size_t index, std::size_t, std::size_t count,
                       const cucore::Error* failure) {
    EXPECT_EQ(count, 2u);
    failed.at(index) = failure && failure->status() == cucore::Status::compilation;
  };
  const cucore::Program broken = must(cucore::Program::create("oops"));
  const auto results = must(cucore::Program::compile_batch(
      {{make_program(), CodeType::ptx, {"set<int>"}}, {broken, CodeType::ptx, {}}}, options));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].code);
  EXPECT_FALSE(results[0].error);
  EXPECT_FALSE(results[1].code);
  EXPECT_EQ(results[1].error.status(), cucore::Status::compilation);
  EXPECT_EQ(failed, (std::vector<bool>{false, true}));
  EXPECT_TRUE(must(cucore::Program::compile_batch({})).empty());
}

#if CUCORE_HPP_EXCEPTIONS
TEST(Batches, PassExceptionsThrough) {
  NEEDS_COMPILER();
  cucore::BatchOptions options;
  options.report = [](std::size_t, std::size_t, std::size_t, const cucore::Error*) {
    throw std::string("a report");
  };
  const cucore::BatchItem item = {make_program(), CodeType::ptx, {}};
  EXPECT_THROW(cucore::Program::compile_batch({item}, options), std::string);
}
#endif

}  // namespace
