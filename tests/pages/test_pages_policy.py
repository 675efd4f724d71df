"""What pages are sent with, and the assets that they share."""

from __future__ import annotations

from pathlib import Path

import httpx
from fastapi import FastAPI

from controller.pages.policy import HEADERS, POLICY, SHARED, assets


def test_a_page_may_load_nothing_from_elsewhere_and_nothing_inline() -> None:
    """No address, no wildcard, no inline script or style; and it stands in no frame of another page."""
    assert HEADERS["Content-Security-Policy"] == POLICY
    assert "default-src 'none'" in POLICY
    assert "frame-ancestors 'none'" in POLICY
    assert {part.split()[1] for part in POLICY.split("; ")} == {"'none'", "'self'"}


async def test_own_assets_come_before_the_shared_ones(tmp_path: Path) -> None:
    """Both folders are one; nothing beside them is served."""
    (tmp_path / "words.js").write_text("// own", encoding="utf-8")
    api = FastAPI()
    api.mount("/static", assets(tmp_path))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://127.0.0.1") as client:
        assert (await client.get("/static/words.js")).text == "// own"
        assert (await client.get("/static/cards.js")).text == (SHARED / "cards.js").read_text(encoding="utf-8")
        for path in ("/static/none.js", "/static/../__init__.py", "/static/%2e%2e/__init__.py"):
            assert (await client.get(path)).status_code == 404
