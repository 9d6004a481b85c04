// SPDX-License-Identifier: Apache-2.0
// Between UTF-8 and Java's UTF-16. JNI's own conversions speak a modified UTF-8, in which NULs and
// everything beyond the first plane differ, and a compiler's log may hold bytes that are no UTF-8.
#pragma once

#include <jni.h>

#include <string>

namespace cucore::java {

// Bytes that are no UTF-8 become U+FFFD. Null with an exception pending if memory is out.
jstring to_java(JNIEnv* env, const char* utf8);

// False with an exception pending. A text with a lone surrogate is refused, because no UTF-8 stands
// for it. A text with a NUL inside is refused, because C would see only its beginning.
bool from_java(JNIEnv* env, jstring text, std::string& utf8);

std::u16string utf16_of(std::string_view utf8);
std::string utf8_of(std::u16string_view utf16);  // a lone surrogate becomes U+FFFD
// Where the first lone surrogate is; npos if there is none.
size_t find_lone_surrogate(std::u16string_view utf16);

}  // namespace cucore::java
