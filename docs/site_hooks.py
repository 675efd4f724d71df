# ruff: noqa: INP001 - a script that mkdocs loads, no package
"""What `make docs` does to the pages on their way into the site, since mkdocs reads Markdown a little otherwise than a forge."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parents[1]
FROM_ROOT: Final = ("CONTRIBUTING.md", "CHANGELOG.md")
"""Pages of the site that stand beside ``docs``, where a forge looks for them."""
LINK: Final = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE: Final = re.compile(r"^```.*?^```$", flags=re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take in the pages that stand beside ``docs``."""
    for name in FROM_ROOT:
        files.append(File.generated(config, name, content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links as the site has its pages, and text in a list's item four spaces in, as Python-Markdown wants it."""
    here = ROOT if page.file.src_uri in FROM_ROOT else ROOT / "docs" / Path(page.file.src_uri).parent
    linked = LINK.sub(lambda link: _link(link, here), markdown)
    parts, end = [], 0
    for fence in FENCE.finditer(linked):
        parts += [_four_in(linked[end : fence.start()]), fence.group()]
        end = fence.end()
    return "".join([*parts, _four_in(linked[end:])])


def _four_in(text: str) -> str:
    return re.sub(r"^ {3}(?=\S| )", "    ", text, flags=re.MULTILINE)


def _link(link: re.Match[str], here: Path) -> str:
    """The link as the site has it; one to a file of the program stays as its text, one that leads nowhere mkdocs refuses."""
    target, _, anchor = link[2].partition("#")
    if "://" in target or not target:
        return link[0]
    path = (here / target).resolve()
    if path.parent == ROOT and path.name in FROM_ROOT:
        found = path.name
    elif path.is_relative_to(ROOT / "docs") and path.is_file():
        found = path.relative_to(ROOT / "docs").as_posix()
    else:
        return link[1] if path.exists() else link[0]
    base = Path() if here == ROOT else here.relative_to(ROOT / "docs")
    up = "../" * len(base.parts)
    return f"[{link[1]}]({up}{found}{'#' + anchor if anchor else ''})"
