// SPDX-License-Identifier: Apache-2.0
// Types that cross: sizes as long, enums as the generated enums, bytes as pointers that the classes
// pin, or byte[].
%typemap(ctype) size_t "size_t"
%typemap(imtype) size_t "System.UIntPtr"
%typemap(cstype) size_t "long"
%typemap(csin) size_t "Checked.Size($csinput, \"$csinput\")"
%typemap(csout, excode=SWIGEXCODE) size_t { System.UIntPtr ret = $imcall;$excode return checked((long)ret.ToUInt64()); }
%typemap(csvarout, excode=SWIGEXCODE2) size_t %{ get { System.UIntPtr ret = $imcall;$excode return checked((long)ret.ToUInt64()); } %}
%typemap(in) size_t "$1 = $input;"
%typemap(out) size_t "$result = $1;"

%define %csharp_enum(TYPE, NAME)
%typemap(ctype) TYPE "int"
%typemap(imtype) TYPE "int"
%typemap(cstype) TYPE #NAME
%typemap(csin) TYPE "(int)$csinput"
%typemap(csout, excode=SWIGEXCODE) TYPE { int ret = $imcall;$excode return (NAME)ret; }
%typemap(csvarout, excode=SWIGEXCODE2) TYPE %{ get { int ret = $imcall;$excode return (NAME)ret; } %}
%typemap(in) TYPE "$1 = (TYPE)$input;"
%typemap(out) TYPE "$result = (int)$1;"
%enddef

// UTF-8 in both directions; SWIG's default is the code page of the machine.
%typemap(imtype) const char * "System.IntPtr"
%typemap(csin, pre="    using (Utf8 $csinput_utf8 = new Utf8($csinput)) {", terminator="    }") const char * "$csinput_utf8.Pointer"
%typemap(cstype) const char *value "string?"
%typemap(out) const char * "$result = $1;"
%typemap(ctype) const char * "const char *"
%typemap(in) const char * "$1 = (char *)$input;"
%typemap(freearg) const char * ""
%typemap(csout, excode=SWIGEXCODE) const char * { System.IntPtr ret = $imcall;$excode return Utf8.Read(ret); }
// The text belongs to the object: it is read before another thread can release that.
%typemap(csvarout, excode=SWIGEXCODE2) const char * %{ get { using (new Use(swigCPtr)) { System.IntPtr ret = $imcall;$excode return Utf8.Read(ret); } } %}

%define %csharp_pointer(BYTES)
%typemap(imtype) BYTES "System.IntPtr"
%typemap(cstype) BYTES "System.IntPtr"
%typemap(csin) BYTES "$csinput"
%typemap(in) BYTES "$1 = $input;"
%enddef
%csharp_pointer(const void *data)
%csharp_pointer(const void *key)
%csharp_pointer(const void *pattern)
%csharp_pointer(void *data)

// The second result of a call.
%typemap(ctype) cucore_cache_outcome *outcome "int *"
%typemap(imtype) cucore_cache_outcome *outcome "out int"
%typemap(cstype) cucore_cache_outcome *outcome "out int"
%typemap(csin) cucore_cache_outcome *outcome "out $csinput"
%typemap(in) cucore_cache_outcome *outcome (cucore_cache_outcome found) {
  found = CUCORE_CACHE_OUTCOME_NONE;
  *$input = found;
  $1 = &found;
}
%typemap(argout) cucore_cache_outcome *outcome "*$input = *$1;"

// A delegate's function pointer and its argument. It returns a new reference, or null if it threw;
// C# stores the exception, and throws it once the call has returned null. The delegate is common to
// all calls, because making a pointer of one takes Mono about 50 microseconds.
%{
namespace {
struct BuildRequest {
  void *(SWIGSTDCALL *function)(void *building);
  void *building;
};
class DelegateBuilder final : public Builder {
 public:
  explicit DelegateBuilder(const void *request = nullptr) : request_(static_cast<const BuildRequest *>(request)) {}
  cucore_objectcode *build() override { return static_cast<cucore_objectcode *>(request_->function(request_->building)); }
  void rethrow() override {}

 private:
  const BuildRequest *request_;
};
}
%}
%typemap(imtype) Builder & "System.IntPtr"
%typemap(cstype) Builder & "System.IntPtr"
%typemap(csin) Builder & "$csinput"
%typemap(in) Builder & (DelegateBuilder builder) {
  builder = DelegateBuilder($input);
  $1 = &builder;
}

