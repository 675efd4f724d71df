"""Headers of a page and of its event stream, and its assets.

Nothing is loaded from another address and nothing is written into a page as script or style, so the policy allows neither.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Final

from fastapi.staticfiles import StaticFiles

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
SHARED: Final = Path(str(resources.files("controller.pages") / "static"))
"""Assets of every page: the font, the icon, texts in two languages and cards."""


def assets(own: Path) -> StaticFiles:
    """The files of ``own`` and of ``SHARED`` as one folder; where both have a name, it is that of ``own``."""
    return StaticFiles(directory=own, packages=[("controller.pages", "static")])
