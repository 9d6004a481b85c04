# SPDX-License-Identifier: Apache-2.0
"""An extension of Sphinx: shows the JSON of reference.py, links names to their descriptions, and links the languages."""
import json
import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx import addnodes
from sphinx.domains import Domain, ObjType
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode

from reference import TITLES

NAME = re.compile(r"`([^`]+)`|([A-Za-z_]\w*(?:(?:\.|::)\w+)*)(\(\))?")
# Words of sentences that are also names of members.
PLAIN = re.compile(r"[a-z]+$|[A-Z][a-z]+$|[A-Z]{2,}$|NULL$")


def anchor_of(language, name):
    return f"{language}.{re.sub(r'[^A-Za-z0-9_.]+', '-', name)}"


def reference_to(language, name, shown, code=True):
    node = addnodes.pending_xref("", refdomain="api", reftype=language, reftarget=name, refexplicit=True, refwarn=False)
    node += nodes.literal(shown, shown) if code else nodes.inline(shown, shown)
    return node


class Writer:
    """Makes the nodes of one page."""

    def __init__(self, directive, rows):
        self.directive, self.rows = directive, rows
        self.env = directive.state.document.settings.env
        self.domain = self.env.get_domain("api")
        self.taken = set()

    def words(self, text, language, owner=""):
        """Text whose names are links."""
        out, end = [], 0
        for match in NAME.finditer(text):
            name = match[1] or match[2]
            if match[1] is None and PLAIN.match(name) and not match[3]:
                continue
            if match[1] is None and not self.is_name(language, name, owner):
                continue
            out.append(nodes.Text(text[end:match.start()]))
            end = match.end()
            found = self.full_name(language, name.removesuffix("()"), owner)
            shown = name + (match[3] or "")
            out.append(reference_to(language, found, shown) if found else nodes.literal(shown, shown))
        return [*out, nodes.Text(text[end:])]

    def is_name(self, language, name, owner):
        return self.full_name(language, name, owner) is not None or name.lower().startswith("cucore_")

    def full_name(self, language, name, owner):
        known = self.env.config.reference_names.get(language, {})
        joint = "::" if language == "cpp" else "."
        for each in (name, f"{owner}{joint}{name}", name.partition(joint)[0] if joint in name else name):
            if each in known:
                return each
        return None

    def paragraphs(self, items, language, owner):
        for item in items:
            if isinstance(item, list):
                yield nodes.bullet_list("", *(nodes.list_item("", nodes.paragraph("", "", *self.words(each, language, owner))) for each in item))
            elif item.startswith("\n"):
                block = nodes.literal_block(item[1:], item[1:])
                block["language"] = "text"
                yield block
            elif item:
                yield nodes.paragraph("", "", *self.words(item, language, owner))

    def signature(self, member):
        """The declaration, with the types as links."""
        language, text = member["language"], member["signature"]
        last = re.split(r"\.|::", member["name"])[-1]
        line = nodes.inline("", "", classes=["declaration"])
        end, named = 0, False
        for match in re.finditer(r"[A-Za-z_]\w*", text):
            line += nodes.Text(text[end:match.start()])
            end = match.end()
            if match[0] == last and not named:
                if member["url"]:
                    line += self.url(member, addnodes.desc_name("", match[0]))
                else:
                    line += addnodes.desc_name("", match[0])
                named = True
            elif match[0] in self.env.config.reference_names.get(language, {}) and not PLAIN.match(match[0]) or \
                    self.env.config.reference_names.get(language, {}).get(match[0]) in ("class", "enum", "exception", "struct"):
                line += reference_to(language, match[0], match[0], code=False)
            else:
                line += nodes.Text(match[0])
        line += nodes.Text(text[end:])
        return line

    def url(self, member, shown):
        up = "../" * self.env.docname.count("/")
        reference = nodes.reference("", "", internal=True, refuri=up + member["url"], classes=["described"])
        reference += shown
        return reference

    def same(self, member):
        """The line with the same in the other languages."""
        names = member["functions"] if member["language"] in ("cpp", "c") else []
        names = names or self.rows["back"].get(f"{member['language']} {member['name']}", [])
        if member["language"] == "c":
            names = [member["name"]]
        found = {}
        for name in names:
            found.setdefault("c", []).append(name)
            for language, others in self.rows["same"].get(name, {}).items():
                found.setdefault(language, []).extend(others)
        parts = []
        for language in TITLES:
            others = list(dict.fromkeys(found.get(language, ())))
            if language == member["language"] or not others:
                continue
            entry = [nodes.inline("", f"{TITLES[language]}: ", classes=["language"])]
            for each in others if language == "c" else others[:3]:
                entry += [reference_to(language, each, each), nodes.Text(" ")]
            parts.append(nodes.inline("", "", *entry, classes=["one"]))
        return nodes.paragraph("", "", *parts, classes=["same"]) if parts else None

    def details(self, member):
        listed = nodes.field_list()
        for label, rows in member["details"]:
            body = nodes.field_body()
            if len(rows) == 1 and not rows[0][0]:
                body += nodes.paragraph("", "", *self.words(rows[0][1], member["language"]))
            else:
                body += nodes.bullet_list("", *(nodes.list_item("", self.row(name, text, member["language"])) for name, text in rows))
            listed += nodes.field("", nodes.field_name("", label), body)
        return listed if len(listed) else None

    def row(self, name, text, language):
        known = self.env.config.reference_names.get(language, {})
        shown = reference_to(language, name, name) if name in known and language != "c" or name.startswith("CUCORE_") else nodes.strong(name, name)
        return nodes.paragraph("", "", shown, nodes.Text(": "), *self.words(text, language))

    def member(self, member):
        language, name = member["language"], member["name"]
        described = addnodes.desc("", domain="api", objtype=language, desctype=member["kind"], noindex=False, classes=[member["kind"]])
        line = addnodes.desc_signature("", "", self.signature(member))
        anchor = anchor_of(language, name)
        if anchor not in self.taken:
            self.taken.add(anchor)
            line["ids"].append(anchor)
            self.domain.note(language, name, self.env.docname, anchor, member["kind"])
            self.directive.state.document.note_explicit_target(line)
            permanent = nodes.reference("", "¶", internal=True, refuri=f"#{anchor}", classes=["headerlink"])
            line += permanent
        described += line
        content = addnodes.desc_content()
        content += list(self.paragraphs(member["text"], language, re.split(r"[.]|::", name)[0]))
        for part in (self.details(member), self.same(member)):
            if part is not None:
                content += part
        content += [self.member(each) for each in member["members"]]
        described += content
        return described

    def page(self, page, language):
        yield from self.paragraphs(page["intro"], language, "")
        for title, members in page["groups"]:
            if len(page["groups"]) == 1:
                yield from map(self.member, members)
                continue
            section = nodes.section("", nodes.title("", title), ids=[nodes.make_id(f"{title}")], names=[])
            section += list(map(self.member, members))
            yield section


