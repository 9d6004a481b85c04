#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the package as an outside program would: try_package.py PACKAGE MCS MONO NUGET XBUILD
(NUGET or XBUILD may be "")

Installs the package in an empty folder, and compiles a program against it. Cucore.targets copies the native
libraries to the program, which then runs without the build tree in the environment.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PROGRAM = '''using System;
using System.Linq;
using Cucore;
using Cucore.Arrays;

// The name and the place of the class that a new console project has.
class Program {
  static int Main() {
    const string source = @"extern ""C"" __global__ void scale(float a, float *p) { p[threadIdx.x] *= a; }";
    float[] data = { 1, 2, 3, 4 };
    Console.WriteLine(Nd.NameOf(DType.Float32));  // before anything has loaded libcucore
    using (new Scope()) Console.WriteLine((NdArray.Of(data) * 2 + 1).Sum().Item<float>());
    using (var device = new CudaDevice())
    using (var stream = new CudaStream(device))
    using (var cache = new Cache(""))
    using (var code = ObjectCode.Load(CudaProgram.CompileBatch(new[] { new BatchItem(new CudaProgram(source)) })[0].Code.ToBytes()))
    using (var buffer = new CudaBuffer(device, 16, stream)) {
      cache.AddRemote("file://" + AppDomain.CurrentDomain.BaseDirectory);
      buffer.Write(data, stream);
      code.GetKernel("scale").Launch(stream, new LaunchConfig(1, 4), 3f, buffer);
      Console.WriteLine(string.Join(" ", buffer.ToArray<float>(stream)));
    }
    try {
      new CudaProgram("nonsense").Compile();
    } catch (CompilationException e) {
      Console.WriteLine(e.Diagnostics[0].Severity);
      Console.WriteLine(e.StackTrace.Split('\\n').First(line => line.Contains("CudaProgram.Compile")).Split(' ').Last(part => part.Length != 0));
    }
    return 0;
  }
}
'''
# The program's own libraries must be found in its folder, and nowhere else.
CLEAN = {k: v for k, v in os.environ.items() if k not in ('LD_LIBRARY_PATH', 'MONO_PATH') and not k.startswith('CUCORE_')}


def install(package, folder, nuget):
    if nuget:
        # With a framework: System.Memory is for others, and is not asked for.
        config = f'<packages><package id="Cucore" version="{package.stem.split(".", 1)[1]}" targetFramework="net472" /></packages>'
        (folder / 'packages.config').write_text(config)
        subprocess.run([nuget, 'install', 'packages.config', '-Source', package.parent, '-OutputDirectory', folder, '-NonInteractive'],
                       check=True, cwd=folder, env=CLEAN, stdout=subprocess.DEVNULL)
        return next(folder.glob('Cucore.*'))
    zipfile.ZipFile(package).extractall(folder / 'Cucore')
    return folder / 'Cucore'


PROJECT = '''<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003" ToolsVersion="14.0" DefaultTargets="Build">
  <Import Project="{package}/build/net472/Cucore.props" />
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <AssemblyName>stranger</AssemblyName>
    <TargetFrameworkVersion>v4.6.1</TargetFrameworkVersion>
    <OutputPath>out/</OutputPath>
    <OutDir>out/</OutDir>
  </PropertyGroup>
  <ItemGroup>
    <Reference Include="System.Core" />
    <Reference Include="Cucore"><HintPath>{package}/lib/net472/Cucore.dll</HintPath></Reference>
    <Compile Include="stranger.cs" />
  </ItemGroup>
  <Import Project="$(MSBuildToolsPath)/Microsoft.CSharp.targets" />
  <Import Project="{package}/build/net472/Cucore.targets" />
</Project>
'''


def check_contents(package):
    """Each assembly comes with its comments and its lines; a dependency is named for the framework that needs it."""
    with zipfile.ZipFile(package) as archive:
        names, nuspec = set(archive.namelist()), archive.read('Cucore.nuspec').decode()
    folders = {n.split('/')[1] for n in names if n.startswith('lib/')}
    assert 'net472' in folders, folders
    for folder in folders:
        files = {n.split('/')[2] for n in names if n.startswith(f'lib/{folder}/')}
        assert files in ({'Cucore.dll', 'Cucore.xml', 'Cucore.pdb'}, {'Cucore.dll', 'Cucore.xml', 'Cucore.dll.mdb'}), files
    assert nuspec.count('<group ') == len(folders) and nuspec.count('<dependency ') == ('netstandard2.0' in folders), nuspec


