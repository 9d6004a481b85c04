#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the NuGet package and the package of its symbols: package.py VERSION OUT SYMBOLS STRIP NATIVES FILE=PLACE...

Equal inputs give equal bytes. PLACE is a folder or a file of the package; native files are stripped, and search for libraries
in their own folder alone. NATIVES is a folder with libraries of other platforms, linux-aarch64/*.so, or "".
"""
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'tools'))
import run_path  # noqa: E402

NUSPEC = '''<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2012/06/nuspec.xsd">
  <metadata>
    <id>Cucore</id>
    <version>{version}</version>
    <authors>The libcucore authors</authors>
    <license type="expression">Apache-2.0</license>
    <licenseUrl>https://licenses.nuget.org/Apache-2.0</licenseUrl>
    <projectUrl>{url}</projectUrl>
    <repository type="git" url="{url}.git" />
    <requireLicenseAcceptance>false</requireLicenseAcceptance>
    <copyright>Copyright the libcucore authors</copyright>
    <releaseNotes>{url}/blob/v{version}/CHANGELOG.md</releaseNotes>
    <description>CUDA's object model for .NET: devices, streams, events, memory, run-time compiling, object code and launches; with a CPU device, so that it all runs without a GPU.</description>
    <tags>cuda gpu nvrtc nvjitlink ptx</tags>
    {more}
  </metadata>
</package>
'''
RELATIONS = '''<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Cucore.nuspec" Id="R1" /></Relationships>
'''
DEPENDENCIES = {'netstandard2.1': '', 'netstandard2.0': '<dependency id="System.Memory" version="4.5.5" />', 'net472': ''}
FRAMEWORK = {'netstandard2.1': '.NETStandard2.1', 'netstandard2.0': '.NETStandard2.0', 'net472': '.NETFramework4.7.2'}
URL = 'https://github.com/libcucore/libcucore'
# The names that .NET has for platforms.
PLATFORMS = {'linux-aarch64': 'linux-arm64', 'linux-x86-64': 'linux-x64'}
EPOCH = (1980, 1, 1, 0, 0, 0)


def content_types(names):
    known = {'rels': 'application/vnd.openxmlformats-package.relationships+xml'}
    endings = sorted({n.rsplit('.', 1)[1] for n in names if '.' in n.rsplit('/', 1)[-1]} | {'rels'})
    rows = [f'<Default Extension={quoteattr(e)} ContentType="{known.get(e, "application/octet")}" />' for e in endings]
    rows += [f'<Override PartName={quoteattr("/" + n)} ContentType="application/octet" />'
             for n in sorted(names) if '.' not in n.rsplit('/', 1)[-1]]  # or they are not unpacked
    return ('<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            + ''.join(rows) + '</Types>\n')


def contents(path, strip, folder):
    if '.so' not in path.name and path.read_bytes()[:4] != b'\x7fELF':
        return path.read_bytes()
    stripped = folder / path.name
    subprocess.run([strip, '--strip-unneeded', '-o', stripped, path], check=True)
    run_path.look_beside(stripped)
    return stripped.read_bytes()


def write(out, nuspec, files):
    files = files | {'Cucore.nuspec': nuspec.encode(), '_rels/.rels': RELATIONS.encode()}
    files['[Content_Types].xml'] = content_types(files).encode()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o100644 << 16
            archive.writestr(info, files[name])


def others(natives):
    """The libraries of other platforms, which are stripped already."""
    for folder in sorted(p for p in Path(natives).iterdir() if p.is_dir()) if natives else ():
        for file in sorted(folder.iterdir()):
            if not file.name.endswith('jni.so'):
                yield f'runtimes/{PLATFORMS[folder.name]}/native/{file.name}', file.read_bytes()


def check_platforms(names, own):
    """Each platform has the same files."""
    expected = {n.split('/')[3] for n in own}
    for platform in sorted({n.split('/')[1] for n in names}):
        found = {n.split('/')[3] for n in names if n.split('/')[1] == platform}
        if found != expected:
            sys.exit(f'package.py: {", ".join(sorted(found ^ expected))} is a file of one platform alone; {platform} differs')


def main(version, out, symbols, strip, natives, *pairs):
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for pair in pairs:
            source, place = pair.split('=', 1)
            name = place if not place.endswith('/') else place + Path(source).name
            files[name] = contents(Path(source), strip, Path(folder))
    own = {n for n in files if n.startswith('runtimes/')}
    for name, data in others(natives):
        assert name not in files, f'{name} is of this platform and in {natives}'
        files[name] = data
    check_platforms({n for n in files if n.startswith('runtimes/')} - own, own)
    frameworks = sorted({n.split('/')[1] for n in files if n.startswith('lib/')})
    groups = ''.join(f'<group targetFramework="{FRAMEWORK[f]}">{DEPENDENCIES[f]}</group>' for f in frameworks)
    write(out, NUSPEC.format(version=version, url=URL, more=f'<readme>README.md</readme>\n    <dependencies>{groups}</dependencies>'), files)
    # Servers of symbols take portable files of lines alone, without a page.
    lines = {n: data for n, data in files.items() if n.startswith('lib/') and data[:4] == b'BSJB'}
    write(symbols, NUSPEC.format(version=version, url=URL, more='<packageTypes><packageType name="SymbolsPackage" /></packageTypes>'), lines)


main(*sys.argv[1:])
