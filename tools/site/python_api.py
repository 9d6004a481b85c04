# SPDX-License-Identifier: Apache-2.0
"""Writes the API pages of Python as JSON to the standard output: python_api.py, with cucore importable.

It runs in a process of its own, because it imports the package.
"""
import enum
import importlib
import inspect
import json
import re
import sys
import textwrap
from dataclasses import asdict

from reference import Member, Page

FIELDS = re.compile(r"^:(param|raises|return)\s*([\w.]*):\s*(.*?)(?=^:(?:param|raises|return)|\n\s*\n|\Z)", re.M | re.S)
LABELS = {"param": "Parameters", "raises": "Raises", "return": "Returns"}
MODULES = {"cucore": "cucore", "cucore.array": "cucore.array", "cucore.array.random": "cucore.array.random",
           "cucore.array.linalg": "cucore.array.linalg", "cucore.array.fft": "cucore.array.fft", "cucore.perf": "cucore.perf",
           "cucore.tile": "cucore.tile"}


def documented(value):
    """(paragraphs, details) of a docstring."""
    text = inspect.cleandoc(value) if isinstance(value, str) and not value.startswith("Alias for field number") else ""
    details = {}
    for kind, name, words in FIELDS.findall(text):
        details.setdefault(LABELS[kind], []).append((name, " ".join(words.split())))
    plain = FIELDS.sub("", text)
    return [paragraph(part) for part in re.split(r"\n\s*\n", plain) if part.strip()], list(details.items())


def paragraph(part):
    """An indented part or a list of names with their values is code."""
    lines = part.splitlines()
    is_code = all(line.startswith("  ") for line in lines if line.strip()) or ">>>" in part
    return "\n" + textwrap.dedent(part) if is_code else " ".join(part.split()).replace("``", "`")


def signature(value):
    """The parameters, without those of the object and the class."""
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        text = getattr(value, "__text_signature__", None) or ""
    text = re.sub(r"'([\w.\[\], |]+)'", r"\1", re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", text)).replace("cucore._", "cucore.")
    return re.sub(r"\((?:\$?self|cls)(?:: \w+)?(?:, /)?(?:, )?", "(", text)


def folded(text):
    if len(text) <= 88 or "(" not in text:
        return text
    head, _, rest = text.partition("(")
    inside, _, closing = rest.rpartition(")")
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return f"{head}(\n" + ",\n".join(f"    {part.strip()}" for part in parts) + f"){closing}"


def of_function(module, owner, name, value, kind="function"):
    full = f"{owner}.{name}" if owner else name
    paragraphs, details = documented(getattr(value, "__doc__", None))
    return Member("python", qualified(module, full), kind, folded(f"{name}{signature(value)}"), paragraphs, details)


def qualified(module, name):
    """Names of the package itself are short, as in messages."""
    return name if module == "cucore" else f"{module.removeprefix('cucore.')}.{name}"


def members_of(module, name, value):
    seen = {}
    for base in reversed(value.__mro__):
        if str(base.__module__).startswith("cucore") or base is value:
            seen.update(vars(base))
    for key, each in seen.items():
        if key.startswith("_"):
            continue
        raw = each.__func__ if isinstance(each, (staticmethod, classmethod)) else each
        if inspect.isroutine(raw) or callable(raw) and not isinstance(raw, type):
            made = of_function(module, name, key, raw)
            if isinstance(each, (staticmethod, classmethod)):
                made.signature = "static " + made.signature
            yield made
        elif isinstance(each, property) or inspect.isdatadescriptor(each):
            paragraphs, details = documented(getattr(each, "__doc__", None))
            yield Member("python", qualified(module, f"{name}.{key}"), "property", key, paragraphs, details)


def of_class(module, name, value):
    paragraphs, details = documented(value.__doc__)
    if issubclass(value, enum.Enum):
        values = [Member("python", qualified(module, f"{name}.{item.name}"), "value", f"{item.name} = {int(item.value)}",
                         documented(item.__doc__ if item.__doc__ != value.__doc__ else "")[0]) for item in value]
        return Member("python", qualified(module, name), "enum", f"enum {name}", paragraphs, details, values)
    bases = [base.__name__ for base in value.__bases__ if not base.__name__.startswith(("_", "Swig", "object"))]
    if issubclass(value, BaseException):
        return Member("python", qualified(module, name), "exception", f"exception {name}({', '.join(bases)})", paragraphs, details,
                      list(members_of(module, name, value)) if name == "Error" else [])
    shown = getattr(value, "__text_signature__", None) or signature(value)
    return Member("python", qualified(module, name), "class", folded(f"class {name}{re.sub(r'[(][$]?self(, )?', '(', shown)}"), paragraphs,
                  details, list(members_of(module, name, value)))


def page_of(module, path):
    groups = {"Classes": [], "Functions": [], "Enumerations": [], "Exceptions": [], "Values": []}
    own = [name for name in dir(module) if str(getattr(getattr(module, name), "__module__", "")).startswith(path)]
    names = [name for name in getattr(module, "__all__", own) if not name.startswith("_")]
    for name in names:
        value = getattr(module, name)
        if inspect.ismodule(value):
            continue
        if isinstance(value, type):
            made = of_class(path, name, value)
            title = {"enum": "Enumerations", "exception": "Exceptions"}.get(made.kind, "Classes")
        elif callable(value):
            made, title = of_function(path, "", name, value), "Functions"
        else:
            words = documented(value.__doc__)[0] if type(value).__module__.startswith("cucore") else []
            made, title = Member("python", qualified(path, name), "value", name, words), "Values"
        groups[title].append(made)
    words, _ = documented(module.__doc__)
    return groups, words


def pages():
    for path in MODULES:
        try:
            module = importlib.import_module(path)
        except ImportError:
            continue
        groups, words = page_of(module, path)
        if path != "cucore":
            yield Page(f"python/{path}", path, words, [(title, members) for title, members in groups.items() if members])
            continue
        for member in groups.pop("Classes"):
            yield Page(f"python/{member.name}", member.name, [], [("The class", [member])])
        for title, members in groups.items():
            if members:
                yield Page(f"python/{title.lower()}", f"{title} of cucore", words if title == "Functions" else [], [(title, members)])


if __name__ == "__main__":
    json.dump([asdict(page) for page in pages()], sys.stdout)
