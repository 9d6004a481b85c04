// The PTX lexer, which the CPU device shares with the reader of object code.
#pragma once

#include "ptx/lexer.hpp"

namespace cucpu::ptx {

using cucore::ptx::is_class;
using cucore::ptx::kCharBlank;
using cucore::ptx::kCharDigit;
using cucore::ptx::kCharDotted;
using cucore::ptx::kCharWord;
using cucore::ptx::kTextPadding;
using cucore::ptx::Lexer;
using cucore::ptx::ParseError;

}  // namespace cucpu::ptx
