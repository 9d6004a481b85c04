// SPDX-License-Identifier: Apache-2.0
#include "cache/miss_report.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "container/writer.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"
#include "support/sha256.hpp"

namespace cucore::cache {

using container::KeyField;
using container::KeyTag;

namespace {

using Values = std::map<uint16_t, std::vector<std::string>>;

Values by_tag(const std::vector<KeyField>& fields) {
  Values values;
  for (const KeyField& field : fields)
    values[field.tag].emplace_back(reinterpret_cast<const char*>(field.value.data()),
                                   field.value.size());
  return values;
}

Event event_of(uint16_t tag) {
  switch (static_cast<KeyTag>(tag)) {
    case KeyTag::SOURCE:
    case KeyTag::MODULE:
      return Event::MISSES_SOURCE;
    case KeyTag::OPTION:
      return Event::MISSES_OPTIONS;
    case KeyTag::PRODUCER:
    case KeyTag::BUILD:
      return Event::MISSES_COMPILER;
    case KeyTag::TARGET:
    case KeyTag::ARCH:
      return Event::MISSES_TARGET;
    case KeyTag::EXPRESSION:
      return Event::MISSES_EXPRESSIONS;
    case KeyTag::HEADER:
      return Event::MISSES_HEADERS;
    case KeyTag::INPUT:
      return Event::MISSES_INPUTS;
    case KeyTag::ENVIRONMENT:
    case KeyTag::DIRECTORY:
    case KeyTag::NAME_SPACE:
      return Event::MISSES_ENVIRONMENT;
    default:
      return Event::MISSES_NEW;
  }
}

// Shows digests by their first digits and text unchanged.
std::string shown(const std::string& value, uint16_t tag) {
  if (tag == static_cast<uint16_t>(KeyTag::SOURCE))
    return hex(std::as_bytes(std::span(value))).substr(0, 12);
  std::string line = value;
  std::ranges::replace(line, '\n', ' ');
  return line;
}

void list_missing(std::string& out, const std::vector<std::string>& from,
                  const std::vector<std::string>& in, uint16_t tag, const char* mark) {
  for (const std::string& value : from)
    if (std::ranges::find(in, value) == in.end())
      out += concat("  ", mark, " ", shown(value, tag), "\n");
}

std::string difference(const Values& now, const Values& then, Event& first) {
  std::string out;
  std::map<uint16_t, bool> tags;
  for (const auto* values : {&now, &then})
    for (const auto& [tag, list] : *values) tags[tag] = true;
  const auto list_of = [](const Values& values, uint16_t tag) {
    const auto found = values.find(tag);
    return found == values.end() ? std::vector<std::string>() : found->second;
  };
  for (const auto& [tag, unused] : tags) {
    const auto new_list = list_of(now, tag), old_list = list_of(then, tag);
    if (new_list == old_list) continue;
    if (out.empty()) first = event_of(tag);
    out += concat(container::key_tag_text(tag), " is not that of the last build:\n");
    list_missing(out, old_list, new_list, tag, "-");
    list_missing(out, new_list, old_list, tag, "+");
  }
  return out;
}

// Returns the key of the file with the fields of the last build of that name.
container::Digest last_key(const Request& request) {
  std::vector<KeyField> fields;
  for (const KeyField& field : request.fields())
    if (const auto tag = static_cast<KeyTag>(field.tag);
        tag == KeyTag::PRODUCER || tag == KeyTag::NAME || tag == KeyTag::TARGET)
      fields.push_back(field);
  return container::digest_of(fields);
}

}  // namespace

// "CUCOKEY1", the fields framed as in a container, and the SHA-256 of all of it.
void MissReport::store_fields(const Request& request) {
  if (!request.inputs || !store_.can_write()) return;
  image::Bytes bytes;
  const auto append = [&](const void* data, size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), begin, begin + size);
  };
  append("CUCOKEY1", 8);
  for (const KeyField& field : request.fields()) {
    const auto size = static_cast<uint32_t>(field.value.size());
    append(&field.tag, sizeof field.tag);
    append(&size, sizeof size);
    append(field.value.data(), field.value.size());
  }
  const container::Digest sum = sha256(bytes);
  append(sum.data(), sum.size());
  store_.write_or_warn(last_key(request), FileKind::LAST, bytes);
}

std::vector<KeyField> MissReport::last_fields(const Request& request) const {
  const auto file = store_.read(last_key(request), FileKind::LAST);
  constexpr size_t SUM = sizeof(container::Digest);
  if (!file || file->bytes.size() < 8 + SUM) return {};
  const auto body = std::span<const std::byte>(file->bytes).first(file->bytes.size() - SUM);
  const container::Digest sum = sha256(body);
  if (!std::equal(sum.begin(), sum.end(), file->bytes.end() - SUM)) return {};
  std::vector<KeyField> fields;
  for (size_t at = 8; at + 6 <= body.size();) {
    KeyField field;
    uint32_t size = 0;
    std::memcpy(&field.tag, body.data() + at, sizeof field.tag);
    std::memcpy(&size, body.data() + at + 2, sizeof size);
    at += 6;
    if (size > body.size() - at) return {};
    const auto value = body.subspan(at, size);
    field.value.assign(value.begin(), value.end());
    fields.push_back(std::move(field));
    at += size;
  }
  return fields;
}

MissReport::Reason MissReport::reason_of(const Request& request) const {
  if (!request.changed.empty()) return {Event::MISSES_FILES, request.changed + "\n"};
  const auto last = request.inputs ? last_fields(request) : std::vector<KeyField>();
  Reason reason;
  if (last.empty()) {
    reason.text = "nothing of that name has been built before";
    if (request.inputs) reason.text += concat(" as ", code_type_name(request.inputs->target));
    reason.text += "\n";
    return reason;
  }
  reason.text = difference(by_tag(request.fields()), by_tag(last), reason.event);
  if (reason.text.empty())
    reason = {Event::MISSES_REMOVED,
              "it was built before, and its entry has been removed or could not be kept\n"};
  return reason;
}

// The log has the reason, because explain_miss() finds the result after the build.
void MissReport::count(const Request& request) {
  const Reason reason = reason_of(request);
  statistics_.count(Event::MISSES);
  statistics_.count(reason.event);
  if (!request.inputs || !log_enabled(LogLevel::DEBUG)) return;
  const auto text = std::string_view(reason.text).substr(0, reason.text.size() - 1);
  log(LogLevel::DEBUG, concat("the cache has no result of ", request.inputs->label, ": ", text));
}

}  // namespace cucore::cache
