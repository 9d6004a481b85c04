// SPDX-License-Identifier: Apache-2.0
// Lists the public types and members of an assembly, one per line: the identifier of its comment, a tab, its declaration.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

static class Surface {
  static readonly Dictionary<string, string> Words = new Dictionary<string, string> {
    {"Void", "void"}, {"Boolean", "bool"}, {"Byte", "byte"}, {"SByte", "sbyte"}, {"Int16", "short"}, {"UInt16", "ushort"}, {"Int32", "int"},
    {"UInt32", "uint"}, {"Int64", "long"}, {"UInt64", "ulong"}, {"Single", "float"}, {"Double", "double"}, {"String", "string"}, {"Object", "object"}};

  static string Name(Type type) {
    if (type.IsByRef) return Name(type.GetElementType());
    if (type.IsArray) return Name(type.GetElementType()) + "[]";
    if (type.IsPointer) return Name(type.GetElementType()) + "*";
    if (type.IsGenericParameter) return type.Name;
    string name = type.Namespace == "System" && Words.ContainsKey(type.Name) ? Words[type.Name] : type.Name;
    if (type.IsNested) name = type.DeclaringType.Name.Split('`')[0] + "." + name;
    if (!type.IsGenericType) return name;
    string arguments = string.Join(", ", type.GetGenericArguments().Select(Name));
    return type.Name.StartsWith("Nullable`") ? Name(type.GetGenericArguments()[0]) + "?" : name.Split('`')[0] + "<" + arguments + ">";
  }

  // A type as the identifiers of comments have it.
  static string Id(Type type) {
    if (type.IsByRef) return Id(type.GetElementType()) + "@";
    if (type.IsArray) return Id(type.GetElementType()) + "[" + (type.GetArrayRank() == 1 ? "" : string.Join(",", Enumerable.Repeat("0:", type.GetArrayRank()))) + "]";
    if (type.IsPointer) return Id(type.GetElementType()) + "*";
    if (type.IsGenericParameter) return (type.DeclaringMethod != null ? "``" : "`") + type.GenericParameterPosition;
    string full = type.IsNested ? Id(type.DeclaringType) + "." + type.Name : type.Namespace + "." + type.Name;
    if (!type.IsGenericType) return full;
    return full.Split('`')[0] + "{" + string.Join(",", type.GetGenericArguments().Select(Id)) + "}";
  }

  static string Parameter(ParameterInfo parameter) {
    string before = parameter.IsOut ? "out " : parameter.ParameterType.IsByRef ? (parameter.IsIn ? "in " : "ref ") : "";
    if (parameter.IsDefined(typeof(ParamArrayAttribute), false)) before = "params ";
    string value = "";
    if (parameter.IsOptional) {
      object given = parameter.DefaultValue;
      value = " = " + (given == null ? (parameter.ParameterType.IsValueType ? "default" : "null") : given is string ? "\"" + given + "\"" :
                       given is bool ? given.ToString().ToLower() : given is Enum ? given.GetType().Name + "." + given : given.ToString());
    }
    return before + Name(parameter.ParameterType) + " " + parameter.Name + value;
  }

  static string Parameters(MethodBase method) { return "(" + string.Join(", ", method.GetParameters().Select(Parameter)) + ")"; }

  static string Ids(MethodBase method) {
    var types = method.GetParameters().Select(each => Id(each.ParameterType)).ToArray();
    return types.Length == 0 ? "" : "(" + string.Join(",", types) + ")";
  }

  static bool IsSeen(MethodBase method) { return method != null && (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly); }

  static string Modifiers(MethodBase method) { return method.IsStatic ? "static " : method.IsFamily ? "protected " : ""; }

  static void Line(string id, string declaration) { Console.WriteLine(id + "\t" + declaration); }

  static string Declaration(Type type) {
    string kind = type.IsEnum ? "enum" : type.IsInterface ? "interface" : typeof(Delegate).IsAssignableFrom(type) ? "delegate" :
                  type.IsValueType ? "struct" : type.IsAbstract && type.IsSealed ? "static class" : "class";
    var bases = new List<string>();
    if (type.BaseType != null && !type.IsEnum && !type.IsValueType && type.BaseType != typeof(object) && kind != "delegate" && type.BaseType.IsVisible) bases.Add(Name(type.BaseType));
    if (!type.IsEnum && kind != "delegate") bases.AddRange(type.GetInterfaces().Where(each => each.IsPublic && each.Name != "_Exception" && each.Name != "ISerializable").Select(Name));
    return kind + " " + Name(type) + (bases.Count > 0 ? " : " + string.Join(", ", bases) : "");
  }

  static void Members(Type type, string owner) {
    const BindingFlags all = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
    foreach (var each in type.GetConstructors(all).Where(IsSeen)) if (!each.IsStatic) Line("M:" + owner + ".#ctor" + Ids(each), type.Name.Split('`')[0] + Parameters(each));
    foreach (var each in type.GetProperties(all)) {
      MethodInfo get = each.GetGetMethod(true), set = each.GetSetMethod(true);
      if (!IsSeen(get) && !IsSeen(set)) continue;
      string index = get != null && get.GetParameters().Length > 0 ? "[" + string.Join(", ", get.GetParameters().Select(Parameter)) + "]" : "";
      string name = index == "" ? each.Name : "this" + index;
      Line("P:" + owner + "." + each.Name + (index == "" ? "" : Ids(get)),
           Modifiers(get ?? set) + Name(each.PropertyType) + " " + name + " { " + (IsSeen(get) ? "get; " : "") + (IsSeen(set) ? "set; " : "") + "}");
    }
    foreach (var each in type.GetMethods(all).Where(IsSeen)) {
      bool isOperator = each.Name.StartsWith("op_");
      if (each.IsSpecialName && !isOperator) continue;
      string generic = each.IsGenericMethod ? "<" + string.Join(", ", each.GetGenericArguments().Select(Name)) + ">" : "";
      string id = "M:" + owner + "." + each.Name + (each.IsGenericMethod ? "``" + each.GetGenericArguments().Length : "") + Ids(each);
      if (each.Name == "op_Implicit" || each.Name == "op_Explicit") id += "~" + Id(each.ReturnType);
      Line(id, Modifiers(each) + Name(each.ReturnType) + " " + each.Name + generic + Parameters(each));
    }
    foreach (var each in type.GetFields(all).Where(field => (field.IsPublic || field.IsFamily) && !field.IsSpecialName))
      Line("F:" + owner + "." + each.Name, type.IsEnum ? each.Name + " = " + Convert.ToInt64(each.GetRawConstantValue()) :
           (each.IsLiteral ? "const " : each.IsStatic ? "static readonly " : each.IsInitOnly ? "readonly " : "") + Name(each.FieldType) + " " + each.Name);
    foreach (var each in type.GetEvents(all)) Line("E:" + owner + "." + each.Name, "event " + Name(each.EventHandlerType) + " " + each.Name);
  }

  static void Main(string[] arguments) {
    foreach (var type in Assembly.LoadFrom(arguments[0]).GetTypes().Where(each => each.IsVisible).OrderBy(each => each.FullName, StringComparer.Ordinal)) {
      string owner = type.FullName.Replace('+', '.');
      Line("T:" + owner, Declaration(type));
      if (!typeof(Delegate).IsAssignableFrom(type)) Members(type, owner);
    }
  }
}