def check_symbols(package):
    """The package of symbols has the lines of each assembly, and nothing else. nuget.org refuses files with other endings."""
    with zipfile.ZipFile(package) as main, zipfile.ZipFile(package.with_suffix('.snupkg')) as symbols:
        lines = {n for n in main.namelist() if n.endswith('.pdb')}
        assert {n for n in symbols.namelist() if n.startswith('lib/')} == lines, symbols.namelist()
        assert all(symbols.read(n) == main.read(n) for n in lines)
        others = {n for n in symbols.namelist() if not n.endswith(('.pdb', '.nuspec', '.xml', '.psmdcp', '.rels', '.p7s'))}
        assert not others, others
        description = symbols.read('Cucore.nuspec').decode()
        assert '"SymbolsPackage"' in description and '<readme>' not in description, description


def check_pack(package, nuget):
    """nuget packs the same files. Its only warnings are about what is newer than that of Mono: the folders of .NET Standard.

    That one is also older than three elements of the description.
    """
    if not nuget:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with zipfile.ZipFile(package) as archive:
            names = {n for n in archive.namelist() if n != 'Cucore.nuspec' and not n.startswith(('_rels', '[Content'))}
            archive.extractall(folder / 'files', names)
            text = re.sub(r' *<(license|readme|repository)\b.*\n', '', archive.read('Cucore.nuspec').decode())
        listed = ''.join(f'<file src="{n}" target="{n}" />' for n in sorted(names))
        (folder / 'files/Cucore.nuspec').write_text(text.replace('</package>', f'<files>{listed}</files></package>'))
        done = subprocess.run([nuget, 'pack', 'Cucore.nuspec', '-OutputDirectory', folder], cwd=folder / 'files', env=CLEAN, text=True, capture_output=True)
        printed = done.stdout + done.stderr
        assert done.returncode == 0 and 'Successfully created' in printed, printed
        newer = re.findall("The folder '(.*?)' under 'lib' is not recognized as a valid framework name", printed)
        assert set(newer) <= {'netstandard2.0', 'netstandard2.1'} and len(re.findall('^Issue: ', printed, re.M)) == len(newer), printed
        assert printed.upper().count('WARNING') == bool(newer), printed
        with zipfile.ZipFile(folder / package.name) as packed:
            missing = names - set(packed.namelist())
        assert not missing, f'nuget packed no {missing}'
        print('nuget packs', len(names), 'files; folders newer than it:', *newer)


def build_by_hand(here, app, mcs):
    """Does the work of Cucore.targets."""
    for file in [*(f for f in (here / 'lib/net472').iterdir() if f.suffix != '.xml'), *(here / 'runtimes/linux-x64/native').iterdir()]:
        shutil.copy(file, app)
    (app / 'cucore-worker').chmod(0o755)
    subprocess.run([mcs, '-nologo', '-r:Cucore.dll', '-out:stranger.exe', 'stranger.cs'], check=True, cwd=app, env=CLEAN)
    return app


def build_by_project(here, app, xbuild):
    (app / 'stranger.csproj').write_text(PROJECT.format(package=here))
    done = subprocess.run([xbuild, '/nologo', '/verbosity:quiet', 'stranger.csproj'], cwd=app, env=CLEAN, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return app / 'out'


def main(package, mcs, mono, nuget, xbuild):
    check_contents(package)
    check_symbols(Path(package))
    check_pack(Path(package), nuget)
    for build, tool in ((build_by_hand, mcs), (build_by_project, xbuild)):
        if tool:
            use(package, nuget, lambda here, app: build(here, app, tool), mono)


def use(package, nuget, build, mono):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = install(Path(package).resolve(), folder, nuget)
        app = folder / 'app'
        app.mkdir()
        (app / 'stranger.cs').write_text(PROGRAM)
        out = build(here, app)
        done = subprocess.run([mono, '--debug', 'stranger.exe'], cwd=out, env={**CLEAN, 'CUCORE_DRIVER': 'cpu'}, text=True, capture_output=True)
        *words, place = done.stdout.split()
        assert words == ['float32', '24', '3', '6', '9', '12', 'Error'] and done.returncode == 0, done.stdout + done.stderr
        assert re.fullmatch(r'Cucore/CudaProgram\.cs:\d+', place), f'{place} is not a line of a trace'
        maps = sorted(p.name for p in out.iterdir())
        print('used from an empty folder, with', ', '.join(maps))


main(*sys.argv[1:])
