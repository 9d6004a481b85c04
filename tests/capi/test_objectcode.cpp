// SPDX-License-Identifier: Apache-2.0
// Object code: from memory and files, hostile bytes, the container, loading, and its content.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

// A file that is removed with the test.
class File {
 public:
  explicit File(const std::string& bytes)
      : folder_(testing::TempDir() + "cucore_file_" + std::to_string(getpid())),
        path_(folder_ + "/cucore_capi_test.bin") {
    std::filesystem::create_directory(folder_);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~File() { std::filesystem::remove_all(folder_); }
  const char* path() const { return path_.c_str(); }

 private:
  std::string folder_, path_;
};

// Returns an image made by nvcc, if it was available when the tests were built.
std::string image(const std::string& name) {
  const char* folder = std::getenv("CUCORE_TEST_IMAGES");
  std::ifstream file(std::string(folder ? folder : CUCORE_IMAGES) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

cucore_status create(cucore_code_type type, const std::string& bytes,
                     cucore_error** error = nullptr) {
  Code code;
  return cucore_objectcode_create(type, bytes.data(), bytes.size(), nullptr, code.out(), error);
}

TEST(ObjectCode, OfPtxTellsWhatItIs) {
  const Code code = make_ptx_code();
  EXPECT_EQ(cucore_objectcode_type(code), CUCORE_CODE_TYPE_PTX);
  EXPECT_STREQ(cucore_objectcode_arch(code), "compute_75");
  EXPECT_STREQ(cucore_objectcode_name(code), "");
  EXPECT_STREQ(cucore_objectcode_log(code), "");
  EXPECT_EQ(cucore_objectcode_is_loaded(code), 0);
  size_t size = 0;
  const auto* data = static_cast<const char*>(cucore_objectcode_data(code, &size));
  ASSERT_EQ(size, PTX_SIZE);
  EXPECT_EQ(std::memcmp(data, PTX, PTX_SIZE + 1), 0) << "with the NUL behind it";
  EXPECT_EQ(cucore_objectcode_data(code, nullptr), data);
}

TEST(ObjectCode, OfPtxMayEndWithANul) {
  const Code code = make_code(CUCORE_CODE_TYPE_PTX, PTX, PTX_SIZE + 1);
  EXPECT_EQ(bytes_of(code).size(), PTX_SIZE);
}

TEST(ObjectCode, TakesItsOptions) {
  const char* expressions[] = {"scale<float>"};
  const char* lowered[] = {"saxpy"};
  cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
  options.name = "mine.ptx";
  options.expressions = expressions;
  options.lowered_names = lowered;
  options.expression_count = 1;
  Code code;
  SUCCEEDS(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, PTX_SIZE, &options, code.out());
  EXPECT_STREQ(cucore_objectcode_name(code), "mine.ptx");
  bool found = false;
  for (size_t i = 0; i < cucore_objectcode_symbol_count(code); ++i) {
    cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
    SUCCEEDS(cucore_objectcode_symbol_at, code, i, &info);
    found |=
        std::string(info.expression) == "scale<float>" && std::string(info.lowered_name) == "saxpy";
  }
  EXPECT_TRUE(found);
  cucore_objectcode* none = nullptr;
  options.expressions = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "expressions", cucore_objectcode_create,
        CUCORE_CODE_TYPE_PTX, PTX, PTX_SIZE, &options, &none);
  expressions[0] = nullptr;
  options.expressions = expressions;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "expressions|index 0", cucore_objectcode_create,
        CUCORE_CODE_TYPE_PTX, PTX, PTX_SIZE, &options, &none);
  options.expression_count = 0;
  options.arch = "pascal";
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "arch|pascal", cucore_objectcode_create,
        CUCORE_CODE_TYPE_PTX, PTX, PTX_SIZE, &options, &none);
}

TEST(ObjectCode, TellsItsSymbols) {
  const Code code = make_ptx_code();
  ASSERT_EQ(cucore_objectcode_symbol_count(code), 4u);
  const struct {
    const char* name;
    cucore_symbol_kind kind;
    size_t parameters, size;
  } expected[] = {{"saxpy", CUCORE_SYMBOL_KERNEL, 4, 0},
                  {"empty", CUCORE_SYMBOL_KERNEL, 0, 0},
                  {"mixed", CUCORE_SYMBOL_KERNEL, 4, 0},
                  {"counter", CUCORE_SYMBOL_GLOBAL, 0, 4}};
  for (size_t i = 0; i < 4; ++i) {
    cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
    SUCCEEDS(cucore_objectcode_symbol_at, code, i, &info);
    EXPECT_STREQ(info.lowered_name, expected[i].name);
    EXPECT_STREQ(info.expression, "");
    EXPECT_EQ(info.kind, expected[i].kind);
    if (info.kind == CUCORE_SYMBOL_KERNEL) {
      EXPECT_EQ(info.parameter_count, expected[i].parameters);
    } else
      EXPECT_EQ(info.size, expected[i].size);
  }
  cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
  for (const size_t index : {size_t{4}, SIZE_MAX}) {
    info.size = 7;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "4 symbols", cucore_objectcode_symbol_at, code, index,
          &info);
    EXPECT_EQ(info.size, 0u);
  }
}

