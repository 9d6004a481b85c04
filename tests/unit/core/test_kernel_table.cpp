// SPDX-License-Identifier: Apache-2.0
#include "core/load/kernel_table.hpp"

#include "loading_testing.hpp"

namespace cucore::core {
namespace {

class KernelTables : public LoadingTest {
 protected:
  const Ref<ObjectCode> code_ = make_ptx({{"a<int>", "_Z1aIiEvv"}, {"a<float>", "_Z1aIfEvv"}});
  CodeLoader loader_{*code_};
  KernelTable table_{*code_, loader_};
};

TEST_F(KernelTables, FindAKernelByEachOfItsNames) {
  const Ref<Kernel> kernel = table_.find("a<int>");
  EXPECT_EQ(kernel->name(), "_Z1aIiEvv");
  EXPECT_EQ(table_.find("_Z1aIiEvv").get(), kernel.get());
  EXPECT_EQ(table_.find("a< int >").get(), kernel.get());
  EXPECT_NE(table_.find("a<float>").get(), kernel.get());
}

TEST_F(KernelTables, HaveOneObjectPerKernelForManyThreads) {
  const auto kernels = on_threads([&] { return table_.find("scale"); });
  for (const Ref<Kernel>& kernel : kernels) EXPECT_EQ(kernel.get(), kernels[0].get());
}

TEST_F(KernelTables, ListTheKernelsForAnUnknownName) {
  expect_error(Status::NOT_FOUND, "no kernel \"scael\" in a.cu", [&] { table_.find("scael"); });
  expect_error(Status::NOT_FOUND, "a<float>", [&] { table_.find("scael"); });
  EXPECT_FALSE(loader_.is_loaded());
}

TEST_F(KernelTables, NameTheRemedyForANameThatCppChanged) {
  const Ref<ObjectCode> code =
      make_ptx({{"", "_Z4axpyfPKfPfi"}, {"", "_ZN2ns4copyEv"}, {"", "_Z4fillIfEvPf"}});
  CodeLoader loader(*code);
  KernelTable table(*code, loader);
  expect_error(Status::NOT_FOUND,
               "; declare it extern \"C\", or compile with the name expression \"axpy\"",
               [&] { table.find("axpy"); });
  expect_error(Status::NOT_FOUND, "name expression \"copy\"", [&] { table.find("copy"); });
  expect_error(Status::NOT_FOUND,
               "; compile with the name expression \"fill<int>\" to instantiate the template",
               [&] { table.find("fill<int>"); });
  for (const char* name : {"fill", "axp", "other"}) try {
      table.find(name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.message().find("name expression"), std::string::npos) << error.message();
    }
}

TEST_F(KernelTables, SuggestASimilarNameOnly) {
  expect_error(Status::NOT_FOUND, "; did you mean \"scale\"?", [&] { table_.find("scal"); });
  try {
    table_.find("reduction");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.message().find("did you mean"), std::string::npos) << error.message();
  }
}

TEST_F(KernelTables, NameTheExpressionOfATemplateIfTheCodeHasNoKernel) {
  const std::string ptx = ".version 8.0\n.target sm_50\n.address_size 64\n";
  const Ref<ObjectCode> code =
      ObjectCode::create(image::CodeType::PTX, std::as_bytes(std::span(ptx)), "a.cu", "", {});
  CodeLoader loader(*code);
  KernelTable table(*code, loader);
  expect_error(Status::NOT_FOUND,
               "it has none; a template becomes a kernel only by a name expression such as "
               "\"scale<float>\"",
               [&] { table.find("scale"); });
}

TEST_F(KernelTables, ForgetOnlyTheKernelOfTheEntry) {
  const Ref<Kernel> kernel = table_.find("scale");
  CodeLoader other_loader(*code_);
  KernelTable other(*code_, other_loader);
  const Ref<Kernel> same_name = other.find("scale");
  ASSERT_NE(same_name.get(), kernel.get());
  table_.forget(*same_name);
  EXPECT_EQ(table_.find("scale").get(), kernel.get());
  table_.forget(*kernel);
  EXPECT_NE(table_.find("scale").get(), kernel.get());
}

TEST_F(KernelTables, RefuseCodeThatALinkMustPrecede) {
  const Ref<ObjectCode> library = make_unchecked(image::CodeType::LIBRARY);
  CodeLoader loader(*library);
  KernelTable table(*library, loader);
  expect_error(Status::INVALID_STATE, "link it first", [&] { table.find("scale"); });
}

TEST_F(KernelTables, OfACodeDoNotOutliveItsLastKernel) {
  Ref<ObjectCode> code = make_ptx();
  Ref<Kernel> kernel = code->find_kernel("scale");
  const ObjectCode* const address = code.get();
  code = nullptr;
  EXPECT_EQ(&kernel->code(), address);
  EXPECT_EQ(kernel->code().find_kernel("scale").get(), kernel.get());
}

}  // namespace
}  // namespace cucore::core
