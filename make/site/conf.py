"""What Sphinx is told about the site; `make/site/build.py` starts it, and says which version it builds.

The pages are the repository's Markdown as it is. What only the site needs, the tree of contents and links to
folders, is added while a page is read.
"""

import os
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from contents import DECISIONS, NOT_SHOWN, toctree_of_folder, toctrees  # noqa: E402 - it lies beside this file, and Sphinx knows only its own folders

project = "Direct Tool Bridge"
author = copyright = "Direct Tool Bridge contributors"
version = release = os.environ["SITE_VERSION"]
language = "en"

extensions = ["myst_parser"]
root_doc = "README"
exclude_patterns = [f"{page}.md" for page in NOT_SHOWN if page != root_doc]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 6
"""Headings get the names that forges give them, so that links to them work in both places."""
highlight_language = "none"
"""Of code without a language, which on a forge is plain, too."""
html_theme = "furo"
html_title = "Direct Tool Bridge"
html_static_path = [str(HERE / "static")]
templates_path = [str(HERE / "templates")]
html_css_files = ["site.css"]
html_js_files = [("versions.js", {"defer": "defer"}), ("scrolling.js", {"defer": "defer"})]
html_favicon = str(HERE.parents[1] / "static" / "favicon.svg")
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": False}
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
linkcheck_ignore = [r"https?://(127\.0\.0\.1|localhost|[\w.-]*\.?example|[\w.-]+\.example\.com)\b"]
"""Addresses of examples, which nobody answers at."""

_LINK = re.compile(r"\[(?P<label>[^\]]+)\]\((?P<target>[^)#:\s]+)\)")
_DIAGRAM = re.compile(r"^```mermaid$", re.MULTILINE)


def prepare(app: Sphinx, page: str, source: list[str]) -> None:
    """Change a page's Markdown where a forge shows more than Sphinx does."""
    folder = posixpath.dirname(page)
    text = _LINK.sub(lambda link: _inside(Path(app.srcdir), folder, link), source[0])
    text = _DIAGRAM.sub("```text", text)
    if page == root_doc:
        text += toctrees(Path(app.srcdir))
    elif page == DECISIONS:
        text += toctree_of_folder()
    source[0] = text


def _inside(sources: Path, folder: str, link: re.Match[str]) -> str:
    """The link, to the page of a folder where it means a folder; its words, if it leads out of the site."""
    path = posixpath.normpath(posixpath.join(folder, link["target"]))
    if (sources / path / "README.md").is_file():
        return f"[{link['label']}]({link['target'].rstrip('/')}/README.md)"
    if (sources / path).is_file() or not is_in_repository(path):
        return link[0]
    return f"{link['label']} (`{path}`)" if path not in link["label"] else link["label"]


def is_in_repository(path: str) -> bool:
    """Whether this version has such a file or folder; what it has not is left for Sphinx to complain of."""
    return any(name == path or name.startswith(f"{path}/") for name in _REPOSITORY)


_REPOSITORY = Path(os.environ["SITE_FILES"]).read_text(encoding="utf-8").split("\0")


TITLES: dict[str, nodes.bullet_list] = {}
"""What the navigation shows of each page: `keep_titles`."""


def keep_titles(app: Sphinx, env: BuildEnvironment) -> None:
    """Note the contents of every page without its headings, as Sphinx cuts them for a tree of titles."""
    for page, contents in env.tocs.items():
        TITLES[page] = contents.deepcopy()
        for title in TITLES[page].children:
            if len(title) > 1:
                trees = list(title.findall(addnodes.toctree))
                title[1:] = [nodes.bullet_list("", *trees)] if trees else []


def draw_titles(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Have the navigation drawn from what `keep_titles` noted.

    Sphinx would copy the headings of all pages for each page, to leave them out: a third of the whole time.
    """
    draw, contents = context["toctree"], app.env.tocs

    def drawn(**options: Any) -> str:
        app.env.tocs = TITLES
        try:
            return draw(**options)
        finally:
            app.env.tocs = contents

    context["toctree"] = drawn


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", prepare)
    app.connect("env-updated", keep_titles)
    app.connect("html-page-context", draw_titles, priority=400)  # before the theme's, which draws
