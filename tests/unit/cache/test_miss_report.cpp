// SPDX-License-Identifier: Apache-2.0
#include "cache_parts.hpp"
#include "support/log.hpp"

namespace cucore::cache {
namespace {

using container::key_field;
using container::KeyTag;

class Misses : public testing::Test {
 protected:
  static container::BuildInputs inputs_with(KeyTag tag, const std::string& value) {
    container::BuildInputs inputs;
    inputs.fields = {key_field(KeyTag::PRODUCER, "compiler"), key_field(KeyTag::NAME, "a.cu"),
                     key_field(KeyTag::TARGET, "ptx"), key_field(tag, value)};
    inputs.digest = container::digest_of(inputs.fields);
    return inputs;
  }
  static Request request_of(const container::BuildInputs& inputs) {
    return cache::request_of(inputs, "");
  }
  MissReport::Reason reason_after(KeyTag tag, const std::string& before, const std::string& now) {
    const auto old_inputs = inputs_with(tag, before), new_inputs = inputs_with(tag, now);
    parts_.misses.store_fields(request_of(old_inputs));
    return parts_.misses.reason_of(request_of(new_inputs));
  }

  const TemporaryFolder folder_;
  Parts parts_{folder_ / "a"};
};

TEST_F(Misses, OfANameThatWasNeverBuilt) {
  const auto inputs = inputs_with(KeyTag::OPTION, "-O1");
  const auto reason = parts_.misses.reason_of(request_of(inputs));
  EXPECT_EQ(reason.event, Event::MISSES_NEW);
  EXPECT_EQ(reason.text, "nothing of that name has been built before as PTX\n");
}

TEST_F(Misses, ListTheFieldThatDiffers) {
  const auto reason = reason_after(KeyTag::OPTION, "-O1", "-O2");
  EXPECT_EQ(reason.event, Event::MISSES_OPTIONS);
  EXPECT_EQ(reason.text, "an option is not that of the last build:\n  - -O1\n  + -O2\n");
}

TEST_F(Misses, HaveAnEventPerKindOfField) {
  constexpr std::pair<KeyTag, Event> ROWS[] = {{KeyTag::SOURCE, Event::MISSES_SOURCE},
                                               {KeyTag::BUILD, Event::MISSES_COMPILER},
                                               {KeyTag::ARCH, Event::MISSES_TARGET},
                                               {KeyTag::HEADER, Event::MISSES_HEADERS},
                                               {KeyTag::EXPRESSION, Event::MISSES_EXPRESSIONS},
                                               {KeyTag::INPUT, Event::MISSES_INPUTS},
                                               {KeyTag::ENVIRONMENT, Event::MISSES_ENVIRONMENT}};
  for (const auto& [tag, event] : ROWS) EXPECT_EQ(reason_after(tag, "old", "new").event, event);
}

TEST_F(Misses, OfEqualFieldsHaveALostEntry) {
  EXPECT_EQ(reason_after(KeyTag::OPTION, "-O1", "-O1").event, Event::MISSES_REMOVED);
}

TEST_F(Misses, OfAChangedFileNameTheFile) {
  const auto inputs = inputs_with(KeyTag::OPTION, "-O1");
  Request request = request_of(inputs);
  request.changed = "a.h has changed";
  const auto reason = parts_.misses.reason_of(request);
  EXPECT_EQ(reason.event, Event::MISSES_FILES);
  EXPECT_EQ(reason.text, "a.h has changed\n");
}

TEST_F(Misses, OfDamagedFieldsAreNew) {
  const auto inputs = inputs_with(KeyTag::OPTION, "-O1");
  parts_.misses.store_fields(request_of(inputs));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "a"))
    if (entry.path().extension() == ".key") std::ofstream(entry.path(), std::ios::app) << "more";
  EXPECT_EQ(parts_.misses.reason_of(request_of(inputs)).event, Event::MISSES_NEW);
}

TEST_F(Misses, AreCountedWithTheirReason) {
  const auto inputs = inputs_with(KeyTag::OPTION, "-O1");
  parts_.misses.count(request_of(inputs));
  EXPECT_EQ(parts_.count(Event::MISSES), 1u);
  EXPECT_EQ(parts_.count(Event::MISSES_NEW), 1u);
}

TEST_F(Misses, AreLoggedWithTheirReason) {
  std::string logged;
  log_set_receiver(
      [](LogLevel, const char* text, void* to) { *static_cast<std::string*>(to) += text; },
      LogLevel::DEBUG, &logged, nullptr);
  auto inputs = inputs_with(KeyTag::OPTION, "-O1");
  inputs.label = "a.cu";
  Request request = request_of(inputs);
  request.changed = "a.h has changed";
  parts_.misses.count(request);
  log_set_receiver(nullptr, LogLevel::ERROR, nullptr, nullptr);
  EXPECT_EQ(logged, "the cache has no result of a.cu: a.h has changed");
}

}  // namespace
}  // namespace cucore::cache
