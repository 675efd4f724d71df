"""The documentation as a site: every page stands in it once, links and anchors lead somewhere, and it asks no other host."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
FROM_ROOT: Final = ("CONTRIBUTING.md", "CHANGELOG.md")
TEXTS: Final = [ROOT / "README.md", *(ROOT / name for name in FROM_ROOT), *sorted(DOCS.rglob("*.md"))]
FOREIGN: Final = re.compile(
    r"""<(?:script|img|iframe|source|link)[^>]*\s(?:src|href)=["']?(?:https?:)?//[^>]*>"""
    r"""|url\(["']?(?:https?:)?//[^)]*"""
)
"""What a browser fetches by itself from another host. A link that a reader follows is none."""


def listed() -> list[str]:
    """The pages in the order of ``mkdocs.yml``."""
    _, _, nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    return re.findall(r"^ +- (?:[\w-]+: )?(\S+\.md)$", nav, flags=re.MULTILINE)


def test_the_site_lists_every_page_once() -> None:
    """No page is missing from the site's lists, none stands there twice, and none that is gone."""
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    assert Counter(listed()) == Counter([*pages, *FROM_ROOT])


def test_each_page_stands_under_its_kind() -> None:
    """What the site shows as a how-to lies in ``docs/how-to``; only pages from beside ``docs`` lie elsewhere."""
    _, _, nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    kinds = re.split(r"^  - ([\w-]+):", nav, flags=re.MULTILINE)[1:]
    for kind, pages in zip(kinds[::2], kinds[1::2], strict=True):
        found = {page.partition("/")[0] for page in re.findall(r"(\S+\.md)$", pages, flags=re.MULTILINE)}
        assert found - set(FROM_ROOT) == ({"index.md"} if kind == "Home" else {kind.lower()}), kind


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings as a forge makes them."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *$", without_blocks(text), flags=re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def without_blocks(text: str) -> str:
    return re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)


def links(text: str) -> Iterator[tuple[str, str]]:
    """Path and anchor of each link into the project; either may be empty."""
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", without_blocks(text))):
        if "://" not in target:
            path, _, anchor = target.partition("#")
            yield path, anchor


def wrong_links(page: Path, text: str) -> Iterator[str]:
    """Each link of ``page`` whose file, or whose heading in it, is not there."""
    for path, anchor in links(text):
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{page.name}: {path}"
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{page.name}: {path}#{anchor}"


def test_links_and_anchors_of_the_documents_lead_somewhere() -> None:
    """Every link between the documents names a file, and every anchor a heading of it."""
    wrong = [one for page in TEXTS for one in wrong_links(page, page.read_text(encoding="utf-8"))]
    assert not wrong, "\n".join(wrong)


def test_wrong_links_are_found() -> None:
    """A file or heading that is not there is told; one that is there, and what stands in code, is not."""
    outside = "[a](index.md#how-to) [b](index.md#nowhere) [c](gone.md)"
    told = list(wrong_links(DOCS / "planted.md", f"{outside} `[d](gone.md)`\n\n```\n[e](gone.md)\n```\n"))
    assert told == ["planted.md: index.md#nowhere", "planted.md: gone.md"]


@pytest.mark.long
def test_the_site_is_built_and_asks_no_other_host(tmp_path: Path) -> None:
    """mkdocs builds it strictly, with every page, and no page fetches a script, style, font or picture from elsewhere."""
    builder = ROOT / ".venv/docs/bin/mkdocs"
    if not builder.exists():
        pytest.skip("mkdocs is not installed: .ci/prepare dev docs")
    told = subprocess.run(
        [builder, "build", "--strict", "--site-dir", tmp_path],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    built = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.html")}
    assert {re.sub(r"README\.md$", "index.md", page).replace(".md", ".html") for page in listed()} <= built
    shown = [*tmp_path.rglob("*.html"), *tmp_path.rglob("*.css"), *tmp_path.rglob("*.svg")]
    foreign = {path.name: found for path in shown if (found := FOREIGN.findall(path.read_text(encoding="utf-8")))}
    assert not foreign
    assert 'class="mermaid"' not in "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html"))
