#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the NuGet package: package.py VERSION OUT STRIP FILE=PLACE...

Equal inputs give equal bytes. PLACE is a folder or a file of the package; shared libraries are stripped.
"""
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

NUSPEC = '''<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2012/06/nuspec.xsd">
  <metadata>
    <id>Cucore</id>
    <version>{version}</version>
    <authors>The libcucore authors</authors>
    <license type="expression">Apache-2.0</license>
    <readme>README.md</readme>
    <description>CUDA's object model for .NET: devices, streams, events, memory, run-time compiling, object code and launches; with a CPU device, so that it all runs without a GPU.</description>
    <tags>cuda gpu nvrtc nvjitlink ptx</tags>
    <dependencies>{groups}</dependencies>
  </metadata>
</package>
'''
RELATIONS = '''<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Cucore.nuspec" Id="R1" /></Relationships>
'''
DEPENDENCIES = {'netstandard2.1': '', 'netstandard2.0': '<dependency id="System.Memory" version="4.5.5" />', 'net472': ''}
FRAMEWORK = {'netstandard2.1': '.NETStandard2.1', 'netstandard2.0': '.NETStandard2.0', 'net472': '.NETFramework4.7.2'}
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
    return stripped.read_bytes()


def main(version, out, strip, *pairs):
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for pair in pairs:
            source, place = pair.split('=', 1)
            name = place if not place.endswith('/') else place + Path(source).name
            files[name] = contents(Path(source), strip, Path(folder))
    frameworks = sorted({n.split('/')[1] for n in files if n.startswith('lib/')})
    groups = ''.join(f'<group targetFramework="{FRAMEWORK[f]}">{DEPENDENCIES[f]}</group>' for f in frameworks)
    files['Cucore.nuspec'] = NUSPEC.format(version=version, groups=groups).encode()
    files['_rels/.rels'] = RELATIONS.encode()
    files['[Content_Types].xml'] = content_types(files).encode()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o100644 << 16
            archive.writestr(info, files[name])


main(*sys.argv[1:])
