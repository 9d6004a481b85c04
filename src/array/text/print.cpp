// SPDX-License-Identifier: Apache-2.0
#include "array/text/print.hpp"

#include <algorithm>

#include "array/text/element_format.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

int64_t number_of_elements(const Dims& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

bool is_cut(const Dims& shape, size_t axis, const PrintOptions& options) {
  return number_of_elements(shape) > options.threshold &&
         shape[axis] > 2 * int64_t{options.edge_items};
}

std::string without_spaces(std::string text) {
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

class Printer {
 public:
  Printer(Dtype dtype, const Dims& shape, std::span<const std::byte> elements,
          const PrintOptions& options)
      : size_(size_of(dtype)),
        shape_(shape),
        shown_(shown_shape(shape, options)),
        options_(options),
        format_(format_of(dtype, elements, options)),
        next_(elements.data()) {}

  std::string text() { return axis_text(0, " ", options_.line_width); }

 private:
  // `width` is the room of a line without the brackets that end outer axes.
  std::string axis_text(size_t axis, const std::string& indent, int64_t width) {
    std::string text =
        axis + 1 == shape_.size() ? row_text(indent, width - 1) : block_text(axis, indent, width);
    return concat("[", text.substr(indent.size()), "]");
  }

  std::string block_text(size_t axis, const std::string& indent, int64_t width) {
    const std::string separator(shape_.size() - axis - 1, '\n');
    std::string text;
    for (int64_t at = 0; at < shown_[axis]; ++at) {
      if (at > 0) text += separator;
      if (at > 0 && is_gap(axis, at)) text += concat(indent, "...", separator);
      text += concat(indent, axis_text(axis + 1, concat(indent, " "), width - 1));
    }
    return text;
  }

  std::string row_text(const std::string& indent, int64_t width) {
    const size_t axis = shape_.size() - 1;
    text_.clear();
    line_ = indent;
    for (int64_t at = 0; at < shown_[axis]; ++at) {
      if (at > 0) line_ += ' ';
      if (at > 0 && is_gap(axis, at)) {
        add_word("...", indent, width);
        line_ += ' ';
      }
      add_word(format_(next_), indent, width);
      next_ += size_;
    }
    return concat(text_, line_);
  }

  void add_word(const std::string& word, const std::string& indent, int64_t width) {
    const bool is_full = static_cast<int64_t>(line_.size() + word.size()) > width;
    if (is_full && line_.size() > indent.size()) {
      text_ += concat(without_spaces(line_), "\n");
      line_ = indent;
    }
    line_ += word;
  }

  bool is_gap(size_t axis, int64_t at) const {
    return is_cut(shape_, axis, options_) && at == options_.edge_items;
  }

  const size_t size_;
  const Dims& shape_;
  const Dims shown_;
  const PrintOptions& options_;
  const ElementFormat format_;
  const std::byte* next_;
  std::string text_, line_;  // of the present row
};

}  // namespace

Dims shown_shape(const Dims& shape, const PrintOptions& options) {
  Dims shown = shape;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (is_cut(shape, axis, options)) shown[axis] = 2 * int64_t{options.edge_items};
  return shown;
}

std::string printed(Dtype dtype, const Dims& shape, std::span<const std::byte> elements,
                    const PrintOptions& options) {
  if (elements.empty()) return "[]";
  if (shape.empty()) return scalar_text(dtype, elements.data());
  return Printer(dtype, shape, elements, options).text();
}

}  // namespace cucore::array
