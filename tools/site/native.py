# SPDX-License-Identifier: Apache-2.0
"""The API pages of C and C++, from Doxygen's XML of the public headers."""
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from reference import Member, Page, write, write_index

SETTINGS = """
INPUT = {root}/include
STRIP_FROM_PATH = {root}
OUTPUT_DIRECTORY = {out}
FILE_PATTERNS = *.h *.hpp
RECURSIVE = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
AUTOLINK_SUPPORT = NO
WARNINGS = NO
WARN_IF_DOC_ERROR = NO
QUIET = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = CUCORE_API= CUCORE_ARRAY_API= CUCORE_PERF_API= CUCORE_HPP_MODE=mode __cplusplus=201703L
"""
C_NAME = re.compile(r"\bcucore_\w+\b")
LONGEST = 88  # of a declaration in one line


def run_doxygen(root, out):
    out.mkdir(parents=True, exist_ok=True)
    settings = out / "Doxyfile"
    for old in (out / "xml").glob("*.xml"):
        old.unlink()
    settings.write_text(SETTINGS.format(root=root, out=out), encoding="utf-8")
    # Doxygen 1.9.4 reports parameters of C++ without a comment in spite of its settings.
    subprocess.run(["doxygen", settings], check=True, stderr=subprocess.DEVNULL)
    return [ElementTree.parse(path).getroot() for path in sorted((out / "xml").glob("*.xml")) if path.name != "index.xml"]


