#!/usr/bin/env python3
"""Makes what a language's binding is built from, out of cucore.h and the .i files.

  generate.py LANGUAGE HEADER FOLDER [SOURCE...]   LANGUAGE is python, java, csharp or cpp; SOURCE is a
                                                   file of csharp/src that gets the comments put in
"""
import sys
from pathlib import Path

import csharp
import fields
import header as headers
import interface
import java
import python
import spellings


def interface_file(language, header, folder, name):
    lines = interface.flatten(interface.ROOT / 'cucore.i')
    table = spellings.cpp(spellings.all_of(header, language.__name__, language))
    text = '\n'.join(interface.expand(lines, header, language) + table) + '\n'
    (folder / name).write_text(text, encoding='utf-8')


def main(language, header_path, folder, *sources):
    header = headers.read(header_path)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if language == 'cpp':
        (folder / 'option_fields.hpp').write_text(fields.cpp(header), encoding='utf-8')
    elif language == 'python':
        interface_file(python, header, folder, 'cucore_python.i')
        (folder / '_enums.py').write_text(python.enums(header), encoding='utf-8')
        (folder / '_options.py').write_text(python.options(header), encoding='utf-8')
        (folder / '_records.py').write_text(python.records(header), encoding='utf-8')
        members = interface.members(interface.flatten(interface.ROOT / 'cucore.i'))
        (folder / '_docs.py').write_text(python.docs(header, members), encoding='utf-8')
        (folder / '_init.pyi').write_text(python.init_stub(header), encoding='utf-8')
    elif language == 'java':
        interface_file(java, header, folder, 'cucore_java.i')
        sources = folder / 'java-sources'
        sources.mkdir(exist_ok=True)
        java.write_sources(header, sources)
        (folder / 'java-sources.stamp').touch()
    else:
        interface_file(csharp, header, folder, 'cucore_csharp.i')
        table = interface.references(interface.members(interface.flatten(interface.ROOT / 'cucore.i')))
        csharp.write_sources(header, folder, table, sources)


if __name__ == '__main__':
    main(*sys.argv[1:])
