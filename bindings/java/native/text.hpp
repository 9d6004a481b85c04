// SPDX-License-Identifier: Apache-2.0
// Converts between UTF-8 and Java's UTF-16. JNI's own conversions use a modified UTF-8, which
// differs for NULs and for characters beyond the first plane. A compiler's log may also contain
// bytes that are not UTF-8.
#pragma once

#include <jni.h>

#include <string>
#include <vector>

namespace cucore::java {

// Bytes that are not UTF-8 become U+FFFD. Returns null with an exception pending if memory is
// exhausted.
jstring to_java(JNIEnv* env, const char* utf8);

// Returns false with an exception pending. A text with a lone surrogate is refused, because UTF-8
// cannot represent it. A text with a NUL inside is refused, because C would see only its beginning.
bool from_java(JNIEnv* env, jstring text, std::string& utf8);
// The texts of an array, and pointers to them. The name is for a null.
bool from_java(JNIEnv* env, jobjectArray array, const char* name, std::vector<std::string>& texts,
               std::vector<const char*>& pointers);

std::u16string utf16_of(std::string_view utf8);
std::string utf8_of(std::u16string_view utf16);  // a lone surrogate becomes U+FFFD
// Returns the position of the first lone surrogate, or npos.
size_t find_lone_surrogate(std::u16string_view utf16);

}  // namespace cucore::java