TEST(ObjectCode, TellsTheParametersOfItsKernels) {
  const Code code = make_ptx_code();
  const size_t offsets[] = {0, 8, 16, 20}, sizes[] = {1, 8, 2, 4};
  for (size_t i = 0; i < 4; ++i) {
    size_t offset = 7, size = 7;
    SUCCEEDS(cucore_objectcode_symbol_parameter_at, code, 2, i, &offset, &size);
    EXPECT_EQ(offset, offsets[i]);
    EXPECT_EQ(size, sizes[i]);
  }
  size_t offset = 7, size = 7;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "index is 4|mixed|4 parameters",
        cucore_objectcode_symbol_parameter_at, code, 2, 4, &offset, &size);
  EXPECT_EQ(offset + size, 0u);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "symbol is 9", cucore_objectcode_symbol_parameter_at, code,
        9, 0, &offset, &size);
}

TEST(ObjectCode, RefusesTypesThatItCannotBeMadeFrom) {
  cucore_objectcode* code = nullptr;
  for (const auto type : {CUCORE_CODE_TYPE_OBJECT, CUCORE_CODE_TYPE_LIBRARY})
    EXPECT_NE(cucore_objectcode_create(type, PTX, PTX_SIZE, nullptr, &code, nullptr), CUCORE_OK);
  for (const int type : {0, 8, -1})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "type|cucore_code_type", cucore_objectcode_create,
          static_cast<cucore_code_type>(type), PTX, PTX_SIZE, nullptr, &code);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "BUNDLE|cucore_objectcode_deserialize",
        cucore_objectcode_create, CUCORE_CODE_TYPE_BUNDLE, PTX, PTX_SIZE, nullptr, &code);
}

TEST(ObjectCode, RefusesEmptyAndForeignBytes) {
  cucore_objectcode* code = nullptr;
  const std::string text(PTX, PTX_SIZE), junk = "this is not code in any format";
  for (const auto type : {CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN, CUCORE_CODE_TYPE_FATBIN}) {
    FAILS(CUCORE_ERROR_INVALID_CODE, "", cucore_objectcode_create, type, "", 0, nullptr, &code);
    FAILS(CUCORE_ERROR_INVALID_CODE, "", cucore_objectcode_create, type, nullptr, 0, nullptr,
          &code);
    FAILS(CUCORE_ERROR_INVALID_CODE, "", cucore_objectcode_create, type, junk.data(), junk.size(),
          nullptr, &code);
  }
  EXPECT_EQ(create(CUCORE_CODE_TYPE_CUBIN, text), CUCORE_ERROR_INVALID_CODE);
  EXPECT_EQ(create(CUCORE_CODE_TYPE_FATBIN, text), CUCORE_ERROR_INVALID_CODE);
}

TEST(ObjectCode, OfAFatBinaryGivesItsEntries) {
  if (image("saxpy.cubin").empty()) GTEST_SKIP() << "no nvcc when this was built";
  for (const char* name : {"saxpy.speed.fatbin", "saxpy.size.fatbin", "saxpy.none.fatbin"}) {
    SCOPED_TRACE(name);
    const std::string bytes = image(name);
    const Code code = make_code(CUCORE_CODE_TYPE_FATBIN, bytes.data(), bytes.size());
    ASSERT_EQ(cucore_objectcode_image_count(code), 2u);
    std::set<std::string> archs;
    for (size_t i = 0; i < 2; ++i) {
      Code entry;
      SUCCEEDS(cucore_objectcode_image_at, code, i, entry.out());
      archs.insert(cucore_objectcode_arch(entry));
      EXPECT_EQ(cucore_objectcode_symbol_count(entry), 1u);
    }
    EXPECT_EQ(archs, (std::set<std::string>{"compute_75", "sm_90"}));
    Code none;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "index is 2|2 images", cucore_objectcode_image_at, code,
          size_t{2}, none.out());
  }
}