def words(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def marked(element):
    """The words of a paragraph, with code in backquotes. Lists and tables of parameters are parts of their own."""
    if element.tag == "computeroutput":
        return f"`{words(element)}`"
    if element.tag in ("itemizedlist", "orderedlist", "parameterlist", "simplesect", "programlisting", "verbatim"):
        return ""
    return (element.text or "") + "".join(marked(child) + (child.tail or "") for child in element)


def paragraphs(element):
    out = []
    for para in element.findall("para") if element is not None else ():
        text = " ".join(marked(para).split())
        if text:
            out.append(text)
        out += [[" ".join(marked(item.find("para")).split()) for item in each.findall("listitem")] for each in para
                if each.tag in ("itemizedlist", "orderedlist")]
        out += ["\n" + "".join(each.itertext()).rstrip() for each in para if each.tag in ("verbatim", "programlisting")]
    return out


def details(element):
    """Parameters, statuses and the version."""
    lists = {"param": "Parameters", "retval": "Statuses", "templateparam": "Template parameters", "exception": "Throws"}
    out = []
    for each in element.iter("parameterlist"):
        rows = [(words(item.find("parameternamelist")), words(item.find("parameterdescription"))) for item in each.findall("parameteritem")]
        out.append((lists.get(each.get("kind"), each.get("kind")), rows))
    for each in element.iter("simplesect"):
        label = {"return": "Returns", "since": "Since"}.get(each.get("kind"), "Note")
        out.append((label, [("", words(each))]))
    return out


def declaration(member):
    kind = member.get("kind")
    arguments = member.findtext("argsstring") or ""
    if kind == "define":
        parameters = [words(each) for each in member.findall("param")]
        return f"#define {member.findtext('name')}" + (f"({', '.join(parameters)})" if parameters else "")
    if kind == "enum":
        return f"enum {member.findtext('name')}"
    head = words(member.find("type"))
    # The end of a type that follows the name is in argsstring.
    text = f"{head} {member.findtext('name')}{arguments}" if head else f"{member.findtext('name')}{arguments}"
    if kind == "typedef" and not text.startswith(("typedef", "using")):
        text = words(member.find("definition"))
    for word in ("static", "explicit"):
        if member.get(word) == "yes":
            text = f"{word} {text}"
    templates = [f"{words(each.find('type'))} {each.findtext('declname') or each.findtext('defname') or ''}".strip()
                 for each in member.findall("templateparamlist/param")]
    text = f"template <{', '.join(templates)}>\n{text}" if templates else text
    return folded(plain(re.sub(r" ([*&]+) ?(?=\w)", r" \1", text)))


def plain(text):
    """A declaration without the namespaces, and without Doxygen's spaces in templates."""
    return re.sub(r"(?<=[\w>*&.]) >", ">", re.sub(r"(\w)< ", r"\1<", re.sub(r"\bcucore::(?:mode::|(?=[A-Z]))", "", text)))


def folded(text):
    """A long declaration has a line for each parameter."""
    if max(map(len, text.splitlines())) <= LONGEST or "(" not in text:
        return text
    head, _, rest = text.partition("(")
    inside, closing = rest.rsplit(")", 1) if ")" in rest else (rest, "")
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter in "(<{[") - (letter in ")>}]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return f"{head}(\n" + ",\n".join(f"    {part.strip()}" for part in parts) + f"){closing}"


def line_of(element):
    location = element.find("location")
    return int(location.get("line")) if location is not None else 0


def file_of(element):
    location = element.find("location")
    return location.get("declfile") or location.get("file") if location is not None else ""


def values_of(enum, language):
    # The last value of each enumeration in C only fixes its size.
    return [Member(language, f"{enum.findtext('name')}::{value.findtext('name')}" if language == "cpp" else value.findtext("name"), "value",
                   f"{value.findtext('name')} {value.findtext('initializer') or ''}".strip(), described(value),
                   functions=re.findall(r"CUCORE_\w+", value.findtext("initializer") or "") if language == "cpp" else [])
            for value in enum.findall("enumvalue") if "_FORCE_INT32" not in value.findtext("name")]


def described(element):
    return paragraphs(element.find("briefdescription")) + paragraphs(element.find("detaileddescription"))


def member_of_c(element):
    name = element.findtext("name")
    made = Member("c", name, element.get("kind"), declaration(element), described(element), details(element), functions=[name])
    if element.get("kind") == "enum":
        made.members = values_of(element, "c")
    return made


def struct_of_c(compound):
    name = compound.findtext("compoundname")
    fields = [Member("c", f"{name}.{each.findtext('name')}", "field",
                     f"{words(each.find('type'))} {each.findtext('name')}{each.findtext('argsstring') or ''}", described(each))
              for each in compound.iter("memberdef")]
    return Member("c", name, "struct", f"struct {name}", described(compound), [], fields, [name])


def heading_of(path):
    """The topic of a header, from the first line of its comment."""
    text = path.read_text(encoding="utf-8")
    found = re.search(r"^(?: \* |/// )(?:@file )?\S+?\.hp?p?(?: - (.*)|\n/// (.*))$", text, re.M)
    return (found[1] or found[2]).strip() if found else ""


def comment_of(path):
    """The paragraphs of the comment at the top of a header."""
    text = path.read_text(encoding="utf-8")
    block = re.match(r"/\*\n(.*?)\*/", text, re.S)
    if not block or path.parent.name == "cucore":
        return []
    lines = [line.strip()[1:].removeprefix(" ") for line in block[1].rstrip().splitlines()]
    return ["\n" + "\n".join(lines[4:]).strip()] if path.name == "cucore.h" else \
        [" ".join(part.split()) for part in re.split(r"\n\s*\n", "\n".join(lines[4:])) if part.strip() and not part.lstrip().startswith("- ")]


def c_pages(root, roots):
    pages = []
    structs = {}
    for compound in (each.find("compounddef") for each in roots):
        if compound is not None and compound.get("kind") == "struct" and "::" not in compound.findtext("compoundname"):
            structs.setdefault(file_of(compound), []).append(compound)
    for each in roots:
        compound = each.find("compounddef")
        if compound is None or compound.get("kind") != "file" or not compound.findtext("compoundname").endswith(".h"):
            continue
        path = compound.find("location").get("file")
        found = sorted((m for m in compound.iter("memberdef") if not m.findtext("name").endswith(("_INCLUDED", "_API"))), key=line_of)
        functions = [member_of_c(m) for m in found if m.get("kind") == "function"]
        opaque = [member_of_c(m) for m in found if m.get("kind") == "typedef" and not m.findtext("name") in
                  {s.findtext("compoundname") for s in structs.get(path, ())} and not re.match(r"typedef enum", m.findtext("definition"))]
        types = opaque + [member_of_c(m) for m in found if m.get("kind") == "enum" and m.findtext("name")] + \
            [struct_of_c(s) for s in sorted(structs.get(path, ()), key=line_of)]
        macros = [member_of_c(m) for m in found if m.get("kind") == "define"]
        header = path.removeprefix("include/")
        groups = [(title, members) for title, members in (("Functions", functions), ("Types", types), ("Macros", macros)) if members]
        name = Path(header).stem if "/" in header else {"cucore.h": "conventions"}.get(header, Path(header).stem)
        topic = heading_of(root / path)
        pages.append(Page(f"c/{name}", header, [topic[:1].upper() + topic[1:], *comment_of(root / path)], groups))
    return pages


class Sources:
    """The lines of the headers, which show what C functions a member calls."""

    def __init__(self, root, known):
        self.root, self.known, self.lines = root, known, {}

    def called(self, element):
        location = element.find("location")
        path = location.get("bodyfile")
        if not path or int(location.get("bodyend") or -1) < 0:
            return []
        if path not in self.lines:
            self.lines[path] = (self.root / path).read_text(encoding="utf-8").splitlines()
        body = "\n".join(self.lines[path][int(location.get("bodystart")) - 1:int(location.get("bodyend"))])
        return [name for name in dict.fromkeys(C_NAME.findall(body)) if self.known.get(name)]


def cpp_member(element, owner, sources):
    name = element.findtext("name")
    full = f"{owner}::{name}" if owner else name
    made = Member("cpp", full, element.get("kind"), declaration(element), described(element), details(element), functions=sources.called(element))
    if element.get("kind") == "enum":
        made.members = values_of(element, "cpp")
        made.signature = f"enum class {name}"
    elif element.get("kind") == "typedef":
        made.signature = made.signature.replace("= typedef ", "= ")
        made.functions = C_NAME.findall(made.signature)
    if not made.text and len(made.functions) == 1:
        made.text = sources.known[made.functions[0]].text[:1]
    return made


def cpp_class(compound, sources):
    name = plain(compound.findtext("compoundname"))
    templates = [f"{words(each.find('type'))} {each.findtext('declname') or ''}".strip() for each in compound.findall("templateparamlist/param")]
    bases = [plain(words(each)) for each in compound.findall("basecompoundref") if each.get("prot") == "public"]
    signature = (f"template <{', '.join(templates)}>\n" if templates else "") + f"{compound.get('kind')} {name}" + \
        (f" : {', '.join(bases)}" if bases else "")
    members = [cpp_member(each, name.partition("<")[0].strip(), sources) for each in sorted(compound.iter("memberdef"), key=line_of)
               if each.get("prot") == "public" and each.get("kind") != "friend"]
    return Member("cpp", name, "class", signature, described(compound), [], members)


def cpp_pages(root, roots, known):
    sources, found, topics, seen = Sources(root, known), {}, {}, set()
    for compound in (each.find("compounddef") for each in roots):
        if compound is None or "detail" in (compound.findtext("compoundname") or ""):
            continue
        path = file_of(compound)
        if compound.get("kind") in ("class", "struct") and path.endswith(".hpp"):
            found.setdefault(path, []).append((line_of(compound), cpp_class(compound, sources)))
        elif compound.get("kind") == "namespace" and compound.findtext("compoundname") in ("cucore::mode", "cucore"):
            for each in compound.iter("memberdef"):
                place = (file_of(each), line_of(each), each.findtext("name"))
                if each.get("kind") in ("function", "enum", "typedef") and place[0].endswith(".hpp") and place not in seen:
                    seen.add(place)  # Doxygen lists a member in the namespace and in the inline one
                    found.setdefault(file_of(each), []).append((line_of(each), cpp_member(each, "", sources)))
    for path in sorted(found):
        header = path.removeprefix("include/")
        members = [member for _, member in sorted(found[path], key=lambda pair: pair[0])]
        topics[header] = Page(f"cpp/{Path(header).stem}", header, [heading_of(root / path)], [("Declarations", members)])
    return list(topics.values())


def every(members):
    for member in members:
        yield member
        yield from every(member.members)


def members_of(pages):
    return [member for page in pages for _, members in page.groups for member in every(members)]


def make(root, stage, work):
    """Writes the pages, and returns the members of both languages."""
    roots = run_doxygen(root, work)
    of_c = c_pages(root, roots)
    functions = {member.name: member for member in members_of(of_c) if member.kind == "function"}
    of_cpp = cpp_pages(root, roots, functions)
    for page in [*of_c, *of_cpp]:
        write(page, stage)
    write_index(stage, "c", "``cucore.h`` includes the topics of libcucore. Arrays and measurements are libraries of their own. Each header "
                "compiles as C89.", sorted(of_c, key=lambda page: (page.title.startswith("cucore_"), page.name != "c/conventions", page.name)))
    write_index(stage, "cpp", "``cucore.hpp`` includes these headers. The names are in the namespace ``cucore``.", of_cpp)
    return members_of(of_c), members_of(of_cpp)
