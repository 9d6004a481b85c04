// SPDX-License-Identifier: Apache-2.0
// Reads mangled names to the extent that parameters of kernels need.
#include "image/mangled_name.hpp"

#include <utility>

namespace cucore::image {

namespace {

// Thrown and caught in this file: the form of the name is not supported.
struct Unread {};

constexpr int MAX_DEPTH = 64;
constexpr size_t MAX_LENGTH = 1 << 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<TypeKind> builtin(char c) {
  constexpr std::string_view INTEGERS = "bcahstijlmxynow";
  constexpr std::string_view FLOATS = "fdeg";
  if (INTEGERS.find(c) != INTEGERS.npos) return TypeKind::INTEGER;
  if (FLOATS.find(c) != FLOATS.npos) return TypeKind::FLOAT;
  if (c == 'v') return TypeKind::OTHER;
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<TypeKind> parse() {
    const bool is_template = read_function_name();
    if (is_template) read_type();  // the return type
    std::vector<TypeKind> kinds;
    if (peek() == 'v' && at_end(1)) return kinds;
    do kinds.push_back(read_type());
    while (!at_end(0));
    return kinds;
  }

 private:
  class Depth {
   public:
    explicit Depth(int& depth) : depth_(depth) {
      if (++depth_ > MAX_DEPTH) throw Unread();
    }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    int& depth_;
  };

  // Returns true at the end of the name, or of its part before a suffix such as ".cold".
  bool at_end(size_t ahead) const {
    const size_t at = at_ + ahead;
    return at >= text_.size() || text_[at] == '.' || text_[at] == '$';
  }
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  char take() {
    if (at_ >= text_.size()) throw Unread();
    return text_[at_++];
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw Unread();
  }
  TypeKind remember(TypeKind kind) {
    known_.push_back({kind, depends_});
    return kind;
  }

  size_t read_number() {
    size_t value = 0;
    if (!is_digit(peek())) throw Unread();
    while (is_digit(peek())) {
      value = value * 10 + static_cast<size_t>(take() - '0');
      if (value > MAX_LENGTH) throw Unread();
    }
    return value;
  }

  // Reads "4axpy"; with internal linkage, "L4axpy".
  void read_source_name() {
    accept('L');
    const size_t length = read_number();
    if (length == 0 || length > text_.size() - at_) throw Unread();
    at_ += length;
  }

  // Returns true if the function is an instance of a template; then its arguments are known.
  bool read_function_name() {
    if (accept('N')) return read_nested(true).is_template;
    if (peek() == 'S' && peek(1) == 't') at_ += 2;
    read_source_name();
    if (peek() != 'I') return false;
    remember(TypeKind::OTHER);  // the name of the template
    arguments_ = read_arguments();
    return true;
  }

  struct Known {
    TypeKind kind;
    bool depends;
  };
  struct Nested {
    bool is_template;
    TypeKind kind;
  };

  // Reads from after the N to the E, inclusive. Each part but the last becomes one more
  // substitution; for a type the last one does also.
  Nested read_nested(bool is_function) {
    while (peek() == 'r' || peek() == 'V' || peek() == 'K') take();
    Nested result{false, TypeKind::OTHER};
    std::vector<TypeKind> arguments;
    for (bool first = true; !accept('E'); first = false) {
      result.is_template = peek() == 'I';
      if (result.is_template) {
        if (first) throw Unread();
        arguments = read_arguments();
      } else if (peek() == 'S' && first) {
        // "St" alone is not a substitution candidate; the result of a substitution already is one.
        if (peek(1) != 't') {
          read_substitution();
          continue;
        }
        at_ += 2;
        continue;
      } else if (peek() == 'T' && first) {
        read_template_parameter();
      } else {
        read_source_name();
      }
      const bool is_last = peek() == 'E';
      if (!is_last || !is_function) remember(TypeKind::OTHER);
    }
    if (is_function && result.is_template) arguments_ = arguments;
    // A member of a template argument may have any type.
    result.kind = depends_ && !result.is_template ? TypeKind::OTHER : TypeKind::NAMED;
    if (!is_function && !known_.empty()) known_.back().kind = result.kind;
    return result;
  }

  // Reads "I...E" and returns the kind of each argument.
  std::vector<TypeKind> read_arguments() {
    const Depth depth(depth_);
    expect('I');
    std::vector<TypeKind> kinds;
    while (!accept('E')) {
      if (accept('L')) {
        read_literal();
        kinds.push_back(TypeKind::OTHER);
      } else if (peek() == 'J' || peek() == 'X') {
        throw Unread();
      } else {
        kinds.push_back(read_type());
      }
    }
    return kinds;
  }

  // Reads "i42E": a type and a number whose letters are not capitals.
  void read_literal() {
    if (peek() == '_') throw Unread();
    read_type();
    while (peek() != 'E') {
      const char c = take();
      if (!is_digit(c) && !(c >= 'a' && c <= 'z')) throw Unread();
    }
    expect('E');
  }

  // Reads "_", "0_", "1_" and so on, in base 36.
  size_t read_sequence_number() {
    if (accept('_')) return 0;
    size_t value = 0;
    while (!accept('_')) {
      const char c = take();
      const bool letter = c >= 'A' && c <= 'Z';
      if (!is_digit(c) && !letter) throw Unread();
      value = value * 36 + static_cast<size_t>(letter ? c - 'A' + 10 : c - '0');
      if (value > MAX_LENGTH) throw Unread();
    }
    return value + 1;
  }

  TypeKind read_substitution() {
    expect('S');
    if (peek() >= 'a' && peek() <= 'z') {
      take();  // "Ss", "Sa": classes of the standard library
      return TypeKind::NAMED;
    }
    const size_t index = read_sequence_number();
    if (index >= known_.size()) throw Unread();
    depends_ = depends_ || known_[index].depends;
    return known_[index].kind;
  }

  TypeKind read_template_parameter() {
    expect('T');
    const size_t index = read_sequence_number();
    depends_ = true;
    if (index >= arguments_.size()) throw Unread();
    return remember(arguments_[index]);
  }

  // Each type, and each part of a type, records whether it depends on template parameters.
  TypeKind read_type() {
    const Depth depth(depth_);
    const bool outer = std::exchange(depends_, false);
    const TypeKind kind = read_type_alone();
    depends_ = depends_ || outer;
    return kind;
  }

  TypeKind read_type_alone() {
    const char c = peek();
    if (const auto kind = builtin(c)) {
      take();
      return *kind;
    }
    if (is_digit(c)) return read_class();
    switch (c) {
      case 'P':
      case 'R':
      case 'O':
        take();
        read_type();
        return remember(TypeKind::POINTER);
      case 'r':
      case 'V':
      case 'K': {
        while (peek() == 'r' || peek() == 'V' || peek() == 'K') take();
        return remember(read_type());
      }
      case 'F':
        return read_function_type();
      case 'A':
        take();
        if (is_digit(peek())) read_number();
        expect('_');
        read_type();
        return remember(TypeKind::OTHER);
      case 'M':
        take();
        read_type();
        read_type();
        return remember(TypeKind::OTHER);
      case 'N':
        take();
        return read_nested(false).kind;
      case 'S':
        return peek(1) == 't' ? read_class() : read_known_class();
      case 'T':
        return read_template_parameter();
      case 'D':
        return read_d_type();
      default:
        throw Unread();
    }
  }

  // Reads "1S" or "St4pair", either with template arguments.
  TypeKind read_class() {
    if (peek() == 'S') at_ += 2;
    read_source_name();
    remember(TypeKind::NAMED);
    if (peek() != 'I') return TypeKind::NAMED;
    read_arguments();
    return remember(TypeKind::NAMED);
  }

  TypeKind read_known_class() {
    const TypeKind kind = read_substitution();
    if (peek() != 'I') return kind;
    read_arguments();
    return remember(TypeKind::NAMED);
  }

  TypeKind read_function_type() {
    expect('F');
    accept('Y');
    while (!accept('E')) read_type();
    return remember(TypeKind::OTHER);
  }

  TypeKind read_d_type() {
    expect('D');
    switch (take()) {
      case 'n':
        return TypeKind::POINTER;
      case 'h':
        return TypeKind::FLOAT;
      case 's':
      case 'i':
      case 'u':
        return TypeKind::INTEGER;
      case 'v':
        read_number();
        expect('_');
        read_type();
        return remember(TypeKind::OTHER);
      default:
        throw Unread();
    }
  }

  const std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool depends_ = false;             // set when a template parameter is read
  std::vector<Known> known_;         // the meaning of S_, S0_ and so on
  std::vector<TypeKind> arguments_;  // the function's T_, T0_ and so on
};

}  // namespace

std::optional<std::vector<TypeKind>> parameter_kinds(std::string_view mangled) {
  if (!mangled.starts_with("_Z") || mangled.size() > MAX_LENGTH) return std::nullopt;
  try {
    return Parser(mangled.substr(2)).parse();
  } catch (const Unread&) {
    return std::nullopt;
  }
}

}  // namespace cucore::image
