#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds Cucore.csproj with Mono's xbuild, which reads MSBuild's older form of the same language. Then runs
scenarios with the result: try_project.py PROJECT BUILD XBUILD MONO SCENARIOS CLASS...

It adds the parts of the .NET SDK: the import of the compiler's targets, a framework with its
assemblies, and metadata of items as elements. The sources are those for Mono's
compiler. Symbols, options and files of the package are the project's.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

OF_ITEMS = {'Include', 'Exclude', 'Remove', 'Condition'}
# Mono's own core library, for it has the types of System.Memory.
IN_PLACE = {'LangVersion': [('LangVersion', 'latest')],
            'TargetFrameworks': [('TargetFrameworkVersion', 'v4.6.1'), ('NoCompilerStandardLib', 'false'), ('OutputType', 'Library'),
                                 ('OutputPath', 'out/')]}


def older(project):
    """The project for xbuild."""
    root = ET.parse(project).getroot()
    assert root.attrib.pop('Sdk') == 'Microsoft.NET.Sdk'
    root.set('ToolsVersion', '14.0')
    root.set('DefaultTargets', 'Build')
    for group in root.iter('PropertyGroup'):
        for at, old in [(i, p) for i, p in enumerate(group) if p.tag in IN_PLACE]:
            group.remove(old)
            for tag, text in IN_PLACE[old.tag]:
                new = ET.Element(tag)
                new.text = text
                group.insert(at, new)
    for item in [i for group in root.iter('ItemGroup') for i in group]:
        for name in set(item.attrib) - OF_ITEMS:
            ET.SubElement(item, name).text = item.attrib.pop(name)
    references = ET.SubElement(root, 'ItemGroup')
    for name in ('System', 'System.Core', 'System.IO.Compression'):
        ET.SubElement(references, 'Reference', Include=name)
    ET.SubElement(root, 'Import', Project='$(MSBuildToolsPath)/Microsoft.CSharp.targets')
    root.set('xmlns', 'http://schemas.microsoft.com/developer/msbuild/2003')
    return ET.tostring(root, encoding='unicode')


def packed(project, build):
    """The files that the package of this platform gets; each must be there."""
    here = Path(project).parent
    places = {'$(CucoreBuild)': str(build), '$(CucoreSources)': str(build / 'bindings/csharp')}
    for item in (i for group in ET.parse(project).getroot() if not group.get('Condition') for i in group.iter('None')):
        for pattern in item.get('Include').split(';'):
            for name, place in places.items():
                pattern = pattern.replace(name, place)
            found = list(Path('/').glob(pattern.lstrip('/'))) if pattern.startswith('/') else list(here.glob(pattern))
            assert found, f'{pattern} matches no file'
            yield from (f.name for f in found)


def main(project, build, xbuild, mono, scenarios, *classes):
    build = Path(build).resolve()
    print('in the package:', ', '.join(sorted(packed(project, build))))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / 'Cucore.csproj').write_text(older(project))
        done = subprocess.run([xbuild, '/nologo', '/verbosity:quiet', f'/p:CucoreBuild={build}',
                               f'/p:CucoreSources={build}/bindings/csharp/Cucore.dll.p', 'Cucore.csproj'], cwd=folder, text=True, capture_output=True)
        assert done.returncode == 0 and 'warning' not in done.stdout, done.stdout + done.stderr
        shutil.copy(scenarios, folder / 'out/Scenarios.exe')
        environment = {k: v for k, v in os.environ.items() if k != 'MONO_PATH'}
        for each in classes:
            subprocess.run([mono, folder / 'out/Scenarios.exe', each], check=True, env=environment)


main(*sys.argv[1:])
