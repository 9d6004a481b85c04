// SPDX-License-Identifier: Apache-2.0
// The values whose bytes tests/compat/v1 contains.
#include "golden.hpp"

#include <fstream>
#include <iterator>
#include <limits>

#include "support/error.hpp"
#include "support/sha256.hpp"

namespace cucore::container::golden {

namespace {

Bytes bytes_of(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

// The content of the first files, which were written before parameters had classes.
Code load(const std::string& images, CodeType type, const std::string& file, Arch arch = {}) {
  Code code = make_code(type, read_file(images + "/" + file), file, arch);
  for (Symbol& symbol : code.symbols) {
    if (!symbol.parameters) continue;
    for (Parameter& one : *symbol.parameters) one.parameter_class = ParameterClass::UNKNOWN;
  }
  return code;
}

// Every class. They are set here, because later versions may derive more of them from the PTX.
Code classes(const std::string& images) {
  using enum ParameterClass;
  Code code = make_code(CodeType::PTX, read_file(images + "/classes.ptx"), "classes.cu");
  const std::vector<std::vector<ParameterClass>> all = {
      {POINTER, INTEGER, FLOAT, INTEGER, FLOAT, AGGREGATE}, {POINTER, FLOAT, UNKNOWN}};
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < all[i].size(); ++j)
      code.symbols.at(i).parameters->at(j).parameter_class = all[i][j];
  const NamedExpression names[] = {{"sum<float>", "_Z3sumIfEvPT_S0_m"}};
  code.symbols = merge_expressions(std::move(code.symbols), names);
  return code;
}

// Every field that a container has.
Code full(const std::string& images) {
  Code code = load(images, CodeType::CUBIN, "saxpy_sm90.cubin");
  code.name = "naïve saxpy.cu";
  const NamedExpression names[] = {{"saxpy<float>", "saxpy"}, {"::saxpy<float>", "saxpy"}};
  code.symbols = merge_expressions(std::move(code.symbols), names);
  code.symbols.push_back({"", "table", SymbolKind::CONSTANT, 256, std::nullopt});
  code.symbols.push_back({"", "counter", SymbolKind::MANAGED, 4, std::nullopt});
  code.symbols.push_back({"", "state", SymbolKind::GLOBAL, uint64_t{1} << 33, std::nullopt});
  code.symbols.push_back({"", "square", SymbolKind::DEVICE_FUNCTION, 0, std::nullopt});
  code.symbols.push_back({"", "none", SymbolKind::KERNEL, 0, std::vector<Parameter>()});
  code.log = "saxpy.cu(1): warning #177-D: variable \"größe\" was declared but never referenced\n";
  code.metadata = {{"build", "V13.0.88"},
                   {"optimization_level", int64_t{3}},
                   {"options", std::vector<std::string>{"-arch=sm_90", "-DNAME=\"x\\y\""}},
                   {"producer", "NVRTC"},
                   {"smallest", std::numeric_limits<int64_t>::min()}};
  code.dependencies = {{"/usr/include/a.h", 12, sha256(std::string_view("a"))},
                       {"b.h", 0, sha256(std::string_view())}};
  code.key = Key{sha256(std::string_view("key")),
                 {{1, bytes_of("nvrtc")}, {7, {}}, {65535, bytes_of("12345678")}}};
  code.source = "// π\nextern \"C\" __global__ void saxpy(float, const float*, float*, int);\n";
  return code;
}

Code bundle(const std::string& images) {
  Code first = load(images, CodeType::CUBIN, "saxpy_sm80.cubin");
  Code second = load(images, CodeType::CUBIN, "saxpy_sm90.cubin");
  Code third = load(images, CodeType::PTX, "saxpy.ptx");
  first.metadata = {{"options", std::vector<std::string>{"-arch=sm_80"}}};
  third.log = "a remark";
  const Code* codes[] = {&first, &second, &third};
  return make_bundle(codes, "saxpy for all");
}

}  // namespace

SigningKey hmac_key() {
  return {SignatureAlgorithm::HMAC_SHA256, bytes_of("a secret that a team shares")};
}

SigningKey ed25519_key() {
  // The private key of test 1 of RFC 8032.
  static constexpr uint8_t seed[] = {0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60,
                                     0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
                                     0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19,
                                     0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60};
  const auto raw = std::as_bytes(std::span(seed));
  return {SignatureAlgorithm::ED25519, {raw.begin(), raw.end()}};
}

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Status::NOT_FOUND, "cannot read " + path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return bytes_of(text);
}

std::vector<Golden> all(const std::string& images) {
  const Arch sm90{90, false, 'a'};
  std::vector<Golden> list;
  const auto add = [&](const char* file, Code code, WriteOptions options = {}) {
    list.push_back({file, std::move(code), std::move(options)});
  };
  add("ptx.cuco", load(images, CodeType::PTX, "saxpy.ptx"));
  add("cubin.cuco", load(images, CodeType::CUBIN, "saxpy_sm90.cubin"));
  add("ltoir.cuco", load(images, CodeType::LTOIR, "saxpy.ltoir", sm90));
  add("fatbin.cuco", load(images, CodeType::FATBIN, "saxpy_zstd.fatbin"));
  add("object.cuco", load(images, CodeType::OBJECT, "host_object.bin"));
  add("library.cuco", load(images, CodeType::LIBRARY, "host_library.bin"));
  add("bundle.cuco", bundle(images));
  add("full.cuco", full(images));
  add("classes.cuco", classes(images));
  WriteOptions compressed;
  compressed.compress = true;
  add("compressed.cuco", full(images), compressed);
  WriteOptions hmac;
  hmac.sign = hmac_key();
  add("signed_hmac.cuco", full(images), hmac);
  WriteOptions ed25519;
  ed25519.sign = ed25519_key();
  add("signed_ed25519.cuco", bundle(images), ed25519);
  return list;
}

}  // namespace cucore::container::golden
