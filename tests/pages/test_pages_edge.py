"""Bodies have a bound for everybody, answers are kept by no browser, and what goes wrong is told without its inside."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from support.console_site import StorySite
from support.table_story import TableStory

from controller.pages.edge import MAX_BODY
from controller.words.catalogue import Language, text


@pytest.fixture
def site() -> StorySite:
    """A table whose bring-in is due."""
    return StorySite(TableStory({1: 100, 3: 100, 5: 100}).start().deal())


def told(answer: Any, code: str) -> None:
    """A refusal in both languages."""
    refusal = answer["refusal"]
    assert refusal["code"] == code
    assert refusal["message_en"] == text(f"refusal.{code}", Language.EN)
    assert refusal["message_fr"] == text(f"refusal.{code}", Language.FR)


async def flood(api: Any, path: str) -> tuple[int, int, str]:
    """Send a body of 64 MB without its length, as long as it is read; status, pieces that were read, and the answer."""
    read, sent = 0, []

    async def receive() -> dict[str, Any]:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": b" " * MAX_BODY, "more_body": read < 1024}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", b"table"), (b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("::1", 1),
    }
    await api(scope, receive, send)
    return sent[0]["status"], read, b"".join(one.get("body", b"") for one in sent).decode()


async def test_a_body_longer_than_any_command_is_not_read(site: StorySite) -> None:
    """Told by its length, and without one: a table has no memory for what nobody has been asked for."""
    async with site.client as client:
        status, read, answered = await flood(site.api, "/api/v1/session")
        assert (status, read) == (413, 2)
        told(json.loads(answered), "too_large")
        body = {"key": "press-0001", "seq": 0, "command": {"type": "pause_table", "reason": "x" * MAX_BODY}}
        answer = await client.post("/api/v1/commands", json=body)
        assert (answer.status_code, answer.headers["connection"]) == (413, "close")
        told(answer.json(), "too_large")
        fits = json.dumps({**body, "command": {"type": "pause_table", "reason": "x"}}).ljust(MAX_BODY)
        answer = await client.post("/api/v1/commands", content=fits, headers={"Content-Type": "application/json"})
        assert answer.status_code == 200


async def test_what_goes_wrong_inside_is_told_in_both_languages_and_without_it(
    site: StorySite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has the rest."""

    def broken() -> dict[str, Any]:
        raise RuntimeError("Kd lies at seat/1/down")

    monkeypatch.setattr(site.desk, "snapshot", broken)
    transport = httpx.ASGITransport(site.api, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
        answer = await client.get("/api/v1/snapshot")
    assert answer.status_code == 500
    assert "Kd" not in answer.text
    told(answer.json(), "failed")


@pytest.mark.parametrize(
    ("path", "kept"),
    [("/", "no-store"), ("/api/v1/snapshot", "no-store"), ("/api/v1/sheets?name=hands", "no-store"), ("/nowhere", "no-store"),
     ("/static/main.js", "no-cache"), ("/tokens.css", "no-cache")],
)  # fmt: skip
async def test_no_browser_keeps_or_guesses_what_it_got(site: StorySite, path: str, kept: str) -> None:
    """A table's picture is nobody's to keep; a module is asked for anew, or an upgraded table is driven by yesterday's page."""
    async with site.client as client:
        answer = await client.get(path)
    assert answer.headers["cache-control"] == kept
    assert answer.headers["x-content-type-options"] == "nosniff"
