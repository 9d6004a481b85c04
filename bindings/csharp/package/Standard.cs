// SPDX-License-Identifier: Apache-2.0
// Makes the library's assembly one for .NET Standard 2.0 or 2.1, and checks the result. References of Mono's compiler to
// mscorlib and System.Core then lead to netstandard, and for 2.0 also to System.Memory. Writes what Mono's compiler cannot:
// the constraint "unmanaged", and debug information for other runtimes from its own, which is in ASSEMBLY.mdb.
//   Standard.exe make ASSEMBLY OUT [VERSION]    without VERSION for Mono
//   Standard.exe check ASSEMBLY FACADES API...
// FACADES is the folder of netstandard.dll; API are folders of reference assemblies, in which members are looked up.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.CompilerServices.SymbolWriter;

internal static class Standard {
  private static readonly byte[] token = { 0xcc, 0x7b, 0x13, 0xff, 0xcd, 0x2d, 0xdd, 0x51 };
  private static readonly AssemblyNameReference memory = Reference("System.Memory", new Version(4, 0, 1, 1));
  // Types of System.Memory that .NET Standard 2.0 lacks.
  private static readonly HashSet<string> ofMemory = new HashSet<string> {
    "System.Span`1", "System.ReadOnlySpan`1", "System.Memory`1", "System.ReadOnlyMemory`1", "System.MemoryExtensions",
    "System.Buffers.MemoryHandle", "System.Buffers.MemoryManager`1", "System.Buffers.IPinnable", "System.Buffers.IMemoryOwner`1",
    "System.Runtime.InteropServices.MemoryMarshal" };

  private static readonly Version oldest = new Version(2, 0);
  private const string Name = "netstandard";
  private const string AsyncDisposable = "System.IAsyncDisposable", AsyncSequence = "System.Collections.Generic.IAsyncEnumer";

  private static AssemblyNameReference Reference(string name, Version version) {
    return new AssemblyNameReference(name, version) { PublicKeyToken = token };
  }

  private static int Main(string[] args) {
    return args[0] == "make" ? Make(args[1], args[2], args.Length > 3 ? new Version(args[3]) : null) : Check(args[1], args[2], args.Skip(3));
  }

  private static TypeReference Outermost(TypeReference type) { return type.IsNested ? Outermost(type.DeclaringType) : type; }

  private static int Make(string from, string to, Version version) {
    using (AssemblyDefinition assembly = AssemblyDefinition.ReadAssembly(from)) {
      ModuleDefinition module = assembly.MainModule;
      ReadLines(module, from + ".mdb");
      MarkUnmanaged(module, version == null ? module.TypeSystem.CoreLibrary : Retarget(module, version));
      // Runtimes look for debug information under the name of the assembly. A stream has no folder of this machine.
      using (MemoryStream lines = new MemoryStream())
      using (MemoryStream code = new MemoryStream()) {
        assembly.Write(code, new WriterParameters { WriteSymbols = true, SymbolStream = lines, SymbolWriterProvider = new PortablePdbWriterProvider() });
        File.WriteAllBytes(to, code.ToArray());
        File.WriteAllBytes(Path.ChangeExtension(to, ".pdb"), lines.ToArray());
      }
    }
    return 0;
  }

  private static IMetadataScope Retarget(ModuleDefinition module, Version version) {
    AssemblyNameReference standard = Reference(Name, new Version(version.Major, version.Minor, 0, 0));
    bool isOldest = version == oldest;
    if (isOldest) RemoveNewer(module);
    AssemblyNameReference[] old = module.AssemblyReferences.ToArray();
    module.AssemblyReferences.Add(standard);
    if (isOldest) module.AssemblyReferences.Add(memory);
    foreach (TypeReference type in module.GetTypeReferences().Where(t => !t.IsNested && t.Scope is AssemblyNameReference))
      type.Scope = isOldest && ofMemory.Contains(type.FullName) ? memory : standard;
    if (isOldest) OwnReadOnly(module, standard);
    foreach (AssemblyNameReference each in old) module.AssemblyReferences.Remove(each);
    return standard;
  }

