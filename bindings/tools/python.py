"""What Python gets from the header: docstrings, IntEnums, the keywords of options."""
import words

ERRORS_WITH_OTHER_NAMES = {'NOT_FOUND': 'NotFoundError', 'CUDA': 'CudaError', 'IO': 'IoError'}


def exception(status):
    short = status.replace('CUCORE_ERROR_', '')
    return ERRORS_WITH_OTHER_NAMES.get(short) or words.exception_name(status, 'Error')


def text_of(text, header, table):
    def function(name):
        if name.startswith('cucore_error_'):
            return 'Error.' + name[len('cucore_error_'):]
        m = table.get(name)
        return f'{m.owner}.{m.name}' if m and m.owner else m.name if m else None

    def item(enum, i):
        if enum.c_name == 'cucore_status' and i.value:
            return exception(i.name)
        return f'{enum.name}.{i.short}'
    return words.translate(text, header, function, item, 'None')


def comment(member, function, header, table):
    tr = lambda t: text_of(t, header, table)
    lines = tr(function.doc.text).split('\n')
    lines += [f'@param {n} {tr(t)}' for n, t in words.parameters(member, function)]
    if words.result(member, function):
        lines.append(f'@return {tr(words.result(member, function))}')
    lines += [f'@throws {exception(c)} {tr(t)}' for c, t in function.doc.retvals]
    return ['/**'] + [' * ' + l for l in lines] + [' */']


def features(member, function, header, table):
    # What is not for users begins with an underscore.
    lines = [f'%rename(_{member.name}) {member.path};'] if member.tag == 'raw' and member.kind != 'constructor' else []
    # SWIG's doxygen translation does not reach the getters of -builtin classes.
    if member.kind != 'property':
        return lines
    text = text_of(function.doc.text, header, table).replace('"', r'\"').replace('\n', ' ')
    return lines + [f'%feature("docstring") {member.path} "{text}";']


def enums(header):
    out = ['"""The enumerations of the library."""', '# Generated from cucore.h.', 'from enum import IntEnum', '']
    for e in header.enums:
        out += ['', f'class {e.name}(IntEnum):', f'    """{e.doc.text}"""', '']
        for i in e.items:
            out.append(f'    {i.short} = {i.value}')
            if i.doc:
                out.append(f'    """{i.doc}"""')
        out += ['', '    @classmethod', f'    def _missing_(cls, value: object) -> "{e.name}":',
                '        # Later versions of the library, and drivers, may give numbers that have no name here.',
                '        if not isinstance(value, int):', '            raise ValueError(f"{value!r} is not a {cls.__name__}")',
                '        member = int.__new__(cls, value)', '        member._name_ = f"UNKNOWN_{value}"',
                '        member._value_ = value', '        return member', '']
    return '\n'.join(out)
