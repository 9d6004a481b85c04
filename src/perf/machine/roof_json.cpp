// SPDX-License-Identifier: Apache-2.0
#include "perf/machine/roof_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/concat.hpp"
#include "support/error.hpp"
#include "support/json_writer.hpp"

namespace cucore::perf {
namespace {

constexpr std::string_view ROOF_SCHEMA = "cucore.roof/1";
constexpr size_t MOST_ROOF_TEXT = 1 << 16;

// Receives the events of the parser, so that untrusted text never becomes a tree.
class RoofReader final : public nlohmann::json::json_sax_t {
 public:
  const Ref<Roof> roof = make<Roof>();
  bool has_schema = false;
  std::string why = "it is not JSON";

  bool null() override { return true; }
  bool boolean(bool value) override {
    if (is_in("machine", "is_emulated")) roof->machine.is_emulated = value;
    return true;
  }
  bool number_integer(int64_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(uint64_t value) override { return number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) override { return number(value); }
  bool string(std::string& value) override {
    if (is_in_top("schema")) return schema(value);
    if (std::string* text = machine_text()) *text = value;
    return true;
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(size_t) override {
    if (++depth_ == 2) section_ = key_;
    return true;
  }
  bool end_object() override { return end(); }
  bool start_array(size_t) override {
    if (depth_ == 0) return refuse("it is an array");
    return start_object(0);
  }
  bool end_array() override { return end(); }
  bool key(std::string& name) override {
    key_ = name;
    return true;
  }
  bool parse_error(size_t at, const std::string&, const nlohmann::json::exception&) override {
    return refuse(concat("it is not JSON at byte ", at));
  }

 private:
  bool refuse(std::string reason) {
    why = std::move(reason);
    return false;
  }

  bool end() {
    if (--depth_ < 2) section_.clear();
    return true;
  }

  bool is_in(std::string_view section, std::string_view name) const {
    return depth_ == 2 && section_ == section && key_ == name;
  }

  bool is_in_top(std::string_view name) const { return depth_ == 1 && key_ == name; }

  bool schema(const std::string& value) {
    const bool is_later_minor = value.starts_with(concat(ROOF_SCHEMA, "."));
    has_schema = value == ROOF_SCHEMA || is_later_minor;
    return has_schema || refuse(concat("its schema is ", value));
  }

  std::string* machine_text() {
    RoofMachine& machine = roof->machine;
    const struct {
      const char* name;
      std::string* text;
    } texts[] = {{"arch", &machine.arch},     {"date", &machine.date},
                 {"device", &machine.device}, {"driver", &machine.driver},
                 {"uuid", &machine.uuid},     {"library", &machine.library}};
    for (const auto& each : texts)
      if (is_in("machine", each.name)) return each.text;
    return nullptr;
  }

  bool number(double value) {
    if (depth_ == 2 && section_ == "values") return rate(value);
    if (is_in("machine", "threads")) roof->machine.threads = count_of(value);
    if (is_in_top("revision")) roof->revision = count_of(value);
    if (double* real = real_number()) return store(value, real);
    return true;
  }

  double* real_number() {
    if (is_in("machine", "clock_limit_mhz")) return &roof->machine.clock_limit_mhz;
    if (is_in("machine", "memory_clock_mhz")) return &roof->machine.memory_clock_mhz;
    if (is_in_top("seconds")) return &roof->seconds;
    return nullptr;
  }

  bool rate(double value) {
    const auto kind = roof_kind_of(key_);
    if (!kind) return true;
    double amount = 0;
    if (!store(value, &amount)) return false;
    roof->set(*kind, amount);
    return true;
  }

  bool store(double value, double* to) {
    if (!(value >= 0) || std::isinf(value)) return refuse(concat(key_, " is ", value));
    *to = std::abs(value);  // -0.0 would be written as an integer that is read back as 0
    return true;
  }

  static uint32_t count_of(double value) {
    return value >= 0 && value <= 1e9 ? static_cast<uint32_t>(value) : 0;
  }

  size_t depth_ = 0;
  std::string section_;  // the member of the top object that contains the current values
  std::string key_;
};

std::array<RoofKind, ROOF_KINDS> kinds_by_name() {
  std::array<RoofKind, ROOF_KINDS> kinds{};
  for (size_t i = 0; i < ROOF_KINDS; ++i) kinds[i] = static_cast<RoofKind>(i + 1);
  std::ranges::sort(kinds, {}, [](RoofKind kind) { return std::string_view(roof_name(kind)); });
  return kinds;
}

[[noreturn]] void refuse_roof(const std::string& why) {
  throw Error(Status::INVALID_ARGUMENT,
              concat("data is not a roof: ", why,
                     "; expected JSON of the schema cucore.roof/1, as cucore_roof_serialize() "
                     "writes it"));
}

}  // namespace

std::string roof_as_json(const Roof& roof) {
  const RoofMachine& machine = roof.machine;
  JsonWriter json;
  json.begin_object();
  json.text("schema", ROOF_SCHEMA);
  json.begin_object("machine");
  json.text("arch", machine.arch);
  json.real("clock_limit_mhz", machine.clock_limit_mhz);
  json.text("date", machine.date);
  json.text("device", machine.device);
  json.text("driver", machine.driver);
  json.flag("is_emulated", machine.is_emulated);
  json.text("library", machine.library);
  json.real("memory_clock_mhz", machine.memory_clock_mhz);
  json.count("threads", machine.threads);
  json.text("uuid", machine.uuid);
  json.end_object();
  json.count("revision", roof.revision);
  json.real("seconds", roof.seconds);
  json.begin_object("values");
  for (const RoofKind kind : kinds_by_name()) json.real(roof_name(kind), roof.value(kind));
  json.end_object();
  json.end_object();
  return json.take();
}

Ref<Roof> roof_of_json(std::string_view text) {
  if (text.size() > MOST_ROOF_TEXT) refuse_roof(concat("it has ", text.size(), " bytes"));
  RoofReader reader;
  if (!nlohmann::json::sax_parse(text, &reader)) refuse_roof(reader.why);
  if (!reader.has_schema) refuse_roof("it has no schema");
  return reader.roof;
}

}  // namespace cucore::perf
