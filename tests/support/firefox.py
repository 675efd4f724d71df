"""Firefox as Debian ships it, driven over Marionette: its own protocol on a local socket, no driver program in between.

A message is its length, a colon and JSON: ``[0, id, command, parameters]`` there, ``[1, id, error, result]`` back; the commands
are those of WebDriver.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from support.programs import program

FIREFOX: Final = ("firefox-esr", "firefox")
START_S: Final = 60.0
ANSWER_S: Final = 30.0
MIDDLE: Final = """const box = document.querySelector(arguments[0]).getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];"""
_PREFERENCES: Final[dict[str, Any]] = {
    "marionette.port": 0,  # any free one, which it writes into its profile
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "devtools.console.stdout.content": True,
    "dom.w3c_touch_events.enabled": 1,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
}


class Firefox:
    """One window. A failed command is a ``RuntimeError`` with what Firefox said."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._sent = 0

    async def read(self) -> Any:
        """The next message."""
        length = int((await self._reader.readuntil(b":"))[:-1])
        return json.loads(await self._reader.readexactly(length))

    async def command(self, name: str, **given: Any) -> Any:
        """Do one thing and return what came of it."""
        self._sent += 1
        body = json.dumps([0, self._sent, name, given]).encode()
        self._writer.write(b"%d:%b" % (len(body), body))
        async with asyncio.timeout(ANSWER_S):
            _, number, error, result = await self.read()
        assert number == self._sent
        if error is not None:
            raise RuntimeError(f"{name}: {error['error']}: {error['message']}")
        return result

    async def script(self, body: str, *arguments: Any) -> Any:
        """What ``body`` returns in the page."""
        return (await self.command("WebDriver:ExecuteScript", script=body, args=arguments, sandbox="test"))["value"]

    async def until(self, body: str, *arguments: Any, within_s: float = ANSWER_S) -> None:
        """Wait until ``body`` returns true."""
        try:
            async with asyncio.timeout(within_s):
                while not await self.script(body, *arguments):
                    await asyncio.sleep(0.02)
        except TimeoutError:
            shown = await self.script("return document.body.innerText")
            raise TimeoutError(f"not within {within_s:.0f} s: {body} {arguments}\n{shown}") from None

    async def finger(self, selector: str, *, held_s: float = 0.0) -> None:
        """Put a finger on the middle of an element for ``held_s`` and lift it."""
        x, y = (round(value) for value in await self.script(MIDDLE, selector))
        steps: list[dict[str, Any]] = [
            {"type": "pointerMove", "duration": 0, "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pause", "duration": round(held_s * 1000)},
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": steps}
        await self.command("WebDriver:PerformActions", actions=[pointer])

    async def keys(self, *keys: str) -> None:
        """Press keys one after another, each down and up; ``"ctrl+s"`` holds the first meanwhile."""
        names = {"ctrl": "\ue009", "escape": "\ue00c"}
        actions: list[dict[str, str]] = []
        for pressed in keys:
            parts = [names.get(part, part) for part in pressed.split("+")]
            actions += [{"type": "keyDown", "value": part} for part in parts]
            actions += [{"type": "keyUp", "value": part} for part in reversed(parts)]
        await self.command("WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])


@asynccontextmanager
async def firefox(folder: Path) -> AsyncIterator[Firefox]:
    """A Firefox without a screen, with a profile of its own in ``folder``. Its page's errors fail the test at the end."""
    path = program(*FIREFOX, package="firefox-esr")
    profile = folder / "profile"
    profile.mkdir(parents=True)
    lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in _PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
    log = folder / "firefox.log"
    with log.open("wb") as told:
        arguments = ("--headless", "--marionette", "--no-remote", "--window-size", "1280,900", "--profile", str(profile))
        running = await asyncio.create_subprocess_exec(
            path, *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=told, stderr=told
        )
    try:
        port = await _port(profile / "MarionetteActivePort", running)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        page = Firefox(reader, writer)
        await page.read()  # who it is
        await page.command("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": False}})
        await page.command("WebDriver:SetWindowRect", width=1280, height=900)
        yield page
        writer.close()
    finally:
        with suppress(ProcessLookupError):
            running.terminate()
        await running.wait()
    wrong = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if "JavaScript error: http" in line]
    assert not wrong, wrong[0]


async def _port(file: Path, running: asyncio.subprocess.Process) -> int:
    async with asyncio.timeout(START_S):
        while not (file.exists() and file.read_text(encoding="ascii").strip()):
            assert running.returncode is None, "Firefox ended while it started"
            await asyncio.sleep(0.05)
    return int(file.read_text(encoding="ascii"))