class Reference(Directive):
    required_arguments = 1

    def run(self):
        env = self.state.document.settings.env
        path = Path(env.doc2path(env.docname)).with_name(self.arguments[0])
        page = json.loads(path.read_text(encoding="utf-8"))
        return list(Writer(self, env.config.reference_rows).page(page, page["name"].partition("/")[0]))


class ApiDomain(Domain):
    name = "api"
    label = "API"
    object_types = {language: ObjType(title, language) for language, title in TITLES.items()}
    roles = {language: XRefRole() for language in TITLES}
    initial_data = {"objects": {}}
    data_version = 1

    def note(self, language, name, document, anchor, kind):
        self.data["objects"].setdefault((language, name), (document, anchor, kind))

    def clear_doc(self, document):
        for key in [key for key, value in self.data["objects"].items() if value[0] == document]:
            del self.data["objects"][key]

    def merge_domaindata(self, documents, other):
        self.data["objects"].update({key: value for key, value in other["objects"].items() if value[0] in documents})

    def resolve_xref(self, env, document, builder, kind, target, node, content):
        found = self.data["objects"].get((kind, target))
        return make_refnode(builder, document, found[0], found[1], content, target) if found else None

    def get_objects(self):
        for (language, name), (document, anchor, kind) in self.data["objects"].items():
            if kind != "field":
                yield name, f"{name} ({TITLES[language]})", language, document, anchor, 1


BREAK = re.compile(r"(?<=[_.:])(?=[^_.:])|(?<=[a-z0-9])(?=[A-Z])")


def break_names(app, doctree, page):
    """Lets browsers break the names in the table of all languages between their words."""
    for table in doctree.findall(nodes.table):
        if "languages" in table["classes"]:
            for text in [each for each in table.findall(nodes.Text) if isinstance(each.parent, nodes.literal)]:
                first, *rest = BREAK.split(text)
                text.parent.replace(text, [nodes.Text(first), *(part for word in rest for part in (nodes.raw("", "<wbr>", format="html"), nodes.Text(word)))])


CONTENTS = {}


def share_contents(app, page, template, context, doctree):
    """Makes the table of contents once for the pages of a folder that are not in it. Furo writes all of it into every page."""
    if page not in app.env.metadata or "orphan" not in app.env.metadata[page]:
        return
    made = context["toctree"]

    def shared(**options):
        key = (page.rpartition("/")[0], *sorted(options.items()))
        if key not in CONTENTS:
            CONTENTS[key] = made(**options)
        return CONTENTS[key]
    context["toctree"] = shared


def setup(app):
    app.add_config_value("reference_rows", {"same": {}, "back": {}}, "")
    app.add_config_value("reference_names", {}, "")
    app.add_domain(ApiDomain)
    app.add_directive("reference", Reference)
    app.connect("doctree-resolved", break_names)
    app.connect("html-page-context", share_contents, priority=100)  # before that of Furo
    return {"parallel_read_safe": True, "parallel_write_safe": True}