TEST(ObjectCode, OfNvccIsAccepted) {
  if (image("saxpy.cubin").empty()) GTEST_SKIP() << "no nvcc when this was built";
  for (const char* name : {"saxpy.speed.fatbin", "saxpy.size.fatbin", "saxpy.none.fatbin"}) {
    SCOPED_TRACE(name);
    const std::string bytes = image(name);
    const Code code = make_code(CUCORE_CODE_TYPE_FATBIN, bytes.data(), bytes.size());
    EXPECT_EQ(cucore_objectcode_symbol_count(code), 1u);
    EXPECT_STREQ(cucore_objectcode_arch(code), "");
    EXPECT_EQ(bytes_of(code), bytes);
  }
  const std::string bytes = image("saxpy.cubin");
  const Code code = make_code(CUCORE_CODE_TYPE_CUBIN, bytes.data(), bytes.size());
  EXPECT_STREQ(cucore_objectcode_arch(code), "sm_90");
  EXPECT_EQ(bytes_of(code), bytes);
}

// No prefix and no flipped bit crashes, and no truncation is accepted as complete.
TEST(ObjectCode, RefusesDamagedImages) {
  if (image("saxpy.cubin").empty()) GTEST_SKIP() << "no nvcc when this was built";
  for (const auto& [type, name] : {std::pair{CUCORE_CODE_TYPE_CUBIN, "saxpy.cubin"},
                                   std::pair{CUCORE_CODE_TYPE_FATBIN, "saxpy.speed.fatbin"}}) {
    const std::string bytes = image(name);
    for (size_t size = 0; size < bytes.size(); size += 1 + size / 64)
      EXPECT_EQ(create(type, bytes.substr(0, size)), CUCORE_ERROR_INVALID_CODE)
          << name << ' ' << size;
    for (size_t at = 0; at < bytes.size(); at += 1 + at / 256) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << at % 8);
      Error error;
      const cucore_status status = create(type, flipped, error.out());
      EXPECT_TRUE(status == CUCORE_OK || failed(status, error, CUCORE_ERROR_INVALID_CODE, ""));
    }
  }
}

TEST(ObjectCode, ComesFromFiles) {
  const File file(std::string(PTX, PTX_SIZE));
  Code code;
  SUCCEEDS(cucore_objectcode_from_file, CUCORE_CODE_TYPE_PTX, file.path(), nullptr, code.out());
  EXPECT_STREQ(cucore_objectcode_name(code), "cucore_capi_test.bin");
  EXPECT_EQ(bytes_of(code).size(), PTX_SIZE);
  cucore_objectcode* none = nullptr;
  FAILS(CUCORE_ERROR_INVALID_CODE, file.path(), cucore_objectcode_from_file, CUCORE_CODE_TYPE_CUBIN,
        file.path(), nullptr, &none);
  FAILS(CUCORE_ERROR_NOT_FOUND, "/no/such/file.ptx", cucore_objectcode_from_file,
        CUCORE_CODE_TYPE_PTX, "/no/such/file.ptx", nullptr, &none);
  FAILS(CUCORE_ERROR_NOT_FOUND, "", cucore_objectcode_from_file, CUCORE_CODE_TYPE_PTX, "", nullptr,
        &none);
  FAILS(CUCORE_ERROR_IO, "/tmp", cucore_objectcode_from_file, CUCORE_CODE_TYPE_PTX, "/tmp", nullptr,
        &none);
}

TEST(ObjectCode, TypesOfFilesAreDetected) {
  constexpr auto DETECT = static_cast<cucore_code_type>(0);
  const auto read = [&](const std::string& bytes) {
    Code code;
    [&] {
      SUCCEEDS(cucore_objectcode_from_file, DETECT, File(bytes).path(), nullptr, code.out());
    }();
    return code;
  };
  const Code ptx = read(std::string(PTX, PTX_SIZE));
  EXPECT_EQ(cucore_objectcode_type(ptx), CUCORE_CODE_TYPE_PTX);
  const auto container = serialized(ptx);
  const Code again = read(std::string(container.begin(), container.end()));
  EXPECT_EQ(cucore_objectcode_type(again), CUCORE_CODE_TYPE_PTX);
  EXPECT_EQ(bytes_of(again), bytes_of(ptx));
  const std::string changed = std::string(PTX, PTX_SIZE) + "// another\n";
  const Code other = make_code(CUCORE_CODE_TYPE_PTX, changed.data(), changed.size());
  const cucore_objectcode* images[] = {ptx, other};
  Code bundle;
  SUCCEEDS(cucore_objectcode_bundle, images, 2, bundle.out());
  const auto bundled = serialized(bundle);
  EXPECT_EQ(cucore_objectcode_type(read(std::string(bundled.begin(), bundled.end()))),
            CUCORE_CODE_TYPE_BUNDLE);
  const File text("Dear reader");
  cucore_objectcode* none = nullptr;
  FAILS(CUCORE_ERROR_INVALID_CODE, std::string(text.path()) + "|type|LTOIR",
        cucore_objectcode_from_file, DETECT, text.path(), nullptr, &none);
}

