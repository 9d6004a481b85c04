#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what a language's binding is built from, out of cucore.h, the table and the .i files.

  generate.py LANGUAGE HEADER FOLDER [SOURCE...]   LANGUAGE is python, java, csharp or cpp; SOURCE is a file of csharp/src.
                                                   HEADER may be several, and tables of
                                                   other libraries, with a colon between them
"""
import sys
from pathlib import Path

import api as apis
import classes
import csharp
import csharp_values
import fields
import interface
import java
import python
import spellings
import stubs
from places import Places

LANGUAGES = {'python': python, 'java': java, 'csharp': csharp}


def read(header_paths, language):
    """(lines of all .i files and classes, their members, the places of the functions in the language)."""
    lines = interface.flatten(interface.ROOT / 'cucore.i')
    written = {m.function for m in interface.members(lines)}
    paths = header_paths.split(':')
    api = apis.Api([p for p in paths if not p.endswith('.toml')], written, [p for p in paths if p.endswith('.toml')], language)
    lines = lines if language == 'cpp' else interface.of_language(lines, language)
    for mark, made in (('//: classes', classes.lines), ('//: waits', csharp_values.waits)):
        if mark in lines:
            at = lines.index(mark)
            lines[at:at + 1] = made(api)
    lines = classes.expand_fields(lines, api)
    members = interface.members(lines)
    return lines, members, Places(api, language, members)


def write_interface(language, lines, places, folder):
    table = spellings.cpp(spellings.all_of(places, LANGUAGES[language]))
    text = '\n'.join(interface.expand(lines, places, LANGUAGES[language]) + table) + '\n'
    (folder / f'cucore_{language}.i').write_text(text, encoding='utf-8')


def main(language, header_paths, folder, *names):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines, members, places = read(header_paths, language)
    write = lambda name, text: (folder / name).write_text(text, encoding='utf-8')
    if language == 'cpp':
        handles, options = fields.cpp(places.api)
        write('handle_types.hpp', handles)
        write('option_fields.hpp', options)
        return
    write_interface(language, lines, places, folder)
    if language == 'python':
        write('_enums.py', python.enums(places))
        write('_errors.py', python.errors(places))
        write('_options.py', python.options(places))
        write('_records.py', python.records(places))
        write('_docs.py', python.docs(places, members))
        write('_init.pyi', python.init_stub(places.api.header))
        write('_handles.py', python.handles(places))
        write('_cucore.pyi', stubs.stub(places, members, lines))
    elif language == 'java':
        sources = folder / 'java-sources'
        sources.mkdir(exist_ok=True)
        java.write_sources(places, sources)
        (folder / 'java-sources.stamp').touch()
    else:
        csharp.write_sources(places, members, folder, names)


if __name__ == '__main__':
    main(*sys.argv[1:])
