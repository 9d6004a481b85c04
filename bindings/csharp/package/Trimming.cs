// SPDX-License-Identifier: Apache-2.0
// Finds calls that trimming or compilation ahead of time breaks: Trimming.exe ASSEMBLY [MEMBER...]
//
// These are the calls of reflection and of generated code, for which the analysers of .NET 8 print a warning. The assembly
// must have none, and must carry the mark of an assembly that may be trimmed. With MEMBERs, these must be among the calls
// that it has.
using System;
using System.Collections.Generic;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;

internal static class Trimming {
  // Calls with a Type or an object. Their generic forms are allowed.
  private static readonly HashSet<string> withType = new HashSet<string> {
    "SizeOf", "PtrToStructure", "StructureToPtr", "DestroyStructure", "OffsetOf", "GetFunctionPointerForDelegate", "GetDelegateForFunctionPointer",
    "CreateInstance", "GetValues" };
  private static readonly HashSet<string> ownersOfThem = new HashSet<string> {
    "System.Runtime.InteropServices.Marshal", "System.Activator", "System.Array", "System.Enum" };
  // Members of Type that do not reach the members of a type.
  private static readonly HashSet<string> plain = new HashSet<string> {
    "GetTypeFromHandle", "GetTypeCode", "op_Equality", "op_Inequality", "get_FullName", "get_IsValueType", "get_IsEnum", "get_IsPrimitive", "Equals", "GetHashCode" };
  private static readonly string[] namespaces = {
    "System.Reflection", "System.Linq.Expressions", "System.CodeDom", "System.Runtime.Serialization.Formatters", "System.Xml.Serialization" };

  private static int Main(string[] args) {
    using (AssemblyDefinition assembly = AssemblyDefinition.ReadAssembly(args[0])) {
      HashSet<string> found = new HashSet<string>();
      foreach (MethodDefinition method in assembly.MainModule.GetTypes().SelectMany(t => t.Methods).Where(m => m.HasBody))
        foreach (Instruction each in method.Body.Instructions)
          if (each.Operand is MethodReference called && IsDynamic(called, each.Previous)) found.Add($"{called.DeclaringType.FullName}::{called.Name} in {method.FullName}");
      foreach (string each in found) Console.WriteLine(each);
      bool isMarked = assembly.CustomAttributes.Any(a => a.AttributeType.Name == "AssemblyMetadataAttribute" && (string)a.ConstructorArguments[0].Value == "IsTrimmable"
          && (string)a.ConstructorArguments[1].Value == "True");
      Console.WriteLine($"{found.Count} calls of reflection; {(isMarked ? "may be trimmed" : "has no mark IsTrimmable")}");
      string[] missing = args.Skip(1).Where(member => !found.Any(f => f.StartsWith(member + " "))).ToArray();
      foreach (string each in missing) Console.WriteLine($"{each} was not found");
      return args.Length > 1 ? missing.Length : found.Count != 0 || !isMarked ? 1 : 0;
    }
  }

  private static bool IsDynamic(MethodReference called, Instruction before) {
    TypeReference owner = called.DeclaringType.GetElementType();
    if (owner.FullName == "System.Type")  // a linker reads the name of a constant
      return !plain.Contains(called.Name) && !(called.Name == "GetType" && before?.OpCode == OpCodes.Ldstr);
    if (ownersOfThem.Contains(owner.FullName)) return withType.Contains(called.Name) && !called.IsGenericInstance;
    if (owner.FullName == "System.Reflection.MemberInfo" && called.Name == "get_Name") return false;  // the name of a type
    return namespaces.Any(n => owner.Namespace == n || owner.Namespace.StartsWith(n + "."));
  }
}