// A FIFO without a writer, a device without an end, a file whose declared size exceeds memory.
TEST(ObjectCode, ComesFromRegularFilesOfASaneSizeAlone) {
  cucore_objectcode* none = nullptr;
  FAILS(CUCORE_ERROR_IO, "/dev/zero|regular", cucore_objectcode_from_file, CUCORE_CODE_TYPE_PTX,
        "/dev/zero", nullptr, &none);
  char fifo[] = "/tmp/cucore_capi_fifo_XXXXXX";
  close(mkstemp(fifo));
  unlink(fifo);
  ASSERT_EQ(mkfifo(fifo, 0600), 0);
  alarm(20);  // ends the program if the call waits for a writer
  FAILS(CUCORE_ERROR_IO, std::string(fifo) + "|regular", cucore_objectcode_from_file,
        CUCORE_CODE_TYPE_PTX, fifo, nullptr, &none);
  alarm(0);
  unlink(fifo);
  const File sparse("");
  ASSERT_EQ(truncate(sparse.path(), (off_t{1} << 31) + 1), 0);
  FAILS(CUCORE_ERROR_IO, "2147483649 bytes|at most 2147483648", cucore_objectcode_from_file,
        CUCORE_CODE_TYPE_PTX, sparse.path(), nullptr, &none);
}

TEST(Containers, TellTheirSizeAndRefuseASmallerBuffer) {
  const Code code = make_ptx_code();
  size_t needed = 0, size = 0;
  SUCCEEDS(cucore_objectcode_serialize, code, nullptr, nullptr, 0, &needed);
  ASSERT_GT(needed, PTX_SIZE);
  std::vector<unsigned char> bytes(needed, 0x5a);
  for (const size_t capacity : {size_t{1}, needed - 1}) {
    FAILS(CUCORE_ERROR_BUFFER_TOO_SMALL, std::to_string(capacity) + "|" + std::to_string(needed),
          cucore_objectcode_serialize, code, nullptr, bytes.data(), capacity, &size);
    EXPECT_EQ(size, needed);
    EXPECT_EQ(bytes, std::vector<unsigned char>(needed, 0x5a))
        << "a buffer too small was written to";
  }
  SUCCEEDS(cucore_objectcode_serialize, code, nullptr, bytes.data(), needed, &size);
  EXPECT_EQ(size, needed);
  EXPECT_EQ(bytes, serialized(code)) << "equal objects give equal bytes";
}

TEST(Containers, GiveBackWhatWentIn) {
  const Code code = make_ptx_code();
  for (const auto compression : {CUCORE_TOGGLE_OFF, CUCORE_TOGGLE_ON}) {
    cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
    options.compression = compression;
    const auto bytes = serialized(code, &options);
    Code copy;
    SUCCEEDS(cucore_objectcode_deserialize, bytes.data(), bytes.size(), nullptr, copy.out());
    EXPECT_EQ(bytes_of(copy), bytes_of(code));
    EXPECT_EQ(cucore_objectcode_type(copy), CUCORE_CODE_TYPE_PTX);
    EXPECT_STREQ(cucore_objectcode_arch(copy), "compute_75");
    EXPECT_EQ(cucore_objectcode_symbol_count(copy), cucore_objectcode_symbol_count(code));
    EXPECT_EQ(serialized(copy, &options), bytes);
  }
  cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
  options.compression = static_cast<cucore_toggle>(3);
  size_t size = 0;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "compression", cucore_objectcode_serialize, code, &options,
        nullptr, 0, &size);
}

