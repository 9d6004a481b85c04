// SPDX-License-Identifier: Apache-2.0
#include "core/load/code_loader.hpp"

#include "loading_testing.hpp"

namespace cucore::core {
namespace {

using image::CodeType;

using CodeLoading = LoadingTest;

TEST_F(CodeLoading, LoadsAnImageOnce) {
  const Ref<ObjectCode> code = make_ptx();
  CodeLoader loader(*code);
  EXPECT_FALSE(loader.is_loaded());
  const Ref<LoadedImage> first = loader.load(*device_);
  EXPECT_TRUE(loader.is_loaded());
  EXPECT_EQ(loader.load(*device_).get(), first.get());
}

TEST_F(CodeLoading, LoadsAnImageOnceForManyThreads) {
  const Ref<ObjectCode> code = make_ptx();
  CodeLoader loader(*code);
  const auto images = on_threads([&] { return loader.load(*device_); });
  for (const Ref<LoadedImage>& image : images) EXPECT_EQ(image.get(), images[0].get());
}

TEST_F(CodeLoading, EachLoaderLoadsItsOwnImage) {
  const Ref<ObjectCode> code = make_ptx();
  CodeLoader one(*code), other(*code);
  EXPECT_NE(one.load(*device_).get(), other.load(*device_).get());
}

TEST_F(CodeLoading, RefusesCodeThatALinkMustPrecede) {
  for (const CodeType type : {CodeType::OBJECT, CodeType::LIBRARY}) {
    const Ref<ObjectCode> code = make_unchecked(type);
    CodeLoader loader(*code);
    expect_error(Status::INVALID_STATE, "link it first", [&] { loader.require_linked(); });
    expect_error(Status::INVALID_STATE, "link it first", [&] { loader.load(*device_); });
    EXPECT_FALSE(loader.is_loaded());
  }
}

TEST_F(CodeLoading, RefusesMachineCodeOnTheCpuDevice) {
  const Ref<ObjectCode> code = make_unchecked(CodeType::CUBIN);
  CodeLoader loader(*code);
  EXPECT_NO_THROW(loader.require_linked());
  if (driver::cuda().is_cpu)
    expect_error(Status::INVALID_CODE, "on the CPU device", [&] { loader.require_loadable(); });
  else
    EXPECT_NO_THROW(loader.require_loadable());
}

}  // namespace
}  // namespace cucore::core
