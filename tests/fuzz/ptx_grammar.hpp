// SPDX-License-Identifier: Apache-2.0
// Generates PTX that compilers mostly accept, and changes parts on which readers may disagree.
// These are comments, strings, braces, words without blanks between them, forms of numbers, odd
// lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace cucore::fuzz {

class PtxGrammar {
 public:
  explicit PtxGrammar(uint64_t seed) : random_(seed) {}

  // Returns a module with kernels k0, k1, ... and other statements between them.
  std::string module(size_t kernels) {
    std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n";
    files_ = 0;
    for (size_t i = 0; i < kernels; ++i) text += between(i) + kernel(i);
    return text;
  }

  // One change that compilers may or may not accept.
  std::string mutate(std::string text) {
    static constexpr std::string_view TOKENS[] = {
        "\\",
        "\"",
        "\\\"",
        "@@",
        "@@DWARF ",
        "#",
        "# 1 \"x\"\n",
        "{",
        "}",
        "(",
        ")",
        ";",
        ",",
        "/*",
        "*/",
        "//",
        "\n",
        "\r",
        "\f",
        "\v",
        "\x1a",
        "\x7f",
        "\xc3\xa9",
        ".entry",
        ".param",
        ".align 64",
        "[",
        "]",
        "%",
        "$",
        ".visible ",
        ".entry z(",
        ".u32 ",
        ".b8 ",
        ".v2 ",
        ".ptr ",
        ".loc 1 2 3",
        "0x",
        "0b1",
        "0",
        "U",
        "<2>",
        " a",
        "'",
        "\\\n",
        ".file ",
        ".section ",
        ".pragma \"",
        ".func ",
        ".alias ",
        ".attribute(",
        ".version 8.0\n",
        ".target sm_75\n",
        ".reqntid ",
    };
    const size_t at = below(text.size() + 1);
    const size_t length = below(below(2) ? 3 : 40);
    switch (below(6)) {
      case 0:
        return text.erase(at, length);
      case 1:
        return text.insert(below(text.size() + 1), text.substr(at, length));
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(below(128));
        return text;
      default:
        return text.insert(at, pick(TOKENS));
    }
  }

  size_t below(size_t bound) { return static_cast<size_t>(random_() % bound); }

 private:
  template <size_t N>
  std::string pick(const std::string_view (&from)[N]) {
    return std::string(from[below(N)]);
  }

  std::string blank() {
    static constexpr std::string_view BLANKS[] = {
        " ",       "\n",       "\t",         " ",        " ",        " \r\n",       "/* c */",
        "// x\n",  "/* \" */", "// \" {\n",  "/*/ } */", "/* // */", "// /*\n",     "/* \\*/",
        "// \\\n", "\f",       "/* '\n' */", " ",        "/**/",     "/* .entry */"};
    return pick(BLANKS);
  }

  // Returns "" if a mark or a dot ends the word anyway.
  std::string maybe_blank() { return below(2) ? blank() : ""; }

  std::string number(size_t value) {
    static constexpr char DIGITS[] = "0123456789abcdef";
    const unsigned bases[] = {10, 16, 8, 2};
    const unsigned base = bases[below(4)];
    std::string digits;
    for (size_t rest = value; rest != 0 || digits.empty(); rest /= base)
      digits.insert(0, 1, DIGITS[rest % base]);
    const std::string prefix = base == 16  ? below(2) ? "0x" : "0X"
                               : base == 8 ? "0"
                               : base == 2 ? below(2) ? "0b" : "0B"
                                           : "";
    return prefix + digits + (below(4) == 0 ? "U" : "");
  }