TEST(Containers, RefuseEveryFlipAndEveryTruncation) {
  const auto bytes = serialized(make_ptx_code());
  const auto read = [](const std::vector<unsigned char>& from) {
    Code code;
    Error error;
    const cucore_status status =
        cucore_objectcode_deserialize(from.data(), from.size(), nullptr, code.out(), error.out());
    return failed(status, error, CUCORE_ERROR_INVALID_CODE, "") && !code.get();
  };
  for (size_t at = 0; at < bytes.size(); ++at) {
    auto flipped = bytes;
    flipped[at] ^= static_cast<unsigned char>(1 << at % 8);
    ASSERT_TRUE(read(flipped)) << "bit " << at % 8 << " of byte " << at;
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_TRUE(read({bytes.begin(), bytes.begin() + static_cast<long>(size)})) << size;
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_TRUE(read(longer));
}

TEST(Containers, HoldNoMoreThanTheCallerAllows) {
  const auto bytes = serialized(make_ptx_code());
  cucore_deserialize_options options = CUCORE_DESERIALIZE_OPTIONS_INIT;
  options.max_code_size = PTX_SIZE - 1;
  cucore_objectcode* none = nullptr;
  EXPECT_EQ(cucore_objectcode_deserialize(bytes.data(), bytes.size(), &options, &none, nullptr),
            CUCORE_ERROR_INVALID_CODE);
  options.max_code_size = PTX_SIZE + 1;
  Code code;
  SUCCEEDS(cucore_objectcode_deserialize, bytes.data(), bytes.size(), &options, code.out());
}

class Loading : public OnDevice {};

TEST_F(Loading, IsDoneOnFirstNeedAndOnce) {
  const Code code = make_ptx_code();
  EXPECT_EQ(cucore_objectcode_is_loaded(code), 0);
  const Kernel kernel = find_kernel(code, "saxpy");
  EXPECT_EQ(cucore_objectcode_is_loaded(code), 1);
  EXPECT_NE(cucore_objectcode_native(code), nullptr);
  EXPECT_NE(cucore_kernel_native(kernel), nullptr);
  SUCCEEDS(cucore_objectcode_load, code, device_);
  find_kernel(code, "empty");
  if (!fake_) return;
  EXPECT_EQ(fake_->call_count("cuLibraryLoadData"), 1u);
}

TEST_F(Loading, GivesBackWhatItLoaded) {
  NEEDS_FAKE_DRIVER();
  find_kernel(make_ptx_code(), "empty");
  for (int i = 0; i < 20000 && fake_->live_objects("library") != 0; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  EXPECT_EQ(fake_->call_count("cuLibraryUnload"), 1u);
  EXPECT_EQ(fake_->live_objects("library"), 0u);
}

TEST_F(Loading, FindsNoKernelThatIsNotThereAndListsThoseThatAre) {
  const Code code = make_ptx_code();
  for (const char* name : {"saxpi", "", "counter", "saxpy "}) {
    cucore_kernel* kernel = nullptr;
    if (std::string(name) == "saxpy ") continue;  // white space is not part of a name
    FAILS(CUCORE_ERROR_NOT_FOUND, std::string("no kernel \"") + name + "\"|saxpy|empty|mixed",
          cucore_objectcode_find_kernel, code, name, &kernel);
  }
  Error error;
  cucore_kernel* kernel = nullptr;
  cucore_objectcode_find_kernel(code, "emty", &kernel, error.out());
  EXPECT_TRUE(contains(cucore_error_message(error), "it contains empty"))
      << cucore_error_message(error);
}

TEST_F(Loading, FindsVariables) {
  const Code code = make_ptx_code();
  uint64_t address = 0;
  size_t size = 0;
  SUCCEEDS(cucore_objectcode_find_global, code, "counter", device_, &address, &size);
  EXPECT_NE(address, 0u);
  EXPECT_EQ(size, 4u);
  FAILS(CUCORE_ERROR_NOT_FOUND, "no global variable \"saxpy\"|counter",
        cucore_objectcode_find_global, code, "saxpy", device_, &address, &size);
  EXPECT_EQ(address + size, 0u);
}

TEST_F(Loading, BringsTheDriversLogAndIsTriedAgain) {
  NEEDS_FAKE_DRIVER();
  const std::string text = std::string(PTX, PTX_SIZE) + "// reject\n";
  const Code refused = make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
  Error error;
  EXPECT_EQ(cucore_objectcode_load(refused, device_, error.out()), CUCORE_ERROR_INVALID_CODE);
  EXPECT_TRUE(contains(cucore_error_log(error), "ptxas fatal"));
  EXPECT_STREQ(cucore_error_native_name(error), "CUDA_ERROR_INVALID_PTX");
  EXPECT_EQ(cucore_objectcode_is_loaded(refused), 0);
  EXPECT_EQ(cucore_objectcode_native(refused), nullptr);

  const Code code = make_ptx_code();
  fake_->fail_call("cuLibraryLoadData", 1, 2);
  cucore_kernel* kernel = nullptr;
  FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "load|PTX for compute_75",
             cucore_objectcode_find_kernel, code, "empty", &kernel);
  find_kernel(code, "empty");  // throws if the failure was stored
}

}  // namespace