struct Bytes;
%typemap(ctype) Bytes "Bytes"
%typemap(imtype) Bytes "NativeBytes"
%typemap(cstype) Bytes "byte[]"
%typemap(out, null="Bytes()") Bytes "$result = $1;"
%typemap(csout, excode=SWIGEXCODE) Bytes {
    using (new Use(swigCPtr)) { NativeBytes ret = $imcall;$excode return ret.Copy(); }
  }

// An array of cucore_parameter_info, which C# reads before the next call of the thread.
struct ParameterInfos;
%typemap(ctype) ParameterInfos "Bytes"
%typemap(imtype) ParameterInfos "NativeBytes"
%typemap(cstype) ParameterInfos "Parameter[]"
%typemap(out, null="Bytes()") ParameterInfos {
  static thread_local ParameterInfos last;
  last = $1;
  $result = {last.data(), last.size() * sizeof(cucore_parameter_info)};
}
%typemap(csout, excode=SWIGEXCODE) ParameterInfos { NativeBytes ret = $imcall;$excode return Parameter.List(ret); }

// A node crosses as its number, and a list of nodes behind its length.
%apply unsigned long long { cucore_node };
%typemap(cstype) cucore_node "GraphNode"
%typemap(csin) cucore_node "$csinput.Number"
%typemap(csout, excode=SWIGEXCODE) cucore_node { ulong ret = $imcall;$excode return new GraphNode(this, ret); }
%typemap(ctype) (const cucore_node *after, size_t after_count) "const cucore_node *"
%typemap(imtype) (const cucore_node *after, size_t after_count) "ulong[]"
%typemap(cstype) (const cucore_node *after, size_t after_count) "GraphNodes"
%typemap(csin) (const cucore_node *after, size_t after_count) "$csinput.Block"
%typemap(in) (const cucore_node *after, size_t after_count) {
  $1 = const_cast<cucore_node *>($input + 1);
  $2 = $input[0];
}
struct Nodes;
%typemap(ctype) Nodes "Bytes"
%typemap(imtype) Nodes "NativeBytes"
%typemap(cstype) Nodes "System.Collections.Generic.IReadOnlyList<GraphNode>"
%typemap(out, null="Bytes()") Nodes {
  static thread_local Nodes last;
  last = std::move(static_cast<Nodes &>($1));
  $result = {last.data(), last.size() * sizeof(cucore_node)};
}
%typemap(csout, excode=SWIGEXCODE) Nodes { NativeBytes ret = $imcall;$excode return GraphNode.List(this, ret); }

// A struct that C# reads before the graph with its texts can be released.
%define %csharp_struct(TYPE)
struct TYPE;
%typemap(ctype) TYPE "const void *"
%typemap(imtype) TYPE "System.IntPtr"
%typemap(cstype) TYPE "TYPE"
%typemap(out, null="nullptr") TYPE {
  static thread_local TYPE last;
  last = $1;
  $result = &last;
}
%typemap(csout, excode=SWIGEXCODE) TYPE {
    using (new Use(swigCPtr)) { System.IntPtr ret = $imcall;$excode return new TYPE(ret); }
  }
%enddef
%csharp_struct(NodeInfo)

struct Pair;
%typemap(ctype) Pair "Pair"
%typemap(imtype) Pair "NativePair"
%typemap(cstype) Pair "NativePair"
%typemap(out, null="Pair()") Pair "$result = $1;"
%typemap(csout, excode=SWIGEXCODE) Pair { NativePair ret = $imcall;$excode return ret; }

// Lists of texts are passed as one block: each text with its NUL, one after another.
%define %csharp_texts(NAMES, COUNT)
%typemap(ctype) (const char *const *NAMES, size_t COUNT) "const char *"
%typemap(imtype) (const char *const *NAMES, size_t COUNT) "System.IntPtr"
%typemap(cstype) (const char *const *NAMES, size_t COUNT) "string[]?"
%typemap(csin, pre="    using (Utf8 $csinput_utf8 = Utf8.List($csinput)) {", terminator="    }") (const char *const *NAMES, size_t COUNT) "$csinput_utf8.Pointer"
%typemap(in) (const char *const *NAMES, size_t COUNT) (std::vector<const char *> pointers) {
  const bool is_read = guarded([&] {
    for (const char *text = $input; text && *text; text += std::strlen(text) + 1) pointers.push_back(text);
    return true;
  });
  if (!is_read) return $null;
  $1 = const_cast<char **>(pointers.data());
  $2 = pointers.size();
}
%enddef
%csharp_texts(names, name_count)
%csharp_texts(lowered_names, lowered_name_count)
%{
#include <vector>
%}
