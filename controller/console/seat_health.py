"""The seats' displays on the dealer's console: which one shows something else than it was sent, and which one is silent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.mqtt.payloads import Device, DeviceHealth
from controller.words.said import Said, both, joined, say


def _seat(name: str) -> int:
    return int(name.split("-")[1])


def with_displays(devices: dict[str, Any], displays: Mapping[str, Device], *, broker: bool = True) -> dict[str, Any]:
    """The strip's word for ``devices`` with the seats whose display differs, or that have none which is live any more; without
    the ``broker`` no display hears anything, and that alone is said of them (REG-11, REG-14)."""
    if not broker:
        away = say("ui.broker.lost")
        return {"wrong": True, "text": joined([devices["text"], away], " · ") if devices["wrong"] else away}
    differs = {_seat(name) for name, one in displays.items() if one.health is DeviceHealth.DEGRADED}
    live = {_seat(name) for name, one in displays.items() if one.health is DeviceHealth.OK}
    lost = {_seat(name) for name in displays} - live - differs
    said = [say("ui.display.differs", n=seat) for seat in sorted(differs)] + [
        say("ui.display.lost", n=seat) for seat in sorted(lost)
    ]
    if not said:
        return devices
    return {"wrong": True, "text": joined(([devices["text"]] if devices["wrong"] else []) + said, " · ")}


def display_lines(displays: Mapping[str, Device]) -> list[Said]:
    """Every display that was heard or is missed, one a line: what is wrong with it, and what is to be done."""
    return [
        say("ui.display.ok", n=_seat(name)) if one.text is None else both(one.text.en, one.text.fr)
        for name, one in displays.items()
    ]
