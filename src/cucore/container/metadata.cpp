// SPDX-License-Identifier: Apache-2.0
// Parses META as JSON, event by event, so that untrusted input never builds a tree.
#include "container/metadata.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "container/layout.hpp"
#include "container/plain_json.hpp"
#include "container/text.hpp"

namespace cucore::container {

namespace {

using Json = nlohmann::json;
constexpr std::string_view IMAGES = "images";

void check_text(std::string_view text) {
  if (find_bad_utf8(text) != text.npos || text.find('\0') != text.npos)
    throw Error(Status::INVALID_ARGUMENT, "metadata must be UTF-8 without NUL");
}

Json to_json(const MetadataValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) {
    check_text(*text);
    return *text;
  }
  Json array = Json::array();
  for (const std::string& item : std::get<std::vector<std::string>>(value)) {
    check_text(item);
    array.push_back(item);
  }
  return array;
}

Json to_json(const Metadata& metadata) {
  Json object = Json::object();
  for (const auto& [key, value] : metadata) {
    check_text(key);
    object[key] = to_json(value);
  }
  return object;
}

// The parser's position in the document.
enum class Place { START, TOP, TOP_ARRAY, IMAGES, IMAGE, IMAGE_ARRAY, DONE };

// Receives the parser's events. A return of false ends the parse; `why` then contains the reason.
class Handler final : public Json::json_sax_t {
 public:
  explicit Handler(image::MemoryBudget& budget) : budget_(budget) {}

  MetadataSet result;
  std::string why = "META is not JSON";

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a boolean"); }
  bool number_float(double, const std::string&) override { return refuse("a fraction"); }
  bool binary(Json::binary_t&) override { return refuse("binary"); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return refuse("an integer above 63 bits");
    return add(static_cast<int64_t>(value));
  }

  bool string(std::string& value) override {
    if (value.find('\0') != value.npos) return refuse("a NUL");
    if (place_ != Place::TOP_ARRAY && place_ != Place::IMAGE_ARRAY) return add(std::move(value));
    if (!take(image::grown_size<std::string>() + image::heap_size(value))) return false;
    // The array is the value of the last key, because keys come sorted.
    std::get<std::vector<std::string>>(target().rbegin()->second).push_back(std::move(value));
    return true;
  }

  bool start_object(size_t) override {
    if (place_ == Place::START) {
      place_ = Place::TOP;
    } else if (place_ == Place::IMAGES) {
      place_ = Place::IMAGE;
      if (!take(image::grown_size<Metadata>())) return false;
      result.images.emplace_back();
    } else {
      return refuse("an object");
    }
    has_key_ = false;
    return true;
  }

  bool end_object() override {
    place_ = place_ == Place::IMAGE ? Place::IMAGES : Place::DONE;
    return true;
  }

  bool key(std::string& key) override {
    if (key.find('\0') != key.npos) return refuse("a NUL");
    if (has_key_ && key_ >= key) return refuse("keys that are not sorted or not unique");
    key_.swap(key);
    has_key_ = true;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ == Place::TOP && key_ == IMAGES) {
      place_ = Place::IMAGES;
      return true;
    }
    if (!add(std::vector<std::string>())) return false;
    place_ = place_ == Place::TOP ? Place::TOP_ARRAY : Place::IMAGE_ARRAY;
    return true;
  }

  bool end_array() override {
    if (place_ == Place::IMAGES) {
      key_ = IMAGES;
      has_key_ = true;
    }
    place_ = place_ == Place::IMAGE_ARRAY ? Place::IMAGE : Place::TOP;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    why = "META is not JSON at its byte " + std::to_string(position);
    return false;
  }

 private:
  bool refuse(const char* what) {
    why = std::string("META holds ") + what + " where none may be";
    return false;
  }

  bool take(uint64_t bytes) {
    if (budget_.take(bytes)) return true;
    why = image::TOO_MUCH;
    return false;
  }

  Metadata& target() {
    const bool image = place_ == Place::IMAGE || place_ == Place::IMAGE_ARRAY;
    return image ? result.images.back() : result.own;
  }

  bool add(MetadataValue value) {
    if (place_ != Place::TOP && place_ != Place::IMAGE) return refuse("a value");
    if (place_ == Place::TOP && key_ == IMAGES) return refuse("no array of images");
    const auto* text = std::get_if<std::string>(&value);
    if (!take(sizeof(Metadata::value_type) + image::MAP_NODE + image::heap_size(key_, 2) +
              (text ? image::heap_size(*text) : 0)))
      return false;
    Metadata& metadata = target();
    metadata.emplace_hint(metadata.end(), key_, std::move(value));
    return true;
  }

  image::MemoryBudget& budget_;
  Place place_ = Place::START;
  std::string key_;       // the last one of the object
  bool has_key_ = false;  // the object has one
};

std::optional<MetadataSet> parse_plain(std::string_view text, image::MemoryBudget& budget) {
  image::MemoryBudget left = budget;
  Handler handler(left);
  if (!PlainJson(text, handler).parse()) return std::nullopt;
  budget = left;
  return std::move(handler.result);
}

}  // namespace

std::string format_metadata(const Metadata& own, const std::vector<Metadata>& images) {
  if (own.contains(IMAGES))
    throw Error(Status::INVALID_ARGUMENT, "the metadata key \"images\" is taken");
  if (own.empty() && images.empty()) return {};
  Json object = to_json(own);
  if (!images.empty()) {
    Json& array = object[std::string(IMAGES)] = Json::array();
    for (const Metadata& image : images) array.push_back(to_json(image));
  }
  std::string text = object.dump();
  if (text.size() > MAX_META_SIZE) {
    throw Error(Status::INVALID_ARGUMENT, "metadata of " + std::to_string(text.size()) +
                                              " bytes is above the limit of 1 MiB");
  }
  return text;
}

MetadataSet parse_metadata(const image::ByteView& json, image::MemoryBudget& budget) {
  if (json.size() > MAX_META_SIZE) json.fail(0, "META is larger than 1 MiB");
  const auto* begin = reinterpret_cast<const char*>(json.bytes().data());
  // The parser skips a byte order mark; other readers do not.
  if (json.size() > 0 && *begin == '\xef') json.fail(0, "META begins with a byte-order mark");
  if (auto set = parse_plain({begin, json.size()}, budget)) return std::move(*set);
  Handler handler(budget);
  if (!Json::sax_parse(begin, begin + json.size(), &handler)) json.fail(0, handler.why);
  return std::move(handler.result);
}

}  // namespace cucore::container
