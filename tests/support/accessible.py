"""What a page must be for everybody: axe finds nothing, each control can be reached and hit, and nothing is cut off."""

from __future__ import annotations

from typing import Any, Final

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page

LOOK: Final = """async ([width, height]) => {
  const found = [];
  const told = e => `${e.id || e.className || e.tagName}: ${e.getAttribute('aria-label') || e.textContent}`.slice(0, 80);
  const open = [...document.querySelectorAll('dialog[open]')].pop();
  const seen = e => e.checkVisibility({visibilityProperty: true});
  const scrolled = e => e &&
    (e.scrollHeight > e.clientHeight && /auto|scroll/.test(getComputedStyle(e).overflowY) || scrolled(e.parentElement));
  for (const e of (open ?? document).querySelectorAll('button, input, select, a')) {
    if (!seen(e) || e.disabled || e.closest('[inert]')) continue;
    const box = e.getBoundingClientRect();
    if (e.tabIndex < 0) found.push(`no key reaches ${told(e)}`);
    if (box.width < width || box.height < height) found.push(`${Math.round(box.width)}x${Math.round(box.height)} of ${told(e)}`);
    if (e.scrollWidth > e.clientWidth + 2 || e.scrollHeight > e.clientHeight + 2) found.push(`cut off: ${told(e)}`);
    const inside = box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1 && box.top >= -1 && box.left >= -1;
    const scrolls = scrolled(e.parentElement);
    if (!inside && !scrolls) found.push(`off the screen: ${told(e)}`);
    const hit = inside && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (hit && !e.contains(hit) && !scrolls) found.push(`${told(hit)} lies over ${told(e)}`);
  }
  const words = 'h1, h2, h3, p, dt, dd, li, figcaption, .chips, .amount, .label, .word, .pot, .age, .read b, .takes, .onepot div';
  for (const e of (open ?? document).querySelectorAll(words)) {
    if (!seen(e) || !e.textContent.trim() || e.classList.contains('spoken') || e.matches('.spoken *')) continue;
    const box = e.getBoundingClientRect();
    if (getComputedStyle(e).overflow !== 'visible' && e.scrollWidth > e.clientWidth + 2) found.push(`cut off: ${told(e)}`);
    if (box.right > innerWidth + 1) found.push(`runs off the screen: ${told(e)}`);
  }
  const results = await axe.run(document, {resultTypes: ['violations']});
  const why = node => [...node.any, ...node.all, ...node.none].map(check => check.message)[0];
  for (const one of results.violations)
    for (const node of one.nodes) found.push(`${one.id}: ${node.html.slice(0, 120)} ${why(node)}`);
  return found;
}"""


class Looker:
    """Looks at the states of a page and notes what is wrong in them. ``least`` is the smallest control, in pixels."""

    def __init__(self, page: Page, least: tuple[int, int]) -> None:
        self.page = page
        self.least = least
        self.looked: list[str] = []
        self.found: list[str] = []

    async def look(self, state: str) -> None:
        """Look at the page as it is now, which ``state`` names."""
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(Axe().axe_script)
        found: list[Any] = await self.page.evaluate(LOOK, list(self.least))
        self.looked.append(state)
        self.found += [f"{state}: {one}" for one in found]
