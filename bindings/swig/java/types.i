// SPDX-License-Identifier: Apache-2.0
// Types that cross: integers as long, enums as the generated enums, bytes as byte[].
%define %java_long(TYPE)
%typemap(jni) TYPE "jlong"
%typemap(jtype) TYPE "long"
%typemap(jstype) TYPE "long"
%typemap(javaout) TYPE { return $jnicall; }
%typemap(in) TYPE { $1 = (TYPE)$input; }
%typemap(out) TYPE { $result = (jlong)$1; }
%enddef
%java_long(size_t)
%typemap(in) size_t {
  if ($input < 0) { cucore::java::raise_negative(jenv, "$1_name", $input); return $null; }
  $1 = (size_t)$input;
}
%java_long(uint64_t)
%java_long(int64_t)

%define %java_enum(TYPE, NAME)
%typemap(jni) TYPE "jint"
%typemap(jtype) TYPE "int"
%typemap(jstype) TYPE "NAME"
%typemap(javain) TYPE "NAME.number($javainput, \"$javainput\")"
%typemap(javaout) TYPE { return NAME.of($jnicall); }
%typemap(in) TYPE { $1 = (TYPE)$input; }
%typemap(out) TYPE { $result = (jint)$1; }
%enddef

%define %java_bytes(BYTES, SIZE, MODE)
%typemap(jni) (BYTES, size_t SIZE) "jbyteArray"
%typemap(jtype) (BYTES, size_t SIZE) "byte[]"
%typemap(jstype) (BYTES, size_t SIZE) "byte[]"
%typemap(javain) (BYTES, size_t SIZE) "$javainput"
%typemap(in) (BYTES, size_t SIZE) (cucore::java::Elements bytes) {
  if (!bytes.take(jenv, $input, MODE)) return $null;
  $1 = bytes.data();
  $2 = bytes.size();
}
%enddef
%java_bytes(const void *data, size, JNI_ABORT)
%typemap(javain) (const void *data, size_t size) "Given.notNull($javainput, \"$javainput\")"
%java_bytes(const void *key, key_size, JNI_ABORT)
%typemap(javain) (const void *key, size_t key_size) "Given.notNull($javainput, \"$javainput\")"
%java_bytes(const void *pattern, pattern_size, JNI_ABORT)
%java_bytes(void *data, size, 0)

// The second result of a call: null, or an array of one.
%typemap(jni) cucore_cache_outcome *outcome "jintArray"
%typemap(jtype) cucore_cache_outcome *outcome "int[]"
%typemap(jstype) cucore_cache_outcome *outcome "int[]"
%typemap(javain) cucore_cache_outcome *outcome "$javainput"
%typemap(in) cucore_cache_outcome *outcome (cucore_cache_outcome found) {
  found = CUCORE_CACHE_OUTCOME_NONE;
  $1 = &found;
}
%typemap(argout) cucore_cache_outcome *outcome {
  const jint number = static_cast<jint>(*$1);
  if ($input) jenv->SetIntArrayRegion($input, 0, 1, &number);
}
%typemap(jni) Builder & "jobject"
%typemap(jtype) Builder & "java.util.concurrent.Callable<ObjectCode>"
%typemap(jstype) Builder & "java.util.concurrent.Callable<ObjectCode>"
%typemap(javain) Builder & "$javainput"
%typemap(in) Builder & (cucore::java::Callable callable) {
  if (!callable.open(jenv, $input)) return $null;
  $1 = &callable;
}

%typemap(in) const char * (std::string text) {
  if ($input) {
    if (!cucore::java::from_java(jenv, $input, text)) return $null;
    $1 = const_cast<char *>(text.c_str());
  }
}
%typemap(freearg) const char * ""
%typemap(out) const char * { $result = cucore::java::to_java(jenv, $1); }

struct Bytes;
%typemap(jni) Bytes "jbyteArray"
%typemap(jtype) Bytes "byte[]"
%typemap(jstype) Bytes "byte[]"
%typemap(javaout) Bytes { return $jnicall; }
%typemap(out) Bytes {
  $result = jenv->NewByteArray((jsize)$1.size);
  if ($result) jenv->SetByteArrayRegion($result, 0, (jsize)$1.size, (const jbyte *)$1.data);
}

%define %java_longs(TYPE)
struct TYPE;
%typemap(jni) TYPE "jlongArray"
%typemap(jtype) TYPE "long[]"
%typemap(jstype) TYPE "long[]"
%typemap(javaout) TYPE { return $jnicall; }
%typemap(out) TYPE { $result = cucore::java::guarded(jenv, [&] { return cucore::java::to_longs(jenv, $1); }); }
%enddef
%java_longs(Pair)
%java_longs(ParameterInfos)

// A node crosses as its number. A member that returns nodes is one of Graph, or finds their graph.
%apply unsigned long long { cucore_node };
%java_long(cucore_node)
%typemap(jstype) cucore_node "GraphNode"
%typemap(javain) cucore_node "GraphNode.number($javainput, \"$javainput\")"
%typemap(javaout) cucore_node { return new GraphNode(this, $jnicall); }
%java_longs(Nodes)
%typemap(jstype) Nodes "java.util.List<GraphNode>"
%typemap(javaout) Nodes { return GraphNode.list(this, $jnicall); }
%typemap(jni) (const cucore_node *after, size_t after_count) "jlongArray"
%typemap(jtype) (const cucore_node *after, size_t after_count) "long[]"
%typemap(jstype) (const cucore_node *after, size_t after_count) "Iterable<? extends GraphNode>"
%typemap(javain) (const cucore_node *after, size_t after_count) "GraphNode.numbers($javainput)"
%typemap(in) (const cucore_node *after, size_t after_count) (cucore::bind::Nodes nodes) {
  const bool is_read = cucore::java::guarded(jenv, [&] { return nodes = cucore::java::to_nodes(jenv, $input), true; });
  if (!is_read) return $null;
  $1 = nodes.data();
  $2 = nodes.size();
}
%define %java_objects(TYPE)
struct TYPE;
%typemap(jni) TYPE "jobjectArray"
%typemap(jtype) TYPE "Object[]"
%typemap(jstype) TYPE "TYPE"
%typemap(javaout) TYPE { return new TYPE($jnicall); }
%typemap(out) TYPE { $result = cucore::java::guarded(jenv, [&] { return cucore::java::to_objects(jenv, $1); }); }
%enddef
%java_objects(NodeInfo)

%define %java_texts(NAMES, COUNT)
%typemap(jni) (const char *const *NAMES, size_t COUNT) "jobjectArray"
%typemap(jtype) (const char *const *NAMES, size_t COUNT) "String[]"
%typemap(jstype) (const char *const *NAMES, size_t COUNT) "String[]"
%typemap(javain) (const char *const *NAMES, size_t COUNT) "$javainput"
%typemap(in) (const char *const *NAMES, size_t COUNT) (std::vector<std::string> texts, std::vector<const char *> pointers) {
  if (!cucore::java::from_java(jenv, $input, "$1_name", texts, pointers)) return $null;
  $1 = const_cast<char **>(pointers.data());
  $2 = pointers.size();
}
%enddef
%java_texts(names, name_count)
%java_texts(lowered_names, lowered_name_count)
%{
#include <string>
#include <vector>
%}
