// Why something is not in the cache: its key held against the last one of the same name.
#include <algorithm>
#include <map>

#include "cache/cache.hpp"
#include "cache/request.hpp"
#include "container/writer.hpp"
#include "support/sha256.hpp"
#include "support/text.hpp"

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

// Digests are shown by their first digits; text as it is.
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
      out += text("  ", mark, " ", shown(value, tag), "\n");
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
    out += text(container::key_tag_text(tag), " is not that of the last build:\n");
    list_missing(out, old_list, new_list, tag, "-");
    list_missing(out, new_list, old_list, tag, "+");
  }
  return out;
}

}  // namespace

// Under which the fields of the last build of that name are kept.
container::Digest Cache::last_key(const Request& request) const {
  std::vector<KeyField> fields;
  for (const KeyField& field : request.fields())
    if (const auto tag = static_cast<KeyTag>(field.tag);
        tag == KeyTag::PRODUCER || tag == KeyTag::NAME || tag == KeyTag::TARGET)
      fields.push_back(field);
  return container::digest_of(fields);
}

// "CUCOKEY1", the fields as they are framed in a container, SHA-256 of all that.
void Cache::keep_last(const Request& request) {
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
  write(last_key(request), FileKind::LAST, bytes);
}

std::vector<KeyField> Cache::read_last(const Request& request) const {
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

Event Cache::miss_reason(const Request& request, std::string* out) {
  std::string text_of;
  Event reason = Event::MISSES_NEW;
  if (!request.changed.empty()) {
    reason = Event::MISSES_FILES;
    text_of = request.changed + "\n";
  } else if (const auto last = request.inputs ? read_last(request) : std::vector<KeyField>();
             !last.empty()) {
    text_of = difference(by_tag(request.fields()), by_tag(last), reason);
    if (text_of.empty()) {
      reason = Event::MISSES_REMOVED;
      text_of = "it was built before, and its entry has been removed or could not be kept\n";
    }
  } else {
    text_of = "nothing of that name has been built before";
    if (request.inputs) text_of += text(" as ", code_type_name(request.inputs->target));
    text_of += "\n";
  }
  if (out) *out = std::move(text_of);
  return reason;
}

void Cache::count_miss(const Request& request) {
  statistics_.count(Event::MISSES);
  statistics_.count(miss_reason(request, nullptr));
}

std::string Cache::explain(const container::BuildInputs& inputs) {
  if (settings_.is_off) return "bypassed: the cache is switched off (CUCORE_CACHE=off)\n";
  if (!inputs.bypass.empty()) return text("bypassed: ", inputs.bypass, "\n");
  Request request = request_of(inputs);
  const std::string key = text("key ", hex(request.key), "\n");
  // Where it is changes by looking, so that is not said.
  if (find(request).object) return "hit: nothing has to be built\n" + key;
  std::string why;
  miss_reason(request, &why);
  return "miss: " + why + key;
}

}  // namespace cucore::cache