  std::string parameter(size_t index) {
    static constexpr std::string_view TYPES[] = {".b8",  ".u8",  ".s8",  ".b16", ".u16",
                                                 ".f16", ".b32", ".u32", ".s32", ".f32",
                                                 ".b64", ".u64", ".s64", ".f64"};
    std::string text = ".param" + maybe_blank();
    if (below(3) == 0) text += ".align" + blank() + number(size_t{1} << below(8)) + blank();
    text += pick(TYPES);
    if (below(4) == 0) text += maybe_blank() + pointer() + blank();
    text += below(4) ? blank() + "a" : "%a";
    text += std::to_string(index);
    if (below(3) == 0)
      text += maybe_blank() + "[" + maybe_blank() + number(1 + below(64)) + maybe_blank() + "]";
    return text;
  }

  std::string pointer() {
    static constexpr std::string_view SPACES[] = {"", ".global", ".const", ".local", ".shared"};
    std::string text = ".ptr" + maybe_blank() + pick(SPACES);
    return text + ".align" + blank() + number(size_t{1} << below(5));
  }

  std::string kernel(size_t index) {
    static constexpr std::string_view LINKAGES[] = {"", ".visible", ".weak"};
    std::string text = pick(LINKAGES) + maybe_blank() + ".entry";
    text += (below(8) ? blank() + "k" : std::string("%k")) + std::to_string(index);
    if (const size_t count = below(7); count != 0 || below(2)) {
      text += maybe_blank() + "(" + maybe_blank();
      for (size_t i = 0; i < count; ++i) {
        if (i != 0) text += maybe_blank() + "," + maybe_blank();
        text += parameter(i);
      }
      text += maybe_blank() + ")";
    }
    return text + header() + "{" + body() + "}" + blank();
  }

  std::string header() {
    switch (below(8)) {
      case 0:
        return ".maxntid" + blank() + "32" + maybe_blank() + ",2" + blank();
      case 1:
        return maybe_blank() + ".pragma" + blank() + "\"nounroll\"" + maybe_blank() + ";";
      case 2:
        return ".minnctapersm" + blank() + "2" + blank() + ".maxntid 32 ";
      default:
        return maybe_blank();
    }
  }

  // Compilers refuse text that is not ASCII, and readers refuse a backslash at the end, so both are
  // rare.
  std::string string() {
    static constexpr std::string_view INSIDE[] = {
        "a",       "\\a", "}",       "{",  "// x", "/*", "*/",   ".entry q(){ret;}",
        "c\\d.cu", "\\n", "@@DWARF", "#1", "';'",  "\t", "\x01", "",
    };
    static constexpr std::string_view RARE[] = {"\xc3\xa9", "\\\\", "a\\"};
    return "\"" + (below(200) ? pick(INSIDE) : pick(RARE)) + "\"";
  }

  std::string body() {
    std::string text = maybe_blank();
    for (size_t i = below(3); i > 0; --i) {
      switch (below(5)) {
        case 0:
          text += "{" + blank() + "}";
          break;
        case 1:
          text += ".pragma" + blank() + "\"nounroll\";";
          break;
        case 2:
          text += "{.reg.u32%r1;mov.u32" + blank() + "%r1,1;}";
          break;
        default:
          text += blank();
      }
    }
    return text + "ret;" + maybe_blank();
  }

  std::string between(size_t index) {
    const std::string name = std::to_string(index);
    switch (below(12)) {
      case 0:
        return ".file " + std::to_string(++files_) + blank() + string() + blank();
      case 1:
        return ".global" + blank() + ".b8 v" + name + "[4]={1,2,3,4};";
      case 2:
        return ".section" + blank() + ".debug_x" + name + "{" + blank() + ".b8 1" + blank() + "}" +
               blank();
      case 3:
        return ".visible.func f" + name + "(.param.b32 a){" + body() + "}";
      case 4:
        return ".extern.shared.align 16 .b8 s" + name + "[];";
      case 5:
        return ".const" + blank() + ".u32 c" + name + "=" + number(7) + ";";
      case 6:
        return ".pragma" + blank() + "\"nounroll\";";
      case 7:
        return ".extern.entry e" + name + "(.param.u32 a);";
      default:
        return blank();
    }
  }

  std::mt19937_64 random_;
  size_t files_ = 0;
};

}  // namespace cucore::fuzz
