# SPDX-License-Identifier: Apache-2.0
# The settings of Sphinx for the site. build.py writes the values of this build to the file that SITE_DATA names.
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
_made = json.loads(Path(os.environ["SITE_DATA"]).read_text(encoding="utf-8"))

project = "libcucore"
author = "the libcucore authors"
version = release = _made["version"]
extensions = ["myst_parser", "reference_domain"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
reference_rows = _made["rows"]
reference_names = _made["names"]
myst_heading_anchors = 4
# Headings of decisions and of pages that show a file begin at any level.
suppress_warnings = ["myst.header", "misc.highlighting_failure", "myst.domains"]
highlight_language = "text"
pygments_style = "default"
pygments_dark_style = "github-dark"
smartquotes = False
html_domain_indices = html_use_index = False
html_theme = "furo"
html_title = f"libcucore {release}"
html_static_path = [str(HERE / "static"), _made["static"]]
html_css_files = ["site.css"]
html_js_files = ["offline.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
