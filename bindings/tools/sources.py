# SPDX-License-Identifier: Apache-2.0
"""Files of a language that are written by hand, with marks in the place of comments.

"//: cucore_x" before a member is replaced by the comment of the C function. In Java, lines that begin with "// @" follow
the mark: tags that the header does not have. "//: also cucore_x" leaves nothing.
"""
import re

MARK = re.compile(r'^(\s*)//: (also )?([a-z]+_\w+)\s*$')


def body(path):
    """The lines inside the one class of a file."""
    lines = path.read_text(encoding='utf-8').splitlines()
    first = next(i for i, line in enumerate(lines) if re.match(r'(?:\w+ )*class ', line))
    return lines[first + 1:len(lines) - 1 - lines[::-1].index('}')]


def member_text(lines, at):
    """The comments of its own and the declaration of a member."""
    end = at
    while re.match(r'\s*(//|\[)', lines[end]):
        end += 1
    return '\n'.join(lines[at:end + 3])


def expand(lines, places, comment):
    """comment(function, tags, declaration, places) makes the lines, and what ends the last one."""
    out, at = [], 0
    while at < len(lines):
        m = MARK.match(lines[at])
        at += 1
        if not m:
            out.append(lines[at - 1])
        elif not m[2]:
            tags = []
            while re.match(r'\s*// @', lines[at]) or MARK.match(lines[at]):
                text = lines[at].strip().removeprefix('//').strip()
                if text.startswith('@'):
                    tags.append(text)
                at += 1
            made, end = comment(places.api.function(m[3]), tags, member_text(lines, at), places)
            out += [m[1] + l for l in made[:-1]] + [m[1] + made[-1] + end]
    return out