  // The lines of all methods.
  private static void ReadLines(ModuleDefinition module, string path) {
    using (MonoSymbolFile symbols = MonoSymbolFile.ReadSymbolFile(path)) {
      Dictionary<string, Document> documents = new Dictionary<string, Document>();
      foreach (MethodDefinition method in module.GetTypes().SelectMany(t => t.Methods).Where(m => m.HasBody)) {
        MethodEntry entry = symbols.GetMethodByToken(method.MetadataToken.ToInt32());
        if (entry == null) continue;
        string file = entry.CompileUnit.SourceFile.FileName;
        if (!documents.TryGetValue(file, out Document document)) documents.Add(file, document = new Document(file));
        Dictionary<int, Instruction> at = method.Body.Instructions.ToDictionary(i => i.Offset);
        foreach (LineNumberEntry line in entry.GetLineNumberTable().LineNumbers.Where(l => !l.IsHidden && at.ContainsKey(l.Offset)))
          method.DebugInformation.SequencePoints.Add(new SequencePoint(at[line.Offset], document) {
            StartLine = line.Row, EndLine = line.Row, StartColumn = 1, EndColumn = 2 });
      }
    }
  }

  // Every type parameter for a struct is "unmanaged". Mono's compiler writes only that it is a struct.
  private static void MarkUnmanaged(ModuleDefinition module, IMetadataScope core) {
    MethodDefinition constructor = OwnAttribute(module, core, "System.Runtime.CompilerServices", "IsUnmanagedAttribute");
    TypeReference unmanaged = new TypeReference("System.Runtime.InteropServices", "UnmanagedType", module, core, true);
    IEnumerable<GenericParameter> all = module.GetTypes().SelectMany(t => t.GenericParameters.Concat(t.Methods.SelectMany(m => m.GenericParameters)));
    foreach (GenericParameter each in all.Where(p => p.HasNotNullableValueTypeConstraint)) {
      GenericParameterConstraint constraint = each.Constraints.Single();
      constraint.ConstraintType = new RequiredModifierType(unmanaged, constraint.ConstraintType);
      each.CustomAttributes.Add(new CustomAttribute(constructor));
    }
  }

  private static bool IsAsync(TypeReference type) { return type.FullName == AsyncDisposable || type.FullName.StartsWith(AsyncSequence); }

  private static bool HasRanges(MethodDefinition method) { return method.Parameters.Any(p => p.ParameterType.FullName == "System.Index" || p.ParameterType.FullName == "System.Range"); }

  // .NET Standard 2.0 has no System.IAsyncDisposable, IAsyncEnumerable, Index or Range. The public method DisposeAsync stays.
  private static void RemoveNewer(ModuleDefinition module) {
    foreach (TypeDefinition type in module.Types.ToArray()) {
      foreach (MethodDefinition each in type.Methods.Where(m => m.Name.StartsWith(AsyncDisposable + ".") || IsAsync(m.ReturnType) || HasRanges(m)).ToArray()) type.Methods.Remove(each);
      if (!type.IsPublic && type.Interfaces.Any(i => IsAsync(i.InterfaceType))) module.Types.Remove(type);
      foreach (InterfaceImplementation each in type.Interfaces.Where(i => IsAsync(i.InterfaceType)).ToArray()) type.Interfaces.Remove(each);
    }
  }

  // .NET Standard 2.0 has no IsReadOnlyAttribute, which marks parameters that are "in". Compilers put one of
  // their own into the assembly, and identify it by its name.
  private static void OwnReadOnly(ModuleDefinition module, IMetadataScope core) {
    MethodDefinition constructor = OwnAttribute(module, core, "System.Runtime.CompilerServices", "IsReadOnlyAttribute");
    foreach (ICustomAttributeProvider each in Marked(module))
      foreach (CustomAttribute mark in each.CustomAttributes.Where(a => a.AttributeType.FullName == constructor.DeclaringType.FullName)) mark.Constructor = constructor;
  }

  // Returns the constructor.
  private static MethodDefinition OwnAttribute(ModuleDefinition module, IMetadataScope core, string space, string name) {
    TypeReference attribute = new TypeReference("System", "Attribute", module, core);
    TypeDefinition own = new TypeDefinition(space, name, TypeAttributes.NotPublic | TypeAttributes.Sealed | TypeAttributes.BeforeFieldInit, attribute);
    MethodDefinition constructor = new MethodDefinition(".ctor", MethodAttributes.Public | MethodAttributes.HideBySig
        | MethodAttributes.SpecialName | MethodAttributes.RTSpecialName, module.TypeSystem.Void);
    ILProcessor code = constructor.Body.GetILProcessor();
    code.Emit(OpCodes.Ldarg_0);
    code.Emit(OpCodes.Call, new MethodReference(".ctor", module.TypeSystem.Void, attribute) { HasThis = true });
    code.Emit(OpCodes.Ret);
    own.Methods.Add(constructor);
    module.Types.Add(own);
    return constructor;
  }

  private static IEnumerable<ICustomAttributeProvider> Marked(ModuleDefinition module) {
    foreach (TypeDefinition type in module.GetTypes()) {
      yield return type;
      foreach (MethodDefinition method in type.Methods) {
        yield return method.MethodReturnType;
        foreach (ParameterDefinition parameter in method.Parameters) yield return parameter;
      }
    }
  }

