// SPDX-License-Identifier: Apache-2.0
#include "array/text/npy.hpp"

#include <algorithm>
#include <cstring>

#include "array/model/view.hpp"
#include "array/text/npy_parser.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

constexpr std::string_view MAGIC = "\x93NUMPY";
constexpr size_t ALIGNMENT = 64;
constexpr size_t BEFORE_LENGTH = MAGIC.size() + 2;  // with the version

struct TypeName {
  Dtype dtype;
  std::string_view name;
};
constexpr TypeName TYPES[] = {
    {Dtype::BOOL, "b1"},    {Dtype::INT8, "i1"},      {Dtype::INT16, "i2"},
    {Dtype::INT32, "i4"},   {Dtype::INT64, "i8"},     {Dtype::UINT8, "u1"},
    {Dtype::UINT16, "u2"},  {Dtype::UINT32, "u4"},    {Dtype::UINT64, "u8"},
    {Dtype::FLOAT16, "f2"}, {Dtype::BFLOAT16, "V2"},  {Dtype::FLOAT32, "f4"},
    {Dtype::FLOAT64, "f8"}, {Dtype::COMPLEX64, "c8"}, {Dtype::COMPLEX128, "c16"},
};

std::string descr_of(Dtype dtype) {
  const auto row = std::find_if(std::begin(TYPES), std::end(TYPES),
                                [=](const TypeName& each) { return each.dtype == dtype; });
  return concat(size_of(dtype) == 1 ? '|' : '<', row->name);
}

Dtype dtype_of_descr(std::string_view descr) {
  constexpr std::string_view ORDERS = "<>=|";
  if (!descr.empty() && ORDERS.find(descr.front()) != ORDERS.npos)
    for (const TypeName& row : TYPES)
      if (row.name == descr.substr(1)) return row.dtype;
  throw Error(Status::DTYPE,
              concat("from_npy: the elements have the type '", descr,
                     "'; expected bool, integers, floating-point or complex numbers of at most ",
                     "64 bits per part"));
}

std::string tuple_text(const Dims& shape) {
  std::string text = "(";
  for (size_t axis = 0; axis < shape.size(); ++axis) text += concat(axis ? ", " : "", shape[axis]);
  return concat(text, shape.size() == 1 ? ",)" : ")");
}

size_t length_at(std::span<const std::byte> file, size_t at, size_t count) {
  size_t length = 0;
  for (size_t byte = 0; byte < count; ++byte)
    length |= std::to_integer<size_t>(file[at + byte]) << (8 * byte);
  return length;
}

// The bytes behind the magic, the version and the length.
std::span<const std::byte> header_of(std::span<const std::byte> file) {
  if (file.size() < BEFORE_LENGTH || std::memcmp(file.data(), MAGIC.data(), MAGIC.size()) != 0)
    throw Error(Status::INVALID_ARGUMENT,
                "from_npy: the data does not begin as a .npy file, with \"\\x93NUMPY\"");
  const int major = std::to_integer<int>(file[MAGIC.size()]);
  const int minor = std::to_integer<int>(file[MAGIC.size() + 1]);
  if (major < 1 || major > 3 || minor != 0)
    throw Error(Status::INVALID_ARGUMENT, concat("from_npy: the version is ", major, ".", minor,
                                                 "; expected 1.0, 2.0 or 3.0"));
  const size_t digits = major == 1 ? 2 : 4, begin = BEFORE_LENGTH + digits;
  const size_t length = file.size() < begin ? 0 : length_at(file, BEFORE_LENGTH, digits);
  if (file.size() < begin || length > file.size() - begin)
    throw Error(Status::INVALID_ARGUMENT,
                concat("from_npy: the data has ", file.size(), " bytes and ends in the header"));
  return file.subspan(begin, length);
}

size_t size_of_elements(Dtype dtype, const Dims& shape) {
  const auto count = static_cast<size_t>(count_of(shape));
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size_of(dtype), &bytes))
    throw Error(Status::SHAPE,
                concat("from_npy: ", count, " elements of ", name_of(dtype), " exceed 2^64 bytes"));
  return bytes;
}

}  // namespace

std::string npy_header(Dtype dtype, const Dims& shape) {
  constexpr size_t LONGEST_SIZE = 21;  // NumPy leaves room for the first size to grow
  std::string text = concat("{'descr': '", descr_of(dtype),
                            "', 'fortran_order': False, 'shape': ", tuple_text(shape), ", }");
  if (!shape.empty()) text.append(LONGEST_SIZE - concat(shape[0]).size(), ' ');
  const size_t length_digits = 2, used = BEFORE_LENGTH + length_digits + text.size() + 1;
  text.append(ALIGNMENT - used % ALIGNMENT, ' ');
  text += '\n';
  const auto low = static_cast<char>(text.size() & 255), high = static_cast<char>(text.size() >> 8);
  return concat(MAGIC, '\x01', '\0', low, high, text);
}

NpyFile read_npy(std::span<const std::byte> file) {
  const std::span<const std::byte> header = header_of(file);
  const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
  const NpyDictionary dictionary = parse_npy_dictionary(text);
  NpyFile result{.dtype = dtype_of_descr(dictionary.descr),
                 .big_endian = dictionary.descr.front() == '>',
                 .fortran_order = dictionary.fortran_order,
                 .shape = dictionary.shape};
  const size_t begin = static_cast<size_t>(header.data() - file.data()) + header.size();
  const size_t bytes = size_of_elements(result.dtype, result.shape);
  if (bytes > file.size() - begin)
    throw Error(Status::INVALID_ARGUMENT,
                concat("from_npy: the elements have ", bytes, " bytes, of which the data has ",
                       file.size() - begin));
  result.elements = file.subspan(begin, bytes);
  return result;
}

bool needs_conversion(const NpyFile& file) noexcept {
  return file.dtype == Dtype::BOOL || (file.big_endian && size_of(file.dtype) > 1);
}

std::vector<std::byte> converted(const NpyFile& file) {
  std::vector<std::byte> elements(file.elements.begin(), file.elements.end());
  if (file.dtype == Dtype::BOOL) {
    for (std::byte& each : elements) each = std::byte{each != std::byte{0}};
    return elements;
  }
  if (!file.big_endian) return elements;
  const size_t size = size_of(real_of(file.dtype));
  for (size_t at = 0; at < elements.size(); at += size)
    std::reverse(elements.begin() + static_cast<ptrdiff_t>(at),
                 elements.begin() + static_cast<ptrdiff_t>(at + size));
  return elements;
}

}  // namespace cucore::array
