# SPDX-License-Identifier: Apache-2.0
"""Makes the files of the theme Furo work, as Debian 12 installs them.

Debian compiles Furo by other programs than its authors. There the style imports a file by an absolute path, the script
imports a module although it is not one, and the rules for the dark mode of the system are lost.
"""
import re
from importlib import util
from pathlib import Path

NORMALIZE = Path("/usr/share/javascript/normalize.css/normalize.css")
OUTER_IMPORT = re.compile(r"@import url\(/[^)]*normalize\.css\);\n")
MODULE_IMPORT = re.compile(r'^import Gumshoe from "\./gumshoe-patched\.js";\n', re.M)
DARK = re.compile(r'^  body\[data-theme="dark"\] \{\n(.*?)\}', re.M | re.S)
DARK_OF_SYSTEM = """
@media not print {{
  @media (prefers-color-scheme: dark) {{
    body:not([data-theme="light"]) {{
{rules}}}
    html body:not([data-theme="light"]) .only-light {{ display: none !important; }}
    body:not([data-theme="light"]) .only-dark {{ display: block !important; }}
  }}
}}
"""


def style(text, normalize):
    """The style without an import, with the dark mode of the system."""
    text = OUTER_IMPORT.sub(lambda _: normalize, text)
    dark = DARK.search(text)
    return text if "prefers-color-scheme: dark" in text or not dark else text + DARK_OF_SYSTEM.format(rules=dark[1].rstrip())


def script(text, module):
    """The script with the module in it."""
    return module + text.replace(MODULE_IMPORT.search(text)[0], "") if MODULE_IMPORT.search(text) else text


def write(folder):
    """Writes the files that replace those of the theme to a folder of static files."""
    furo = Path(util.find_spec("furo").origin).parent / "theme/furo/static"
    module = furo / "scripts/gumshoe-patched.js"
    made = {"styles/furo.css": style((furo / "styles/furo.css").read_text(encoding="utf-8"),
                                     NORMALIZE.read_text(encoding="utf-8") if NORMALIZE.exists() else ""),
            "scripts/furo.js": script((furo / "scripts/furo.js").read_text(encoding="utf-8"), module.read_text(encoding="utf-8") if module.exists() else "")}
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