  private static int Check(string path, string facades, IEnumerable<string> folders) {
    List<string> wrong = new List<string>();
    using (AssemblyDefinition assembly = AssemblyDefinition.ReadAssembly(path))
    using (AssemblyDefinition facade = AssemblyDefinition.ReadAssembly(Path.Combine(facades, "netstandard.dll"))) {
      ModuleDefinition module = assembly.MainModule;
      Version version = module.AssemblyReferences.Single(r => r.Name == Name).Version;
      foreach (AssemblyNameReference each in module.AssemblyReferences)
        if (each.Name != Name && (version.Minor != oldest.Minor || each.FullName != memory.FullName)) wrong.Add($"refers to {each.FullName}");
      if (facade.Name.Version < version) wrong.Add($"is for {version}, and {facade.Name} is checked");
      HashSet<string> forwarded = new HashSet<string>(facade.MainModule.ExportedTypes.Select(t => t.FullName));
      Surface[] surfaces = folders.Select(f => new Surface(f)).ToArray();
      TypeReference[] types = module.GetTypeReferences().ToArray();
      foreach (TypeReference type in types) {
        bool isMemory = Outermost(type).Scope.Name == memory.Name;
        if (isMemory ? !ofMemory.Contains(Outermost(type).FullName) : !forwarded.Contains(Outermost(type).FullName) || !surfaces.Any(s => s.Has(type)))
          wrong.Add($"{type.FullName} is not in {Outermost(type).Scope.Name}");
      }
      MemberReference[] members = module.GetMemberReferences().Where(m => IsStandard(m.DeclaringType)).ToArray();
      foreach (MemberReference member in members)
        if (!surfaces.Any(s => s.Has(member))) wrong.Add($"{member.FullName} is in no reference assembly");
      foreach (string each in wrong.Distinct()) Console.WriteLine(each);
      Console.WriteLine($"{types.Length} types and {members.Length} members of others: {wrong.Count} are not of .NET Standard {version}");
    }
    return wrong.Count == 0 ? 0 : 1;
  }

  private static bool IsStandard(TypeReference type) {
    TypeReference element = type.GetElementType();
    return !(type is ArrayType) && Outermost(element).Scope.Name == Name;
  }

  // The types of a framework, by name; they are in several assemblies there.
  private sealed class Surface {
    private readonly Dictionary<string, TypeDefinition> types = new Dictionary<string, TypeDefinition>();

    internal Surface(string folder) {
      foreach (string name in new[] { "mscorlib.dll", "System.dll", "System.Core.dll", "System.IO.Compression.dll" })
        foreach (TypeDefinition type in AssemblyDefinition.ReadAssembly(Path.Combine(folder, name)).MainModule.GetTypes()) types[type.FullName] = type;
    }

    internal bool Has(TypeReference type) { return types.ContainsKey(type.FullName); }

    internal bool Has(MemberReference member) {
      types.TryGetValue(member.DeclaringType.GetElementType().FullName, out TypeDefinition type);
      if (type == null) return false;
      return member is FieldReference field ? type.Fields.Any(f => f.Name == field.Name && IsPublic(f.IsPublic, f.IsFamily))
          : type.Methods.Any(m => m.Name == member.Name && IsPublic(m.IsPublic, m.IsFamily) && Same((MethodReference)member, m));
    }

    private static bool IsPublic(bool isPublic, bool isFamily) { return isPublic || isFamily; }

    private static bool Same(MethodReference a, MethodReference b) {
      return a.Parameters.Count == b.Parameters.Count && a.GenericParameters.Count == b.GenericParameters.Count
          && Name(a.ReturnType) == Name(b.ReturnType)
          && a.Parameters.Zip(b.Parameters, (x, y) => Name(x.ParameterType) == Name(y.ParameterType)).All(same => same);
    }

    // References name a generic parameter !0 or !!0, definitions T.
    private static string Name(TypeReference type) {
      if (type is GenericParameter parameter) return (parameter.Type == GenericParameterType.Method ? "!!" : "!") + parameter.Position;
      if (type is GenericInstanceType generic) return type.GetElementType().FullName + "<" + string.Join(",", generic.GenericArguments.Select(Name)) + ">";
      if (type is ByReferenceType reference) return Name(reference.ElementType) + "&";
      if (type is PointerType pointer) return Name(pointer.ElementType) + "*";
      if (type is ArrayType array) return Name(array.ElementType) + "[]";
      return type is RequiredModifierType modified ? Name(modified.ElementType) : type.FullName;
    }
  }
}
